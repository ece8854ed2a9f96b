//! How long the oracle takes on real inputs:
//! `cargo run --release -p surefoot-oracle --example acasxu -- NETWORK.onnx PROPERTY.vnnlib [CAP]`
//!
//! The property is a conjunction of bounds on inputs, and of bounds on and comparisons of outputs. Prints one JSON line
//! with the answer, CPU seconds from the parsed property to the answer, and nodes; a witness is checked.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark driver")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of an example are small")]

mod timing;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_network::{ReadOptions, read_file};
use surefoot_num::Rational;
use surefoot_oracle::{
    Answer, Application, BranchAndBound, KeepStatistics, Limits, Options, Oracle, Question, Variable,
};
use timing::Clock;

/// `left >= right` between inputs ("X_i"), outputs ("Y_i") and constants.
struct Comparison {
    left: String,
    right: String,
}

/// The assertions of a property; only `(assert (<= a b))` and `(assert (>= a b))` are known.
fn parse(text: &str) -> Vec<Comparison> {
    let lines = text.lines().map(|line| line.split(';').next().unwrap().trim());
    let assertions = lines.filter(|line| line.starts_with("(assert"));
    assertions
        .map(|line| {
            let words: Vec<&str> = line.split(['(', ')', ' ']).filter(|word| !word.is_empty()).collect();
            match words[..] {
                ["assert", ">=", a, b] => Comparison { left: a.to_owned(), right: b.to_owned() },
                ["assert", "<=", a, b] => Comparison { left: b.to_owned(), right: a.to_owned() },
                _ => panic!("not a comparison: {line}"),
            }
        })
        .collect()
}

/// The question of a property.
fn question(comparisons: &[Comparison], policy: &Application) -> Question {
    let inputs = policy.inputs.len();
    let form = |term: &str| match term.split_once('_') {
        Some(("X", index)) => Linear::symbol(Symbol(index.parse().unwrap())),
        Some(("Y", index)) => Linear::symbol(Symbol::at(inputs + index.parse::<usize>().unwrap())),
        _ => Linear::constant_form(term.parse().unwrap()),
    };
    let mut bounds: Vec<(Option<Rational>, Option<Rational>)> = vec![(None, None); inputs];
    let mut atoms = Vec::new();
    for Comparison { left, right } in comparisons {
        match (left.strip_prefix("X_"), right.strip_prefix("X_")) {
            (Some(index), None) => bounds[index.parse::<usize>().unwrap()].0 = Some(right.parse().unwrap()),
            (None, Some(index)) => bounds[index.parse::<usize>().unwrap()].1 = Some(left.parse().unwrap()),
            _ => atoms.push(Formula::atom(Atom::at_least_zero(&form(left) - &form(right)))),
        }
    }
    let variables = bounds.into_iter().map(|(lower, upper)| Variable::real(lower.unwrap(), upper.unwrap())).collect();
    Question { variables, applications: vec![policy.clone()], formula: Formula::all(atoms) }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let network = Arc::new(read_file(&arguments[0], &ReadOptions::default()).unwrap());
    let comparisons = parse(&std::fs::read_to_string(&arguments[1]).unwrap());
    let cap = Duration::from_secs_f64(arguments.get(2).map_or(120.0, |cap| cap.parse().unwrap()));
    let inputs = Symbol::first(network.input_len()).map(Linear::symbol);
    let policy = Application { inputs: inputs.collect(), network };

    let mut engine = BranchAndBound::new(Options::default());
    let limits = Limits::from(surefoot_limits::Limits::default().until(Some(Instant::now() + cap)));
    let (answer, nanoseconds) = Clock::new().time(|| engine.decide(&question(&comparisons, &policy), &limits));
    let verdict = match &answer {
        Answer::Sat(point) => {
            assert!(question(&comparisons, &policy).is_witness(point), "no witness");
            "sat"
        }
        Answer::Unsat => "unsat",
        Answer::Unknown(_) => "unknown",
    };
    let nodes = engine.statistics().nodes;
    println!("{}", json!({ "answer": verdict, "seconds": nanoseconds as f64 / 1e9, "nodes": nodes }));
}
