//! A region of the search: a box, what is known of neurons on it, and which parts of the formula are decided.
//!
//! Everything computed for a box stays true on smaller ones, so children start from a copy of their parent.

use std::sync::Arc;

use super::aim::Aim;
use super::assume::Assumption;
use super::compiled::{Compiled, Part};

/// A region of more integer points than two to the power of this is worth an exact linear program.
pub(crate) const MANY: f64 = 24.0;

/// What is known of a part of the formula on a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Truth {
    #[default]
    Unknown,
    /// Holds nowhere in the region, or is given up in this branch.
    False,
    /// Holds everywhere in the region.
    True,
}

/// A region: `data` is lower bounds, upper bounds, then bounds of neurons as [`crate::bounds::Setting`] lays them out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Region {
    pub(crate) data: Vec<f64>,
    pub(crate) truth: Vec<Truth>,
    /// Ranges of neurons that this branch assumes.
    pub(crate) assumed: Vec<Arc<Assumption>>,
    /// Parts that must hold here besides the formula: tracked formulas, or their negations.
    pub(crate) extra: Vec<u32>,
    /// Tracked formulas that may still hold here, where it is asked which hold nowhere.
    pub(crate) alternatives: Vec<u32>,
    /// The two sides of the neuron that this region is to be split by.
    pub(crate) ranges: Option<[Arc<Assumption>; 2]>,
    /// What the region is split for the sake of, or what it is a half of was.
    pub(crate) aim: Option<Arc<Aim>>,
}

impl Region {
    /// Makes the disjunction around a part hold through this part, or through another one.
    pub(crate) fn choose(&mut self, compiled: &Compiled<'_>, part: u32, this: bool) {
        if !this {
            self.truth[part as usize] = Truth::False;
            return;
        }
        let around = compiled.parts.iter().find_map(|p| match p {
            Part::Any(children) if children.contains(&part) => Some(children),
            _ => None,
        });
        for &other in around.expect("the part of a disjunction") {
            if other != part {
                self.truth[other as usize] = Truth::False;
            }
        }
    }

    /// The parts that must hold in this region and are not decided: rows and scores into `atoms`, disjunctions with
    /// several open parts into `open`.
    pub(crate) fn required(&self, compiled: &Compiled<'_>, atoms: &mut Vec<u32>, open: &mut Vec<u32>) {
        atoms.clear();
        open.clear();
        let mut work = self.extra.clone();
        work.push(compiled.root);
        while let Some(part) = work.pop() {
            if self.truth[part as usize] != Truth::Unknown {
                continue;
            }
            match &compiled.parts[part as usize] {
                Part::Row(_) | Part::Score(_) => atoms.push(part),
                Part::All(children) => work.extend(children.iter().rev()),
                Part::Any(children) => {
                    let unknown = |child: &&u32| self.truth[**child as usize] == Truth::Unknown;
                    match children.iter().filter(unknown).count() {
                        1 => work.extend(children.iter().filter(unknown)),
                        _ => open.push(part),
                    }
                }
            }
        }
    }

    /// Whether a range of one of an application's neurons is assumed.
    pub(crate) fn assumes(&self, application: usize) -> bool {
        self.assumed.iter().any(|assumption| assumption.application == application)
    }

    /// How many neurons of an application can be both active and inactive.
    pub(crate) fn unstable(&self, compiled: &Compiled<'_>, application: usize) -> usize {
        let setting = &compiled.settings[application];
        let layers = (0..setting.folded.depth()).filter(|l| setting.folded.layer(*l).is_relu());
        layers
            .map(|layer| {
                let (low, high) = setting.range(layer);
                let bounds = self.data[low].iter().zip(&self.data[high]);
                bounds.filter(|(l, u)| **l < 0.0 && **u > 0.0).count()
            })
            .sum()
    }
}

/// The binary logarithm of the number of integer points, reals counted as if they were integers.
pub(crate) fn bits(data: &[f64], n: usize) -> f64 {
    (0..n).map(|v| (data[n + v] - data[v] + 1.0).log2()).sum()
}
