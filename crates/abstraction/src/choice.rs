//! What the policy never chooses in an abstract state, found out for all labels at once.
//!
//! A move is a question of its own, and most of the answers are that the policy never chooses the label there. Together
//! these questions share nearly all of their work ([`surefoot_oracle::Nowhere`]). What is said here only spares
//! questions: moves whose label may be chosen still have to be asked about.

use std::sync::Arc;

use surefoot_linear::{Formula, Symbol};
use surefoot_oracle::{Holds, Limits, Nowhere, Template};

use crate::chooser::Chooser;
use crate::frame::{Frame, Matters};
use crate::predicate::PredicateSet;
use crate::rule::Rule;
use crate::state::AbstractState;
use crate::system::System;
use crate::untouched::SlotRange;

/// The labels that one network may choose at given locations.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    frame: Frame,
    /// Tracks, for each label, that it is chosen.
    template: Template,
    /// By rule, which label it needs; `None` where the policy has no say.
    labels: Vec<Option<usize>>,
}

impl Choice {
    /// The choice that rules of one location vector depend on; `None` unless it is that of one network among several labels.
    pub(crate) fn new(system: &System<'_>, predicates: &PredicateSet, rules: &[Arc<Rule>]) -> Option<Self> {
        let mut choosers: Vec<&Chooser> = Vec::new();
        let mut labels = Vec::with_capacity(rules.len());
        for rule in rules {
            let Some(own) = &rule.choosers else {
                labels.push(None);
                continue;
            };
            let [chooser] = &**own else { return None };
            // Soundness: a label stands for all choosers with its output, so these must not differ in anything else.
            if choosers.first().is_some_and(|first| !first.is_same_choice(chooser)) {
                return None;
            }
            let known = choosers.iter().position(|known| known.output == chooser.output);
            labels.push(Some(known.unwrap_or(choosers.len())));
            if known.is_none() {
                choosers.push(chooser);
            }
        }
        let first = choosers.first().filter(|_| choosers.len() > 1)?;
        let mut matters = Matters::default();
        choosers.iter().for_each(|chooser| matters.chooser(chooser));
        predicates.formulas().iter().for_each(|predicate| matters.formula(predicate));
        let frame = system.frame(predicates, &rules[..1], matters);
        let map = |symbol| frame.map(symbol);
        let mut question = frame.question(Formula::truth());
        question.applications.push(first.application(&map));
        let chosen = choosers.iter().map(|chooser| chooser.chosen(&question, 0, &map)).collect();
        Some(Self { template: Template::new(question, chosen), frame, labels })
    }

    /// For every rule that is asked about, where in an abstract state, within ranges, the policy chooses its label.
    pub(crate) fn chosen(
        &self,
        state: &AbstractState,
        within: &[SlotRange],
        asked: impl Fn(usize) -> bool,
        oracle: &mut impl Nowhere,
        limits: &Limits,
    ) -> Vec<Option<Holds>> {
        let mut wanted = vec![false; self.template.tracked().len()];
        for (rule, label) in self.labels.iter().enumerate() {
            if let Some(label) = label {
                wanted[*label] |= asked(rule);
            }
        }
        // One label alone is better off with the question itself.
        let several = wanted.iter().filter(|wanted| **wanted).count() > 1;
        let found = self
            .frame
            .cell(state, within)
            .filter(|_| several)
            .map(|cell| oracle.nowhere(&self.template, cell.narrowing(), &wanted, limits));
        let of = |label: usize| found.as_ref().filter(|_| wanted[label]).map(|found| found[label].clone());
        self.labels.iter().map(|label| label.and_then(of)).collect()
    }

    /// The value of a symbol in a point where a label is chosen.
    pub(crate) fn value(&self, point: &[f64], symbol: Symbol) -> Option<f64> {
        self.frame.symbols.binary_search(&symbol).ok().map(|index| point[index])
    }
}
