//! Whether an invariant of one policy is one of the other, against all states of it.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use common::Duel;
use surefoot_abstraction::System;
use surefoot_diff::{Invariant, Part, Place, Reused, Reusing, reuse};
use surefoot_fixtures::{Random, seeds};
use surefoot_limits::Stop;
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_model::policy::Policy;
use surefoot_model::{Interpreter, Model, State, TermId};
use surefoot_num::Rational;
use surefoot_oracle::Limits;
use surefoot_testkit::{Case, Size, for_seeds};

/// The states of the domains in cells: those with equal locations, and equal sides of a border in some slots.
struct Cells {
    borders: Vec<Option<i64>>,
    locations: usize,
}

type Cell = Vec<i64>;

impl Cells {
    fn new(random: &mut Random, model: &Model) -> Self {
        let locations = model.instances.len();
        let border = |(slot, declared): (usize, &surefoot_model::model::Slot)| {
            let (lower, upper) = declared.domain.int_bounds().unwrap();
            (slot >= locations && random.percent(60) && lower < upper).then(|| random.between(lower, upper - 1))
        };
        Self { borders: model.slots.iter().enumerate().map(border).collect(), locations }
    }

    fn of(&self, state: &State) -> Cell {
        let values = state.to_ints().unwrap();
        let side = |(value, border): (i64, &Option<i64>)| border.map_or(0, |border| i64::from(value > border));
        let sides = values[self.locations..].iter().copied().zip(&self.borders[self.locations..]).map(side);
        values[..self.locations].iter().copied().chain(sides).collect()
    }

    /// A cell as a region: borders as bounds, or as formulas.
    fn region(&self, random: &mut Random, model: &Model, cell: &Cell) -> Part {
        let (mut bounds, mut formulas) = (Vec::new(), Vec::new());
        for (slot, side) in cell.iter().enumerate() {
            let (lower, upper) = model.slots[slot].domain.int_bounds().unwrap();
            if slot < self.locations {
                bounds.push((slot, *side, *side));
            } else if let Some(border) = self.borders[slot] {
                if random.percent(50) {
                    bounds.push(if *side == 1 { (slot, border + 1, upper) } else { (slot, lower, border) });
                } else {
                    let form = &Linear::symbol(Symbol::at(slot)) - &Linear::constant_form(Rational::from(border));
                    let above = Formula::atom(Atom::positive(form));
                    formulas.push(if *side == 1 { above } else { above.negated() });
                }
            }
        }
        Part { bounds, formula: Formula::all(formulas) }
    }
}

/// What happens in a state under a policy: successors, and whether something is in error.
fn step(model: &Model, policy: &Policy, terminal: Option<TermId>, state: &State) -> (Vec<State>, bool) {
    let interpreter = Interpreter::new(model);
    if terminal.is_some_and(|goal| interpreter.holds(goal, state) == Ok(true)) {
        return (Vec::new(), false);
    }
    let Ok(operators) = interpreter.permitted_operators(state, Some(policy)) else { return (Vec::new(), true) };
    let (mut successors, mut error) = (Vec::new(), false);
    for operator in operators {
        match interpreter.choice(state, operator) {
            Ok(choice) => successors.extend(choice.outcomes.into_iter().flat_map(|outcome| outcome.successors)),
            Err(_) => error = true,
        }
    }
    (successors, error)
}

fn check(case: &Case) -> Option<&'static str> {
    let mut duel = Duel::new(case)?;
    let mut random = duel.random.fork();
    let model = &duel.lowered.model;
    let safety = duel.properties.swap_remove(0);
    let terminal = safety.goal.filter(|_| random.percent(50));
    let interpreter = Interpreter::new(model);
    if terminal.is_some_and(|goal| duel.states.iter().any(|state| interpreter.holds(goal, state).is_err())) {
        return None;
    }
    let system = |policy| System::new(model, Some(policy), &safety, terminal.is_some());
    let (Ok(old), Ok(new)) = (system(&duel.old), system(&duel.new)) else { return None };
    // What cells lead to under the first policy.
    let cells = Cells::new(&mut random, model);
    let mut members: BTreeMap<Cell, Vec<&State>> = BTreeMap::new();
    duel.states.iter().for_each(|state| members.entry(cells.of(state)).or_default().push(state));
    let mut closed: BTreeSet<Cell> = BTreeSet::new();
    let mut open = vec![cells.of(random.pick(&duel.states))];
    let mut errors = false;
    while let Some(cell) = open.pop() {
        if !closed.insert(cell.clone()) {
            continue;
        }
        for state in &members[&cell] {
            let (successors, error) = step(model, &duel.old, terminal, state);
            errors |= error;
            open.extend(successors.iter().map(|successor| cells.of(successor)));
        }
    }
    if errors {
        return None;
    }
    let inside: HashSet<&State> = closed.iter().flat_map(|cell| &members[cell]).copied().collect();
    // Some cells are regions, others lists of states, of which a slot may be left open that no border cuts.
    let mut kept: Vec<usize> = (0..model.slots.len()).collect();
    if random.percent(40)
        && let Some(slot) = (cells.locations..kept.len()).find(|slot| cells.borders[*slot].is_none())
    {
        kept.remove(slot);
    }
    let (mut regions, mut listed) = (Vec::new(), rustc_hash::FxHashSet::default());
    for cell in &closed {
        if random.percent(60) {
            regions.push(cells.region(&mut random, model, cell));
        } else {
            let values = members[cell].iter().map(|state| state.to_ints().unwrap());
            listed.extend(values.map(|values| kept.iter().map(|slot| values[*slot]).collect::<Box<[i64]>>()));
        }
    }
    let invariant = Invariant::new(model, regions, kept, listed);
    for state in &duel.states {
        assert_eq!(invariant.place(state).is_some(), inside.contains(state), "{state:?}");
    }
    let under_new: Vec<(&State, Vec<State>, bool)> = inside
        .iter()
        .map(|state| {
            let (successors, error) = step(model, &duel.new, terminal, state);
            (*state, successors, error)
        })
        .collect();
    let faulty = under_new.iter().any(|(.., error)| *error);
    let leaves = |successors: &[State]| successors.iter().any(|successor| !inside.contains(successor));
    let leaving = under_new.iter().any(|(_, successors, _)| leaves(successors));
    let policies = duel.policies();
    let reusing = Reusing { policies, old, new, terminal, assume_no_errors: false };
    let Ok(found) = reuse(reusing, &invariant, &Limits::default()) else { return None };
    Some(match found.answer {
        Reused::Inductive => {
            assert!(!faulty && !leaving, "it is not inductive");
            assert_eq!(found.regions.0, invariant.regions.len() as u64);
            assert_eq!(found.states.0, invariant.states.len() as u64);
            if found.regions.1 + found.states.1 == 0 { "unchanged" } else { "inductive" }
        }
        Reused::Leaves(step) => {
            assert!(inside.contains(&step.state) && !inside.contains(&step.successor));
            let (_, successors, _) = under_new.iter().find(|(state, ..)| **state == step.state).unwrap();
            assert!(successors.contains(&step.successor));
            assert_eq!(duel.opinions(&step.state).unwrap(), [step.old, step.new]);
            assert_eq!(invariant.place(&step.successor), None::<Place>);
            "leaves"
        }
        Reused::Fault(error) => {
            assert!(faulty, "{error:?}");
            assert!(under_new.iter().any(|(state, _, faulty)| **state == error.state && *faulty));
            "fault"
        }
        // Choices among many values, and scores that no precision tells apart.
        Reused::Open(stop) => {
            assert!(matches!(stop, Stop::Most(..) | Stop::Tie), "{stop:?}");
            "open"
        }
        Reused::Wrong(state) => panic!("{state:?} is not as asked"),
    })
}

#[test]
fn invariants_are_reused_as_all_states_say() {
    let seen: RefCell<BTreeMap<Option<&str>, u32>> = RefCell::default();
    for_seeds(seeds(9_000, 900), &Size { states: 400, ..Size::default() }, |case| {
        *seen.borrow_mut().entry(check(case)).or_default() += 1;
    });
    let seen = seen.into_inner();
    let count = |word: &'static str| seen.get(&Some(word)).copied().unwrap_or(0);
    // The test is about something.
    assert!(
        count("inductive") > 5 && count("leaves") > 12 && count("unchanged") > 20 && count("fault") > 0,
        "{seen:?}"
    );
    assert!(count("open") < 20, "{seen:?}");
}
