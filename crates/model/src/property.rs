//! What is asked of a model: PlaJA's safety properties and JANI's `filter` properties, lowered.

use std::path::PathBuf;

use surefoot_jani::syntax::{
    Accumulation, BinaryOp, ExpectedOp, Expr, ExprId, FilterFunction, LocationRef, PathOp, PathQuantifier,
    PropertyBody, Start, StateSet, StateValues,
};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::{Span, Spanned};
use surefoot_text::suggest;

use crate::interpret::State;
use crate::lower::{Lowered, Value};
use crate::model::SlotId;
use crate::term::{CmpOp, ScalarType, Term, TermId};

/// A set of start states: all states that satisfy one of the conditions, and the states listed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StartSet {
    /// Conditions; each fixes the locations too.
    pub conditions: Vec<TermId>,
    /// Explicit states.
    pub states: Vec<State>,
}

/// Can `reach` be reached from the start set?
#[derive(Debug, Clone)]
pub struct Safety {
    /// Where runs start.
    pub start: StartSet,
    /// The unsafe states; some properties only list predicates.
    pub reach: Option<TermId>,
    /// The objective's goal.
    pub goal: Option<TermId>,
    /// Whether goal states have no outgoing moves.
    pub goal_terminal: bool,
    /// Predicates given with the property.
    pub predicates: Option<Vec<TermId>>,
    /// The policy interface the property names.
    pub policy_file: Option<Spanned<PathBuf>>,
}

/// A path formula over states, under a quantifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFormula {
    /// The quantifier.
    pub quantifier: PathQuantifier,
    /// The operator.
    pub op: PathOp,
    /// The left operand, where the operator has one.
    pub left: Option<TermId>,
    /// The right operand.
    pub right: TermId,
    /// Steps within which it must be decided, as JANI counts them: positions 0 to `steps`.
    pub steps: Option<u64>,
}

/// The expected sum of the values of a term up to a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedSum {
    /// The smallest or the largest over schedulers.
    pub op: ExpectedOp,
    /// What is added up.
    pub value: TermId,
    /// When it is.
    pub accumulate: Accumulation,
    /// Until when.
    pub reach: TermId,
}

/// What a filter asks of each state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values {
    /// The value (or truth) of a path formula.
    Path(PathFormula),
    /// A comparison of a path formula's probability (on the left) with a number.
    Compare(BinaryOp, PathFormula, Rational),
    /// An expected sum.
    Expected(ExpectedSum),
    /// A comparison of an expected sum (on the left) with a number.
    CompareExpected(BinaryOp, ExpectedSum, Rational),
    /// A condition on the states themselves.
    State(TermId),
}

/// A JANI `filter` over the initial states.
#[derive(Debug, Clone)]
pub struct Filter {
    /// The aggregation.
    pub function: FilterFunction,
    /// What is asked.
    pub values: Values,
    /// Where the property stands.
    pub span: Span,
}

/// A lowered property.
#[derive(Debug, Clone)]
pub enum Question {
    /// PlaJA's safety property.
    Safety(Safety),
    /// A standard property.
    Filter(Filter),
}

impl Lowered {
    /// The condition of the model's own initial states.
    pub fn initial_condition(&mut self) -> TermId {
        let mut all = self.model.terms.bool(true);
        for i in 0..self.model.instances.len() {
            let here = self.at_initial_location(i);
            all = self.model.terms.and(all, here);
        }
        for i in self.model.instances.len()..self.model.slots.len() {
            if let Some(value) = self.model.slots[i].initial.clone() {
                let ty = self.model.slots[i].domain.ty();
                let slot = self.model.terms.slot(SlotId::at(i), ty);
                let value = self.model.terms.value(value, ty);
                let equal = self.model.terms.cmp(CmpOp::Eq, slot, value);
                all = self.model.terms.and(all, equal);
            }
        }
        let restrict = self.model.restrict_initial;
        self.model.terms.and(all, restrict)
    }

    fn at_initial_location(&mut self, instance: usize) -> TermId {
        let locations = self.model.instances[instance].initial_locations.clone();
        let mut any = self.model.terms.bool(false);
        for location in locations {
            let slot = self.model.terms.slot(SlotId::at(instance), ScalarType::Int);
            let number = self.model.terms.num(Rational::from(i64::from(location)));
            let here = self.model.terms.cmp(CmpOp::Eq, slot, number);
            any = self.model.terms.or(any, here);
        }
        any
    }

    /// The index of a property by name or number, as on the command line.
    ///
    /// # Errors
    /// Where there is none, or several and none was named.
    pub fn find_property(&self, wanted: Option<&str>) -> Result<usize, Diagnostic> {
        let properties = &self.syntax().properties;
        let names = || {
            let all = properties.iter().enumerate().map(|(i, p)| format!("{i}: {}", p.name.value));
            all.collect::<Vec<_>>().join(", ")
        };
        let Some(wanted) = wanted else {
            return match properties.len() {
                1 => Ok(0),
                0 => Err(Diagnostic::error_anywhere("there is no property to check").with_help(format!(
                    "give a file with {}, put \"properties\" into the model, or ask in text with {}",
                    option("properties"),
                    option("never")
                ))),
                n => Err(Diagnostic::error_anywhere(format!("there are {n} properties; which one?"))
                    .with_help(format!("use {} with a name or an index: {}", option("property"), names()))),
            };
        };
        if let Some(index) = properties.iter().position(|p| *p.name.value == *wanted) {
            return Ok(index);
        }
        match wanted.parse::<usize>() {
            Ok(index) if index < properties.len() => return Ok(index),
            Ok(_) if properties.is_empty() => {
                return Err(Diagnostic::error_anywhere("there are no properties").with_help(format!(
                    "give a file with {}, or put \"properties\" into the model",
                    option("properties")
                )));
            }
            Ok(index) => {
                let message = format!("there is no property {index}: there are {}", properties.len());
                return Err(Diagnostic::error_anywhere(message).with_help(format!("they are {}", names())));
            }
            Err(_) => {}
        }
        let error = Diagnostic::error_anywhere(format!("there is no property '{wanted}'"));
        Err(match suggest(wanted, properties.iter().map(|p| &*p.name.value)) {
            Some(near) => error.with_help(format!("did you mean '{near}'?")),
            None => error.with_help(format!("there are {}", names())),
        })
    }

    /// Lowers a property.
    ///
    /// # Errors
    /// What is wrong or not supported, with its place.
    pub fn question(&mut self, property: usize) -> Result<Question, Diagnostic> {
        let property = self.syntax().properties[property].clone();
        match property.body {
            PropertyBody::Unsupported(diagnostic) => Err(*diagnostic),
            PropertyBody::Filter { function, values, states } => {
                let states_span = self.syntax().pool.span(states);
                if *self.syntax().pool.get(states) != Expr::StateSet(StateSet::Initial) {
                    return Err(Diagnostic::error(states_span, "only filters over the initial states are supported")
                        .with_help("write \"states\": {\"op\": \"initial\"}")
                        .refusal());
                }
                let values = self.filter_values(values)?;
                Ok(Question::Filter(Filter { function, values, span: property.span }))
            }
            PropertyBody::Pa(pa) => {
                let start = match &pa.start {
                    None => StartSet { conditions: vec![self.initial_condition()], states: Vec::new() },
                    Some(Start::Condition(condition)) => self.start_condition(*condition)?,
                    Some(Start::States(states)) => self.start_states(states)?,
                };
                let reach = pa.reach.map(|reach| self.lower_condition(reach)).transpose()?;
                let goal = pa.objective.as_ref().and_then(|o| o.goal);
                let goal = goal.map(|goal| self.lower_condition(goal)).transpose()?;
                let goal_terminal = pa.objective.as_ref().is_some_and(|o| o.goal_terminal);
                let predicates = pa
                    .predicates
                    .as_ref()
                    .map(|list| list.iter().map(|p| self.lower_condition(*p)).collect::<Result<Vec<_>, _>>())
                    .transpose()?;
                let policy_file = pa.file.clone();
                Ok(Question::Safety(Safety { start, reach, goal, goal_terminal, predicates, policy_file }))
            }
        }
    }

    /// A start condition: locations that it does not list are the initial ones.
    fn start_condition(&mut self, condition: ExprId) -> Result<StartSet, Diagnostic> {
        let listed = match self.syntax().pool.get(condition) {
            Expr::StateCondition(locations, _) => locations.clone(),
            _ => Vec::new(),
        };
        self.start_where(condition, &listed)
    }

    /// The states that satisfy a condition; automata whose locations are not listed are at their initial ones.
    ///
    /// # Errors
    /// Unknown names and type errors, with their place.
    pub fn start_where(&mut self, condition: ExprId, listed: &[LocationRef]) -> Result<StartSet, Diagnostic> {
        let mut all = self.lower_condition(condition)?;
        let mut given = vec![false; self.model.instances.len()];
        for reference in listed {
            given[self.lower_location(reference)?.0] = true;
        }
        for instance in (0..given.len()).filter(|i| !given[*i]) {
            let here = self.at_initial_location(instance);
            all = self.model.terms.and(all, here);
        }
        Ok(StartSet { conditions: vec![all], states: Vec::new() })
    }

    /// Listed start states: what is not listed has its initial value.
    fn start_states(&mut self, list: &[StateValues]) -> Result<StartSet, Diagnostic> {
        let mut states = Vec::with_capacity(list.len());
        for entry in list {
            let mut values: Vec<Option<Rational>> = self.model.slots.iter().map(|s| s.initial.clone()).collect();
            let mut given = vec![false; values.len()];
            for reference in &entry.locations {
                let (instance, location) = self.lower_location(reference)?;
                if std::mem::replace(&mut given[instance], true) {
                    let name = &self.model.slots[instance].name;
                    let error =
                        Diagnostic::error(entry.span, format!("this start state has '{name}' at two locations"));
                    return Err(error.with_help("give each automaton one location"));
                }
                values[instance] = Some(Rational::from(i64::from(location)));
            }
            for (reference, value) in &entry.variables {
                let span = self.syntax().pool.span(*reference);
                let (targets, value) = (self.lower_reference(*reference)?, self.lower_reference(*value)?);
                self.assign_start(&targets, &value, &mut values, &mut given, span)?;
            }
            let state: Option<Box<[Rational]>> = values.iter().cloned().collect();
            let Some(state) = state else {
                let missing = values.iter().position(Option::is_none).expect("one is missing");
                let name = &self.model.slots[missing].name;
                let message =
                    format!("this start state gives no value for '{name}', which has no single initial value");
                return Err(Diagnostic::error(entry.span, message).with_help("list it with its value"));
            };
            states.push(State(state));
        }
        Ok(StartSet { conditions: Vec::new(), states })
    }

    fn assign_start(
        &self,
        targets: &Value,
        value: &Value,
        values: &mut [Option<Rational>],
        given: &mut [bool],
        span: Span,
    ) -> Result<(), Diagnostic> {
        if !targets.same_shape(value) {
            let error = Diagnostic::error(span, "the value does not have the shape of the variable");
            return Err(
                error.with_help("an array needs an array of the same length, any other variable a single value")
            );
        }
        for (target, value) in targets.scalars().into_iter().zip(value.scalars()) {
            let Term::Slot(slot) = self.model.terms.get(target) else {
                return Err(Diagnostic::error(span, "a start state gives values to (non-transient) variables only")
                    .with_help("leave it out"));
            };
            let Some(number) = self.model.terms.constant(value) else {
                return Err(Diagnostic::error(span, "the value of a variable in a start state must be constant")
                    .with_help("write a number, a truth value, or a constant of the model"));
            };
            let declared = &self.model.slots[slot.index()];
            let is_bool = |ty| ty == ScalarType::Bool;
            let truth = is_bool(self.model.terms.ty(value));
            if !declared.domain.contains(&number) || truth != is_bool(declared.domain.ty()) {
                let shown = match (truth, number.is_zero()) {
                    (false, _) => number.to_string(),
                    (true, zero) => (!zero).to_string(),
                };
                let message = format!("{shown} is no value of '{}' ({})", declared.name, declared.domain.describe());
                let help =
                    if is_bool(declared.domain.ty()) { "write true or false" } else { "write a number of its domain" };
                return Err(Diagnostic::error(span, message).with_help(help));
            }
            if std::mem::replace(&mut given[slot.index()], true) {
                let error = Diagnostic::error(span, format!("this start state gives '{}' two values", declared.name));
                return Err(error.with_help("give each variable one value"));
            }
            values[slot.index()] = Some(number);
        }
        Ok(())
    }

    fn filter_values(&mut self, id: ExprId) -> Result<Values, Diagnostic> {
        let pool = &self.syntax().pool;
        let span = pool.span(id);
        match pool.get(id).clone() {
            Expr::Quantified(..) => Ok(Values::Path(self.path_formula(id)?)),
            Expr::Expected { .. } => Ok(Values::Expected(self.expected_sum(id)?)),
            // PlaJA's goal properties leave the quantifier out: on some path.
            Expr::Path(..) | Expr::StepBound { .. } => {
                Ok(Values::Path(self.quantified(PathQuantifier::Exists, id, span)?))
            }
            Expr::Binary(op, a, b) if comparison(op).is_some() => {
                let quantified =
                    |e: ExprId| matches!(self.syntax().pool.get(e), Expr::Quantified(..) | Expr::Expected { .. });
                let (op, formula, bound) = match (quantified(a), quantified(b)) {
                    (true, false) => (op, a, b),
                    (false, true) => (comparison(op).expect("a comparison"), b, a),
                    (false, false) => return Ok(Values::State(self.lower_condition(id)?)),
                    (true, true) => {
                        let message = "a comparison of two probabilities or expected values is not supported";
                        return Err(Diagnostic::error(span, message).with_help("compare each with a number").refusal());
                    }
                };
                if matches!(self.syntax().pool.get(formula), Expr::Expected { .. }) {
                    let sum = self.expected_sum(formula)?;
                    let bound = self.constant_bound(bound, "an expected value", "write a number")?;
                    return Ok(Values::CompareExpected(op, sum, bound));
                }
                let formula = self.path_formula(formula)?;
                if !matches!(formula.quantifier, PathQuantifier::Pmin | PathQuantifier::Pmax) {
                    return Err(Diagnostic::error(span, "only probabilities can be compared with numbers")
                        .with_help("use Pmin or Pmax"));
                }
                let bound = self.constant_bound(bound, "a probability", "write a number from 0 to 1")?;
                Ok(Values::Compare(op, formula, bound))
            }
            _ => {
                let pool = &self.syntax().pool;
                let asks = |e| matches!(pool.get(e), Expr::Quantified(..) | Expr::Expected { .. });
                if pool.subtree(id).any(asks) {
                    return Err(Diagnostic::error(span, "Boolean combinations of path formulas are not supported")
                        .refusal()
                        .with_help("ask for each of them in a property of its own"));
                }
                Ok(Values::State(self.lower_condition(id)?))
            }
        }
    }

    /// The number that something is compared with.
    fn constant_bound(&mut self, bound: ExprId, what: &str, write: &str) -> Result<Rational, Diagnostic> {
        let term = self.lower_scalar(bound)?;
        let number = self.model.terms.ty(term).is_numeric();
        self.model.terms.constant(term).filter(|_| number).ok_or_else(|| {
            Diagnostic::error(self.syntax().pool.span(bound), format!("{what} is compared with a constant"))
                .with_help(format!("{write}, or a constant of the model"))
        })
    }

    fn expected_sum(&mut self, id: ExprId) -> Result<ExpectedSum, Diagnostic> {
        let Expr::Expected { op, accumulate, value, reach } = *self.syntax().pool.get(id) else {
            let span = self.syntax().pool.span(id);
            return Err(Diagnostic::error(span, "nested expected values are not supported").refusal());
        };
        let span = self.syntax().pool.span(value);
        let value = self.lower_scalar(value)?;
        if !self.model.terms.ty(value).is_numeric() {
            let error = Diagnostic::error(span, "what is added up must be a number, this is of type bool");
            return Err(error.with_help("write {\"op\": \"ite\", \"if\": ..., \"then\": 1, \"else\": 0}"));
        }
        Ok(ExpectedSum { op, value, accumulate, reach: self.lower_condition(reach)? })
    }

    fn path_formula(&mut self, id: ExprId) -> Result<PathFormula, Diagnostic> {
        let span = self.syntax().pool.span(id);
        let nested = || Diagnostic::error(span, "nested path formulas are not supported").refusal();
        let Expr::Quantified(quantifier, path) = *self.syntax().pool.get(id) else { return Err(nested()) };
        self.quantified(quantifier, path, span)
    }

    fn quantified(
        &mut self,
        quantifier: PathQuantifier,
        mut path: ExprId,
        span: Span,
    ) -> Result<PathFormula, Diagnostic> {
        let nested = || Diagnostic::error(span, "nested path formulas are not supported").refusal();
        let mut steps = None;
        if let Expr::StepBound { path: inner, upper, exclusive } = *self.syntax().pool.get(path) {
            steps = Some(self.step_bound(upper, exclusive)?);
            path = inner;
        }
        let Expr::Path(op, left, right) = *self.syntax().pool.get(path) else { return Err(nested()) };
        let left = left.map(|left| self.lower_condition(left)).transpose()?;
        let right = self.lower_condition(right)?;
        Ok(PathFormula { quantifier, op, left, right, steps })
    }

    fn step_bound(&mut self, upper: ExprId, exclusive: bool) -> Result<u64, Diagnostic> {
        let span = self.syntax().pool.span(upper);
        let term = self.lower_scalar(upper)?;
        let value = self.model.terms.constant(term).filter(|_| self.model.terms.ty(term).is_numeric());
        let value = value.ok_or_else(|| {
            Diagnostic::error(span, "a step bound must be a constant number")
                .with_help("write a number, or a constant of the model")
        })?;
        // Over whole steps, "fewer than u" is "at most the largest integer below u".
        let last = if exclusive { &value.ceil() - &Rational::ONE } else { value.floor() };
        let last = last.to_i64().and_then(|l| u64::try_from(l).ok());
        last.ok_or_else(|| {
            Diagnostic::error(span, format!("no number of steps is within the bound {value}"))
                .with_help("give a bound of 0 or more, with fewer than 64 bits")
        })
    }
}

/// A comparison with its operands swapped; `None` for other operators.
fn comparison(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Lt => Some(BinaryOp::Gt),
        BinaryOp::Le => Some(BinaryOp::Ge),
        BinaryOp::Gt => Some(BinaryOp::Lt),
        BinaryOp::Ge => Some(BinaryOp::Le),
        BinaryOp::Eq | BinaryOp::Ne => Some(op),
        _ => None,
    }
}
