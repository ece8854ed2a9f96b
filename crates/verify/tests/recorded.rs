//! Probabilities recorded by other tools: the Quantitative Verification Benchmark Set, and blocksworld with learned policies.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::path::{Path, PathBuf};

use common::{at_most, budget, exactly, interval, precise, problem, rational, read, run};
use serde_json::Value;
use surefoot_fixtures::shared_data;
use surefoot_model::policy::read::read_policy;
use surefoot_num::Rational;
use surefoot_testkit::blocksworld::dropping_blocksworld;
use surefoot_testkit::data::constants_of;
use surefoot_testkit::load_text;
use surefoot_text::source::SourceMap;
use surefoot_verdict::{Silent, Verdict};
use surefoot_verify::bounds::expected::{Expecting, Extended, expect};
use surefoot_verify::{EngineChoice, Number, Problem, Request, Selection, Slicing};

fn rows() -> Option<(PathBuf, Vec<Value>)> {
    let folder = shared_data(env!("CARGO_MANIFEST_DIR"))?.join("qcomp");
    let text = std::fs::read_to_string(folder.join("index.json")).unwrap();
    let rows: Value = serde_json::from_str(&text).unwrap();
    Some((folder, rows.as_array().unwrap().clone()))
}

fn load(folder: &Path, row: &Value, selection: Selection, slicing: Slicing) -> Problem {
    let request = Request {
        model: (&folder.join(row["file"].as_str().unwrap())).into(),
        property: row["property"].as_str().map(str::to_owned),
        constants: constants_of(&row["constants"]),
        slicing,
        ..Request::default()
    };
    read(&request, selection)
}

/// The value of a row and how far its text may be off.
fn reference(row: &Value) -> (Rational, Rational) {
    match row["reference_exact"].as_str() {
        Some(exact) => (rational(exact), Rational::ZERO),
        None => (rational(&row["reference"].to_string()), rational("1e-12")),
    }
}

#[test]
fn all_benchmark_properties_have_their_recorded_values() {
    let Some((folder, rows)) = rows() else { return };
    let (mut values, mut verdicts) = (0, 0);
    for row in &rows {
        let name = format!("{} {}", row["file"], row["property"]);
        for (slicing, precision) in [(Slicing::On, 1e-6), (Slicing::Off, 1e-9)] {
            let problem = load(&folder, row, Selection::Bound, slicing);
            let outcome = run(&problem, EngineChoice::EXPLICIT, &precise(precision), &budget(2)).unwrap();
            if let Some(truth) = row["reference"].as_bool() {
                let decision = if truth { Some(Verdict::Holds(())) } else { Some(Verdict::Violated(())) };
                assert_eq!(outcome.decision, decision, "{name}");
                verdicts += 1;
                // Comparisons are decidable for `verify` too, and have no claim about runs there.
                assert!(load(&folder, row, Selection::Decide, slicing).query.claim.is_none(), "{name}");
                continue;
            }
            assert_eq!(outcome.decision, None, "{name}");
            let (lower, upper) = interval(&outcome);
            let (value, tolerance) = reference(row);
            assert!(&lower - &tolerance <= value && value <= &upper + &tolerance, "{name}: {outcome:?}");
            assert!(&upper - &lower <= Rational::from_f64(precision).unwrap(), "{name}: [{lower}, {upper}]");
            values += 1;
        }
    }
    assert_eq!((rows.len(), values, verdicts), (25, 46, 4));
}

#[test]
fn exact_values_of_the_benchmark_properties() {
    let Some((folder, rows)) = rows() else { return };
    let mut compared = 0;
    for row in rows.iter().filter(|row| row["states"].as_u64().unwrap() < 40_000) {
        let Some(exact) = row["reference_exact"].as_str() else { continue };
        let problem = load(&folder, row, Selection::Bound, Slicing::On);
        let outcome = run(&problem, EngineChoice::EXPLICIT, &exactly(), &budget(2)).unwrap();
        let value = Number::Exact(rational(exact));
        assert_eq!((&outcome.lower, &outcome.upper), (&value, &value), "{} {}", row["file"], row["property"]);
        compared += 1;
    }
    assert_eq!(compared, 19);
}

/// Value iteration that stops on little change is wrong by 0.2 here; the value is the probability `p` of the model.
#[test]
fn slow_mixing_is_no_problem() {
    let Some((folder, rows)) = rows() else { return };
    let row = rows.iter().find(|row| row["file"] == "haddad-monmege.jani").unwrap();
    let problem = load(&folder, row, Selection::Bound, Slicing::On);
    let outcome = run(&problem, EngineChoice::EXPLICIT, &exactly(), &budget(1)).unwrap();
    assert_eq!(outcome.lower, Number::Exact(rational("7/10")));
}

#[test]
fn the_likely_part_bounds_the_benchmark_properties() {
    let Some((folder, rows)) = rows() else { return };
    for row in rows.iter().filter(|row| row["states"].as_u64().unwrap() < 40_000 && row["reference"].is_number()) {
        let name = format!("{} {}", row["file"], row["property"]);
        let problem = load(&folder, row, Selection::Bound, Slicing::On);
        let outcome = run(&problem, EngineChoice::PARTIAL, &precise(1e-3), &budget(1)).unwrap();
        assert_eq!(outcome.decision, None, "{name}");
        let (lower, upper) = interval(&outcome);
        let (value, tolerance) = reference(row);
        assert!(&lower - &tolerance <= value && value <= &upper + &tolerance, "{name}: {outcome:?}");
        assert!(&upper - &lower <= Rational::from_f64(1e-3).unwrap(), "{name}: [{lower}, {upper}]");
    }
}

/// Expected sums that Storm found in fractions: constants, property, value. Rewards at exits, on edges and of steps.
const SUMS: [(&str, &str, &str, &str); 8] = [
    ("consensus.2.jani", r#"{"K": 2}"#, "steps_max", "75"),
    ("consensus.2.jani", r#"{"K": 2}"#, "steps_min", "48"),
    ("csma.2-2.jani", "{}", "time_max", "227630345357/3221225472"),
    ("csma.2-2.jani", "{}", "time_min", "53954981353/805306368"),
    ("egl.jani", r#"{"N": 5, "L": 2}"#, "messagesA", "1179/1024"),
    ("egl.jani", r#"{"N": 5, "L": 2}"#, "messagesB", "1723/1024"),
    ("haddad-monmege.jani", r#"{"N": 20, "p": 0.7}"#, "exp_steps", "1572862"),
    ("leader_sync.3-2.jani", "{}", "time", "4/3"),
];

#[test]
fn expected_sums_of_the_benchmarks_have_their_recorded_values() {
    let Some((folder, _)) = rows() else { return };
    for (file, constants, property, value) in SUMS {
        let constants: Value = serde_json::from_str(constants).unwrap();
        let row = serde_json::json!({"file": file, "property": property, "constants": constants});
        let problem = load(&folder, &row, Selection::Bound, Slicing::On);
        assert!(problem.slice.is_none(), "{file}: what is left out may be added up");
        let expecting = Expecting::asked(problem.query.expected.as_ref().unwrap(), None);
        let value = rational(value);
        let ends = |exact: bool| {
            let found = expect(&problem, expecting.clone(), (1e-4, exact), &budget(1), &Silent).unwrap();
            assert_eq!(found.decision, None, "{file} {property}");
            match (found.value.lower, found.value.upper) {
                (Extended::Finite(lower), Extended::Finite(upper)) => (lower.exact(), upper.exact()),
                other => panic!("{file} {property}: {other:?}"),
            }
        };
        assert_eq!(ends(true), (value.clone(), value.clone()), "{file} {property}");
        let (lower, upper) = ends(false);
        assert!(lower <= value && value <= upper, "{file} {property}: [{lower}, {upper}]");
        assert!(&upper - &lower <= rational("1e-4"), "{file} {property}: [{lower}, {upper}]");
    }
}

/// Blocksworld in which blocks may drop, under a learned policy.
fn blocks(data: &Path, blocks: usize, cost_bound: u32) -> Problem {
    let file = match blocks {
        4 => "rddps22/blocksworld/networks/learned_cost05_non_terminal/blocksworld_4_3_16_16.jani2nnet",
        _ => "icaps22/blocksworld/networks/blocksworld_6_5/learned_cost05_non_terminal/blocksworld_6_5_32_32.jani2nnet",
    };
    let mut lowered = load_text(&dropping_blocksworld(blocks, cost_bound));
    let mut sources = SourceMap::default();
    let (policy, _) = read_policy(&mut lowered, &mut sources, &data.join("plaja").join(file)).unwrap();
    problem(lowered, Some(policy), 0)
}

/// Figures of a prototype and, for the smaller ones, an independent program. Both did not count unsafe states.
#[test]
fn learned_policies_drop_blocks_as_often_as_recorded() {
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let table =
        [(4, 3, 788, "0.373157"), (4, 6, 6_797, "0.411929"), (4, 12, 81_647, "0.413814"), (6, 3, 13_092, "0.703704")];
    for (n, cost_bound, states, value) in table {
        let problem = blocks(&data, n, cost_bound);
        let outcome = run(&problem, EngineChoice::EXPLICIT, &precise(1e-9), &budget(2)).unwrap();
        let figures = outcome.statistics;
        assert_eq!(figures.states - figures.reach_states, states, "{n} blocks, costs up to {cost_bound}");
        let (lower, upper) = interval(&outcome);
        let (value, rounding) = (rational(value), rational("5e-7"));
        assert!(&value - &rounding <= upper && lower <= &value + &rounding, "{n}, {cost_bound}: [{lower}, {upper}]");
    }
}

/// Lower bounds come from few states. Upper ones take more: this policy goes on moving blocks for ever, so that little is lost
/// for good before the costs run out.
#[test]
fn few_states_bound_the_probability_that_blocks_drop() {
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let problem = blocks(&data, 4, 12);
    let full = run(&problem, EngineChoice::EXPLICIT, &precise(1e-9), &budget(2)).unwrap();
    let (low, high) = interval(&full);
    for (precision, most) in [(1e-2, 40_000), (1e-3, 70_000)] {
        let part = run(&problem, EngineChoice::PARTIAL, &precise(precision), &budget(1)).unwrap();
        let (lower, upper) = interval(&part);
        assert_eq!(part.decision, None);
        assert!(lower <= high && low <= upper, "[{lower}, {upper}] and [{low}, {high}]");
        assert!(part.statistics.expanded < most, "{} of {}", part.statistics.expanded, full.statistics.states);
    }
    for (margin, most) in [("1e-2", 1_024), ("1e-3", 4_096)] {
        let options = at_most(&(&low - &rational(margin)));
        let part = run(&problem, EngineChoice::PARTIAL, &options, &budget(1)).unwrap();
        assert_eq!(part.decision, Some(Verdict::Violated(())));
        assert!(part.statistics.expanded <= most, "{margin}: {}", part.statistics.expanded);
    }
    // Fifteen million states, of which a few thousand are enough.
    let large = blocks(&data, 4, 50);
    let part = run(&large, EngineChoice::PARTIAL, &at_most(&rational("0.413")), &budget(1)).unwrap();
    assert_eq!(part.decision, Some(Verdict::Violated(())));
    assert!(part.statistics.expanded <= 16_384, "{}", part.statistics.expanded);
}
