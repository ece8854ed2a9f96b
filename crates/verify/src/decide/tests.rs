//! Queries from text to answers.

use std::time::Duration;

use surefoot_fixtures::{Random, random_network, seeds, shared_data};
use surefoot_limits::{Stop, Unit};
use surefoot_linear::{Atom, Formula, Linear};
use surefoot_network::{Activation, Layer, Network, ReadOptions};
use surefoot_num::function::Function;
use surefoot_oracle::{Reference, Variable};
use surefoot_text::json::Document;
use surefoot_text::source::{FileId, SourceMap};
use surefoot_verdict::Silent;

use super::counterexample::{Precision, assigned, result_file};
use super::query::{identity, read_query};
use super::*;
use crate::source::Source;

fn network() -> std::sync::Arc<Network> {
    // One input, outputs `x` and `-x`.
    let layer = Layer::new(1, vec![1.0, -1.0], vec![0.0, 0.0], Activation::Identity).unwrap();
    std::sync::Arc::new(Network::new(vec![layer]).unwrap())
}

fn query(text: &str, network: &std::sync::Arc<Network>) -> Query {
    let document = Document::parse(FileId(0), text).unwrap();
    read_query(document.root(), network).unwrap_or_else(|error| panic!("{}: {text}", error.message))
}

fn settings(threads: usize) -> Settings {
    Settings { time: Some(Duration::from_secs(10)), memory: None, threads, cancel: Cancel::default() }
}

/// Answers with the largest value in the box.
fn upper_end(question: &Question, _: &Limits) -> Solved {
    let state = question.variables.iter().map(|variable| variable.upper.clone()).collect();
    let statistics = Statistics { questions: 1, nodes: 3, ..Statistics::default() };
    Solved { answer: Answer::Sat(state), statistics, left: None }
}

/// An answer that took nothing.
fn solved(answer: Answer) -> Solved {
    Solved { answer, statistics: Statistics::default(), left: None }
}

/// A smooth score that is a number no rational point gives it: the smallest box around it is told.
#[test]
fn boxes_that_are_left_open_are_told() {
    let hidden = Layer::new(1, vec![1.0], vec![0.0], Activation::Smooth(Function::Tanh)).unwrap();
    let output = Layer::new(1, vec![1.0, 0.0], vec![0.0, 0.5], Activation::Identity).unwrap();
    let network = std::sync::Arc::new(Network::new(vec![hidden, output]).unwrap());
    let mut query = query(r#"{"box": [[-3, 3]], "label": 0}"#, &network);
    query.question.variables[0] = Variable::real(Rational::from(-3), Rational::from(3));
    let difference = &Linear::symbol(query.question.output(0, 0)) - &Linear::symbol(query.question.output(0, 1));
    query.question.formula = Formula::atom(Atom::zero(difference));
    let answers = decide_all(&[query], &settings(1), &branch_and_bound(0, 1), &Silent).unwrap();
    let reason = answers[0].reason().unwrap().to_string();
    assert!(reason.starts_with("there is a box too narrow") && reason.contains("[0.5493061"), "{reason}");
}

#[test]
fn answers_come_in_the_order_of_the_queries() {
    let network = network();
    let queries: Vec<Query> =
        (0..50).map(|i| query(&format!(r#"{{"box": [[0, {i}]], "label": 0}}"#), &network)).collect();
    for threads in [1, 3, 64] {
        let answers = decide_all(&queries, &settings(threads), &upper_end, &Silent).unwrap();
        let lines: Vec<String> = answers.iter().map(Answered::line).collect();
        assert_eq!(lines, (0..50).map(|i| format!("sat [{i}]")).collect::<Vec<_>>());
        assert_eq!(answers[7].outputs, [Rational::from(7), Rational::from(-7)]);
    }
    assert!(decide_all(&[], &settings(4), &upper_end, &Silent).unwrap().is_empty());
}

#[test]
fn a_state_that_does_not_satisfy_the_query_is_no_answer() {
    let network = network();
    for text in [r#"{"box": [[0, 2]], "label": 1}"#, r#"{"box": [[0, 0.5]], "label": 0}"#] {
        let result = decide_all(&[query(text, &network)], &settings(1), &upper_end, &Silent);
        assert!(matches!(result, Err(Failure::Internal(_))), "{text}");
    }
    let short = |_: &Question, _: &Limits| solved(Answer::Sat(Vec::new()));
    let result = decide_all(&[query(r#"{"box": [[0, 2]], "label": 0}"#, &network)], &settings(1), &short, &Silent);
    assert!(matches!(result, Err(Failure::Internal(_))));
}

#[test]
fn limits_have_words_and_reasons() {
    let network = network();
    let queries = [query(r#"{"box": [[0, 2]], "label": 0}"#, &network)];
    for (limit, word) in [(Stop::Time, "timed-out"), (Stop::Most(Unit::Nodes, 5), "unknown"), (Stop::Memory, "unknown")]
    {
        let stopped = move |_: &Question, limits: &Limits| {
            assert!(limits.run.deadline.is_some());
            solved(Answer::Unknown(limit))
        };
        let answers = decide_all(&queries, &settings(1), &stopped, &Silent).unwrap();
        assert_eq!((answers[0].word(), &*answers[0].line()), (word, word));
        assert!(!answers[0].is_decided() && answers[0].reason().is_some());
    }
}

#[test]
fn networks_may_have_names() {
    let parsed = |text: &str| {
        let NetworkSource { name, network } = NetworkSource::parse(text);
        (name, network.shown())
    };
    assert_eq!(parsed("f=a/b.onnx"), (Some("f".to_owned()), "a/b.onnx".to_owned()));
    assert_eq!(parsed("a/b.onnx"), (None, "a/b.onnx".to_owned()));
    assert_eq!(parsed("a/b=c.onnx"), (None, "a/b=c.onnx".to_owned()));
    assert_eq!(parsed("f=a=b.onnx"), (Some("f".to_owned()), "a=b.onnx".to_owned()));
}

/// The engine answers random queries as the reference does.
#[test]
fn queries_are_answered_as_by_the_reference() {
    let mut sat = 0;
    for seed in seeds(0, 60) {
        let mut random = Random::new(seed);
        let network = std::sync::Arc::new(random_network(&mut random, 2, 3));
        let number = |random: &mut Random| random.between(-4, 4);
        let (a, b, c) = (number(&mut random), number(&mut random), number(&mut random));
        let op = random.word(&["<=", "<", ">=", ">", "=", "!="]);
        let ties = random.word(&["any", "first"]);
        let integer = random.word(&["true", "[true, false]"]);
        let (label, output) = (random.below(3), random.below(3));
        let text = format!(
            r#"{{"box": [[-2, 2], [-1, 1.5]], "integer": {integer}, "label": {label}, "ties": "{ties}",
                 "constraints": [{{"coeffs": {{"0": {a}, "1": {b}}}, "op": "{op}", "rhs": {c}}}],
                 "clauses": [[{{"coeffs": {{"1": 1}}, "outputs": {{"{output}": {b}}}, "op": "<=", "rhs": "{a}/3"}},
                              {{"coeffs": {{"0": 1}}, "op": ">", "rhs": {c}}}]]}}"#
        );
        let queries = [query(&text, &network)];
        let found = decide_all(&queries, &settings(1), &branch_and_bound(seed, 1), &Silent).unwrap();
        let expected = Reference::new().decide(&queries[0].question, &Limits::default());
        let word = if matches!(expected, Answer::Sat(_)) { "sat" } else { "unsat" };
        assert_eq!(found[0].word(), word, "seed {seed}: {text}");
        sat += usize::from(word == "sat");
    }
    assert!((5..55).contains(&sat), "{sat} of 60");
}

#[test]
fn counterexamples_are_floats_that_were_checked() {
    let text = "(declare-const X_0 Real)(declare-const Y_0 Real)(declare-const Y_1 Real)
        (assert (<= 0 X_0 1))(assert (<= Y_0 0.5))";
    let property = surefoot_vnnlib::read(FileId(0), text).unwrap();
    let variables = vec![Variable::real(Rational::ZERO, Rational::ONE)];
    let question = Question { variables, applications: vec![identity(&network())], formula: property.formula.clone() };
    let query = Query::new(question);
    let answered = |state: &str| Answered {
        answer: Answer::Sat(vec![state.parse().unwrap()]),
        outputs: Vec::new(),
        statistics: Statistics::default(),
        left: None,
        seconds: 0.0,
    };
    let written = |answered: &Answered| {
        let assigned = assigned(&query, answered);
        (result_file(&property, answered, assigned.as_ref()), assigned.map(|assigned| assigned.precision))
    };
    // A third in single precision is larger, but not too large.
    let expected = "sat\n((X_0 0.3333333432674408)\n (Y_0 0.3333333432674408)\n (Y_1 -0.3333333432674408))\n";
    assert_eq!(written(&answered("1/3")), (expected.to_owned(), Some(Precision::Single)));
    // Nearest single: 1/2, which satisfies it.
    assert!(written(&answered("49999999999/100000000000")).0.contains("(X_0 0.5)"));
    let unknown = Answered { answer: Answer::Unknown(Stop::Time), ..answered("0") };
    assert_eq!(written(&unknown), ("timeout\n".to_owned(), None));
}

/// The only solution is an end of the box that is no float, or near enough to one.
#[test]
fn counterexamples_stay_in_the_box() {
    let declared = "(declare-const X_0 Real)(declare-const Y_0 Real)(declare-const Y_1 Real)";
    let written = |conditions: &str, state: &str| {
        let property = surefoot_vnnlib::read(FileId(0), &format!("{declared}{conditions}")).unwrap();
        let (lower, upper) = property.inputs[0].clone();
        let variables = vec![Variable::real(lower, upper)];
        let applications = vec![identity(&network())];
        let question = Question { variables, applications, formula: property.formula.clone() };
        let answer = Answer::Sat(vec![state.parse().unwrap()]);
        let answered =
            Answered { answer, outputs: Vec::new(), statistics: Statistics::default(), left: None, seconds: 0.0 };
        let assigned = assigned(&Query::new(question), &answered).unwrap();
        let text = result_file(&property, &answered, Some(&assigned));
        let shown = text.split_once("(X_0 ").and_then(|(_, rest)| rest.split_once(')')).unwrap().0.to_owned();
        (shown.parse::<f64>().unwrap(), assigned.precision)
    };
    let single = |float: f32| f64::from(float);
    assert_eq!(
        written("(assert (<= 0 X_0 0.1))(assert (>= Y_0 0.09))", "1/10"),
        (single(0.1_f32.next_down()), Precision::Single)
    );
    assert_eq!(
        written("(assert (<= 0.7 X_0 1))(assert (<= Y_0 0.71))", "7/10"),
        (single(0.7_f32.next_up()), Precision::Single)
    );
    // No single-precision number is as near to the end of the box.
    let (value, precision) = written("(assert (<= 0 X_0 0.1))(assert (>= Y_0 0.099999999999))", "1/10");
    assert!(precision == Precision::Double && value < 0.1 && value > 0.099_999_999_999, "{value}");
    // No float at all is there.
    assert_eq!(written("(assert (<= 0.1 X_0 0.1))", "1/10"), (0.1, Precision::Decimal));
    assert_eq!(written("(assert (<= 1/3 X_0 1/3))", "1/3"), (1.0 / 3.0, Precision::Rounded));
}

#[test]
fn shared_queries_are_answered_as_expected() {
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let load = |folder: &str, file: &str, network: &str| {
        let source = NetworkSource { name: None, network: NetworkOrigin::File(data.join(folder).join(network)) };
        let queries = Queries::load(
            &mut SourceMap::default(),
            &Source::from(&data.join(folder).join(file)),
            &[source],
            &ReadOptions::default(),
        );
        queries.unwrap_or_else(|failure| panic!("{file}: {failure:?}"))
    };
    for network in ["rt", "bw4", "bw6", "syn64"] {
        for class in ["", "h", "o"] {
            let file = format!("queries_{network}{class}.json");
            let queries = load("nnsat", &file, &format!("{network}.nnet"));
            assert!(queries.is_list && queries.queries.len() >= 15, "{file}");
            let answers = decide_all(&queries.queries, &settings(2), &branch_and_bound(0, 1), &Silent).unwrap();
            for (number, (query, answer)) in queries.queries.iter().zip(answers).enumerate() {
                assert_eq!(Some(answer.word()), query.expected.as_deref(), "{file}, query {number}");
            }
        }
    }
    let index: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(data.join("acasxu/index.json")).unwrap()).unwrap();
    for entry in index.as_array().unwrap() {
        let text = |key: &str| entry[key].as_str().unwrap();
        let queries = load("acasxu", text("property"), text("network"));
        assert_eq!((queries.queries.len(), queries.queries[0].question.symbols()), (1, 10));
        let answers = decide_all(&queries.queries, &settings(1), &branch_and_bound(0, 1), &Silent).unwrap();
        assert_eq!(answers[0].word(), text("verdict"), "{} on {}", text("property"), text("network"));
    }
}
