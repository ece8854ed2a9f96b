//! What is concluded about boxes, held against every point of them, on random models, policies and networks.

use surefoot_checker::formula::{Atom, Formulas};
use surefoot_checker::network::rows::Bounding;
use surefoot_checker::network::{Bounded, Prepared};
use surefoot_checker::operator::Operators;
use surefoot_checker::points::for_each;
use surefoot_checker::rules::{Asked, Rules};
use surefoot_checker::values::{Bounds, Values};
use surefoot_fixtures::{Random, random_network, seeds};
use surefoot_linear::{Linear, Symbol};
use surefoot_model::policy::PolicyNetwork;
use surefoot_model::{Interpreter, Model, SlotId, State, TermId};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_testkit::{Case, Instance, Size, for_seeds};

/// A random part of the domains with few points.
fn random_box(model: &Model, random: &mut Random) -> Vec<Bounds> {
    let mut points = 64u64;
    let mut bounds: Vec<Bounds> = Vec::new();
    for (index, slot) in model.slots.iter().enumerate() {
        let (least, most) = slot.domain.int_bounds().expect("models are discrete");
        let lower = random.between(least, most);
        let fixed = index < model.instances.len() || random.percent(40);
        let room = i64::try_from(points).expect("small") - 1;
        let upper = if fixed { lower } else { random.between(lower, most.min(lower + room)) };
        points /= u64::try_from(upper - lower + 1).expect("not empty");
        bounds.push((lower, upper));
    }
    bounds
}

/// Inequalities that some point of a box satisfies.
fn random_atoms(bounds: &[Bounds], random: &mut Random) -> Vec<Atom> {
    let point: Vec<i64> = bounds.iter().map(|(lower, upper)| random.between(*lower, *upper)).collect();
    let free: Vec<usize> = (0..bounds.len()).filter(|slot| bounds[*slot].0 < bounds[*slot].1).collect();
    let mut atoms = Vec::new();
    for _ in 0..random.below(3) {
        let mut terms: Vec<(u32, i64)> = Vec::new();
        for slot in &free {
            let a = random.between(-2, 2);
            if a != 0 && random.percent(60) {
                terms.push((u32::try_from(*slot).expect("few slots"), a));
            }
        }
        let sum: i64 = terms.iter().map(|(slot, a)| a * point[*slot as usize]).sum();
        atoms.push(Atom { terms, constant: random.between(0, 2) - sum });
    }
    atoms
}

fn check_condition(term: TermId, values: &Values<'_>, interpreter: Interpreter<'_>, points: &[State]) {
    let found = values.truth(term);
    for state in points {
        match interpreter.holds(term, state) {
            // Where it can be in error, the value says nothing.
            Ok(truth) => assert!(
                found.error || found.value.is_none_or(|value| value == truth),
                "{found:?} but {truth} in {state:?}"
            ),
            Err(error) => assert!(found.error, "{found:?} but {error:?} in {state:?}"),
        }
    }
}

/// Values of an update at the points of a box.
fn check_updates(instance: &Instance, bounds: &[Bounds], atoms: &[Atom], points: &[State]) -> usize {
    let model = instance.model();
    let interpreter = Interpreter::new(model);
    let mut operators = Operators::new(model, None).expect("no policy");
    let locations: Vec<i64> = bounds[..model.instances.len()].iter().map(|(lower, _)| *lower).collect();
    operators.prepare(&locations).expect("few operators");
    let mut checked = 0;
    for op in operators.at(operators.place(&locations)) {
        for guard in &op.guards {
            check_condition(*guard, &Values::new(model, bounds, atoms), interpreter, points);
        }
        for state in points {
            let guards = op.guards.iter().all(|guard| interpreter.holds(*guard, state) == Ok(true));
            let Ok(choice) = interpreter.choice(state, op.operator.clone()) else { continue };
            if !guards {
                continue;
            }
            // Outcomes of probability zero in the state are left out by the interpreter.
            if choice.outcomes.len() != op.outcomes.len() {
                continue;
            }
            for (outcome, real) in op.outcomes.iter().zip(&choice.outcomes) {
                let mut values = Values::new(model, bounds, atoms);
                if values.update(outcome).is_err() {
                    continue;
                }
                checked += 1;
                for successor in &real.successors {
                    for (slot, value) in successor.0.iter().enumerate() {
                        let (lower, upper) = values.range(&values.slot(SlotId::at(slot)));
                        assert!(lower <= *value && *value <= upper, "slot {slot} is {value}, not in {lower}..{upper}");
                    }
                }
            }
        }
        // Where no error is possible, none happens.
        for outcome in &op.outcomes {
            let mut values = Values::new(model, bounds, atoms);
            if values.update(outcome).is_ok() && outcome.probability.is_some() {
                for state in points {
                    let taken: Vec<u32> = destinations(model, op, outcome);
                    let real = interpreter.successors(state, &op.operator, &taken);
                    assert!(real.is_ok(), "{:?} in {state:?}", real.map_err(|e| e.kind));
                }
            }
        }
    }
    checked
}

/// The destinations that an outcome takes, found by their assignments.
fn destinations(
    model: &Model,
    op: &surefoot_checker::operator::Op<'_>,
    outcome: &surefoot_checker::operator::Outcome<'_>,
) -> Vec<u32> {
    let vector = &model.vectors[op.operator.vector as usize];
    let edges = vector.participants.iter().zip(&op.operator.edges).zip(&outcome.assignments);
    edges
        .map(|((participant, edge), assignments)| {
            let edge = &model.instances[participant.instance].edges[*edge as usize];
            let found = edge.destinations.iter().position(|d| std::ptr::eq(&*d.assignments, *assignments));
            u32::try_from(found.expect("it is one of them")).expect("few")
        })
        .collect()
}

#[test]
fn terms_and_updates_enclose_what_they_are_at_points() {
    let checked = std::cell::Cell::new(0);
    for_seeds(seeds(1, 60), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        let model = instance.model();
        let interpreter = Interpreter::new(model);
        for _ in 0..6 {
            let bounds = random_box(model, &mut random);
            let atoms = random_atoms(&bounds, &mut random);
            let mut points = Vec::new();
            let _ = for_each(&bounds, |point| {
                if atoms.iter().all(|atom| atom.holds_at(point)) {
                    points.push(State::from_ints(point));
                }
                Ok::<(), ()>(())
            });
            let values = Values::new(model, &bounds, &atoms);
            let property = &instance.property;
            for term in property.reach.into_iter().chain(property.goal).chain(property.start.conditions.clone()) {
                check_condition(term, &values, interpreter, &points);
            }
            checked.set(checked.get() + check_updates(&instance, &bounds, &atoms, &points));
        }
    });
    assert!(checked.get() > 1000, "only {} updates were looked at", checked.get());
}

#[test]
fn rows_are_above_the_differences_of_outputs() {
    let mut rows = 0;
    for seed in seeds(1, 80) {
        let mut random = Random::new(seed);
        let inputs = 1 + random.below(4);
        let outputs = 2 + random.below(3);
        let network = random_network(&mut random, inputs, outputs);
        // Inputs are forms of the slots, some of which are fixed.
        let slots = inputs + random.below(2);
        let form = |random: &mut Random| {
            let term = |random: &mut Random, slot| {
                (Symbol::at(slot), Rational::new(random.between(-3, 3), 2).expect("not zero"))
            };
            let terms = (0..slots).map(|slot| term(random, slot)).collect();
            Linear::new(terms, Rational::new(random.between(-4, 4), 3).expect("not zero"))
        };
        let forms: Vec<Linear> = (0..inputs).map(|_| form(&mut random)).collect();
        let policy = PolicyNetwork { when: None, inputs: forms, network: network.into(), file: "n".to_owned() };
        let Ok(prepared) = Prepared::new(&policy) else { continue };
        let bounds: Vec<Bounds> = (0..slots)
            .map(|_| {
                let lower = random.between(-6, 6);
                (lower, if random.percent(25) { lower } else { lower + random.between(0, 5) })
            })
            .collect();
        let folded = prepared.folded(&bounds).expect("small numbers");
        let mut bounded = Bounded::default();
        let slopes: Vec<Option<u8>> =
            (0..40).map(|_| random.percent(30).then(|| u8::try_from(random.below(16)).expect("a digit"))).collect();
        assert_eq!(bounded.bound(&prepared, &folded, &bounds, &[], &slopes), Bounding::Bounded, "seed {seed}");
        for (l, k) in (0..outputs).flat_map(|l| (0..outputs).map(move |k| (l, k))).filter(|(l, k)| l != k) {
            let row = bounded.row(&prepared, &folded, &prepared.score(l, k));
            rows += 1;
            let _ = for_each(&bounds, |point| {
                let inputs: Vec<Rational> =
                    policy.inputs.iter().map(|form| form.eval(|slot| Rational::from(point[slot.index()]))).collect();
                let exact = policy.network.eval_reference(&inputs);
                let difference = &exact[l] - &exact[k];
                let float = |value: f64| Rational::from_f64(value).expect("finite");
                let terms = row.coefficients.iter().zip(&folded.slots);
                let value = terms.fold(&float(row.constant) + &float(row.slack), |sum, (a, slot)| {
                    &sum + &(&float(*a) * &Rational::from(point[*slot as usize]))
                });
                assert!(difference <= value, "seed {seed}: {difference} at {point:?}, but the row says {value}");
                assert!(difference <= float(row.maximum(&folded.slots, &bounds)), "seed {seed}: the maximum");
                Ok::<(), ()>(())
            });
        }
    }
    assert!(rows > 100, "only {rows} rows were looked at");
}

#[test]
fn products_that_underflow_are_accounted_for() {
    // y = 1e300 x, z = 1e-170 y, and outputs 1e-170 z and 1e-45: the first is larger at 1, but 1e-170 times 1e-170 is no float.
    let layer = |weights: &[f64], bias: &[f64], activation| {
        Layer::new(weights.len() / bias.len(), weights.to_vec(), bias.to_vec(), activation).expect("it fits")
    };
    let network = Network::new(vec![
        layer(&[1e300], &[0.0], Activation::Relu),
        layer(&[1e-170], &[0.0], Activation::Relu),
        layer(&[1e-170, 0.0], &[0.0, 1e-45], Activation::Identity),
    ]);
    let network = std::sync::Arc::new(network.expect("it fits"));
    let inputs = vec![Linear::symbol(Symbol(0))];
    let policy = PolicyNetwork { when: None, inputs, network, file: "n".to_owned() };
    let prepared = Prepared::new(&policy).expect("it is supported");
    for bounds in [[(0, 1)], [(1, 2)], [(-1, 1)]] {
        let folded = prepared.folded(&bounds).expect("small numbers");
        let mut bounded = Bounded::default();
        assert_eq!(bounded.bound(&prepared, &folded, &bounds, &[], &[]), Bounding::Bounded);
        let row = bounded.row(&prepared, &folded, &prepared.score(0, 1));
        assert!(row.maximum(&folded.slots, &bounds) > 0.0, "{row:?} over {bounds:?}");
    }
}

#[test]
fn wide_layers_are_accounted_for() {
    // 1 + 20,000 times 2^-53 at 1, where each of the small ones is lost in a sum of floats; the other output is halfway.
    const WIDE: u32 = 20_000;
    let small = f64::EPSILON / 2.0;
    let weights: Vec<f64> = std::iter::once(1.0).chain((0..WIDE).map(|_| small)).collect();
    let count = weights.len();
    let sum: Vec<f64> = (0..2 * count).map(|i| if i < count { 1.0 } else { 0.0 }).collect();
    let half = 1.0 + f64::from(WIDE) * small / 2.0;
    let network = Network::new(vec![
        Layer::new(1, vec![1.0], vec![0.0], Activation::Relu).expect("it fits"),
        Layer::new(1, weights, vec![0.0; count], Activation::Relu).expect("it fits"),
        Layer::new(count, sum, vec![0.0, half], Activation::Identity).expect("it fits"),
    ]);
    let network = std::sync::Arc::new(network.expect("it fits"));
    let policy = PolicyNetwork { when: None, inputs: vec![Linear::symbol(Symbol(0))], network, file: "n".to_owned() };
    let exact = policy.network.eval_reference(&[Rational::ONE]);
    assert!(exact[0] > exact[1], "the first output is larger at 1");
    let prepared = Prepared::new(&policy).expect("it is supported");
    let bounds = [(0, 1)];
    let folded = prepared.folded(&bounds).expect("small numbers");
    let mut bounded = Bounded::default();
    assert_eq!(bounded.bound(&prepared, &folded, &bounds, &[], &[]), Bounding::Bounded);
    let row = bounded.row(&prepared, &folded, &prepared.score(0, 1));
    assert!(row.maximum(&folded.slots, &bounds) > 0.0, "{row:?}");
}

#[test]
fn phases_leave_nothing_out() {
    // With a phase told, bounds hold at the points that have it; without any such point they may be empty.
    for seed in seeds(1, 60) {
        let mut random = Random::new(seed);
        let inputs = 1 + random.below(3);
        let network = random_network(&mut random, inputs, 2);
        if network.layers().len() < 2 {
            continue;
        }
        let forms = (0..inputs).map(|slot| Linear::symbol(Symbol::at(slot))).collect();
        let policy = PolicyNetwork { when: None, inputs: forms, network: network.into(), file: "n".to_owned() };
        let Ok(prepared) = Prepared::new(&policy) else { continue };
        let bounds: Vec<Bounds> = (0..inputs).map(|_| (random.between(-5, 0), random.between(0, 5))).collect();
        let folded = prepared.folded(&bounds).expect("small numbers");
        let layer = &policy.network.layers()[0];
        let neuron = random.below(layer.output_len());
        for active in [true, false] {
            let phase = surefoot_checker::network::Phase { layer: 0, neuron, active };
            let mut bounded = Bounded::default();
            let found = bounded.bound(&prepared, &folded, &bounds, &[phase], &[]);
            let row = (found == Bounding::Bounded).then(|| bounded.row(&prepared, &folded, &prepared.score(0, 1)));
            let _ = for_each(&bounds, |point| {
                let inputs: Vec<Rational> = point.iter().map(|value| Rational::from(*value)).collect();
                let of_neuron = layer.row(neuron);
                let weights = of_neuron.iter().map(|w| Rational::from_f64(*w).expect("finite"));
                let bias = Rational::from_f64(layer.bias()[neuron]).expect("finite");
                let normalised = policy.network.input_normalisation().map_or(inputs.clone(), |n| n.apply(&inputs));
                let sum = weights.zip(&normalised).fold(bias, |sum, (w, x)| &sum + &(&w * x));
                let has_phase = if active { sum.signum() >= 0 } else { sum.signum() <= 0 };
                if has_phase && layer.activation() == Activation::Relu {
                    let row = row.as_ref().expect("a point has the phase, so the box is not empty");
                    let exact = policy.network.eval_reference(&inputs);
                    let terms = row.coefficients.iter().zip(&folded.slots);
                    let float = |value: f64| Rational::from_f64(value).expect("finite");
                    let value = terms.fold(&float(row.constant) + &float(row.slack), |sum, (a, slot)| {
                        &sum + &(&float(*a) * &Rational::from(point[*slot as usize]))
                    });
                    assert!(&exact[0] - &exact[1] <= value, "seed {seed}: {point:?}");
                }
                Ok::<(), ()>(())
            });
        }
    }
}

#[test]
fn formulas_mean_the_same_in_boxes_and_at_points() {
    for_seeds(seeds(1, 30), &Size::default(), |case: &Case| {
        let mut random = case.random();
        let Some(instance) = Instance::new(case, &mut random) else { return };
        let Some(target) = instance.property.reach else { return };
        let (model, policy) = (instance.model(), instance.policy.as_ref());
        let asked = Asked { model, policy, target, terminal: None, initial_only: false, assume_no_errors: false };
        let Ok(rules) = Rules::new(asked) else { return };
        let mut formulas = Formulas::default();
        let bounds = random_box(model, &mut random);
        for atom in random_atoms(&bounds, &mut random) {
            let atom = formulas.push(surefoot_checker::formula::Formula::Atom(atom)).expect("few");
            let not = formulas.push(surefoot_checker::formula::Formula::Not(atom)).expect("few");
            formulas.push(surefoot_checker::formula::Formula::Any(vec![atom, not])).expect("few");
            formulas.push(surefoot_checker::formula::Formula::All(vec![atom, not])).expect("few");
        }
        let values = Values::new(rules.asked.model, &bounds, &[]);
        for id in 0..u32::try_from(formulas.len()).expect("few") {
            let truth = formulas.truth(id, &values);
            let _ = for_each(&bounds, |point| {
                assert!(truth.is_none_or(|truth| truth == formulas.holds_at(id, point)), "formula {id} at {point:?}");
                if let Ok(atom) = formulas.atom(id) {
                    assert_eq!(atom.holds_at(point), formulas.holds_at(id, point), "formula {id} at {point:?}");
                }
                Ok::<(), ()>(())
            });
        }
    });
}
