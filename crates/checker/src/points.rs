//! Every point of a box, by plain evaluation of the model: the reference interpreter decides.

use std::ops::ControlFlow;

use surefoot_certificate::token::Place;
use surefoot_model::interpret::ModelErrorKind;
use surefoot_model::{Interpreter, State, TermId};

use crate::node::Node;
use crate::rules::{Rules, Workspace};
use crate::values::Bounds;

/// Boxes of more points are refused.
pub const MOST_POINTS: u64 = 1 << 16;

/// How many points a box has, if they are not too many.
#[must_use]
pub fn count(bounds: &[Bounds]) -> Option<u64> {
    let width = |(lower, upper): &Bounds| u64::try_from(i128::from(*upper) - i128::from(*lower) + 1).ok();
    let product = bounds.iter().try_fold(1u64, |product, bounds| product.checked_mul(width(bounds)?));
    product.filter(|product| *product <= MOST_POINTS)
}

/// Calls `visit` on every point of a box.
pub fn for_each<E>(bounds: &[Bounds], mut visit: impl FnMut(&[i64]) -> Result<(), E>) -> Result<(), E> {
    if bounds.iter().any(|(lower, upper)| lower > upper) {
        return Ok(());
    }
    let mut point: Vec<i64> = bounds.iter().map(|(lower, _)| *lower).collect();
    loop {
        visit(&point)?;
        let next = point.iter_mut().zip(bounds).rev().try_for_each(|(value, (lower, upper))| {
            if *value < *upper {
                *value += 1;
                return ControlFlow::Break(());
            }
            *value = *lower;
            ControlFlow::Continue(())
        });
        if next.is_continue() {
            return Ok(());
        }
    }
}

impl Rules<'_> {
    /// Leaf `*`: every point of the box that satisfies what is known.
    ///
    /// # Errors
    /// The first point of which it is not so.
    pub fn try_points(&self, node: &mut Node, places: &[Place], ws: &Workspace) -> Result<(), String> {
        if count(&node.bounds).is_none() {
            return Err(format!("the box has more than {MOST_POINTS} points"));
        }
        for place in places {
            if let Place::Region(region) = place {
                self.region(*region)?;
            }
        }
        for_each(&node.bounds, |point| {
            if !node.told.iter().all(|(formula, truth)| ws.formulas.holds_at(*formula, point) == *truth) {
                return Ok(());
            }
            let found = match &node.covered {
                Some(start) => self.is_covered(point, start.condition, places, ws),
                None if node.question => self.is_not_chosen(point, node),
                None => self.is_closed(point, node, places, ws),
            };
            found.map_err(|why| format!("{}: {why}", State::from_ints(point).describe(self.asked.model)))
        })?;
        node.covered = None;
        node.target = false;
        node.operators.clear();
        Ok(())
    }

    /// For a proof by points, what they need a place for: successors, or the start states of the node themselves.
    ///
    /// # Errors
    /// What is in error.
    pub fn successors(&self, node: &Node, ws: &Workspace) -> Result<Vec<Vec<i64>>, String> {
        if count(&node.bounds).is_none() {
            return Err(format!("a box of more than {MOST_POINTS} points is left"));
        }
        if node.question {
            return Ok(Vec::new());
        }
        let interpreter = self.interpreter();
        let mut found = Vec::new();
        for_each(&node.bounds, |point| {
            if !node.told.iter().all(|(formula, truth)| ws.formulas.holds_at(*formula, point) == *truth) {
                return Ok(());
            }
            let state = State::from_ints(point);
            if let Some(start) = &node.covered {
                if interpreter.holds(start.condition, &state) == Ok(true) {
                    found.push(point.to_vec());
                }
                return Ok(());
            }
            if self.asked.terminal.is_some_and(|goal| interpreter.holds(goal, &state) == Ok(true)) {
                return Ok(());
            }
            let operators = interpreter.permitted_operators(&state, self.asked.policy);
            for operator in operators.map_err(|error| error.kind.to_string())? {
                let choice = interpreter.choice(&state, operator).into_iter();
                let successors = choice.flat_map(|choice| choice.outcomes).flat_map(|outcome| outcome.successors);
                found.extend(successors.filter_map(|successor| successor.to_ints()));
            }
            Ok::<(), String>(())
        })?;
        Ok(found)
    }

    fn interpreter(&self) -> Interpreter<'_> {
        match self.asked.policy {
            Some(policy) => Interpreter::with_policy(self.asked.model, policy),
            None => Interpreter::new(self.asked.model),
        }
    }

    fn is_anywhere(&self, point: &[i64], places: &[Place], ws: &Workspace) -> bool {
        places.iter().any(|place| self.holds_at(point, *place, &ws.formulas))
    }

    fn is_covered(&self, point: &[i64], condition: TermId, places: &[Place], ws: &Workspace) -> Result<(), String> {
        let state = State::from_ints(point);
        let starts = self.interpreter().holds(condition, &state);
        let starts = starts.map_err(|error| format!("the start condition is in error ({})", error.kind))?;
        if !starts || self.is_anywhere(point, places, ws) { Ok(()) } else { Err("a start state outside".to_owned()) }
    }

    /// Of a question about a network: that none of the operators is permitted, wherever it would lead.
    fn is_not_chosen(&self, point: &[i64], node: &Node) -> Result<(), String> {
        let permitted = self.interpreter().permitted_operators(&State::from_ints(point), self.asked.policy);
        let permitted = permitted.map_err(|error| error.kind.to_string())?;
        let all = self.operators_at(node);
        match node
            .operators
            .iter()
            .map(|pending| &all[pending.index as usize].operator)
            .find(|op| permitted.contains(op))
        {
            None => Ok(()),
            Some(operator) => Err(format!("{} is chosen", self.asked.model.describe_operator(operator))),
        }
    }

    fn is_closed(&self, point: &[i64], node: &Node, places: &[Place], ws: &Workspace) -> Result<(), String> {
        let (state, interpreter) = (State::from_ints(point), self.interpreter());
        let holds = |term: TermId, what: &str| {
            interpreter.holds(term, &state).map_err(|error| format!("{what} is in error ({})", error.kind))
        };
        let stops = self.asked.terminal.map_or(Ok(false), |goal| holds(goal, "the goal"))?;
        if node.target && holds(self.asked.target, "the target")? {
            return Err("the target is reached".to_owned());
        }
        if stops || node.operators.is_empty() {
            return Ok(());
        }
        let operators = interpreter.permitted_operators(&state, self.asked.policy);
        let operators = operators.map_err(|error| error.kind.to_string())?;
        for operator in operators {
            let words = self.asked.model.describe_operator(&operator);
            let choice = match interpreter.choice(&state, operator) {
                Ok(choice) => choice,
                Err(error) if self.asked.assume_no_errors && !is_limit(&error.kind) => continue,
                Err(error) => return Err(format!("{words}: {}", error.kind)),
            };
            for successor in choice.outcomes.iter().flat_map(|outcome| &outcome.successors) {
                let inside = successor.to_ints().is_some_and(|point| self.is_anywhere(&point, places, ws));
                if !inside {
                    return Err(format!("{words} leads outside, to {}", successor.describe(self.asked.model)));
                }
            }
        }
        Ok(())
    }
}

/// Whether it is the interpreter that gives up, and not the model that is in error.
fn is_limit(kind: &ModelErrorKind) -> bool {
    use surefoot_model::interpret::EvalErrorKind::{Arithmetic, Undecided};
    use surefoot_model::interpret::arithmetic::ArithmeticError::{HugeNumber, HugePower};
    matches!(
        kind,
        ModelErrorKind::HugeInterval(_)
            | ModelErrorKind::InfiniteInterval(_)
            | ModelErrorKind::TooManyOperators
            | ModelErrorKind::TooManyOutcomes
            | ModelErrorKind::Evaluation(Arithmetic(HugeNumber | HugePower) | Undecided(_))
    )
}
