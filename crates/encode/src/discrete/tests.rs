//! Networks as they are computed, against what they are, at every point of a box.

use std::sync::Arc;

use surefoot_fixtures::{Random, random_network, seeds};
use surefoot_model::policy::PolicyNetwork;

use super::*;
use crate::chain::chain;

const BOX: (i64, i64) = (-3, 3);

fn slots(_: Symbol) -> Interval {
    Interval::new(Rational::from(BOX.0), Rational::from(BOX.1))
}

/// What a checker computes: layer by layer, in its own order of operations.
fn computed(network: &Computed, point: &[Rational]) -> Vec<Rational> {
    let mut values = point.to_vec();
    for step in &network.steps {
        let next: Vec<Rational> = step
            .rows
            .iter()
            .map(|row| {
                let z = row.eval(|symbol| values[symbol.index()].clone());
                let z = if step.relu && z.signum() < 0 { Rational::ZERO } else { z };
                if step.divisor == Rational::ONE { z } else { divided(&z, &step.divisor) }
            })
            .collect();
        for (value, range) in next.iter().zip(&step.ranges) {
            let (lower, upper) = range.ends().expect("a bounded box");
            assert!(lower <= value && value <= upper, "{value} is outside {lower}..{upper}");
        }
        values = next;
    }
    values
}

fn exactly(layers: &[Affine], point: &[Rational]) -> Vec<Rational> {
    layers.iter().fold(point.to_vec(), |values, layer| {
        let row = |row: &Linear| row.eval(|symbol| values[symbol.index()].clone());
        let relu = |z: Rational| if layer.relu { z.max(Rational::ZERO) } else { z };
        layer.rows.iter().map(row).map(relu).collect()
    })
}

fn points(dimensions: usize) -> Vec<Vec<Rational>> {
    let one = |points: Vec<Vec<Rational>>| {
        let with = |point: &Vec<Rational>, x: i64| point.iter().cloned().chain([Rational::from(x)]).collect();
        points.iter().flat_map(|point| (BOX.0..=BOX.1).map(move |x| with(point, x))).collect()
    };
    (0..dimensions).fold(vec![Vec::new()], |points, _| one(points))
}

#[test]
fn scores_are_within_the_bound_and_neurons_within_their_ranges() {
    let (mut exact, mut rounded) = (0, 0);
    for seed in seeds(0, 120) {
        let random = &mut Random::new(seed);
        let inputs = 1 + random.below(3);
        let (outputs, file) = (1 + random.below(4), "random".to_owned());
        let network = Arc::new(random_network(random, inputs, outputs));
        let inputs: Vec<Linear> = Symbol::first(inputs).map(Linear::symbol).collect();
        let policy = PolicyNetwork { when: None, inputs, network, file };
        let layers = chain(&policy);
        for bits in [None, Some(3), Some(7), Some(12)] {
            let network = discretise(&layers, &slots, bits);
            if network.is_exact() {
                exact += 1;
            } else {
                rounded += 1;
            }
            for point in points(policy.inputs.len()) {
                let (found, truth) = (computed(&network, &point), exactly(&layers, &point));
                for (found, truth) in found.iter().zip(&truth) {
                    let apart = (&quotient(found, &network.scale) - truth).abs();
                    assert!(apart <= network.error, "seed {seed}, {bits:?}: {apart} is more than {}", network.error);
                }
                if bits.is_none() {
                    assert!(network.is_exact(), "seed {seed}: nothing is rounded without a limit");
                    let outputs = policy.network.eval_reference(&point);
                    let first = |scores: &[Rational]| scores.iter().position(|s| Some(s) == scores.iter().max());
                    assert_eq!(first(&found), first(&outputs), "seed {seed}: the same choice");
                }
            }
        }
    }
    assert!(exact > 120 && rounded > 120, "{exact} exact, {rounded} rounded");
}

#[test]
fn rounding_is_to_the_nearest_and_halves_go_up() {
    let value = |n: i64, d: i64| divided(&Rational::from(n), &Rational::from(d)).to_i64();
    let rounded: Vec<Option<i64>> = (-4..=6).map(|n| value(n, 4)).collect();
    assert_eq!(rounded, [-1, -1, 0, 0, 0, 0, 1, 1, 1, 1, 2].map(Some));
    assert_eq!((value(4, 3), value(5, 3), value(-1, 3), value(-2, 3)), (Some(1), Some(2), Some(0), Some(-1)));
}
