//! How long one policy decision takes:
//! `cargo run --release -p surefoot-oracle --example nnsat -- [--cap SECONDS] [--threads N] QUERIES.json...`
//!
//! A queries file names a network beside it and lists boxes of integers, linear constraints and a label; asked is a
//! state in which no output exceeds the label's. One JSON line per network with the time to prepare it, then one per
//! query. Building the question and deciding it are timed together, from the parsed query; every witness is checked. With
//! several threads only the time by the clock says anything.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark driver")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of an example are small")]

mod timing;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_network::{Network, ReadOptions, read_file};
use surefoot_num::Rational;
use surefoot_oracle::{
    Answer, Application, BranchAndBound, KeepStatistics, Limits, Options, Oracle, Question, Ties, Variable,
};
use timing::{Clock, repeat};

/// How a constraint relates its form to its right-hand side.
#[derive(Clone, Copy)]
enum Relation {
    AtMost,
    AtLeast,
    Equal,
}

/// A linear constraint with integer coefficients.
struct Constraint {
    terms: Vec<(Symbol, i64)>,
    relation: Relation,
    bound: i64,
}

/// A query as parsed.
struct Query {
    bounds: Vec<(i64, i64)>,
    constraints: Vec<Constraint>,
    label: usize,
}

impl Query {
    fn parse(value: &Value) -> Self {
        let integer = |value: &Value| value.as_i64().unwrap();
        let relation = |value: &Value| match value.as_str().unwrap() {
            "<=" => Relation::AtMost,
            ">=" => Relation::AtLeast,
            "=" => Relation::Equal,
            other => panic!("no relation {other}"),
        };
        let constraint = |value: &Value| {
            let terms = value["coeffs"].as_object().unwrap().iter();
            let terms =
                terms.map(|(symbol, coefficient)| (Symbol(symbol.parse().unwrap()), integer(coefficient))).collect();
            Constraint { terms, relation: relation(&value["op"]), bound: integer(&value["rhs"]) }
        };
        Self {
            bounds: value["box"]
                .as_array()
                .unwrap()
                .iter()
                .map(|pair| (integer(&pair[0]), integer(&pair[1])))
                .collect(),
            constraints: value["constraints"].as_array().unwrap().iter().map(constraint).collect(),
            label: usize::try_from(integer(&value["label"])).unwrap(),
        }
    }

    /// A single point, to see what preparing a network costs.
    fn point(inputs: usize) -> Self {
        Self { bounds: vec![(0, 0); inputs], constraints: Vec::new(), label: 0 }
    }

    fn question(&self, policy: &Application) -> Question {
        let variables = self.bounds.iter().map(|&(lower, upper)| Variable::integer(lower, upper)).collect();
        let mut question = Question { variables, applications: vec![policy.clone()], formula: Formula::truth() };
        let atom = |Constraint { terms, relation, bound }: &Constraint| {
            let sign = if matches!(relation, Relation::AtMost) { -1 } else { 1 };
            let terms = terms.iter().map(|&(symbol, factor)| (symbol, Rational::from(sign * factor))).collect();
            let form = Linear::new(terms, Rational::from(-sign * bound));
            Formula::atom(if matches!(relation, Relation::Equal) {
                Atom::zero(form)
            } else {
                Atom::at_least_zero(form)
            })
        };
        let chosen = question.chosen(0, self.label, &Ties::Any, |_| Formula::truth());
        question.formula = Formula::all(self.constraints.iter().map(atom).chain([chosen]));
        question
    }
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mut cap, mut options) = (Duration::from_secs(20), Options::default());
    while let Some(option) = arguments.first().filter(|first| first.starts_with("--")) {
        match option.as_str() {
            "--cap" => cap = Duration::from_secs_f64(arguments[1].parse().unwrap()),
            "--threads" => options.threads = arguments[1].parse().unwrap(),
            other => panic!("no option {other}"),
        }
        arguments.drain(..2);
    }
    arguments.iter().for_each(|path| run(Path::new(path), cap, &options));
}

/// Decides every query of a file.
fn run(path: &Path, cap: Duration, options: &Options) {
    let file: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let set = path.file_stem().unwrap().to_str().unwrap().trim_start_matches("queries_");
    let network_path = path.with_file_name(file["net"].as_str().unwrap());
    let network: Arc<Network> = Arc::new(read_file(network_path, &ReadOptions::default()).unwrap());
    let inputs = Symbol::first(network.input_len()).map(Linear::symbol);
    let policy = Application { network: Arc::clone(&network), inputs: inputs.collect() };

    let mut clock = Clock::new();
    let mut engine = BranchAndBound::new(options.clone());
    let mut decide = |query: &Query| {
        let before = engine.statistics();
        let question = query.question(&policy);
        let limits = Limits::from(surefoot_limits::Limits::default().until(Some(Instant::now() + cap)));
        let answer = engine.decide(&question, &limits);
        (answer, engine.statistics().since(&before))
    };
    let (_, setup) = clock.time(|| decide(&Query::point(network.input_len())));
    let hidden = network.hidden_sizes();
    println!(
        "{}",
        json!({ "set": set, "inputs": network.input_len(), "hidden": hidden, "clock": clock.name(),
            "setup_us": setup as f64 / 1e3 })
    );

    for value in file["queries"].as_array().unwrap() {
        let query = Query::parse(value);
        let ((answer, statistics), timing) = repeat(&mut clock, || decide(&query));
        let verdict = match &answer {
            Answer::Sat(point) => {
                assert!(query.question(&policy).is_witness(point), "{set} {}: no witness", value["id"]);
                "sat"
            }
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        };
        println!(
            "{}",
            json!({ "set": set, "id": value["id"], "class": value["class"], "expected": value["verdict"],
                "confirmed_by": value["confirmed_by"], "answer": verdict, "cpu_us": timing.median,
                "first_us": timing.first, "wall_us": timing.wall, "runs": timing.runs,
                "nodes": statistics.nodes, "points": statistics.points, "programs": statistics.programs })
        );
    }
}
