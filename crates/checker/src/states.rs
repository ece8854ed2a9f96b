//! States that are listed one by one: each is a node in which the slots that are kept are fixed, and everything is evaluated.

use surefoot_certificate::token::{Place, Target};

use crate::node::Node;
use crate::operator::Outcome;
use crate::points;
use crate::rules::{Rules, Workspace};
use crate::values::Bounds;

impl Rules<'_> {
    /// The node of a state.
    #[must_use]
    pub fn state_node(&self, values: &[i64]) -> Node {
        let mut bounds = self.asked.everything();
        for (slot, value) in self.states.kept.iter().zip(values) {
            bounds[*slot as usize] = (*value, *value);
        }
        self.box_node(bounds)
    }

    /// Checks a state: it is not a target, and whatever may happen in it leads to states.
    ///
    /// # Errors
    /// What is not so.
    pub fn check_state(&self, values: &[i64], ws: &mut Workspace) -> Result<(), String> {
        let mut node = self.state_node(values);
        self.settle(&mut node, ws);
        if node.target {
            return Err("the target may hold, or have no value".to_owned());
        }
        let all = self.operators_at(&node);
        if node.operators.iter().any(|pending| all[pending.index as usize].output.is_some()) {
            self.evaluate(&mut node, ws)?;
        }
        for pending in &node.operators {
            let op = &all[pending.index as usize];
            let words = || self.asked.model.describe_operator(&op.operator);
            if !pending.enabled {
                return Err(format!("it is not decided whether {} is enabled", words()));
            }
            self.check_probabilities(&node, op).map_err(|why| format!("{}: {why}", words()))?;
            for outcome in &op.outcomes {
                self.outcome_leads_to_states(&node, outcome, ws).map_err(|why| format!("{}: {why}", words()))?;
            }
        }
        Ok(())
    }

    /// Whether an outcome leads to states, for all values that may be chosen.
    fn outcome_leads_to_states(&self, node: &Node, outcome: &Outcome<'_>, ws: &Workspace) -> Result<(), String> {
        if self.outcome_leads(node, outcome, &Target::Impossible, ws).is_ok() {
            return Ok(());
        }
        let mut values = self.values(node);
        values.update(outcome)?;
        let ends = |(lower, upper): &crate::enclosure::Range| Some((lower.to_i64()?, upper.to_i64()?));
        let ranges: Option<Vec<Bounds>> = values.choices.iter().map(ends).collect();
        let Some(ranges) = ranges.filter(|ranges| points::count(ranges).is_some()) else {
            return Err("too many values may be chosen".to_owned());
        };
        points::for_each(&ranges, |chosen| {
            for (range, value) in values.choices.iter_mut().zip(chosen) {
                *range = ((*value).into(), (*value).into());
            }
            self.is_inside(&values, Place::States, &ws.formulas)
        })
    }
}
