//! What can happen at given locations: moves of the labels that policies choose, errors that they may meet, and how both policies come to permit them.

use std::sync::Arc;

use surefoot_abstraction::{Chooser, Fault, Rule};
use surefoot_linear::{Formula, Symbol};
use surefoot_model::LabelId;
use surefoot_oracle::{Application, Question};
use surefoot_text::diagnostic::Diagnostic;

use super::Reusing;
use crate::policies::Applicable;

/// What can happen at given locations.
pub(super) struct Local {
    /// Labels of the policies that have moves here.
    pub(super) governed: Vec<Governed>,
    /// All moves, those of the environment too.
    pub(super) moves: Vec<Arc<Rule>>,
    /// Where the second policy is asked and has no network.
    pub(super) uncovered: Formula,
}

/// A label that policies may choose at given locations.
pub(super) struct Governed {
    pub(super) applicable: Formula,
    pub(super) old: Arc<[Chooser]>,
    pub(super) new: Arc<[Chooser]>,
    pub(super) rules: Vec<Arc<Rule>>,
    pub(super) faults: Vec<Fault>,
    pub(super) label: LabelId,
}

impl Local {
    pub(super) fn new(reusing: &mut Reusing<'_, '_>, here: &[i64]) -> Result<Self, Diagnostic> {
        let locations: Vec<u32> = here.iter().filter_map(|location| u32::try_from(*location).ok()).collect();
        let Reusing { policies, old, new, .. } = reusing;
        let rules = new.rules(&locations)?;
        let faults = new.faults(&locations)?;
        let mut lowering = new.lowering().clone();
        let applicable = Applicable::new(&mut lowering, policies.labels(), Some(&locations))?;
        let covered = new.policy().map_or_else(Formula::truth, |policy| policy.covered.clone());
        let covered = lowering.at_all_locations(&covered, &locations);
        let terminal = lowering.at_all_locations(new.terminal(), &locations);
        let [uncovered, moving] = [&covered, &terminal].map(|formula| lowering.space().negated(formula));
        let uncovered = Formula::all([applicable.some(), uncovered, moving]);
        let mut governed = Vec::new();
        for label in policies.labels() {
            let own = |choosers: Option<Arc<[Chooser]>>| choosers.unwrap_or_default();
            let of_old = own(old.choosers(Some(*label), &locations)?);
            let of_new = own(new.choosers(Some(*label), &locations)?);
            let output = policies.new.output_of_label(*label);
            let is_own = |fault: &&Fault| {
                let first = fault.choosers.as_ref().and_then(|choosers| choosers.first());
                first.is_some_and(|chooser| Some(chooser.output) == output)
            };
            let found = Governed {
                applicable: applicable.of(*label),
                old: of_old,
                new: of_new,
                rules: rules.iter().filter(|rule| rule.label == Some(*label)).cloned().collect(),
                faults: faults.iter().filter(is_own).cloned().collect(),
                label: *label,
            };
            if !found.applicable.is_falsity() && !found.new.is_empty() {
                governed.push(found);
            }
        }
        Ok(Self { governed, moves: rules, uncovered })
    }
}

impl Governed {
    /// That the label is newly permitted, where the networks are applications of the question: the second policy's first.
    pub(super) fn newly(&self, question: &Question) -> Formula {
        let keep = |_: Symbol| None;
        let chosen = |choosers: &[Chooser], first: usize| {
            Formula::any(choosers.iter().enumerate().map(|(i, chooser)| chooser.chosen(question, first + i, &keep)))
        };
        Formula::all([chosen(&self.new, 0), chosen(&self.old, self.new.len()).negated()])
    }

    /// The networks.
    pub(super) fn applications(&self) -> Vec<Application> {
        let keep = |_: Symbol| None;
        self.new.iter().chain(&*self.old).map(|chooser| chooser.application(&keep)).collect()
    }
}
