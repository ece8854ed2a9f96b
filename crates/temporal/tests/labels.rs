//! Labels on random graphs, against fixpoints on sets, against the definition on paths; and runs that are to show formulas.

mod common;

use std::convert::Infallible;

use common::{ATOMS, Signed, World, random_formula};
use surefoot_fixtures::{Random, seeds};
use surefoot_temporal::finite::Finite;
use surefoot_temporal::graph::{Graph, NEVER, reference};
use surefoot_temporal::{Ctl, Quantifier};

/// The definition goes through all paths: tiny systems only.
#[test]
fn labels_are_what_the_definition_says() {
    for seed in seeds(0, 1500) {
        let random = &mut Random::new(seed);
        let world = World::random(random, 4);
        let depth = 1 + random.below(2);
        let formula = random_formula(random, depth);
        let system = Finite { successors: world.successors.clone() };
        let leaf = |f: &Ctl<Signed>, s: usize| matches!(f, Ctl::State((a, sign)) if world.truths[s][*a] == *sign);
        for (state, found) in world.label(&formula).into_iter().enumerate() {
            assert_eq!(found, system.holds(&formula, state, &leaf), "seed {seed}: {formula:?} in {state}");
        }
    }
}

#[test]
fn labels_are_what_fixpoints_on_sets_are() {
    for seed in seeds(0, 3000) {
        let random = &mut Random::new(seed);
        let world = World::random(random, 30);
        let depth = 1 + random.below(4);
        let formula = random_formula(random, depth);
        let slow = reference::label(&world.graph, &formula, &|(a, sign), s| world.truths[s as usize][*a] == *sign);
        assert_eq!(world.label(&formula), slow, "seed {seed}: {formula:?}");
    }
}

#[test]
fn what_a_run_shows_is_so_and_one_path_is_shown() {
    let (mut shown, mut single) = (0, 0);
    for seed in seeds(0, 3000) {
        let random = &mut Random::new(seed);
        let world = World::random(random, 12);
        let depth = 1 + random.below(3);
        let formula = random_formula(random, depth).signed(random.percent(50), &mut |(atom, _), sign| (*atom, sign));
        let labels = world.label(&formula);
        for state in world.graph.states() {
            // What does not hold is proposed too: nothing that is not so must be shown.
            if let Some(true) = world.shown(&formula, state) {
                assert!(labels[state as usize], "seed {seed}: {formula:?} in {state}");
                shown += 1;
            }
        }
        // One operator about some path, over conditions: there is a run for it.
        let mut condition = || Box::new(Ctl::State((random.below(ATOMS), random.percent(50))));
        let (f, g) = (condition(), condition());
        let bound = if random.percent(50) { Some(random.below(9) as u64) } else { None };
        let one = match random.below(5) {
            0 => Ctl::Next(Quantifier::Some, bound.unwrap_or(1), f),
            1 => Ctl::Finally(Quantifier::Some, bound, f),
            2 => Ctl::Globally(Quantifier::Some, bound, f),
            3 => Ctl::Until(Quantifier::Some, bound, f, g),
            _ => Ctl::Release(Quantifier::Some, bound, f, g),
        };
        let labels = world.label(&one);
        for state in world.graph.states().filter(|state| labels[*state as usize]) {
            assert_eq!(world.shown(&one, state), Some(true), "seed {seed}: {one:?} in {state}");
            single += 1;
        }
    }
    assert!(shown > 3000 && single > 3000, "{shown} and {single}");
}

/// Bounded `F` and `G` speak of steps 1 to k, until and release of 0 to k; ranks are the least bounds.
#[test]
fn bounds_count_steps_as_the_table_says() {
    // 0 -> 1 -> 2, which stays.
    let mut graph = Graph::default();
    for mut row in [vec![1], vec![2], vec![]] {
        graph.push(&mut row);
    }
    assert!(graph.is_stuck(2) && graph.stuck() == 1);
    let at = |state: u32| move |s: u32| s == state;
    let holds = |formula: &Ctl<u32>, state: usize| {
        graph.label(formula, &mut |c| Ok::<_, Infallible>(graph.states().map(at(*c)).collect())).unwrap()[state]
    };
    for q in [Quantifier::All, Quantifier::Some] {
        let two = || Box::new(Ctl::State(2));
        assert!(!holds(&Ctl::Finally(q, Some(0), two()), 2) && holds(&Ctl::Globally(q, Some(0), two()), 0));
        assert!(!holds(&Ctl::Finally(q, Some(1), two()), 0) && holds(&Ctl::Finally(q, Some(2), two()), 0));
        assert!(holds(&Ctl::Finally(q, Some(1), two()), 2) && holds(&Ctl::Globally(q, None, two()), 1));
        assert!(!holds(&Ctl::Finally(q, None, Box::new(Ctl::State(0))), 0));
        assert!(
            holds(&Ctl::reached(q, Some(0), Ctl::State(2)), 2) && !holds(&Ctl::reached(q, Some(1), Ctl::State(2)), 0)
        );
        assert!(holds(&Ctl::reached(q, Some(2), Ctl::State(2)), 0) && holds(&Ctl::reached(q, None, Ctl::State(0)), 0));
        assert!(!holds(&Ctl::kept(q, Some(0), Ctl::State(2)), 1) && holds(&Ctl::kept(q, None, Ctl::State(2)), 2));
        let ranks = graph.ranks(q, &[true; 3], &[false, false, true]);
        assert_eq!(ranks, [2, 1, 0]);
        assert_eq!(graph.ranks(q, &[true; 3], &[true, false, false]), [0, NEVER, NEVER]);
    }
}
