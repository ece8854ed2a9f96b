//! What a question costs with other functions than ReLU, and in single precision:
//! `cargo run --release -p surefoot-oracle --example activations`
//!
//! The same random weights with every function, for several shapes; of each it is asked in which of some boxes of integers each
//! label is chosen. One line of CSV per shape and function: questions, how many are satisfiable, how many were given up at the limit of
//! nodes, nodes per question, mean and median microseconds of thread CPU time.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark driver")]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the numbers of an example are small"
)]

mod timing;

use std::sync::Arc;

use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_network::{Activation, Arithmetic, Layer, Network};
use surefoot_num::Random;
use surefoot_num::function::Function;
use surefoot_oracle::{
    Answer, Application, BranchAndBound, KeepStatistics, Limits, Options, Oracle, Question, Ties, Variable,
};
use timing::Clock;

/// Inputs, then hidden neurons, then labels.
const SHAPES: [&[usize]; 3] = [&[4, 16, 16, 4], &[6, 32, 32, 4], &[8, 64, 64, 5]];
/// Networks of each shape.
const NETWORKS: u64 = 3;
/// Boxes that each is asked about, per width.
const BOXES: usize = 4;
/// Widths of the boxes.
const WIDTHS: [i64; 3] = [1, 3, 7];
/// Largest value of a variable.
const MOST: i64 = 20;
/// Nodes that a question may take.
const NODES: u64 = 20_000;

fn network(random: &mut Random, shape: &[usize], hidden: Activation, arithmetic: Arithmetic) -> Network {
    let mut layers = Vec::new();
    for (index, pair) in shape.windows(2).enumerate() {
        let last = index + 2 == shape.len();
        // Inputs are up to twenty: smaller weights keep neurons in the range where functions bend.
        let scale = if index == 0 { 0.15 } else { 1.0 } / (pair[0] as f64).sqrt();
        let mut number = || {
            let unit = (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            f64::from((2.0 * unit * scale) as f32)
        };
        let weights = (0..pair[0] * pair[1]).map(|_| number()).collect();
        let bias = (0..pair[1]).map(|_| number()).collect();
        let activation = if last { Activation::Identity } else { hidden };
        layers.push(Layer::new(pair[0], weights, bias, activation).unwrap());
    }
    Network::new(layers).unwrap().with_arithmetic(arithmetic).unwrap()
}

fn main() {
    let smooth = |function| Activation::Smooth(function);
    let kinds = [
        ("relu", Activation::Relu, Arithmetic::Real),
        ("tanh", smooth(Function::Tanh), Arithmetic::Real),
        ("sigmoid", smooth(Function::Sigmoid), Arithmetic::Real),
        ("softplus", smooth(Function::Softplus), Arithmetic::Real),
        ("elu", smooth(Function::Elu { alpha: 1.0 }), Arithmetic::Real),
        ("silu", smooth(Function::Silu), Arithmetic::Real),
        ("gelu", smooth(Function::Gelu), Arithmetic::Real),
        ("relu float32", Activation::Relu, Arithmetic::Float32),
        ("tanh float32", smooth(Function::Tanh), Arithmetic::Float32),
    ];
    let mut clock = Clock::new();
    println!("shape,function,questions,sat,given_up,nodes_per_question,mean_us,median_us");
    for shape in SHAPES {
        for (name, hidden, arithmetic) in kinds {
            let (mut times, mut sat, mut open) = (Vec::new(), 0u32, 0u32);
            let mut oracle = BranchAndBound::new(Options::default());
            for seed in 0..NETWORKS {
                let mut random = Random::new(seed);
                let network = Arc::new(network(&mut random, shape, hidden, arithmetic));
                for question in questions(&network, shape, seed) {
                    let limits = Limits { nodes: Some(NODES), ..Limits::default() };
                    let (answer, nanoseconds) = clock.time(|| oracle.decide(&question, &limits));
                    times.push(nanoseconds as f64 / 1e3);
                    sat += u32::from(matches!(answer, Answer::Sat(_)));
                    open += u32::from(matches!(answer, Answer::Unknown(_)));
                }
            }
            times.sort_by(f64::total_cmp);
            let count = times.len();
            let (mean, median) = (times.iter().sum::<f64>() / count as f64, times[count / 2]);
            let nodes = oracle.statistics().nodes as f64 / count as f64;
            let shape = shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("-");
            println!("{shape},{name},{count},{sat},{open},{nodes:.1},{mean:.1},{median:.1}");
        }
    }
}

/// In which boxes is each label chosen?
fn questions(network: &Arc<Network>, shape: &[usize], seed: u64) -> Vec<Question> {
    let mut random = Random::new(1000 + seed);
    let (inputs, labels) = (shape[0], shape[shape.len() - 1]);
    let mut questions = Vec::new();
    for width in WIDTHS {
        for _ in 0..BOXES {
            let mut variable = |_| {
                let low = (random.next_u64() % (MOST - width + 1).cast_unsigned()).cast_signed();
                Variable::integer(low, low + width)
            };
            let variables: Vec<Variable> = (0..inputs).map(&mut variable).collect();
            for label in 0..labels {
                let inputs: Arc<[Linear]> = (0..inputs).map(|i| Linear::symbol(Symbol::at(i))).collect();
                let application = Application { network: network.clone(), inputs };
                let mut question = Question {
                    variables: variables.clone(),
                    applications: vec![application],
                    formula: Formula::truth(),
                };
                question.formula = question.chosen(0, label, &Ties::First, |_| Formula::truth());
                questions.push(question);
            }
        }
    }
    questions
}
