//! Broken certificates of bounds, each rejected for its own reason.

mod common;

use common::archive::{Archive, vector};
use common::{budget, exactly, problem, rational, run};
use serde_json::{Value, json};
use surefoot_checker::Refused;
use surefoot_checker::probability::check;
use surefoot_testkit::load_text;
use surefoot_verdict::Silent;
use surefoot_verify::bounds::certificate::write_bound_certificate;
use surefoot_verify::{EngineChoice, Problem};

/// From 0 a coin with three sides leads back, to 1, which is unsafe, or to 2, where runs end; or one gives up, goes to 3 and stays there. The probability is 1/2.
fn coin() -> Problem {
    let to = |x: i64, p: Value| json!({"location": "l", "probability": {"exp": p}, "assignments": [{"ref": "x", "value": x}]});
    let third = || json!({"op": "/", "left": 1, "right": 3});
    let at = |x: i64| json!({"op": "=", "left": "x", "right": x});
    let text = json!({
        "jani-version": 1, "name": "coin", "type": "mdp", "features": ["derived-operators"],
        "actions": [{"name": "toss"}, {"name": "rest"}],
        "variables": [{"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 4}, "initial-value": 0}],
        "automata": [{"name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
            {"location": "l", "action": "toss", "guard": {"exp": at(0)}, "destinations": [to(0, third()), to(1, third()), to(2, third())]},
            {"location": "l", "action": "rest", "guard": {"exp": {"op": "∨", "left": at(0), "right": at(3)}}, "destinations": [to(3, json!(1))]},
        ]}],
        "system": {"elements": [{"automaton": "a"}], "syncs": [
            {"synchronise": ["toss"], "result": "toss"}, {"synchronise": ["rest"], "result": "rest"},
        ]},
        "properties": [{"name": "p", "expression": {"op": "PA", "reach": at(1), "start": at(0)}}],
    });
    let mut problem = problem(load_text(&text.to_string()), None, 0);
    problem.inputs = vec![("coin.jani".to_owned(), "00ff".to_owned())];
    problem
}

fn written(problem: &Problem) -> Vec<u8> {
    let outcome = run(problem, EngineChoice::EXPLICIT, &exactly(), &budget(1)).expect("it is well-formed");
    let folder = tempfile::tempdir().expect("it is well-formed");
    let path = folder.path().join("coin.umb");
    write_bound_certificate(problem, &exactly(), &outcome, &budget(1), &path, &Silent).expect("it is well-formed");
    std::fs::read(path).expect("it is well-formed")
}

const VALUES: &str = "valuations/states/valuations.bin";
const PROBABILITIES: &str = "branch-to-probability.bin";

/// The number of the state of a value: its record has one bit for the location, then three for `x`.
fn state(archive: &Archive, x: u8) -> usize {
    archive.0[VALUES].iter().position(|record| *record == x << 1).expect("it is well-formed")
}

/// A set with one state more or less.
fn flip(archive: Archive, name: &str, state: usize) -> Archive {
    archive.with(name, |bytes| bytes[state / 8] ^= 1 << (state % 8))
}

fn reason(archive: &Archive, problem: &Problem) -> String {
    archive.check(problem).expect_err("it is not accepted").to_string()
}

#[test]
fn the_certificate_itself_is_accepted() {
    let problem = coin();
    let archive = Archive::unpack(&written(&problem));
    let proved = archive.check(&problem).expect("it is well-formed");
    assert_eq!(
        proved.claims.iter().map(|claim| claim.value.clone()).collect::<Vec<_>>(),
        [rational("1/2"), rational("1/2")]
    );
    assert_eq!((proved.states, proved.frontier), (4, 0));
    // States that are not reached by more than they have do no harm: a bound may be looser than need be.
    let looser = archive.with_fraction(&vector("upper"), 0, &rational("3/4")).with_claims(|index| {
        index["bounds"][0]["value"] = json!("3/4");
    });
    assert_eq!(looser.check(&problem).expect("it is well-formed").claims[0].value, rational("3/4"));
}

#[test]
fn broken_ones_are_rejected_for_their_reason() {
    let problem = coin();
    let whole = Archive::unpack(&written(&problem));
    let [zero, one, two, three] = [0, 1, 2, 3].map(|x| state(&whole, x));
    let (upper, lower, rank) = (vector("upper"), vector("lower"), vector("rank"));
    let (target, frontier) = ("annotations/aps/target/states/values.bin", "annotations/aps/frontier/states/values.bin");
    let claim = |path: &str, value: Value| {
        whole.clone().with_claims(|index| *index.pointer_mut(path).expect("it is well-formed") = value)
    };
    let record = |number: usize, value: u8| whole.clone().with(VALUES, |bytes| bytes[number] = value);
    // One unit in the last place of a float below 1/2.
    let ulp_below = rational("9007199254740991/18014398509481984");
    let cases: Vec<(&str, Archive, &str)> = vec![
        ("a probability is off", whole.clone().with_fraction(PROBABILITIES, 0, &rational("1/2")), "moves: state 0"),
        (
            "a branch leads elsewhere",
            whole.clone().with("branch-to-target.bin", |b| b[24] = u8::try_from(two).expect("it is well-formed")),
            "does not have its move",
        ),
        (
            "an action is another one",
            whole.clone().with("actions/choices/values.bin", |b| b[0] ^= 3),
            "does not have its move",
        ),
        ("an upper value is too low", whole.clone().with_fraction(&upper, zero, &ulp_below), "upper bound: state 0"),
        ("a target is worth less than 1", whole.clone().with_fraction(&upper, one, &ulp_below), "it is a target"),
        (
            "a lower value is too high",
            whole.clone().with_fraction(&lower, zero, &rational("9007199254740993/18014398509481984")),
            "that of one step",
        ),
        (
            "the end of runs is worth something",
            whole.clone().with_fraction(&lower, two, &rational("1/9")),
            "nothing comes after it",
        ),
        (
            "a loop is worth something",
            whole
                .clone()
                .with_fraction(&lower, three, &rational("1"))
                .with_fraction(&lower, zero, &rational("1"))
                .with_claims(|index| index["bounds"][1]["value"] = json!("1")),
            "no branch leads to a state of a smaller rank",
        ),
        (
            "a loop alone is worth something",
            whole.clone().with_fraction(&lower, three, &rational("1")),
            "no branch leads to a state of a smaller rank",
        ),
        (
            "ranks do not fall",
            whole.clone().with(&rank, |bytes| bytes.fill(0)),
            "no branch leads to a state of a smaller rank",
        ),
        (
            "a state that is not expanded is worth 1/2",
            flip(whole.clone(), frontier, three).with_fraction(&lower, three, &rational("1/2")),
            "moves: state",
        ),
        ("the frontier is worth 1/2", flip(record(two, 4 << 1), frontier, two), "is not among the states"),
        ("what is no target is called one", flip(whole.clone(), target, two), "it is called a target, but is none"),
        ("a target is not called one", flip(whole.clone(), target, one), "it is a target, but is not called one"),
        ("a successor is missing", record(two, 4 << 1), "is not among the states"),
        ("a state is there twice", record(three, 2 << 1), "is there twice"),
        ("a value is outside its domain", record(three, 7 << 1), "is no value of 'x'"),
        ("a record has more bits than values", record(three, 3 << 1 | 1 << 6), "behind its values"),
        ("the start state is not initial", flip(whole.clone(), "state-is-initial.bin", zero), "not marked as initial"),
        ("the start state is none", claim("/bounds/1/starts", json!([0, 3])), "start states: x=3 is no start state"),
        ("the start state is no state", claim("/bounds/1/starts", json!([0, 9])), "is no state"),
        ("less is claimed than is shown", claim("/bounds/0/value", json!("0.49")), "more than 49/100"),
        ("more is claimed than is shown", claim("/bounds/1/value", json!("0.51")), "less than 51/100"),
        ("a bound is no number", claim("/bounds/0/value", json!("a half")), "no number"),
        ("there is no bound", claim("/bounds", json!([])), "one or two bounds"),
        ("other files", claim("/inputs/coin.jani", json!("00fe")), "the index: inputs"),
        ("goals are terminal", claim("/semantics/goal_terminal", json!(true)), "semantics, goal_terminal"),
        ("there is a tie rule", claim("/semantics/ties", json!("any")), "semantics, ties"),
        ("other slots", claim("/slots/1", json!("y")), "the index: slots"),
        ("errors are assumed away", claim("/semantics/assume_no_errors", json!(true)), "semantics, assume_no_errors"),
        ("a slot is left out that matters", claim("/states", json!([0])), "does not list the slots"),
        ("a verdict that nobody asked for", claim("/verdict", json!("holds")), "no 'threshold'"),
        ("something that is not known", whole.clone().with_claims(|index| index["more"] = json!(1)), "not known"),
        ("another version", claim("/version", json!(2)), "version 2"),
        (
            "a vector is missing",
            whole.clone().with_index(|index| {
                index["annotations"]["certificate"].as_object_mut().expect("it is well-formed").remove("lower");
            }),
            "there is no annotation 'certificate/lower'",
        ),
        (
            "no denominator",
            whole.clone().with_fraction(PROBABILITIES, 0, &rational("1")).with(PROBABILITIES, |b| b[8] = 0),
            "denominator 0",
        ),
        ("a negative fraction", whole.clone().with(&lower, |bytes| bytes[16 * two + 7] = 0x80), "negative"),
        (
            "huge counts",
            whole.clone().with_index(|index| index["transition-system"]["#states"] = json!(1u64 << 40)),
            "no count",
        ),
        (
            "large counts",
            whole.clone().with_index(|index| index["transition-system"]["#states"] = json!(u32::MAX)),
            "bytes, not",
        ),
        (
            "huge fractions",
            whole
                .clone()
                .with_index(|index| index["transition-system"]["branch-probability-type"]["size"] = json!(1u64 << 60)),
            "no fractions",
        ),
        (
            "floats",
            whole
                .clone()
                .with_index(|index| index["transition-system"]["branch-probability-type"]["type"] = json!("double")),
            "no fractions",
        ),
        ("offsets that fall", whole.clone().with("state-to-choices.bin", |bytes| bytes[8] = 200), "do not ascend"),
        ("a target that is no state", whole.clone().with("branch-to-target.bin", |bytes| bytes[0] = 9), "not there"),
        ("another format", whole.clone().with_index(|index| index["format-version"] = json!(2)), "version 1"),
        ("deep JSON", whole.clone().with("index.json", |bytes| *bytes = "[".repeat(100_000).into_bytes()), "no JSON"),
    ];
    for (what, archive, expected) in cases {
        assert_ne!(archive, whole, "{what}");
        let why = reason(&archive, &problem);
        assert!(why.contains(expected), "{what}: {why}");
    }
}

/// A frontier that has a value: the part is cut at 2, and says that half of the runs from there are unsafe.
#[test]
fn the_frontier_is_worth_nothing() {
    let problem = coin();
    let whole = Archive::unpack(&written(&problem));
    let [zero, three] = [0, 3].map(|x| state(&whole, x));
    // State 3 has in the model the loop that states without moves have in the file, but for its action.
    let cut = flip(whole, "annotations/aps/frontier/states/values.bin", three);
    let choice = 2 * zero + 3;
    let cut = cut.with("actions/choices/values.bin", |bytes| {
        let at = bytes.chunks(4).rposition(|action| action[0] == 2).expect("it is well-formed");
        assert!(at <= choice + 4);
        bytes[4 * at] = 0;
    });
    // Whatever comes after it may be unsafe.
    assert!(reason(&cut, &problem).contains("its moves are not told, and its value 0 is less than 1"));
    let won = cut.with_fraction(&vector("upper"), three, &rational("1")).with_fraction(
        &vector("upper"),
        zero,
        &rational("1"),
    );
    let won = won.with_claims(|index| index["bounds"][0]["value"] = json!("1"));
    assert_eq!(won.check(&problem).expect("it is well-formed").frontier, 1);
    let valued = won.with_fraction(&vector("lower"), three, &rational("1/2"));
    assert!(reason(&valued, &problem).contains("its moves are not told, and its value is 1/2, not 0"));
}

#[test]
fn damaged_and_monstrous_files_end_with_an_error() {
    let problem = coin();
    let bytes = written(&problem);
    for length in [0, 1, 10, bytes.len() / 2, bytes.len() - 1] {
        let cut = check(&problem, &bytes[..length], 1 << 30);
        assert!(matches!(cut, Err(Refused::Unreadable(_))), "{length}: {cut:?}");
    }
    let unreadable = check(&problem, &*bytes, 1000).expect_err("it is not accepted").to_string();
    assert!(unreadable.contains("more than 1000 bytes") || unreadable.contains("damaged"), "{unreadable}");
    // A gigabyte of zeros in a megabyte.
    let mut zeros = Archive::unpack(&bytes);
    zeros.0.insert("zeros.bin".to_owned(), vec![0; 1 << 28]);
    let why = check(&problem, &*zeros.pack(), 1 << 26).expect_err("it is not accepted").to_string();
    assert!(why.contains("more than"), "{why}");
}
