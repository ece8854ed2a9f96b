//! Safety properties over symbols.

use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_model::State;
use surefoot_model::property::Safety;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Span;

use super::{Condition, Lowering};

/// A safety property; its conditions read locations as slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolicSafety {
    /// The start states: one of several conditions, listed states among them.
    pub start: Condition,
    /// The unsafe states.
    pub reach: Option<Condition>,
    /// The objective's goal.
    pub goal: Option<Condition>,
    /// Predicates given with the property.
    pub predicates: Option<Vec<Condition>>,
}

impl Lowering<'_> {
    /// Lowers a safety property; `span` is its place.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn safety(&mut self, safety: &Safety, span: Option<Span>) -> Result<SymbolicSafety, Diagnostic> {
        let (mut holds, mut defined) = (Vec::new(), Vec::new());
        for condition in &safety.start.conditions {
            let condition = self.condition(*condition, span, "the start condition")?;
            holds.push(condition.holds);
            defined.push(condition.defined);
        }
        holds.extend(safety.start.states.iter().map(|state| self.listed(state)));
        let start = Condition { holds: Formula::any(holds), defined: Formula::all(defined) };
        let reach = safety.reach.map(|reach| self.condition(reach, span, "the reach condition")).transpose()?;
        let goal = safety.goal.map(|goal| self.condition(goal, span, "the goal condition")).transpose()?;
        let predicates = safety.predicates.as_ref().map(|predicates| {
            let lowered = predicates.iter().map(|predicate| self.condition(*predicate, span, "a predicate"));
            lowered.collect::<Result<Vec<_>, _>>()
        });
        Ok(SymbolicSafety { start, reach, goal, predicates: predicates.transpose()? })
    }

    /// One state.
    fn listed(&self, state: &State) -> Formula {
        let values = state.0.iter().enumerate();
        Formula::all(values.map(|(slot, value)| self.space.equals(&Linear::symbol(Symbol::at(slot)), value)))
    }
}
