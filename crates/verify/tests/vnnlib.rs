//! VNN-LIB queries about several networks, and with products: answers against dense grids, evaluated exactly.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use surefoot_fixtures::{Random, random_network, seeds};
use surefoot_limits::Cancel;
use surefoot_network::{Activation, Layer, Network, ReadOptions};
use surefoot_num::Rational;
use surefoot_oracle::Answer;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::Source;
use surefoot_verify::decide::{
    Answered, NetworkOrigin, NetworkSource, Queries, Settings, branch_and_bound, decide_all,
};

fn named(name: &str, network: &Arc<Network>) -> NetworkSource {
    NetworkSource {
        name: Some(name.to_owned()),
        network: NetworkOrigin::Memory((format!("<{name}>"), network.clone())),
    }
}

fn load(text: &str, networks: &[NetworkSource]) -> Result<Queries, String> {
    let source = Source::text("q.vnnlib", Arc::from(text));
    let read = Queries::load(&mut SourceMap::default(), &source, networks, &ReadOptions::default());
    read.map_err(|failure| format!("{failure:?}"))
}

fn settings() -> Settings {
    Settings { time: Some(Duration::from_secs(20)), memory: None, threads: 1, cancel: Cancel::default() }
}

fn decide(text: &str, networks: &[NetworkSource]) -> Answered {
    let queries = load(text, networks).unwrap_or_else(|error| panic!("{error}\n{text}"));
    decide_all(&queries.queries, &settings(), &branch_and_bound(0, 1), &Silent).expect("as written").remove(0)
}

/// A condition as text, and as a test of inputs and outputs of both networks.
type Condition = (String, Box<dyn Fn(&[Rational]) -> bool>);

const NAMES: [&str; 6] = ["A[0]", "A[1]", "B[0]", "B[1]", "Y[0]", "Z[0]"];

fn decimal(value: i64) -> String {
    format!("{}{}.{}", if value < 0 { "-" } else { "" }, value.abs() / 2, if value % 2 == 0 { 0 } else { 5 })
}

/// A sum of a few products of up to `degree` values, compared with a number.
fn comparison(random: &mut Random, degree: usize, symbols: usize) -> Condition {
    let terms: Vec<(i64, Vec<usize>)> = (0..1 + random.below(3))
        .map(|_| (random.between(-4, 4), (0..1 + random.below(degree)).map(|_| random.below(symbols)).collect()))
        .collect();
    let bound = random.between(-8, 8);
    let op = random.word(&["<=", "<", ">=", ">"]);
    let mut text = format!("({op} (+");
    for (factor, symbols) in &terms {
        let _ = write!(text, " (* {}", decimal(*factor));
        symbols.iter().for_each(|symbol| write!(text, " {}", NAMES[*symbol]).expect("as written"));
        text.push(')');
    }
    let _ = write!(text, ") {})", decimal(bound));
    let half = |value: i64| Rational::new(value, 2).expect("as written");
    let holds = move |values: &[Rational]| {
        let product = |symbols: &[usize]| symbols.iter().fold(Rational::ONE, |product, s| &product * &values[*s]);
        let sum: Rational = terms.iter().map(|(factor, symbols)| &half(*factor) * &product(symbols)).sum();
        match op {
            "<=" => sum <= half(bound),
            "<" => sum < half(bound),
            ">=" => sum >= half(bound),
            _ => sum > half(bound),
        }
    };
    (text, Box::new(holds))
}

fn conditions(random: &mut Random, degree: usize, symbols: usize) -> Condition {
    let parts: Vec<Condition> = (0..2 + random.below(2)).map(|_| comparison(random, degree, symbols)).collect();
    let all = random.percent(60);
    let texts: Vec<&str> = parts.iter().map(|(text, _)| text.as_str()).collect();
    let text = format!("({} {})", if all { "and" } else { "or" }, texts.join(" "));
    let holds = move |values: &[Rational]| {
        let mut parts = parts.iter().map(|(_, holds)| holds(values));
        if all { parts.all(|holds| holds) } else { parts.any(|holds| holds) }
    };
    (text, Box::new(holds))
}

const DECLARED: &str = "(vnnlib-version <2.0>)
(declare-network f (declare-input A real [2]) (declare-output Y real [1]))
(declare-network g (declare-input B real [2]) (declare-output Z real [1]))
(assert (and (>= A[0] -1.0) (<= A[0] 1.0) (>= A[1] -1.0) (<= A[1] 1.0)))
(assert (== B[0] (- 0.5 A[1])))";

/// Values of all symbols for inputs of `f` and the second input of `g`; its first one is linked.
fn values(networks: [&Network; 2], free: [&Rational; 3]) -> Vec<Rational> {
    let [a0, a1, b1] = free;
    let b0 = &Rational::new(1, 2).expect("as written") - a1;
    let y = networks[0].eval_reference(&[a0.clone(), a1.clone()]).remove(0);
    let z = networks[1].eval_reference(&[b0.clone(), b1.clone()]).remove(0);
    vec![a0.clone(), a1.clone(), b0, b1.clone(), y, z]
}

/// Compares an answer with a grid: a state satisfies all conditions, and `unsat` means that no point of the grid does.
fn compare(seed: u64, text: &str, networks: [&Arc<Network>; 2], holds: &dyn Fn(&[Rational]) -> bool) -> &'static str {
    const STEPS: i64 = 8;
    let answered = decide(text, &[named("f", networks[0]), named("g", networks[1])]);
    let both = [&**networks[0], &**networks[1]];
    match &answered.answer {
        Answer::Sat(state) => {
            let found = values(both, [&state[0], &state[1], &state[3]]);
            assert_eq!(&found[..4], &state[..], "seed {seed}: linked inputs\n{text}");
            assert_eq!(&found[4..], &answered.outputs[..], "seed {seed}\n{text}");
            assert!(holds(&found), "seed {seed}: {state:?} is no witness\n{text}");
            let one = Rational::ONE;
            assert!(state.iter().enumerate().all(|(i, x)| i == 2 || x.abs() <= one), "seed {seed}: {state:?}\n{text}");
        }
        Answer::Unsat => {
            let points: Vec<Rational> =
                (-STEPS..=STEPS).map(|i| Rational::new(i, STEPS).expect("as written")).collect();
            for (a0, a1, b1) in points.iter().flat_map(|a0| {
                points
                    .iter()
                    .flat_map(|a1| points.iter().map(|b1| (a0, a1, b1)).collect::<Vec<_>>())
                    .collect::<Vec<_>>()
            }) {
                let found = values(both, [a0, a1, b1]);
                assert!(!holds(&found), "seed {seed}: unsat, but {found:?}\n{text}");
            }
        }
        Answer::Unknown(stop) => assert!(!stop.is_final(), "seed {seed}: {stop}\n{text}"),
    }
    answered.word()
}

/// Random queries; gives how many were answered by each word.
fn random_queries(range: std::ops::Range<u64>, degree: usize, symbols: usize) -> [usize; 3] {
    let mut words = [0; 3];
    for seed in seeds(range.start, range.end - range.start) {
        let mut random = Random::new(seed);
        let networks = [(); 2].map(|()| Arc::new(random_network(&mut random, 2, 1)));
        let (condition, holds) = conditions(&mut random, degree, symbols);
        let text = format!("{DECLARED}(assert (and (>= B[1] -1.0) (<= B[1] 1.0)))(assert {condition})");
        let word = compare(seed, &text, [&networks[0], &networks[1]], &holds);
        words[["sat", "unsat", "unknown"].iter().position(|known| *known == word).expect("as written")] += 1;
    }
    words
}

#[test]
fn two_networks_against_a_grid() {
    let [sat, unsat, unknown] = random_queries(0..60, 1, 6);
    assert!(sat > 10 && unsat > 5 && unknown == 0, "{sat} sat, {unsat} unsat, {unknown} unknown");
}

#[test]
fn products_of_inputs_against_a_grid() {
    let [sat, unsat, unknown] = random_queries(100..160, 3, 4);
    assert!(sat > 10 && unsat > 5 && unknown <= 2, "{sat} sat, {unsat} unsat, {unknown} unknown");
}

#[test]
fn products_of_inputs_and_outputs_against_a_grid() {
    let [sat, unsat, unknown] = random_queries(200..240, 2, 6);
    assert!(sat > 10 && unsat > 2 && unknown <= 4, "{sat} sat, {unsat} unsat, {unknown} unknown");
}

fn identity() -> Arc<Network> {
    let layer = Layer::new(2, vec![1.0, -1.0], vec![0.0], Activation::Identity).expect("as written");
    Arc::new(Network::new(vec![layer]).expect("as written"))
}

fn one(conditions: &str) -> Answered {
    let text = format!(
        "(vnnlib-version <2.0>)(declare-network f (declare-input A real [2]) (declare-output Y real []))
        (assert (and (>= A[0] -2.0) (<= A[0] 2.0) (>= A[1] -2.0) (<= A[1] 2.0)))(assert {conditions})"
    );
    decide(&text, &[named("f", &identity())])
}

/// What grids do not see: touching, equations, higher powers.
#[test]
fn products_whose_answer_is_known() {
    for (conditions, word) in [
        ("(== (* A[0] A[1]) 1.5)", "sat"),
        ("(== (* A[0] A[0]) 2.25)", "sat"),
        ("(and (== (* A[0] A[1]) 3.9) (<= (+ A[0] A[1]) 0.0) (>= A[0] A[1]))", "sat"),
        ("(and (== (* A[0] A[1]) 3.9) (<= (+ A[0] A[1]) 3.9) (>= (+ A[0] A[1]) -3.9))", "unsat"),
        ("(> (* A[0] A[1]) 4.0)", "unsat"),
        ("(>= (* A[0] A[1]) 4.0)", "sat"),
        ("(< (* A[0] A[0]) 0.0)", "unsat"),
        ("(<= (* A[0] A[0] A[0]) -7.9)", "sat"),
        ("(< (* A[0] A[0] A[0]) -8.0)", "unsat"),
        ("(and (<= (+ (* A[0] A[0]) (* A[1] A[1])) 1.0) (>= (+ A[0] A[1]) 1.5))", "unsat"),
        ("(and (<= (+ (* A[0] A[0]) (* A[1] A[1])) 1.0) (>= (+ A[0] A[1]) 1.25))", "sat"),
        ("(and (<= (+ (* A[0] A[0]) (* A[1] A[1])) 1.0) (>= Y 1.5))", "unsat"),
        ("(and (<= (* Y A[0]) -0.9) (>= A[0] 0.0))", "sat"),
        ("(and (<= (* Y A[0]) -1.1) (>= A[0] 0.0))", "unsat"),
        ("(and (== A[0] 1.0) (> (* Y Y) 9.001))", "unsat"),
        ("(and (== A[0] 1.0) (>= (* Y Y) 9.0))", "sat"),
        // The square root of two is no fraction.
        ("(== (* A[0] A[0]) 2.0)", "unknown"),
    ] {
        assert_eq!(one(conditions).word(), word, "{conditions}");
    }
}

/// Copies of one network on equal inputs are equal; nothing but the links says so.
#[test]
fn copies_of_a_network_on_equal_inputs_agree() {
    for seed in seeds(0, 10) {
        let network = Arc::new(random_network(&mut Random::new(seed), 3, 2));
        let declared = "(vnnlib-version <2.0>)
            (declare-network f (declare-input A real [3]) (declare-output Y real [2]))
            (declare-network g (equal-to f) (declare-input B real [3]) (declare-output Z real [2]))
            (assert (and (>= A[0] -9.0) (<= A[0] 9.0) (>= A[1] -9.0) (<= A[1] 9.0) (>= A[2] -9.0) (<= A[2] 9.0)))
            (assert (and (== A[0] B[0]) (== B[1] A[1]) (== (+ A[2] B[0]) (+ B[2] A[0]))))";
        let differ = "(assert (or (!= Y[0] Z[0]) (!= Y[1] Z[1])))";
        let networks = [named("f", &network)];
        let answered = decide(&format!("{declared}{differ}"), &networks);
        assert_eq!((answered.word(), answered.statistics.nodes <= 3), ("unsat", true), "seed {seed}: {answered:?}");
        let crossed = declared.replace("(== A[0] B[0])", "(<= A[0] B[0]) (<= B[0] 9.0) (!= A[0] B[0])");
        assert_eq!(decide(&format!("{crossed}{}", "(assert (<= Y[0] (+ Z[0] 1000.0)))"), &networks).word(), "sat");
    }
}

#[test]
fn files_are_matched_with_names() {
    let (f, g) = (identity(), identity());
    let text = format!("{DECLARED}(assert (and (>= B[1] -1.0) (<= B[1] 1.0) (>= Y[0] Z[0])))");
    let equal = text.replace("network g", "network g (equal-to f)");
    assert_eq!(decide(&text, &[named("g", &g), named("f", &f)]).word(), "sat");
    assert_eq!(decide(&equal, &[NetworkSource { name: None, ..named("f", &f) }]).word(), "sat");
    let other = {
        let layers = vec![
            Layer::new(2, vec![1.0, 1.0], vec![0.0], Activation::Relu).expect("as written"),
            Layer::new(1, vec![1.0], vec![0.0], Activation::Identity).expect("as written"),
        ];
        Arc::new(Network::new(layers).expect("as written"))
    };
    let isomorphic = text.replace("network g", "network g (isomorphic-to f)");
    assert_eq!(decide(&isomorphic, &[named("g", &g), named("f", &f)]).word(), "sat");
    // Neurons of which a file has several are merged when it is read, in one of two networks that are isomorphic as files.
    let twice = {
        let layers = vec![
            Layer::new(2, vec![1.0, 1.0, 2.0, 0.5], vec![0.0, 0.0], Activation::Relu).expect("as written"),
            Layer::new(2, vec![1.0, 1.0], vec![0.0], Activation::Identity).expect("as written"),
        ];
        Arc::new(Network::new(layers).expect("as written"))
    };
    assert_eq!(decide(&isomorphic, &[named("g", &twice), named("f", &other)]).word(), "sat");
    let wide = Arc::new(random_network(&mut Random::new(1), 2, 2));
    for (text, networks, message) in [
        (&text, vec![named("f", &f)], "there is no file for the network g"),
        (&text, vec![named("f", &f), named("f", &g), named("g", &g)], "two files for the network f"),
        (&text, vec![named("f", &f), named("g", &g), named("h", &g)], "is about the networks f, g, not h"),
        (&text, vec![named("f", &f), NetworkSource { name: None, ..named("", &g) }], "nothing says which one <> is"),
        (&equal, vec![named("f", &f), named("g", &g)], "no file is needed for g"),
        (&isomorphic, vec![named("f", &f), named("g", &other)], "g is said to be isomorphic to f"),
        (&text, vec![named("f", &f), named("g", &wide)], "1 output, but <g> has 2 inputs and 2 outputs"),
    ] {
        let error = load(text, &networks).unwrap_err();
        assert!(error.contains(message), "{message}: {error}");
    }
}
