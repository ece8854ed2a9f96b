//! What is known of the assignments of tracked formulas.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use surefoot_num::Rational;

use super::reduce::Reduced;
use super::region::{Region, Truth};
use crate::assignment::Assignment;

/// All assignments are asked for; what is known of them so far.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    excluded: FxHashSet<Assignment>,
    found: BTreeMap<Assignment, Vec<Rational>>,
    /// The witnesses as floats (as near as they come), with their assignments.
    witnesses: Vec<(Vec<f64>, Assignment)>,
}

/// More witnesses of known assignments are not kept.
const MOST_WITNESSES: usize = 4096;

/// The truth of the tracked formulas on a region.
pub(crate) struct TrackedTruth {
    pub(crate) values: Vec<Truth>,
    /// How many of them are not known.
    pub(crate) open: usize,
}

impl TrackedTruth {
    pub(crate) fn new(values: Vec<Truth>) -> Self {
        let open = values.iter().filter(|truth| **truth == Truth::Unknown).count();
        Self { values, open }
    }
}

impl Collected {
    /// Nothing yet; the excluded ones are not asked for.
    pub(crate) fn excluding(excluded: &FxHashSet<Assignment>) -> Self {
        Self { excluded: excluded.clone(), ..Self::default() }
    }

    /// How many assignments were found.
    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    /// The assignments found, with witnesses.
    pub(crate) fn into_found(self) -> BTreeMap<Assignment, Vec<Rational>> {
        self.found
    }

    /// Goes on without the variables that are fixed.
    pub(crate) fn reduce(&mut self, reduced: &Reduced) {
        for (point, _) in &mut self.witnesses {
            *point = reduced.part(point);
        }
    }

    /// Takes note of a witness; `exact` says it in full.
    pub(crate) fn add(&mut self, assignment: Assignment, point: &[f64], exact: impl FnOnce() -> Vec<Rational>) {
        if !self.is_known(&assignment) {
            self.found.insert(assignment.clone(), exact());
        } else if self.witnesses.len() > MOST_WITNESSES {
            return;
        }
        self.witnesses.push((point.to_vec(), assignment));
    }

    fn is_known(&self, assignment: &Assignment) -> bool {
        self.found.contains_key(assignment) || self.excluded.contains(assignment)
    }

    /// Whether every assignment that fits is known.
    pub(crate) fn all_known(&self, truth: &TrackedTruth) -> bool {
        let known = self.found.len() + self.excluded.len();
        if truth.open >= 20 || 1usize << truth.open > known {
            return false;
        }
        let open: Vec<usize> = (0..truth.values.len()).filter(|index| truth.values[*index] == Truth::Unknown).collect();
        (0..1u32 << open.len()).all(|code| {
            let value = |index: usize| match truth.values[index] {
                Truth::Unknown => {
                    let bit = open.iter().position(|o| *o == index).expect("listed above");
                    code >> bit & 1 == 1
                }
                truth => truth == Truth::True,
            };
            self.is_known(&Assignment::new((0..truth.values.len()).map(value)))
        })
    }

    /// Whether a known witness lies in a region.
    pub(crate) fn holds_witness(&self, region: &Region, n: usize, truth: &TrackedTruth) -> bool {
        self.witnesses.iter().any(|(point, assignment)| {
            point.iter().enumerate().all(|(v, x)| region.data[v] <= *x && *x <= region.data[n + v])
                && truth.values.iter().zip(assignment.iter()).all(|(truth, value)| match truth {
                    Truth::Unknown => true,
                    truth => (*truth == Truth::True) == value,
                })
        })
    }
}
