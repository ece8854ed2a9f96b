//! Random small questions: variables, networks, and the states that the networks are asked about.
//!
//! Small is what the reference decides in milliseconds: few points where all variables are integers, few ReLUs where
//! some are real. Within that, everything that a question can be: empty ranges and single points, fractional bounds of
//! integers, ReLUs that never fire, outputs that always tie, numbers that no float holds.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "the numbers of a test are small"
)]

use std::sync::Arc;

use surefoot_fixtures::network::{in_single_precision, smoothed, with_activations};
use surefoot_fixtures::{Random, random_network};
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_network::{Activation, Layer, Network, Normalisation};
use surefoot_num::Rational;
use surefoot_oracle::{Application, Kind, Question, Variable};

use super::formula::random_formula;
use super::int;

/// What variables range over, and how large all may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Integer,
    Real,
    Mixed,
    /// Integers, and networks with smooth functions.
    Smooth,
    /// Integers, and networks in single precision, with and without smooth functions.
    Single,
}

impl Shape {
    /// Whether all variables are integers.
    pub(crate) fn is_integral(self) -> bool {
        matches!(self, Self::Integer | Self::Smooth | Self::Single)
    }
}

/// A question of a given shape.
pub(crate) fn question_of_shape(random: &mut Random, shape: Shape) -> Question {
    let variables = variables(random, shape);
    let applications = applications(random, shape, variables.len());
    let mut question = Question { variables, applications, formula: Formula::truth() };
    question.formula = random_formula(random, &question);
    question.check().unwrap();
    question
}

/// A number that is mostly small and whole, at times one that is not dyadic.
pub(crate) fn number(random: &mut Random) -> Rational {
    let denominator = *random.pick(&[1, 1, 1, 1, 2, 3, 4, 7, 10, 1_000_003]);
    Rational::new(random.between(-6, 6), denominator).unwrap()
}

fn variables(random: &mut Random, shape: Shape) -> Vec<Variable> {
    let kinds: Vec<Kind> = match shape {
        // Without any variable there is still something to decide.
        Shape::Integer | Shape::Smooth | Shape::Single if random.percent(2) => Vec::new(),
        Shape::Integer | Shape::Smooth | Shape::Single => vec![Kind::Integer; 1 + random.below(5)],
        Shape::Real => vec![Kind::Real; 1 + random.below(3)],
        Shape::Mixed => {
            let mut kinds = vec![Kind::Integer, Kind::Real];
            kinds.extend((0..random.below(3)).map(|i| if i == 0 { Kind::Real } else { Kind::Integer }));
            let last = kinds.len() - 1;
            kinds.swap(0, random.below(last + 1));
            kinds
        }
    };
    let mut points = if shape.is_integral() { 120 } else { 6 };
    let mut variables = Vec::new();
    for kind in kinds {
        let mut variable = variable(random, kind, points);
        if random.percent(1) {
            std::mem::swap(&mut variable.lower, &mut variable.upper);
        }
        if kind == Kind::Integer {
            let values = (&variable.upper - &variable.lower).floor().to_i64().unwrap().max(0) + 1;
            points = (points / values).max(1);
        }
        variables.push(variable);
    }
    variables
}

fn variable(random: &mut Random, kind: Kind, values: i64) -> Variable {
    let low = random.between(-4, 4);
    let width = random.pick(&[0, 1, 1, 2, 3, 5, 8, 40]).min(&(values - 1)).to_owned();
    let fraction = |random: &mut Random| Rational::new(random.between(0, 2), *random.pick(&[3, 5, 10])).unwrap();
    let (mut lower, mut upper) = (int(low), int(low + width));
    match kind {
        // Bounds between integers: nothing but what is inside counts. With a width of 0 the range is often empty.
        Kind::Integer if random.percent(15) => {
            (lower, upper) = (&lower - &fraction(random), &upper + &fraction(random));
        }
        Kind::Integer => {}
        Kind::Real => {
            let point = random.percent(10);
            lower = &lower + &fraction(random);
            upper = if point { lower.clone() } else { &(&upper + &Rational::ONE) + &fraction(random) };
        }
    }
    Variable { kind, lower, upper }
}

fn applications(random: &mut Random, shape: Shape, variables: usize) -> Vec<Application> {
    let mut relus = match shape {
        Shape::Integer => 40,
        Shape::Smooth | Shape::Single => 20,
        Shape::Real => 7,
        Shape::Mixed => 5,
    };
    let mut applications: Vec<Application> = Vec::new();
    for _ in 0..*random.pick(&[0, 1, 1, 1, 1, 2, 2, 3]) {
        let again = applications.last().filter(|_| random.percent(60)).map(|last| last.network.clone());
        let network = again.unwrap_or_else(|| {
            let network = network(random, variables, relus);
            Arc::new(flavoured(random, shape, network))
        });
        let hidden = network.hidden_sizes().iter().sum::<usize>();
        if hidden > relus {
            break;
        }
        relus -= hidden;
        let before = applications.last().map(|last| last.inputs.clone());
        let inputs = image(random, before.as_deref(), network.input_len(), variables);
        applications.push(Application { network, inputs: inputs.into() });
    }
    applications
}

/// The network as a shape has it.
fn flavoured(random: &mut Random, shape: Shape, network: Network) -> Network {
    match shape {
        Shape::Integer | Shape::Real | Shape::Mixed => network,
        Shape::Smooth => smoothed(random, &network),
        Shape::Single => {
            let smooth = random.percent(50).then(|| smoothed(random, &network));
            let smooth = smooth.unwrap_or(network);
            let mut plain = |activation: Activation| match activation {
                Activation::LayerNorm { .. } => Activation::Relu,
                activation => activation,
            };
            in_single_precision(&with_activations(&smooth, &mut plain))
        }
    }
}

/// The state in which a network is asked: the start, something affine, or the state before after one more update.
fn image(random: &mut Random, before: Option<&[Linear]>, inputs: usize, variables: usize) -> Vec<Linear> {
    if variables == 0 {
        return (0..inputs).map(|_| Linear::constant_form(number(random))).collect();
    }
    let any = |random: &mut Random| Symbol::at(random.below(variables));
    match (before, random.below(4)) {
        (Some(before), 0..=2) if before.len() == inputs => {
            let mut after = before.to_vec();
            let updated = random.below(inputs);
            let step = Linear::new(vec![(any(random), number(random))], number(random));
            after[updated] = if random.percent(50) { &after[updated] + &step } else { step };
            after
        }
        (_, 0 | 1) => (0..inputs).map(|i| Linear::symbol(Symbol::at(i % variables))).collect(),
        (_, 2) => (0..inputs).map(|_| Linear::symbol(any(random))).collect(),
        _ => {
            let term = |random: &mut Random| (any(random), number(random));
            let form = |random: &mut Random| Linear::new(vec![term(random), term(random)], number(random));
            (0..inputs).map(|_| form(random)).collect()
        }
    }
}

fn network(random: &mut Random, variables: usize, relus: usize) -> Network {
    let inputs = if random.percent(70) { variables.max(1) } else { 1 + random.below(4) };
    let outputs = *random.pick(&[1, 2, 2, 3, 3, 4]);
    let simple = random_network(random, inputs, outputs);
    let network = if random.percent(35) && simple.relu_count() <= relus {
        simple
    } else {
        deep_network(random, inputs, outputs, relus)
    };
    let mut normalisation = |size: usize| {
        let scale = |random: &mut Random| Rational::new(random.between(1, 4), *random.pick(&[1, 3, 7, 10])).unwrap();
        let scales = (0..size).map(|_| scale(random)).collect();
        random.percent(25).then(|| Normalisation::new(scales, (0..size).map(|_| number(random)).collect()).unwrap())
    };
    let (input, output) = (normalisation(inputs), normalisation(outputs));
    let network = input.into_iter().fold(network, |network, n| network.with_input_normalisation(n).unwrap());
    output.into_iter().fold(network, |network, n| network.with_output_normalisation(n).unwrap())
}

/// One to three hidden layers, or none where no ReLU is left.
fn deep_network(random: &mut Random, inputs: usize, outputs: usize, mut relus: usize) -> Network {
    let style = random.below(4);
    let mut layers = Vec::new();
    let mut width = inputs;
    for _ in 0..1 + random.below(3) {
        let next = (1 + random.below(5)).min(relus);
        if next == 0 {
            break;
        }
        relus -= next;
        layers.push(layer(random, width, next, Activation::Relu, style));
        width = next;
    }
    layers.push(layer(random, width, outputs, Activation::Identity, style));
    Network::new(layers).unwrap()
}

fn layer(random: &mut Random, inputs: usize, outputs: usize, activation: Activation, style: usize) -> Layer {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for output in 0..outputs {
        let mut row: Vec<f64> = (0..=inputs).map(|_| weight(random, style)).collect();
        if output > 0 && random.percent(15) {
            row = rows[random.below(output)].clone();
        } else if activation == Activation::Relu && random.percent(10) {
            // It never fires, or it always does.
            row[inputs] = *random.pick(&[-1000.0, 1000.0]);
        }
        rows.push(row);
    }
    let bias = rows.iter_mut().map(|row| row.pop().unwrap()).collect();
    Layer::new(inputs, rows.concat(), bias, activation).unwrap()
}

fn weight(random: &mut Random, style: usize) -> f64 {
    if random.percent(12) {
        return 0.0;
    }
    let unit = (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
    match style {
        0 => random.between(-3, 3) as f64,
        1 => random.between(-16, 16) as f64 / 8.0,
        2 => f64::from((unit * 2.0) as f32),
        _ => unit * 2.0,
    }
}

/// A box within the question's.
pub(crate) fn narrowed(random: &mut Random, question: &Question) -> Vec<Variable> {
    let cut = |random: &mut Random, variable: &Variable| {
        let mut narrow = variable.clone();
        // Of a range without values there is nothing to cut off.
        let width = (&variable.upper - &variable.lower).max(Rational::ZERO);
        for upper in [true, false] {
            let share = &width * &Rational::new(random.below(3) as i64, 6).unwrap();
            let share = if variable.kind == Kind::Integer { share.floor() } else { share };
            if upper {
                narrow.upper = &variable.upper - &share;
            } else {
                narrow.lower = &variable.lower + &share;
            }
        }
        narrow
    };
    question.variables.iter().map(|variable| cut(random, variable)).collect()
}
