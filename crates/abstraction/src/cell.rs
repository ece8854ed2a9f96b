//! The concrete states of an abstract one.
//!
//! A literal on a single variable is a bound, and so is a location. So the concretisation of an abstract state is a box, cut out of the
//! domains by these, and the remaining literals as formulas. Over all slots of the model ([`System::cell`]) every formula of the
//! lowering can be asked as it is; over the variables that matter to one question (`frame`) there are fewer.

use surefoot_linear::{Formula, Interval, Linear, Space, Symbol, SymbolRange};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Limits, Narrowing, Oracle, Question, Variable};

use crate::chooser::Chooser;
use crate::exclude::excludes;
use crate::predicate::{Literal, PredicateSet};
use crate::state::AbstractState;
use crate::system::System;
use crate::untouched::SlotRange;

/// The concrete states of an abstract one, by the values of some variables.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The variables within its bounds.
    pub variables: Vec<Variable>,
    /// What else must hold.
    pub also: Vec<Formula>,
}

impl Cell {
    /// What literals leave of a box.
    pub(crate) fn new<'l>(mut variables: Vec<Variable>, literals: impl Iterator<Item = &'l Literal>) -> Self {
        let mut also = Vec::new();
        for literal in literals {
            narrow(&mut variables, literal);
            if let Literal::Formula(formula) = literal
                && !formula.is_truth()
            {
                also.push(formula.clone());
            }
        }
        Self { variables, also }
    }

    /// Leaves of its states those within ranges; its variables are the slots.
    pub(crate) fn narrow(&mut self, within: &[SlotRange]) {
        within.iter().for_each(|range| range.narrow(&mut self.variables[range.slot.index()]));
    }

    /// Whether some variable has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.variables.iter().any(|variable| variable.lower > variable.upper)
    }

    /// What must hold besides the bounds.
    #[must_use]
    pub fn formula(&self) -> Formula {
        Formula::all(self.also.iter().cloned())
    }

    /// Is there a state in it with a property?
    #[must_use]
    pub fn question(&self, property: Formula) -> Question {
        let formula = Formula::all(self.also.iter().cloned().chain([property]));
        Question { variables: self.variables.clone(), applications: Vec::new(), formula }
    }

    /// What it adds to a question over the domains.
    #[must_use]
    pub fn narrowing(&self) -> Narrowing<'_> {
        Narrowing { variables: &self.variables, also: &self.also }
    }

    /// The variables as symbols within its bounds.
    #[must_use]
    pub fn space(&self) -> Space {
        space(&self.variables)
    }

    /// Whether it holds a state, where its variables are the slots.
    #[must_use]
    pub fn contains(&self, state: &State) -> bool {
        let within = |(value, variable): (&Rational, &Variable)| variable.lower <= *value && *value <= variable.upper;
        let value = |slot: Symbol| state.0[slot.index()].clone();
        state.0.iter().zip(&self.variables).all(within) && self.also.iter().all(|formula| formula.eval(&value))
    }

    /// Is there a state in it with a property in which a network chooses as given? Its variables are the slots.
    pub fn ask(
        &self,
        oracle: &mut impl Oracle,
        property: &Formula,
        chooser: Option<&Chooser>,
        limits: &Limits,
    ) -> Answer {
        if excludes(&self.variables, property) {
            return Answer::Unsat;
        }
        let mut question = self.question(property.clone());
        if let Some(chooser) = chooser {
            let as_it_is = |_: Symbol| None;
            question.applications.push(chooser.application(&as_it_is));
            let chosen = chooser.chosen(&question, 0, &as_it_is);
            let own = std::mem::replace(&mut question.formula, Formula::truth());
            question.formula = Formula::all([own, chosen]);
        }
        oracle.decide(&question, limits)
    }
}

/// Narrows variables to what a literal on a single one says.
#[inline]
pub(crate) fn narrow(variables: &mut [Variable], literal: &Literal) {
    match literal {
        Literal::AtLeast(symbol, least) if variables[symbol.index()].lower < *least => {
            variables[symbol.index()].lower.clone_from(least);
        }
        Literal::AtMost(symbol, most) if variables[symbol.index()].upper > *most => {
            variables[symbol.index()].upper.clone_from(most);
        }
        Literal::AtLeast(..) | Literal::AtMost(..) | Literal::Formula(_) => {}
    }
}

/// Integer variables of a question as symbols.
#[must_use]
pub fn space(variables: &[Variable]) -> Space {
    let mut space = Space::default();
    for Variable { lower, upper, .. } in variables {
        space.push(SymbolRange { integer: true, bounds: Interval::new(lower.clone(), upper.clone()) });
    }
    space
}

impl System<'_> {
    /// The variables of a question that stand for the slots, in their domains.
    #[must_use]
    pub fn slot_variables(&self) -> Vec<Variable> {
        (0..self.model().slots.len()).map(|slot| self.slot_variable(Symbol::at(slot))).collect()
    }

    /// A question about a state.
    #[must_use]
    pub fn question(&self, formula: Formula) -> Question {
        Question { variables: self.slot_variables(), applications: Vec::new(), formula }
    }

    /// The concrete states of an abstract one, over the slots.
    #[must_use]
    pub fn cell(&self, predicates: &PredicateSet, state: &AbstractState) -> Cell {
        Cell::new(self.at_locations(&state.locations), literals(predicates, state))
    }

    /// The concrete states of an abstract one as a formula over the slots; its locations are not told.
    #[must_use]
    pub fn inside(&self, predicates: &PredicateSet, state: &AbstractState) -> Formula {
        let (cell, space) = (self.cell(predicates, state), self.lowering.space());
        let sides = cell.variables.iter().enumerate().skip(self.model().instances.len());
        let sides = sides.flat_map(|(slot, Variable { lower, upper, .. })| {
            let slot = Linear::symbol(Symbol::at(slot));
            let end = |value: &Rational| Linear::constant_form(value.clone());
            [space.at_most(&end(lower), &slot), space.at_most(&slot, &end(upper))]
        });
        Formula::all(sides.chain([cell.formula()]))
    }

    /// The box of an abstract state: per slot, the values that its domain, the locations and the predicates on it alone leave.
    #[must_use]
    pub fn bounds(&self, predicates: &PredicateSet, state: &AbstractState) -> Vec<Variable> {
        let mut variables = self.at_locations(&state.locations);
        literals(predicates, state).for_each(|literal| narrow(&mut variables, literal));
        variables
    }

    /// The same within ranges.
    #[must_use]
    pub fn bounds_within(
        &self,
        predicates: &PredicateSet,
        state: &AbstractState,
        within: &[SlotRange],
    ) -> Vec<Variable> {
        let mut variables = self.bounds(predicates, state);
        within.iter().for_each(|range| range.narrow(&mut variables[range.slot.index()]));
        variables
    }

    /// The slots at given locations.
    fn at_locations(&self, locations: &[u32]) -> Vec<Variable> {
        let mut variables = self.slot_variables();
        for (variable, location) in variables.iter_mut().zip(locations) {
            let location = Rational::from(i64::from(*location));
            (variable.lower, variable.upper) = (location.clone(), location);
        }
        variables
    }
}

/// What the truth values of an abstract state say: only those that it has are read.
fn literals<'a>(predicates: &'a PredicateSet, state: &'a AbstractState) -> impl Iterator<Item = &'a Literal> {
    (0..state.values.len()).map(|predicate| predicates.literal(predicate, state.values.get(predicate)))
}
