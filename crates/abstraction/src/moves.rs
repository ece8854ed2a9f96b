//! What can happen at given locations, as questions to an oracle.
//!
//! A [`Move`] is one outcome of one operator in one case of its update, at fixed locations. Whether and whereto it leads
//! from an abstract state is a question over the variables that matter: those of the predicates, of the guard and the
//! update, and of the policy's inputs. All that does not depend on the abstract state is prepared once ([`crate::prepare`]).
//!
//! A move may also be all outcomes of an operator at once ([`crate::joint`]): they share the source state, the guard and the policy's choice, the
//! tracked formulas of one outcome follow those of the other, and an assignment leads to a tuple of successors.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use surefoot_linear::{Formula, Symbol};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{AllAssignments, Assignment, Assignments, Limits, Question, Template, Variable};

use crate::cell::Cell;
use crate::frame::Frame;
use crate::predicate::Literal;
use crate::rule::Rule;
use crate::state::AbstractState;
use crate::system::{System, domain_variable};
use crate::untouched::SlotRange;

/// Where the successor's value of a predicate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The source has it already.
    Copied,
    /// It is always the same.
    Constant(bool),
    /// It is a tracked formula of the question.
    Tracked(usize),
}

/// A concrete state with the choices of a rule, as integers.
pub type Witness = Box<[i64]>;

/// An outcome that comes with others.
#[derive(Debug, Clone)]
pub(crate) struct Other {
    pub(crate) rule: Arc<Rule>,
    pub(crate) next: Vec<Next>,
}

/// One outcome of one operator in one case of its update, or all outcomes at once.
#[derive(Debug, Clone)]
pub struct Move {
    /// What it is, whatever the predicates; of several outcomes, the first.
    pub rule: Arc<Rule>,
    /// The other outcomes.
    pub(crate) others: Vec<Other>,
    /// Who decides: a question per network that may be asked, or one for moves of the environment.
    pub(crate) decisions: Vec<Template>,
    /// What must hold whoever decides.
    pub(crate) plain: Formula,
    pub(crate) frame: Frame,
    /// Bounds on slots that the guard demands: what can be seen without asking.
    pub(crate) demands: Vec<Literal>,
    pub(crate) next: Vec<Next>,
    /// Predicates on the successor, over the question's symbols.
    pub(crate) tracked: Vec<Formula>,
}

impl Move {
    /// Whether the guard contradicts the box of an abstract state.
    #[must_use]
    pub fn is_excluded(&self, bounds: &[Variable]) -> bool {
        self.demands.iter().any(|demand| demand.value_in(bounds) == Some(false))
    }

    /// What an abstract state and ranges say about the variables; nothing where that contradicts a domain.
    pub(crate) fn cell(&self, state: &AbstractState, within: &[SlotRange]) -> Option<Cell> {
        self.frame.cell(state, within)
    }

    /// The question that asks for successors of an abstract state whatever the policy says, and one per network that may permit the
    /// move.
    pub(crate) fn questions(&self, cell: &Cell) -> (Question, Vec<Question>) {
        let plain = cell.question(self.plain.clone());
        (plain, self.decisions.iter().map(|decision| decision.narrowed(cell.narrowing())).collect())
    }

    /// The bytes that it takes, roughly.
    pub(crate) fn bytes(&self) -> usize {
        // An atom, and the terms of its form.
        const ATOM: usize = size_of::<Formula>() + 64;
        let asked = self.decisions.iter().map(|decision| &decision.question().formula);
        let atoms: usize = asked.chain(&self.tracked).chain([&self.plain]).map(Formula::size).sum();
        let next = self.others.len() * (size_of::<Other>() + self.next.len() * size_of::<Next>());
        size_of::<Self>() + next + self.frame.literals.len() * size_of::<[Literal; 2]>() + atoms * ATOM
    }

    /// All assignments of the tracked formulas on successors of an abstract state's states within ranges, but for known ones.
    pub fn successors(
        &self,
        state: &AbstractState,
        within: &[SlotRange],
        known: &FxHashSet<Assignment>,
        oracle: &mut impl AllAssignments,
        limits: &Limits,
    ) -> Assignments {
        let mut all = Assignments { found: BTreeMap::new(), stopped: None };
        let Some(cell) = self.cell(state, within) else { return all };
        let mut known = Cow::Borrowed(known);
        for (index, decision) in self.decisions.iter().enumerate() {
            let more = oracle.assignments_within(decision, cell.narrowing(), &known, limits);
            if index + 1 < self.decisions.len() && !more.found.is_empty() {
                // What one network's choice leads to need not be found again for the next.
                known.to_mut().extend(more.found.keys().cloned());
            }
            all.found.extend(more.found);
            all.stopped = all.stopped.or(more.stopped);
        }
        all
    }

    /// The assignment of the tracked formulas on a successor of a state of an abstract state, and that state as a witness, if the move is
    /// permitted there; `value` gives values of symbols, where it has them.
    pub fn successor_at(
        &self,
        state: &AbstractState,
        within: &[SlotRange],
        value: impl Fn(Symbol) -> Option<f64>,
        oracle: &mut impl AllAssignments,
    ) -> Option<(Assignment, Vec<Rational>)> {
        let cell = self.cell(state, within)?;
        let symbols = self.frame.symbols.iter().zip(&cell.variables);
        let point: Vec<f64> =
            symbols.map(|(s, variable)| value(*s).unwrap_or_else(|| variable.lower.to_f64())).collect();
        self.decisions.iter().find_map(|decision| oracle.assignment_at(decision, cell.narrowing(), &point))
    }

    /// All assignments of the tracked formulas on successors of an abstract state whatever the policy says, but for known ones.
    pub fn unrestricted(
        &self,
        state: &AbstractState,
        within: &[SlotRange],
        known: &FxHashSet<Assignment>,
        oracle: &mut impl AllAssignments,
        limits: &Limits,
    ) -> Assignments {
        let Some(cell) = self.cell(state, within) else { return Assignments { found: BTreeMap::new(), stopped: None } };
        oracle.assignments(&cell.question(self.plain.clone()), &self.tracked, known, limits)
    }

    /// Questions whose witnesses are the states from which the move (its first outcome) leads from one abstract state into another: one per
    /// network that may permit it.
    #[must_use]
    pub fn into_target(&self, source: &AbstractState, target: &AbstractState) -> Vec<Question> {
        let mut wanted = Vec::new();
        for (next, value) in self.next.iter().zip(target.values.iter()) {
            match next {
                Next::Tracked(index) if value => wanted.push(self.tracked[*index].clone()),
                Next::Tracked(index) => wanted.push(self.tracked[*index].negated()),
                Next::Copied | Next::Constant(_) => {}
            }
        }
        let first = successor_of(&self.rule, &self.next, source, |index| target.values.get(index));
        if first == *target { self.with(source, &wanted) } else { Vec::new() }
    }

    /// Questions whose witnesses are the states from which the move leads as an assignment of the tracked formulas says.
    #[must_use]
    pub fn into_targets(&self, source: &AbstractState, assignment: &Assignment) -> Vec<Question> {
        let literal = |(formula, value): (&Formula, bool)| if value { formula.clone() } else { formula.negated() };
        let wanted: Vec<Formula> = self.tracked.iter().zip(assignment.iter()).map(literal).collect();
        self.with(source, &wanted)
    }

    /// The questions for states of a source in which the move is permitted and something else holds.
    fn with(&self, source: &AbstractState, wanted: &[Formula]) -> Vec<Question> {
        let Some(cell) = self.cell(source, &[]) else { return Vec::new() };
        let (_, mut questions) = self.questions(&cell);
        for question in &mut questions {
            let own = std::mem::replace(&mut question.formula, Formula::truth());
            question.formula = Formula::all(wanted.iter().cloned().chain([own]));
        }
        questions
    }

    /// The assignment of the tracked formulas at a point of a question.
    #[must_use]
    pub fn assignment_at(&self, point: &[Rational]) -> Assignment {
        Assignment::new(self.tracked.iter().map(|formula| formula.eval(&|s: Symbol| point[s.index()].clone())))
    }

    /// The values of a question's variables in a state with choices, by their symbols.
    #[must_use]
    pub fn point(&self, values: &[i64]) -> Vec<Rational> {
        self.frame.symbols.iter().map(|symbol| Rational::from(values[symbol.index()])).collect()
    }

    /// A concrete state within ranges, with choices, by their symbols, that a witness describes.
    ///
    /// # Panics
    /// When the witness is not one of this move's questions.
    #[must_use]
    pub fn values(
        &self,
        system: &System<'_>,
        state: &AbstractState,
        within: &[SlotRange],
        witness: &[Rational],
    ) -> Witness {
        let whole = |value: &Rational| value.to_i64().expect("domains are of small integers");
        let mut values: Vec<i64> = self.concrete(system, state, witness).0.iter().map(whole).collect();
        // What the question does not know of has its smallest value there, too.
        for range in within.iter().filter(|range| self.frame.symbols.binary_search(&range.slot).is_err()) {
            values[range.slot.index()] = whole(&range.lower);
        }
        for (symbol, domain) in self.rules().flat_map(|rule| &rule.choices) {
            let known = self.frame.symbols.binary_search(symbol).ok().map(|index| &witness[index]);
            values.push(known.map_or_else(|| whole(&domain_variable(domain).lower), whole));
        }
        values.into()
    }

    /// The values of the tracked formulas that the box of an abstract state decides.
    #[must_use]
    pub fn decided(&self, state: &AbstractState) -> Vec<Option<bool>> {
        let Some(cell) = self.cell(state, &[]) else { return vec![None; self.tracked.len()] };
        self.tracked.iter().map(|formula| Literal::of(formula).value_in(&cell.variables)).collect()
    }

    /// Whether the values of all predicates from this one on are copied or fixed, in every outcome.
    #[must_use]
    pub fn is_settled_from(&self, predicate: usize) -> bool {
        let tracked = |next: &Vec<Next>| next[predicate..].iter().any(|next| matches!(next, Next::Tracked(_)));
        !std::iter::once(&self.next).chain(self.others.iter().map(|other| &other.next)).any(tracked)
    }

    /// The rules of its outcomes.
    pub fn rules(&self) -> impl Iterator<Item = &Arc<Rule>> {
        std::iter::once(&self.rule).chain(self.others.iter().map(|other| &other.rule))
    }

    /// Whether a policy has a say.
    pub(crate) fn is_governed(&self) -> bool {
        self.decisions.iter().any(|decision| !decision.question().applications.is_empty())
    }

    /// The successor for an assignment of the tracked formulas; of several outcomes, that of the first.
    #[must_use]
    pub fn successor(&self, state: &AbstractState, found: &Assignment) -> AbstractState {
        found_successor(&self.rule, &self.next, state, found)
    }

    /// The successors for an assignment of the tracked formulas, one per outcome.
    #[must_use]
    pub fn targets(&self, state: &AbstractState, found: &Assignment) -> Vec<AbstractState> {
        let others = self.others.iter().map(|other| found_successor(&other.rule, &other.next, state, found));
        std::iter::once(self.successor(state, found)).chain(others).collect()
    }

    /// A concrete state that a witness describes: variables that do not matter have their smallest value.
    #[must_use]
    pub fn concrete(&self, system: &System<'_>, state: &AbstractState, witness: &[Rational]) -> State {
        let slots = system.model().slots.len();
        let mut values: Vec<Rational> = state.locations.iter().map(|l| Rational::from(i64::from(*l))).collect();
        values.extend((values.len()..slots).map(|slot| system.slot_variable(Symbol::at(slot)).lower));
        for (symbol, value) in self.frame.symbols.iter().zip(witness).filter(|(s, _)| s.index() < slots) {
            values[symbol.index()] = value.clone();
        }
        State(values.into())
    }
}

/// Where an outcome leads for an assignment of the tracked formulas.
fn found_successor(rule: &Rule, next: &[Next], state: &AbstractState, found: &Assignment) -> AbstractState {
    let tracked = |predicate: usize| match next[predicate] {
        Next::Tracked(index) => found.get(index),
        Next::Copied | Next::Constant(_) => false,
    };
    successor_of(rule, next, state, tracked)
}

/// Where an outcome leads, with given values of the predicates that are tracked.
fn successor_of(rule: &Rule, next: &[Next], state: &AbstractState, tracked: impl Fn(usize) -> bool) -> AbstractState {
    let value = |predicate: usize| match next[predicate] {
        Next::Copied => state.values.get(predicate),
        Next::Constant(value) => value,
        Next::Tracked(_) => tracked(predicate),
    };
    let values = Assignment::new((0..next.len()).map(value));
    AbstractState { locations: rule.after.clone(), values }
}
