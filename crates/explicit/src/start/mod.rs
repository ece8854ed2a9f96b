//! Start states of a condition, found by propagation and splitting.
//!
//! The condition is a conjunction of constraints over a box of integer intervals. Each node of the search narrows the box
//! (linear constraints; disjunctions with one disjunct left), drops constraints that hold in the whole box, gives up where
//! one fails in the whole box, and otherwise splits the narrowest variable of an open constraint. A box without open
//! constraints is enumerated outright. So the work follows the number of solutions, not the size of the domains. Disjuncts
//! that fail in a box are not looked at again inside it, so a thousand listed states cost little more than one.
//!
//! Soundness: interval evaluation over-approximates. Where it cannot decide a single point, the reference interpreter
//! does. Every state delivered satisfies the condition exactly, and none is left out. A conjunct without value in a state
//! is an error, unless another conjunct fails there: which one is looked at first is not specified.

mod interval;
mod narrow;
pub mod sample;

use std::ops::ControlFlow;

use surefoot_limits::{Limits, Stop, Ticker};
use surefoot_model::property::StartSet;
use surefoot_model::term::CmpOp;
use surefoot_model::{EvalError, Interpreter, Model, ModelError, SlotId, State, Term, TermId};
use surefoot_num::Rational;

use interval::{IntervalProgram, Truth};
use narrow::Narrowing;

use crate::number::number;

/// Boxes between looks at the limits: narrowing one takes from microseconds to milliseconds.
const BOXES_A_LOOK: u64 = 4;
/// States between looks at the limits.
const STATES_A_LOOK: u64 = 256;

/// An interval of machine integers per slot: what is enumerated. Exact and unbounded intervals are `surefoot_linear`'s.
pub type IntBox = Vec<(i64, i64)>;

/// Why there are no start states to explore from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// Nothing satisfies the start condition: an error, not a proof.
    #[error("the start set is empty: no state satisfies the start condition")]
    Empty,
    /// A real variable is not fixed by the start condition.
    #[error("the start set is infinite: the real variable '{0}' is not fixed to one value")]
    Infinite(String),
    /// A limit was met before all start states were found.
    #[error("{0} while start states were looked for")]
    Stopped(Stop),
    /// The condition has no value in some state.
    #[error("the start condition has no value")]
    Condition(Box<ModelError>),
}

#[derive(Debug)]
struct Constraint {
    term: TermId,
    /// Its disjuncts; mostly one.
    parts: Vec<Part>,
    slots: Vec<SlotId>,
    /// May have no value.
    fallible: bool,
}

#[derive(Debug)]
struct Part {
    program: IntervalProgram,
    narrowing: Narrowing,
}

/// A constraint that a box does not decide, and its disjuncts that may hold there.
#[derive(Debug, Clone)]
struct Open {
    constraint: usize,
    alive: Vec<u32>,
}

/// The search for the states of one condition.
#[derive(Debug)]
pub struct StartSearch<'m> {
    interpreter: Interpreter<'m>,
    constraints: Vec<Constraint>,
    root: IntBox,
    /// Values of real-valued slots.
    reals: Vec<Option<Rational>>,
    empty: bool,
    limits: Limits,
}

impl<'m> StartSearch<'m> {
    /// Prepares the search and narrows the domains once.
    ///
    /// # Errors
    /// [`StartError::Infinite`] for a real variable without a fixed value.
    pub fn new(model: &'m Model, condition: TermId) -> Result<Self, StartError> {
        let conjuncts = model.terms.conjuncts(condition);
        let mut reals: Vec<Option<Rational>> = vec![None; model.slots.len()];
        for (i, slot) in model.slots.iter().enumerate() {
            if slot.domain.int_bounds().is_none() {
                let fixed = conjuncts.iter().find_map(|c| fixed_value(model, *c, SlotId::at(i)));
                reals[i] = Some(fixed.ok_or_else(|| StartError::Infinite(slot.name.to_string()))?);
            }
        }
        let root: IntBox = model.slots.iter().map(|s| s.domain.int_bounds().unwrap_or((0, 0))).collect();
        let constraints = conjuncts
            .into_iter()
            .map(|term| {
                let part = |t: TermId| Part {
                    program: IntervalProgram::compile(model, t),
                    narrowing: Narrowing::of(model, t),
                };
                let parts = model.terms.disjuncts(term).into_iter().map(part).collect();
                Constraint { term, parts, slots: slots_of(model, term), fallible: model.terms.is_fallible(term) }
            })
            .collect();
        let (interpreter, limits) = (Interpreter::new(model), Limits::default());
        let mut search = Self { interpreter, constraints, root, reals, empty: false, limits };
        let mut root = std::mem::take(&mut search.root);
        let mut all = search.all_open();
        search.empty = search.narrow(&mut root, &mut all).is_none();
        search.root = root;
        Ok(search)
    }

    /// The same search, which ends with [`StartError::Stopped`] when a limit is met.
    #[must_use]
    pub fn within(self, limits: &Limits) -> Self {
        Self { limits: limits.clone(), ..self }
    }

    /// A box that contains all states; `None` when there are none.
    #[must_use]
    pub fn bounds(&self) -> Option<&IntBox> {
        if self.empty { None } else { Some(&self.root) }
    }

    /// Calls `found` on every state's integer values (zero for real-valued slots), each once, in a fixed order, until it
    /// breaks.
    ///
    /// # Errors
    /// Where the condition has no value, or a limit is met.
    pub fn for_each(&self, mut found: impl FnMut(&[i64]) -> ControlFlow<()>) -> Result<(), StartError> {
        // A box may hold very many states.
        let mut states = Ticker::new(&self.limits, STATES_A_LOOK);
        let mut stopped = None;
        let mut found = |values: &[i64]| {
            if let Err(stop) = states.tick() {
                stopped = Some(stop);
                return ControlFlow::Break(());
            }
            found(values)
        };
        self.for_each_box(|region| enumerate(region, &mut found))?;
        stopped.map_or(Ok(()), |stop| Err(StartError::Stopped(stop)))
    }

    /// Calls `found` on boxes that hold all states and nothing else, none of them twice, in a fixed order, until it breaks.
    ///
    /// # Errors
    /// Where the condition has no value, or a limit is met.
    pub fn for_each_box(&self, mut found: impl FnMut(&IntBox) -> ControlFlow<()>) -> Result<(), StartError> {
        if self.empty {
            return Ok(());
        }
        // Few states may be far apart, so boxes count too.
        let mut boxes = Ticker::new(&self.limits, BOXES_A_LOOK);
        let mut work: Vec<(IntBox, Vec<Open>)> = vec![(self.root.clone(), self.all_open())];
        while let Some((mut region, mut open)) = work.pop() {
            boxes.tick().map_err(StartError::Stopped)?;
            if self.narrow(&mut region, &mut open).is_none() {
                continue;
            }
            if open.is_empty() {
                if found(&region).is_break() {
                    return Ok(());
                }
                continue;
            }
            let splittable = open.iter().flat_map(|o| &self.constraints[o.constraint].slots);
            let width = |slot: &SlotId| region[slot.index()].1.abs_diff(region[slot.index()].0);
            let narrowest = splittable.filter(|s| width(s) > 0).min_by_key(|s| (width(s), **s)).copied();
            match narrowest {
                Some(slot) => {
                    let (low, high) = region[slot.index()];
                    let middle = low + (high.abs_diff(low) / 2).cast_signed();
                    let mut upper = region.clone();
                    upper[slot.index()] = (middle + 1, high);
                    region[slot.index()] = (low, middle);
                    // Depth first, smaller values first.
                    work.push((upper, open.clone()));
                    work.push((region, open));
                }
                None => {
                    // All variables of the open constraints are single values: decided exactly, once for the whole box.
                    let state = self.state(&region.iter().map(|(low, _)| *low).collect::<Vec<_>>());
                    let mut holds = true;
                    for o in &open {
                        let result = self.interpreter.holds(self.constraints[o.constraint].term, &state);
                        holds = holds && result.map_err(|error| evaluation(error, &state))?;
                    }
                    if holds && found(&region).is_break() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// The full state of a point.
    #[must_use]
    pub fn state(&self, values: &[i64]) -> State {
        let value = |(i, v): (usize, &i64)| self.reals[i].clone().unwrap_or_else(|| Rational::from(*v));
        State(values.iter().enumerate().map(value).collect())
    }

    /// All constraints with all their disjuncts.
    fn all_open(&self) -> Vec<Open> {
        let all = self.constraints.iter().enumerate();
        all.map(|(constraint, c)| Open { constraint, alive: (0..number(c.parts.len())).collect() }).collect()
    }

    /// Narrows a box and leaves the constraints that it does not decide; `None` when no state of it satisfies them all.
    fn narrow(&self, region: &mut IntBox, open: &mut Vec<Open>) -> Option<()> {
        // Narrowing converges slowly on some systems of inequalities; splitting takes over from there.
        for _ in 0..16 {
            for _ in 0..16 {
                let mut changed = false;
                for o in &*open {
                    if let [only] = o.alive[..] {
                        changed |= self.constraints[o.constraint].parts[only as usize].narrowing.apply(region)?;
                    }
                }
                if !changed {
                    break;
                }
            }
            // Where a disjunction has come down to one disjunct, that one narrows now.
            if !self.decide(region, open)? {
                break;
            }
        }
        Some(())
    }

    /// Drops what a box decides; whether a disjunction came down to one disjunct, `None` when a constraint fails.
    fn decide(&self, region: &IntBox, open: &mut Vec<Open>) -> Option<bool> {
        let (mut failed, mut single) = (false, false);
        open.retain_mut(|o| {
            let constraint = &self.constraints[o.constraint];
            let (before, mut holds) = (o.alive.len(), false);
            o.alive.retain(|part| {
                let truth = constraint.parts[*part as usize].program.eval(region);
                holds |= truth == Truth::Holds;
                truth != Truth::Fails
            });
            failed |= o.alive.is_empty();
            single |= before > 1 && o.alive.len() == 1;
            // Soundness: intervals do not see errors in what they leave out, so only infallible constraints are done.
            !holds || constraint.fallible
        });
        if failed { None } else { Some(single) }
    }
}

/// The slots a constraint depends on: all of them, when it reads transient variables.
fn slots_of(model: &Model, term: TermId) -> Vec<SlotId> {
    let transient = |id: &TermId| matches!(model.terms.get(*id), Term::Transient(_));
    if model.terms.reachable(term).iter().any(transient) {
        return (0..model.slots.len()).map(SlotId::at).collect();
    }
    model.terms.slots_read(term)
}

fn evaluation(error: EvalError, state: &State) -> StartError {
    StartError::Condition(Box::new(ModelError::evaluation(error, state.clone())))
}

/// The value that `slot = constant` fixes.
fn fixed_value(model: &Model, conjunct: TermId, slot: SlotId) -> Option<Rational> {
    let Term::Cmp(CmpOp::Eq, a, b) = *model.terms.get(conjunct) else { return None };
    let is_slot = |t: TermId| *model.terms.get(t) == Term::Slot(slot);
    match (is_slot(a), is_slot(b)) {
        (true, false) => model.terms.constant(b),
        (false, true) => model.terms.constant(a),
        _ => None,
    }
}

/// Calls `found` on every point of a box, the last slot changing fastest.
fn enumerate(region: &IntBox, found: &mut impl FnMut(&[i64]) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut point: Vec<i64> = region.iter().map(|(low, _)| *low).collect();
    loop {
        found(&point)?;
        let Some(last) = (0..region.len()).rev().find(|i| point[*i] < region[*i].1) else {
            return ControlFlow::Continue(());
        };
        point[last] += 1;
        for i in last + 1..region.len() {
            point[i] = region[i].0;
        }
    }
}

/// Calls `found` on every state of a start set, in a fixed order (some maybe twice), until it breaks.
///
/// # Errors
/// [`StartError`], but not for an empty set: the caller knows whether anything was found.
pub fn for_each_start(
    model: &Model,
    start: &StartSet,
    found: impl FnMut(&State) -> ControlFlow<()>,
) -> Result<(), StartError> {
    for_each_start_within(model, start, &Limits::default(), found)
}

/// The same within limits.
///
/// # Errors
/// As [`for_each_start`], and [`StartError::Stopped`] when a limit is met.
pub fn for_each_start_within(
    model: &Model,
    start: &StartSet,
    limits: &Limits,
    mut found: impl FnMut(&State) -> ControlFlow<()>,
) -> Result<(), StartError> {
    for condition in &start.conditions {
        let search = StartSearch::new(model, *condition)?.within(limits);
        let mut stopped = false;
        search.for_each(|values| {
            let flow = found(&search.state(values));
            stopped = flow.is_break();
            flow
        })?;
        if stopped {
            return Ok(());
        }
    }
    for state in &start.states {
        if found(state).is_break() {
            return Ok(());
        }
    }
    Ok(())
}

/// Whether a state is a start state.
///
/// # Errors
/// Where a condition has no value.
pub fn is_start(interpreter: &Interpreter<'_>, start: &StartSet, state: &State) -> Result<bool, EvalError> {
    for condition in &start.conditions {
        if interpreter.holds(*condition, state)? {
            return Ok(true);
        }
    }
    Ok(start.states.contains(state))
}
