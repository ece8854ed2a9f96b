//! Invariants of random boxes, held against brute force: what is inductive is proved, and what is not never is.
//!
//! The domains are cut into cells; cells that hold start states, and then all that their states lead to, make up an invariant if they hold no unsafe state and
//! no error. Proofs must be found for it, and the checker must accept them. Without one of its cells there must be none.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use surefoot_certificate::token::Place;
use surefoot_checker::formula::{Atom, Formula, Formulas};
use surefoot_checker::operator::Operators;
use surefoot_checker::rules::{Asked, Region, Rules};
use surefoot_fixtures::{Random, seeds};
use surefoot_limits::Limits;
use surefoot_model::State;
use surefoot_prove::search::Search;
use surefoot_testkit::{Case, Instance, Size, for_seeds};

/// How the domains are cut.
struct Cuts {
    /// Each slot's: the last values of all parts but the last.
    slots: Vec<Vec<i64>>,
    /// By inequalities over several slots.
    atoms: Vec<Atom>,
}

/// A cell, by the number of the part of each slot, and the truth of each inequality.
type Key = Vec<usize>;

fn random_cuts(instance: &Instance, random: &mut Random) -> Cuts {
    let model = instance.model();
    let cut = |(index, slot): (usize, &surefoot_model::model::Slot)| {
        let (least, most) = slot.domain.int_bounds().expect("models are discrete");
        (least..most).filter(|_| index < model.instances.len() || random.percent(45)).collect()
    };
    let slots: Vec<Vec<i64>> = model.slots.iter().enumerate().map(cut).collect();
    let mut atoms = Vec::new();
    for _ in 0..random.below(3) {
        let wide = model.slots.iter().enumerate().skip(model.instances.len());
        let terms: Vec<(u32, i64)> = wide
            .filter_map(|(slot, _)| {
                let a = random.between(-2, 2);
                (a != 0).then(|| (u32::try_from(slot).expect("few slots"), a))
            })
            .collect();
        if terms.len() > 1 {
            atoms.push(Atom { terms, constant: random.between(-3, 3) });
        }
    }
    Cuts { slots, atoms }
}

fn key(cuts: &Cuts, point: &[i64]) -> Key {
    let slots = cuts.slots.iter().zip(point).map(|(cuts, value)| cuts.partition_point(|last| last < value));
    slots.chain(cuts.atoms.iter().map(|atom| usize::from(atom.holds_at(point)))).collect()
}

fn region(instance: &Instance, cuts: &Cuts, key: &Key) -> Region {
    let mut bounds = Vec::new();
    for (index, slot) in instance.model().slots.iter().enumerate() {
        let (least, most) = slot.domain.int_bounds().expect("models are discrete");
        let lower = if key[index] == 0 { least } else { cuts.slots[index][key[index] - 1] + 1 };
        let upper = cuts.slots[index].get(key[index]).copied().unwrap_or(most);
        bounds.push((u32::try_from(index).expect("few slots"), lower, upper));
    }
    // Formula `2 i` is inequality `i`, and the one behind it its negation.
    let count = instance.model().slots.len();
    let formula = |(index, truth): (usize, &usize)| u32::try_from(2 * index + 1 - truth).expect("few formulas");
    Region { bounds, formulas: key[count..].iter().enumerate().map(formula).collect() }
}

fn formulas(cuts: &Cuts) -> Formulas {
    let mut formulas = Formulas::default();
    for atom in &cuts.atoms {
        let atom = formulas.push(Formula::Atom(atom.clone())).expect("few formulas");
        formulas.push(Formula::Not(atom)).expect("few formulas");
    }
    formulas
}

/// What brute force says of the cells: the invariant, or none.
fn invariant(instance: &Instance, cuts: &Cuts) -> Option<BTreeSet<Key>> {
    let truth = instance.truth();
    let mut by_cell: BTreeMap<Key, Vec<&State>> = BTreeMap::new();
    for state in &instance.states {
        by_cell.entry(key(cuts, &state.to_ints()?)).or_default().push(state);
    }
    let mut open: Vec<Key> = instance.starts().iter().filter_map(|state| Some(key(cuts, &state.to_ints()?))).collect();
    let mut found: BTreeSet<Key> = BTreeSet::new();
    while let Some(cell) = open.pop() {
        if !found.insert(cell.clone()) {
            continue;
        }
        for state in &by_cell[&cell] {
            let step = truth.step(state);
            if step.reached || step.unclear || !step.errors.is_empty() {
                return None;
            }
            open.extend(step.successors.iter().filter_map(|next| Some(key(cuts, &next.to_ints()?))));
        }
    }
    Some(found)
}

/// Whether proofs are found, and the checker accepts them: the kinds of tokens that they have, or the first that is not found.
fn prove(instance: &Instance, cuts: &Cuts, cells: &BTreeSet<Key>) -> Result<BTreeSet<char>, String> {
    let (model, policy) = (instance.model(), instance.policy.as_ref());
    let terminal = instance.property.goal.filter(|_| instance.goal_terminal);
    let target = instance.property.reach.ok_or("nothing is asked")?;
    let asked = Asked { model, policy, target, terminal, initial_only: false, assume_no_errors: false };
    let mut rules = Rules::new(asked)?;
    let numbers: BTreeMap<&Key, u32> = cells.iter().zip(0..).collect();
    rules.regions = cells.iter().map(|key| region(instance, cuts, key)).collect();
    let mut named: BTreeSet<String> = BTreeSet::new();
    let locations: BTreeSet<Vec<i64>> =
        rules.regions.iter().map(|r| r.bounds[..model.instances.len()].iter().map(|(_, l, _)| *l).collect()).collect();
    let mut first = Operators::new(model, policy)?;
    for locations in &locations {
        first.prepare(locations)?;
        for op in first.at(first.place(locations)) {
            let name = Operators::name(model, &op.operator);
            if named.insert(format!("{name:?}")) {
                rules.operators.number(name, u32::try_from(named.len() - 1).expect("few"))?;
            }
        }
    }
    for locations in &locations {
        rules.operators.prepare(locations)?;
    }
    let locate = |point: &[i64]| numbers.get(&key(cuts, point)).map(|number| Place::Region(*number));
    let limits = Limits::default();
    let mut search = Search::new(&rules, rules.workspace(formulas(cuts), 1e-6), &locate, &limits);
    let kinds = RefCell::new(BTreeSet::new());
    let check = |node, proof: &surefoot_prove::Proof| {
        let mut all = formulas(cuts);
        for formula in &proof.added {
            all.push(formula.clone()).expect("it was there before");
        }
        let text: Vec<String> = proof.tokens.iter().map(ToString::to_string).collect();
        kinds.borrow_mut().extend(text.iter().filter_map(|token| token.chars().next()));
        let mut ws = rules.workspace(all, 0.0);
        rules.check_tree(node, &text.join(" "), &mut ws).expect("what was proved is accepted");
    };
    for condition in &instance.property.start.conditions {
        let proof = search.prove(rules.start_node(*condition)).map_err(|why| format!("start: {why}"))?;
        check(rules.start_node(*condition), &proof);
    }
    for state in &instance.property.start.states {
        locate(&state.to_ints().ok_or("no integers")?).ok_or("a listed start state is outside")?;
    }
    for number in 0..rules.regions.len() {
        let ws = rules.workspace(formulas(cuts), 0.0);
        let node = || rules.region_node(&rules.regions[number], &ws).expect("the formulas are there");
        let proof = search.prove(node()).map_err(|why| format!("region {number}: {why}"))?;
        check(node(), &proof);
    }
    Ok(kinds.into_inner())
}

#[test]
fn what_is_inductive_is_proved_and_what_is_not_never_is() {
    let (proved, refused, open) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let kinds = RefCell::new(BTreeSet::new());
    for_seeds(seeds(1, 150), &Size { states: 600, ..Size::default() }, |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        if instance.starts().is_empty() || instance.property.reach.is_none() {
            return;
        }
        // A start condition without value somewhere is an error of its own, which certificates do not hide.
        let defined = |state: &State| {
            instance.property.start.conditions.iter().all(|c| instance.truth().holds(*c, state).is_some())
        };
        if !instance.states.iter().all(defined) {
            return;
        }
        let cuts = random_cuts(&instance, &mut random);
        let Some(cells) = invariant(&instance, &cuts) else {
            // Cells that hold an unsafe state, or an error, are no invariant, however many there are.
            let all: BTreeSet<Key> =
                instance.states.iter().map(|s| key(&cuts, &s.to_ints().expect("integers"))).collect();
            if all.len() <= 400 {
                assert!(prove(&instance, &cuts, &all).is_err(), "all cells are no invariant, but there are proofs");
                refused.set(refused.get() + 1);
            }
            return;
        };
        match prove(&instance, &cuts, &cells) {
            Ok(found) => {
                proved.set(proved.get() + 1);
                kinds.borrow_mut().extend(found);
            }
            Err(why) => {
                assert!(why.contains("policies that choose actions"), "no proof was found: {why}");
                open.set(open.get() + 1);
                return;
            }
        }
        let mut fewer: Vec<&Key> = cells.iter().collect();
        let gone = random.below(fewer.len());
        fewer.remove(gone);
        let fewer: BTreeSet<Key> = fewer.into_iter().cloned().collect();
        assert!(prove(&instance, &cuts, &fewer).is_err(), "a cell that is needed is not missed");
        refused.set(refused.get() + 1);
    });
    let kinds: String = kinds.into_inner().into_iter().filter(|kind| !kind.is_ascii_digit()).collect();
    assert!("*.=>?bef".chars().all(|kind| kinds.contains(kind)), "only steps of the kinds {kinds} were taken");
    assert!(
        proved.get() > 25 && refused.get() > 50,
        "{} proved, {} refused, {} open",
        proved.get(),
        refused.get(),
        open.get()
    );
}
