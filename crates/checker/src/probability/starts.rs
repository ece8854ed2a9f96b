//! All start states of a problem, by brute force.
//!
//! Slots get values one after the other. A conjunct of the start condition is evaluated as soon as all slots that it reads have values, so that most of what
//! is not a start state is not looked at. Where the condition can be in error it is evaluated in every state of the domains instead. A limit on the number of
//! attempts ends this where it would take too long.

use surefoot_model::{Interpreter, Model, ModelError, SlotId, State, Term, TermId};
use surefoot_num::Rational;
use surefoot_problem::Problem;

use super::{Rule, rejected, unsupported};
use crate::refused::Refused;

/// The most values that are tried.
const MOST_TRIED: u64 = 1 << 24;

/// Whether a state is a start state.
pub(super) fn is_start(problem: &Problem, state: &State) -> Result<(), Refused> {
    let model = problem.model();
    let no = |reason: String| Err(rejected(Rule::Starts, reason));
    let fits = state.0.len() == model.slots.len()
        && model.slots.iter().zip(&state.0).all(|(slot, value)| slot.domain.contains(value));
    if !fits {
        return no("what is called the start state is no state".to_owned());
    }
    if problem.query.start.states.contains(state) {
        return Ok(());
    }
    for condition in &problem.query.start.conditions {
        let holds = problem.interpreter().holds(*condition, state);
        if holds.map_err(|error| in_error(model, &ModelError::evaluation(error, state.clone())))? {
            return Ok(());
        }
    }
    no(format!("{} is no start state", state.describe(model)))
}

/// Calls `visit` with every start state, those that are in several conditions several times.
pub(super) fn for_each(problem: &Problem, mut visit: impl FnMut(&State) -> Result<(), Refused>) -> Result<(), Refused> {
    for state in &problem.query.start.states {
        visit(state)?;
    }
    let mut left = MOST_TRIED;
    for condition in &problem.query.start.conditions {
        Search::new(problem, *condition)?.run(&mut left, &mut visit)?;
    }
    Ok(())
}

fn in_error(model: &Model, error: &ModelError) -> Refused {
    let error = error.describe(model);
    rejected(Rule::Starts, format!("the start condition is in error: {error}"))
}

/// The states that satisfy a condition.
struct Search<'a> {
    model: &'a Model,
    interpreter: Interpreter<'a>,
    /// Slots in the order in which they get values, with their domains.
    slots: Vec<(usize, i64, i64)>,
    /// What is evaluated once the slot at this place has a value.
    checks: Vec<Vec<TermId>>,
    /// What reads no slot.
    first: Vec<TermId>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, condition: TermId) -> Result<Self, Refused> {
        let model = problem.model();
        let conjuncts =
            if model.terms.is_fallible(condition) { vec![condition] } else { model.terms.conjuncts(condition) };
        let reads: Vec<Vec<usize>> = conjuncts.iter().map(|conjunct| reads(problem, *conjunct)).collect();
        // Slots of conjuncts that read few come first.
        let mut by_size: Vec<usize> = (0..conjuncts.len()).collect();
        by_size.sort_by_key(|conjunct| reads[*conjunct].len());
        let mut order: Vec<usize> = Vec::new();
        for slot in by_size.into_iter().flat_map(|conjunct| reads[conjunct].iter().copied()).chain(0..model.slots.len())
        {
            if !order.contains(&slot) {
                order.push(slot);
            }
        }
        let mut slots = Vec::new();
        for slot in &order {
            let declared = &model.slots[*slot];
            let real = || unsupported(format!("the variable '{}' is real", declared.name));
            let (lower, upper) = declared.domain.int_bounds().ok_or_else(real)?;
            slots.push((*slot, lower, upper));
        }
        let mut checks = vec![Vec::new(); order.len()];
        let mut first = Vec::new();
        for (conjunct, reads) in conjuncts.iter().zip(&reads) {
            // Soundness: a condition that can be in error is alone, and waits for all slots.
            let all = model.terms.is_fallible(*conjunct);
            let last = if all {
                order.len().checked_sub(1)
            } else {
                reads.iter().filter_map(|slot| order.iter().position(|other| other == slot)).max()
            };
            match last {
                Some(place) => checks[place].push(*conjunct),
                None => first.push(*conjunct),
            }
        }
        Ok(Self { model, interpreter: problem.interpreter(), slots, checks, first })
    }

    fn run(&self, left: &mut u64, visit: &mut impl FnMut(&State) -> Result<(), Refused>) -> Result<(), Refused> {
        let lowest = self.model.slots.iter().map(|slot| slot.domain.int_bounds().map_or(0, |(lower, _)| lower));
        let mut state = State::from_ints(&lowest.collect::<Vec<_>>());
        if !self.holds(&self.first, &state)? {
            return Ok(());
        }
        if self.slots.is_empty() {
            return visit(&state);
        }
        // The values that slots have, up to the place in question.
        let mut values: Vec<i64> = vec![self.slots[0].1];
        while let Some(value) = values.last().copied() {
            let place = values.len() - 1;
            let (slot, _, upper) = self.slots[place];
            *left = left.checked_sub(1).ok_or_else(|| {
                unsupported(format!("finding all start states takes more than {MOST_TRIED} attempts"))
            })?;
            state.0[slot] = Rational::from(value);
            if self.holds(&self.checks[place], &state)? {
                match self.slots.get(place + 1) {
                    Some((_, lower, _)) => {
                        values.push(*lower);
                        continue;
                    }
                    None => visit(&state)?,
                }
            }
            // The next value, of this slot or of one before.
            let mut last = (value, upper);
            while last.0 == last.1 {
                values.pop();
                let Some(previous) = values.last() else { return Ok(()) };
                last = (*previous, self.slots[values.len() - 1].2);
            }
            if let Some(value) = values.last_mut() {
                *value += 1;
            }
        }
        Ok(())
    }

    fn holds(&self, conditions: &[TermId], state: &State) -> Result<bool, Refused> {
        for condition in conditions {
            let holds = self.interpreter.holds(*condition, state);
            if !holds.map_err(|error| in_error(self.model, &ModelError::evaluation(error, state.clone())))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The slots that a term reads, through transient variables too; all of them where a policy defines one.
fn reads(problem: &Problem, term: TermId) -> Vec<usize> {
    let model = problem.model();
    let mut found = vec![false; model.slots.len()];
    let mut seen = vec![false; model.transients.len()];
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        for id in model.terms.reachable(term) {
            match model.terms.get(id) {
                Term::Slot(SlotId(slot)) => found[*slot as usize] = true,
                Term::Transient(transient) => {
                    if problem.policy().is_some_and(|policy| policy.output_of_transient(*transient).is_some()) {
                        found.fill(true);
                    }
                    let transient = transient.0 as usize;
                    if !std::mem::replace(&mut seen[transient], true) {
                        work.push(model.transients[transient].definition);
                    }
                }
                _ => {}
            }
        }
    }
    (0..found.len()).filter(|slot| found[*slot]).collect()
}
