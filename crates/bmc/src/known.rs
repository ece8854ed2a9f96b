//! Paths that need not be followed, because another one ends wherever they do.
//!
//! Soundness: a path is left out if an earlier one of at most its length has the same values over the same symbols, every symbol
//! has at least the range there that it has here (what a range makes certain is no condition any more), and everything that must hold
//! on the earlier one must hold on it. Then whatever the left out path reaches, the earlier one reaches with the same start
//! state and choices, in no more steps. Of a single state nothing more is asked than that it is the same.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_abstraction::Chooser;
use surefoot_linear::{Formula, Linear, Space, Symbol};

use crate::paths::{Path, PathId, Paths};

/// Paths with the same values that are compared with a new one, at most.
const MOST_COMPARED: usize = 16;

/// The base of a path, which does not matter for single states, and its values.
type End = (Option<PathId>, Arc<[Linear]>);

/// The ends of paths so far.
#[derive(Debug, Default)]
pub(crate) struct Known {
    by_end: FxHashMap<End, Vec<PathId>>,
}

impl Known {
    /// Whether a path need not be followed. The path before it is there already, and it is to be added as the next one if not.
    pub(crate) fn covers(&mut self, paths: &Paths, before: Option<PathId>, path: &Path) -> bool {
        let base = (!path.is_concrete()).then_some(before.map_or(PathId::at(paths.len()), |id| paths.get(id).base));
        let earlier = self.by_end.entry((base, path.values.clone())).or_default();
        if base.is_none() && !earlier.is_empty() {
            return true;
        }
        if !earlier.is_empty() {
            let demands = Demands::of(paths, before, path);
            if earlier.iter().any(|id| demands.include(paths, *id)) {
                return true;
            }
        }
        if earlier.len() < MOST_COMPARED {
            earlier.push(PathId::at(paths.len()));
        }
        false
    }
}

/// What must hold on a path.
struct Demands<'p> {
    conjuncts: Vec<&'p Formula>,
    decisions: Vec<&'p [Chooser]>,
    space: &'p Space,
}

impl<'p> Demands<'p> {
    fn of(paths: &'p Paths, before: Option<PathId>, path: &'p Path) -> Self {
        let mut demands = Self { conjuncts: Vec::new(), decisions: Vec::new(), space: &path.space };
        for step in std::iter::once(path).chain(before.into_iter().flat_map(|id| paths.since_base(id))) {
            demands.conjuncts.extend(conjuncts(&step.condition));
            demands.decisions.extend(step.decision.as_deref());
        }
        demands
    }

    /// Whether they include all of another path.
    fn include(&self, paths: &Paths, other: PathId) -> bool {
        // Symbols are numbered by position: the same number may be another choice.
        let earlier = &paths.get(other).space;
        let common = Symbol::first(earlier.len().min(self.space.len()));
        let wide = common.into_iter().all(|symbol| {
            let (wide, narrow) = (&earlier.symbol(symbol).bounds, &self.space.symbol(symbol).bounds);
            wide.intersection(narrow) == *narrow
        });
        wide && paths.since_base(other).all(|step| {
            let decided = |other: &[Chooser]| self.decisions.iter().any(|own| same_decision(own, other));
            conjuncts(&step.condition).iter().all(|part| self.conjuncts.contains(&part))
                && step.decision.as_deref().is_none_or(decided)
        })
    }
}

fn conjuncts(formula: &Formula) -> &[Formula] {
    if let Formula::All(parts) = formula { parts } else { std::slice::from_ref(formula) }
}

fn same_decision(a: &[Chooser], b: &[Chooser]) -> bool {
    let same = |(a, b): (&Chooser, &Chooser)| a.output == b.output && a.is_same_choice(b);
    a.len() == b.len() && a.iter().zip(b).all(same)
}
