//! Outputs and neurons that are copies of each other, or almost: questions that are trivial once differences are formed, and endless
//! before.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of a test are small")]

mod common;

use std::sync::Arc;

use common::conformance::{fault, truth};
use common::generate::{Shape, question_of_shape};
use common::show::show;
use common::{apply, int};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, BranchAndBound, Limits, Options, Oracle, Question, Reference, Ties, Variable};

type Rows = Vec<Vec<f64>>;

const WIDTH: usize = 16;
const INPUTS: usize = 3;

/// A layer of random rows, the bias last.
fn rows(random: &mut Random, inputs: usize, outputs: usize) -> Rows {
    let number = |random: &mut Random| f64::from(random.between(-1000, 1000) as f32 / 700.0);
    (0..outputs).map(|_| (0..=inputs).map(|_| number(random)).collect()).collect()
}

fn build(layers: &[Rows]) -> Arc<Network> {
    let layer = |(index, rows): (usize, &Rows)| {
        let activation = if index + 1 < layers.len() { Activation::Relu } else { Activation::Identity };
        let inputs = rows[0].len() - 1;
        let weights = rows.iter().flat_map(|row| row[..inputs].to_vec()).collect();
        let bias = rows.iter().map(|row| row[inputs]).collect();
        Layer::new(inputs, weights, bias, activation).unwrap()
    };
    Arc::new(Network::new(layers.iter().enumerate().map(layer).collect()).unwrap())
}

/// Whether a label can be chosen, over reals or integers from -5 to 5.
fn chosen(network: &Arc<Network>, label: usize, ties: &Ties, real: bool) -> Question {
    let variable = if real { Variable::real(int(-5), int(5)) } else { Variable::integer(-5, 5) };
    let inputs: Vec<Linear> = Symbol::first(network.input_len()).map(Linear::symbol).collect();
    let mut question = Question {
        variables: vec![variable; network.input_len()],
        applications: vec![apply(network, inputs)],
        formula: Formula::truth(),
    };
    question.formula = question.chosen(0, label, ties, |_| Formula::truth());
    question
}

/// Decides a question within so many nodes.
fn decide(question: &Question, nodes: u64) -> Answer {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let answer = BranchAndBound::new(Options::default()).decide(question, &limits);
    if let Answer::Sat(point) = &answer {
        assert!(question.is_witness(point), "{point:?}\n{}", show(question));
    }
    answer
}

/// Asserts that the later of two outputs is never the first maximal one.
fn never_first(network: &Arc<Network>, label: usize, nodes: u64) {
    for real in [true, false] {
        let answer = decide(&chosen(network, label, &Ties::First, real), nodes);
        assert_eq!(answer, Answer::Unsat, "real: {real}");
    }
}

#[test]
fn outputs_with_equal_rows_are_settled_at_the_root() {
    for seed in 0..20 {
        let random = &mut Random::new(seed);
        let (hidden, mut last) = (rows(random, INPUTS, WIDTH), rows(random, WIDTH, 3));
        last[2] = last[0].clone();
        let network = build(&[hidden.clone(), last.clone()]);
        never_first(&network, 2, 1);
        // Where ties do not matter the copy is chosen where the first is.
        let original = decide(&chosen(&network, 0, &Ties::First, true), 20_000);
        let copy = decide(&chosen(&network, 2, &Ties::Any, true), 20_000);
        assert_eq!(matches!(original, Answer::Sat(_)), matches!(copy, Answer::Sat(_)), "seed {seed}");
        // Biases tell them apart everywhere, by as little as there is.
        last[2][WIDTH] = last[0][WIDTH].next_down();
        never_first(&build(&[hidden.clone(), last.clone()]), 2, 1);
        let question = chosen(&build(&[hidden.clone(), last.clone()]), 2, &Ties::Any, true);
        assert_eq!(decide(&question, 1), Answer::Unsat);
        last[1] = last[0].clone();
        last[2] = last[0].clone();
        let three = build(&[hidden, last]);
        never_first(&three, 1, 1);
        never_first(&three, 2, 1);
        assert!(matches!(decide(&chosen(&three, 2, &Ties::Any, true), 20), Answer::Sat(_)));
    }
}

/// Rows that differ by `2^-k` of a row give the answer that the row gives, by as many nodes.
#[test]
fn outputs_with_almost_equal_rows_take_no_longer_than_their_difference() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..20 {
        let random = &mut Random::new(seed);
        let hidden = rows(random, INPUTS, WIDTH);
        let common: Vec<f64> = (0..=WIDTH).map(|_| random.between(-64, 64) as f64 / 16.0).collect();
        let mut apart: Vec<f64> = (0..=WIDTH).map(|_| random.between(-8, 8) as f64).collect();
        apart[WIDTH] = -(random.between(0, 200) as f64);
        let plain = build(&[hidden.clone(), vec![vec![0.0; WIDTH + 1], apart.clone()]]);
        let wanted = decide(&chosen(&plain, 1, &Ties::First, true), 2000);
        for k in [20, 30, 40] {
            let near: Vec<f64> = common.iter().zip(&apart).map(|(c, a)| c + a * 2f64.powi(-k)).collect();
            let network = build(&[hidden.clone(), vec![common.clone(), near]]);
            let answer = decide(&chosen(&network, 1, &Ties::First, true), 4000);
            match (&wanted, &answer) {
                (Answer::Sat(_), Answer::Sat(_)) => sat += 1,
                (Answer::Unsat, Answer::Unsat) => unsat += 1,
                _ => panic!("seed {seed}, {k}: {wanted:?}, {answer:?}"),
            }
        }
    }
    assert!(sat > 5 && unsat > 5, "{sat}, {unsat}");
}

#[test]
fn outputs_over_copied_neurons_are_settled_at_the_root() {
    for seed in 0..20 {
        let random = &mut Random::new(seed);
        let half = rows(random, INPUTS, WIDTH / 2);
        let weights: Vec<f64> = (0..WIDTH / 2).map(|_| random.between(-9, 9) as f64).collect();
        for factor in [1.0, 4.0, 0.125] {
            // The second half of the neurons is the first times a factor; each output has its own half.
            let hidden: Rows =
                half.iter().cloned().chain(half.iter().map(|r| r.iter().map(|w| w * factor).collect())).collect();
            let nothing = vec![0.0; WIDTH / 2];
            let scaled: Vec<f64> = weights.iter().map(|w| w / factor).collect();
            let last = vec![[&weights[..], &nothing, &[0.5]].concat(), [&nothing[..], &scaled, &[0.5]].concat()];
            never_first(&build(&[hidden.clone(), last.clone()]), 1, 1);
            // The same one layer up.
            let middle = rows(random, WIDTH, WIDTH / 2);
            let swapped = |row: &Vec<f64>| {
                let halves = row[..WIDTH].iter().enumerate();
                let other: Vec<f64> = halves.map(|(j, _)| row[(j + WIDTH / 2) % WIDTH]).collect();
                [&other[..], &row[WIDTH..]].concat()
            };
            let both: Rows = middle.iter().cloned().chain(middle.iter().map(swapped)).collect();
            let copies: Rows = half.iter().cloned().chain(half.iter().cloned()).collect();
            let last = vec![[&weights[..], &nothing, &[0.5]].concat(), [&nothing[..], &weights, &[0.5]].concat()];
            never_first(&build(&[copies, both, last]), 1, 1);
        }
    }
}

/// Networks whose hidden layers are zero: outputs are constants.
#[test]
fn dead_networks_end_at_once() {
    let dead = |inputs: usize| vec![vec![0.0; inputs + 1]; WIDTH];
    for seed in 0..5 {
        let random = &mut Random::new(seed);
        let last: Rows = (0..3).map(|_| [&rows(random, WIDTH, 1)[0][..WIDTH], &[0.25]].concat()).collect();
        let middle: Rows = rows(random, WIDTH, WIDTH).iter().map(|r| [&r[..WIDTH], &[0.0]].concat()).collect();
        for network in [build(&[dead(INPUTS), last.clone()]), build(&[dead(INPUTS), middle, last.clone()])] {
            never_first(&network, 1, 1);
            never_first(&network, 2, 1);
            assert!(matches!(decide(&chosen(&network, 2, &Ties::Any, true), 1), Answer::Sat(_)));
        }
    }
}

/// The difference of the outputs is at most zero, and zero on a face of the box, or in one point of it.
#[test]
fn scores_that_are_equal_on_a_face_are_told_apart_exactly() {
    for seed in 0..10 {
        let random = &mut Random::new(seed);
        let weights: Vec<f64> =
            (0..=WIDTH).map(|j| if j < WIDTH { 1.0 + random.below(9) as f64 } else { 0.0 }).collect();
        let twice: Vec<f64> = weights.iter().map(|w| 2.0 * w).collect();
        // All neurons are zero in the middle; or on a face; or anywhere on half a box.
        let through: Rows = rows(random, INPUTS, WIDTH).iter().map(|r| [&r[..INPUTS], &[0.0]].concat()).collect();
        let face: Rows = (0..WIDTH).map(|i| vec![-1.0 - i as f64, 0.0, 0.0, -5.0 - 5.0 * i as f64]).collect();
        for hidden in [through, face, rows(random, INPUTS, WIDTH)] {
            let network = build(&[hidden, vec![twice.clone(), weights.clone()]]);
            never_first(&network, 1, 1);
        }
    }
}

/// One variable: `|x| - x - relu(-2x)` is zero everywhere, and nothing is a copy.
#[test]
fn scores_that_cancel_only_piece_by_piece_end_by_phases() {
    let hidden = vec![vec![1.0, 0.0], vec![-1.0, 0.0], vec![-2.0, 0.0], vec![1.0, 10.0]];
    let last = vec![vec![0.0, 0.0, 0.0, 0.0, 0.0], vec![1.0, 1.0, -1.0, -1.0, 10.0]];
    let network = build(&[hidden, last]);
    never_first(&network, 1, 100);
    let question = chosen(&network, 1, &Ties::Any, true);
    assert!(matches!(decide(&question, 100), Answer::Sat(_)));
}

/// Random small questions after some of their networks' rows became copies, multiples or near copies of others.
#[test]
fn random_questions_with_twins_are_answered_as_the_reference_does() {
    let (mut sat, mut unsat) = (0u64, 0u64);
    for shape in [Shape::Integer, Shape::Real, Shape::Mixed] {
        let mut oracle = BranchAndBound::new(Options::default());
        for seed in seeds(7_000_000, 1500) {
            let random = &mut Random::new(seed);
            let mut question = question_of_shape(random, shape);
            for application in &mut question.applications {
                application.network = Arc::new(with_twins(random, &application.network));
            }
            if let Some(label) = question.applications.first().map(|a| random.below(a.network.output_len()))
                && random.percent(60)
            {
                let ties = random.pick(&[Ties::First, Ties::Any, Ties::Within(Rational::new(1, 3).unwrap())]).clone();
                question.formula = question.chosen(0, label, &ties, |_| Formula::truth());
            }
            let Some(truth) = truth(&question) else { continue };
            let answer = oracle.decide(&question, &Limits { nodes: Some(20_000), ..Limits::default() });
            if let Some(complaint) = fault(&question, &answer, truth) {
                panic!("{shape:?} seed {seed}: {complaint}\n{}", show(&question));
            }
            if truth { sat += 1 } else { unsat += 1 }
        }
    }
    assert!(sat > 500 && unsat > 500, "{sat} satisfiable, {unsat} not");
}

fn with_twins(random: &mut Random, network: &Network) -> Network {
    let twin = |layer: &Layer| {
        let mut rows: Rows = layer.rows().map(|(row, bias)| [&row[..], &[bias]].concat()).collect();
        for i in 1..rows.len() {
            if random.percent(50) {
                let factor = *random.pick(&[1.0, 1.0, 1.0, 2.0, 3.0, 0.5]);
                rows[i] = rows[random.below(i)].iter().map(|w| w * factor).collect();
                let last = layer.input_len();
                match random.below(6) {
                    0 => rows[i][last] += 2f64.powi(-40),
                    1 => rows[i][0] += 2f64.powi(-30),
                    2 => rows[i].fill(0.0),
                    _ => {}
                }
            }
        }
        let bias = rows.iter_mut().map(|row| row.pop().unwrap()).collect();
        Layer::new(layer.input_len(), rows.concat(), bias, layer.activation()).unwrap()
    };
    let layers = network.layers().iter().map(twin).collect();
    let twins = Network::new(layers).unwrap();
    let input = network.input_normalisation().cloned();
    let output = network.output_normalisation().cloned();
    let twins = input.into_iter().fold(twins, |network, n| network.with_input_normalisation(n).unwrap());
    output.into_iter().fold(twins, |network, n| network.with_output_normalisation(n).unwrap())
}

/// The reference sees no copies, and takes networks apart: small ones agree.
#[test]
fn the_reference_agrees_on_twins() {
    let network = build(&[vec![vec![1.0, 0.0], vec![2.0, 0.0]], vec![vec![2.0, 0.0, 0.5], vec![0.0, 1.0, 0.5]]]);
    for real in [true, false] {
        let question = chosen(&network, 1, &Ties::First, real);
        assert_eq!(Reference::new().decide(&question, &Limits::default()), Answer::Unsat);
    }
}

/// Where only a tie will do: all neurons are zero in one point, or on a face of the box.
#[test]
fn ties_on_faces_are_found() {
    for seed in 0..10 {
        let random = &mut Random::new(seed);
        let point = [1.25, 0.5, -2.0];
        let pointed = |r: &Vec<f64>| {
            let row: Vec<f64> = r[..INPUTS].iter().map(|w| (w * 64.0).round()).collect();
            let at: f64 = row.iter().zip(point).map(|(w, x)| w * x).sum();
            [&row[..], &[-at]].concat()
        };
        let through: Rows = rows(random, INPUTS, WIDTH).iter().map(pointed).collect();
        let face: Rows = (0..WIDTH).map(|i| vec![1.0 + i as f64, 0.0, 0.0, 5.0 + 5.0 * i as f64]).collect();
        let weights: Vec<f64> = (0..=WIDTH).map(|j| if j < WIDTH { 1.0 + j as f64 } else { 0.0 }).collect();
        let twice: Vec<f64> = weights.iter().map(|w| 2.0 * w).collect();
        for hidden in [through, face] {
            let network = build(&[hidden, vec![twice.clone(), weights.clone()]]);
            let answer = decide(&chosen(&network, 1, &Ties::Any, true), 5000);
            assert!(matches!(answer, Answer::Sat(_)), "seed {seed}: {answer:?}");
        }
    }
}
