//! Trees of runs for random formulas on random graphs: each checked by a slow reading of the definition, and labels with reasons.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::convert::Infallible;

use common::{Signed, World, random_formula, shaped};
use surefoot_fixtures::{Random, seeds};
use surefoot_temporal::graph::{Measure, Measures, NEVER, Proof, reference};
use surefoot_temporal::random::Shape;
use surefoot_temporal::tree::Tree;
use surefoot_temporal::{Ctl, Quantifier};

/// Whether a tree shows a formula at a node, by recursion along its steps: a path with more steps than nodes comes back, so that an until without a
/// bound ends within as many steps, and a release that is kept for as many is kept for ever.
struct Slow<'a> {
    world: &'a World,
    proof: &'a Proof,
    formula: &'a Ctl<Signed>,
}

impl Slow<'_> {
    fn shown(&self, node: usize, part: &Ctl<Signed>) -> bool {
        let state = self.proof.nodes[node].state;
        let parts = self.formula.numbered();
        let rests = &self.proof.nodes[node].rests;
        if rests.iter().any(|number| std::ptr::eq(parts[*number], part)) {
            // What it rests on is looked up in the whole graph, by fixpoints on sets.
            return reference::label(&self.world.graph, part, &|leaf, s| self.world.is_so(*leaf, s))[state as usize];
        }
        let most = self.proof.nodes.len() as u64 + 1;
        match part {
            Ctl::State(leaf) => self.world.is_so(*leaf, state),
            Ctl::And(parts) => parts.iter().all(|part| self.shown(node, part)),
            Ctl::Or(parts) => parts.iter().any(|part| self.shown(node, part)),
            Ctl::Next(q, steps, f) => self.after(node, *q, *steps, f),
            Ctl::Until(q, bound, f, g) => self.until(node, *q, bound.unwrap_or(most), f, g),
            Ctl::Release(q, bound, f, g) => self.release(node, *q, bound.unwrap_or(most), f, g),
            Ctl::Not(_) | Ctl::Finally(..) | Ctl::Globally(..) => unreachable!("stepwise, in normal form"),
        }
    }

    fn next(&self, node: usize, q: Quantifier, test: &dyn Fn(usize) -> bool) -> bool {
        let node = &self.proof.nodes[node];
        match q {
            Quantifier::Some => node.steps.iter().any(|next| test(*next)),
            Quantifier::All => node.all && node.steps.iter().all(|next| test(*next)),
        }
    }

    fn after(&self, node: usize, q: Quantifier, steps: u64, f: &Ctl<Signed>) -> bool {
        if steps == 0 { self.shown(node, f) } else { self.next(node, q, &|next| self.after(next, q, steps - 1, f)) }
    }

    fn until(&self, node: usize, q: Quantifier, left: u64, f: &Ctl<Signed>, g: &Ctl<Signed>) -> bool {
        let later = || left > 0 && self.next(node, q, &|next| self.until(next, q, left - 1, f, g));
        self.shown(node, g) || (self.shown(node, f) && later())
    }

    fn release(&self, node: usize, q: Quantifier, left: u64, f: &Ctl<Signed>, g: &Ctl<Signed>) -> bool {
        let later = || left == 0 || self.next(node, q, &|next| self.release(next, q, left - 1, f, g));
        self.shown(node, g) && (self.shown(node, f) || later())
    }
}

fn measures(world: &World, formula: &Ctl<Signed>) -> Measures {
    Measures::new(&world.graph, formula, &mut |leaf| world.leaf(*leaf)).unwrap().unwrap()
}

/// The first equation that does not hold anywhere.
fn fault(world: &World, formula: &Ctl<Signed>, measures: &Measures) -> Option<(usize, u32)> {
    let states: Vec<u32> = world.graph.states().collect();
    let mut leaf = |leaf: &Signed, state: u32| Ok::<_, Infallible>(world.is_so(*leaf, state));
    measures.check(formula, 0, &states, &|state| world.graph.successors(state), &mut leaf).unwrap()
}

/// A formula or its negation, in normal form and stepwise.
fn normal(random: &mut Random, formula: impl Fn(&mut Random) -> Ctl<Signed>) -> Ctl<Signed> {
    formula(random).signed(random.percent(50), &mut |(atom, _), sign| (*atom, sign)).stepwise()
}

/// One, or two of them at once: these need several runs.
fn stepwise(random: &mut Random, depth: usize) -> Ctl<Signed> {
    let one = |random: &mut Random| normal(random, |random| random_formula(random, depth));
    let first = one(random);
    if random.percent(50) { first } else { first.and(one(random)) }
}

#[test]
fn every_formula_that_holds_has_a_tree_that_shows_it() {
    let (mut several, mut followed, mut resting) = (0, 0, 0);
    for seed in seeds(0, 3500) {
        let random = &mut Random::new(seed);
        let world = World::random(random, 6);
        let depth = 1 + random.below(3);
        let formula = stepwise(random, depth);
        let measures = measures(&world, &formula);
        let labels = world.label(&formula);
        for state in world.graph.states().filter(|state| labels[*state as usize]) {
            let proof = world.graph.prove(&formula, &measures, state);
            assert_eq!(proof.nodes[0].state, state);
            for node in &proof.nodes {
                let targets: Vec<u32> = node.steps.iter().map(|next| proof.nodes[*next].state).collect();
                let successors = world.graph.successors(node.state);
                assert!(targets.iter().all(|target| successors.contains(target)), "seed {seed}: no step");
                assert!(!node.all || successors.iter().all(|next| targets.contains(next)), "seed {seed}: not all");
                // Only what speaks of all paths is rested on.
                let parts = formula.numbered();
                assert!(node.rests.iter().all(|part| parts[*part].quantifier() == Some(Quantifier::All)));
            }
            let mut leaf = |leaf: &Signed, node: usize| world.is_so(*leaf, proof.nodes[node].state);
            let mut known = |part: usize, node: usize| proof.nodes[node].rests.contains(&part);
            assert!(proof.tree().shows_with(&formula, &mut leaf, &mut known)[0], "seed {seed}: {formula:?}\n{proof:?}");
            if proof.nodes.len() <= 8 {
                let slow = Slow { world: &world, proof: &proof, formula: &formula };
                assert!(slow.shown(0, &formula), "seed {seed}: {formula:?}\n{proof:?}");
            }
            several += u32::from(proof.nodes.iter().any(|node| node.steps.len() > 1));
            followed += u32::from(proof.nodes.iter().any(|node| node.all));
            resting += u32::from(proof.nodes.iter().any(|node| !node.rests.is_empty()));
        }
    }
    assert!(several > 150 && followed > 300 && resting > 100, "{several}, {followed}, {resting}");
}

/// On larger graphs not everything is followed, and what is left rests on labels that have reasons.
#[test]
fn what_trees_rest_on_is_so() {
    let mut resting = 0;
    for seed in seeds(0, 1000) {
        let random = &mut Random::new(seed);
        let world = World::random(random, 120);
        let depth = 2 + random.below(3);
        let formula = normal(random, |random| shaped(random, depth, Shape { early: 0, bounded: 15, bounds: 4 }));
        let measures = measures(&world, &formula);
        assert_eq!(fault(&world, &formula, &measures), None, "seed {seed}: {formula:?}");
        let labels = world.label(&formula);
        let parts = formula.numbered();
        for state in world.graph.states().filter(|state| labels[*state as usize]).take(10) {
            let proof = world.graph.prove(&formula, &measures, state);
            for node in &proof.nodes {
                for part in &node.rests {
                    assert!(world.label(parts[*part])[node.state as usize], "seed {seed}");
                    resting += 1;
                }
            }
            let mut leaf = |leaf: &Signed, node: usize| world.is_so(*leaf, proof.nodes[node].state);
            let mut known = |part: usize, node: usize| proof.nodes[node].rests.contains(&part);
            assert!(proof.tree().shows_with(&formula, &mut leaf, &mut known)[0], "seed {seed}: {formula:?}");
        }
    }
    assert!(resting > 100, "{resting}");
}

/// Any tree of real steps, whoever drew it: nothing that is not so is shown.
#[test]
fn no_tree_shows_what_is_not_so() {
    let (mut shown, mut silent) = (0, 0);
    for seed in seeds(0, 3000) {
        let random = &mut Random::new(seed);
        let world = World::random(random, 6);
        let depth = 1 + random.below(3);
        let formula = random_formula(random, depth).signed(random.percent(50), &mut |(atom, _), sign| (*atom, sign));
        let labels = world.label(&formula);
        let states: Vec<u32> =
            (0..1 + random.below(10)).map(|_| u32::try_from(random.below(world.graph.len())).unwrap()).collect();
        let mut tree = Tree::default();
        for state in &states {
            let successors = world.graph.successors(*state);
            let possible = (0..states.len()).filter(|other| successors.contains(&states[*other]));
            let steps: Vec<usize> = possible.filter(|_| random.percent(70)).collect();
            let reached = |next: &u32| steps.iter().any(|step| states[*step] == *next);
            tree.all.push(successors.iter().all(reached));
            tree.steps.push(steps);
        }
        let rows = tree.shows(&formula, &mut |leaf, node| world.is_so(*leaf, states[node]));
        for (state, row) in states.iter().zip(rows) {
            assert!(!row || labels[*state as usize], "seed {seed}: {formula:?} in {state}");
            (shown, silent) = (shown + u32::from(row), silent + u32::from(!row && labels[*state as usize]));
        }
    }
    assert!(shown > 1000 && silent > 100, "{shown}, {silent}");
}

/// Whatever numbers are written in the place of measures: where the equations hold, what they say is so.
#[test]
fn equations_hold_only_where_labels_are_right() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in seeds(0, 4000) {
        let random = &mut Random::new(seed);
        let world = World::random(random, 6);
        let depth = 1 + random.below(3);
        let formula = stepwise(random, depth);
        let mut measures = measures(&world, &formula);
        for _ in 0..1 + random.below(3) {
            let state = random.below(world.graph.len());
            let part = random.below(measures.parts.len());
            match &mut measures.parts[part] {
                Measure::Holds(set) => set[state] = !set[state],
                Measure::After(rows) => {
                    let row = random.below(rows.len());
                    rows[row][state] = !rows[row][state];
                }
                Measure::Within(ranks) | Measure::Breaks(ranks) => {
                    ranks[state] = *random.pick(&[0, 1, 2, 3, ranks[state].saturating_add(1), NEVER]);
                }
            }
        }
        if fault(&world, &formula, &measures).is_some() {
            rejected += 1;
            continue;
        }
        accepted += 1;
        for (number, part) in formula.numbered().into_iter().enumerate() {
            for (state, holds) in world.label(part).into_iter().enumerate() {
                assert!(!measures.holds(part, number, state) || holds, "seed {seed}: {part:?} in {state}");
            }
        }
    }
    assert!(accepted > 300 && rejected > 300, "{accepted}, {rejected}");
}

/// Formulas step by step mean the same, and are read as they were written.
#[test]
fn stepwise_formulas_mean_the_same() {
    for seed in seeds(0, 500) {
        let random = &mut Random::new(seed);
        let world = World::random(random, 8);
        let formula = random_formula(random, 3);
        let stepwise = formula.stepwise();
        assert_eq!(world.label(&formula), world.label(&stepwise), "seed {seed}: {formula:?}");
        assert_eq!(world.label(&formula), world.label(&stepwise.abbreviated()), "seed {seed}: {formula:?}");
        assert!(stepwise.numbered().iter().all(|part| !matches!(part, Ctl::Finally(..) | Ctl::Globally(..))));
    }
    let always = Ctl::Globally(Quantifier::All, Some(3), Box::new(Ctl::State((0, true))));
    assert_eq!(always.stepwise().abbreviated(), always);
}
