//! `model-checkers`: the network as a part of the model, for a checker that knows no networks, as the paper on probabilities compares itself with other checkers.
//!
//! `encode --target storm` writes each instance with its policy as one model; Storm's engines compute the same probability as `bounds`. Storm computes in floats and claims nothing here: a value outside
//! of our interval by more than its precision is told in the table and in a note. Where the text rounds scores its policy may be another one, and so may the value.

use std::path::PathBuf;

use serde_json::Value;
use surefoot_chart::{Axis, Chart, Series};

use crate::bench::Bench;
use crate::driver;
use crate::error::Error;
use crate::prepare::{Prepared, words};
use crate::report::Report;
use crate::run::{By, Measured, Run};
use crate::set::Instance;
use crate::table::{Cell, Table, float, short};

use super::Experiment;

/// What the driver knows.
const ENGINES: [&str; 4] = ["sparse", "dd", "hybrid", "abstraction"];
/// Ours: the best that there is, and the paper's algorithm by its default steps.
const OURS: [(&str, &[&str]); 2] = [
    ("surefoot, auto", &["--engine", "auto"]),
    ("surefoot, paper", &["--engine", "cegar", "--algorithm", "paper", "--p-step", "0.05", "--p-init", "0"]),
];
/// What Storm's values are good for, as we count it: its iteration ends by a relative change of 1e-6, which bounds no error.
const PRECISION: f64 = 1e-4;
/// Megabytes of Storm, unless said otherwise: the paper's.
const MEGABYTES: u64 = 4096;
/// What is said where no Python was given.
const NO_STORM: &str = "no Python with stormpy was given (--python)";

/// Other checkers.
pub(super) struct Checkers;

/// An instance with its policy inside: its file, whether nothing was rounded, and by how much scores may differ; or why there is none.
type Encoded = Result<(PathBuf, bool, String), String>;

impl Experiment for Checkers {
    fn name(&self) -> &'static str {
        "model-checkers"
    }

    fn about(&self) -> &'static str {
        "Storm on models with the network inside, beside bounds (the other checkers of the paper on probabilities)"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let limit = bench.seconds(120.0, 10.0);
        let mut instances = bench.chosen(|instance| instance.probabilistic);
        instances.truncate(bench.size(usize::MAX, 1));
        let script = driver::write(&bench.options.out)?;
        let (mut runs, mut texts) = (Vec::new(), Vec::new());
        for instance in &instances {
            bench.hold_against_record(instance)?;
            let prepared = bench.prepare(instance)?;
            let text = encode(bench, &prepared)?;
            runs.extend(OURS.map(|(_, options)| bench.run("bounds", &prepared, options, limit)));
            runs.extend(ENGINES.map(|engine| storm(bench, &prepared, &text, script, engine, limit)));
            texts.push(text);
        }
        let measured = bench.carry_out_all(runs)?;
        let columns = [
            "instance",
            "benchmark",
            "NN",
            "app",
            "checker",
            "value",
            "seconds",
            "states",
            "agrees",
            "reason",
            "*lower",
            "*upper",
            "*encoding",
            "*score_error",
            "*build_seconds",
            "*transitions",
            "*wall",
            "*cpu",
            "*limit",
            "*load",
        ];
        let mut table = Table::new("model_checkers", "Checkers", &columns);
        let mut notes = Vec::new();
        let each = OURS.len() + ENGINES.len();
        for ((instance, text), runs) in instances.iter().zip(&texts).zip(measured.chunks(each)) {
            let known = known(runs);
            let names = OURS.iter().map(|(name, _)| (*name).to_owned());
            let names = names.chain(ENGINES.iter().map(|engine| format!("Storm, {engine}")));
            for (checker, run) in names.zip(runs) {
                let verdict = agrees(run, known, text);
                if let ("NO" | "rounded", Some((lower, upper))) = (verdict, known) {
                    notes.push(note(verdict, &instance.name, &checker, run, (lower, upper), text));
                }
                table.row(row(instance, &checker, run, text, verdict, limit));
            }
        }
        let mut report = Report {
            title: "Other model checkers".to_owned(),
            about: vec![
                format!(
                    "Each instance with its network as a part of the model (`encode --target storm`), by Storm's engines, beside `bounds` on the instance itself: ours (`--engine auto`), and the paper's algorithm by steps of 0.05. At \
                     most {} s for each run, Storm with at most {} MB. A run that met a limit has `-`, and its reason. Storm's states count the steps in which the network is computed. `agrees`: whether Storm's value is \
                     within {PRECISION} of all that our runs leave possible; `NO` is a contradiction, `rounded` a difference where the text rounds scores, so that its policy may be another one.",
                    short(limit),
                    bench.options.memory_limit.unwrap_or(MEGABYTES)
                ),
                "The paper ran Storm, ePMC, Modest, PRISM and PET on its instances, with 12 hours and 4 GB for each run: all of them met a limit on all instances, but for Storm's explicit engine (`sparse`), which ended on 6 Blocks \
                 (CI) with 16 neurons and no applicability filter after 180 seconds, where the paper's algorithm took less than 80. Its networks are not ours, and neither is its machine."
                    .to_owned(),
            ],
            tables: vec![table],
            charts: vec![("model_checkers".to_owned(), against(&measured))],
            notes,
        };
        report.note_load(&measured);
        Ok(report)
    }
}

/// Each instance by our time and by that of each engine of Storm; what was not decided lies on the border.
fn against(measured: &[Measured]) -> Chart {
    let time = |run: &Measured| if run.is_decided() { run.seconds() } else { f64::INFINITY };
    let of_instance = || measured.chunks(OURS.len() + ENGINES.len());
    let series = ENGINES.iter().enumerate().map(|(place, engine)| {
        Series::new(*engine, of_instance().map(|runs| (time(&runs[0]), time(&runs[OURS.len() + place]))))
    });
    let [ours, theirs] = [OURS[0].0, "Storm"].map(|title| Axis::seconds(title).with_border("undecided"));
    Chart::scatter("Each instance, by Storm's engines", ours, theirs, series.collect())
}

/// Writes an instance with its policy inside.
fn encode(bench: &Bench<'_>, on: &Prepared) -> Result<Encoded, Error> {
    if let Some(why) = &on.broken {
        return Ok(Err(why.clone()));
    }
    let file = on.folder.join("storm.jani");
    let out = file.display().to_string();
    let line = [&words(&["encode"]), &on.arguments[..], &words(&["--target", "storm", "--out", &out])].concat();
    let said = bench.ask(&line)?;
    Ok(said.map(|said| {
        let error = said["score_error"].as_str().unwrap_or_default().to_owned();
        (file, said["exact"] == Value::Bool(true), error)
    }))
}

/// A run of one of Storm's engines.
fn storm(bench: &Bench<'_>, on: &Prepared, text: &Encoded, script: &str, engine: &str, limit: f64) -> Run {
    let (file, unwritten) = match text {
        Ok((file, ..)) => (file.clone(), None),
        Err(why) => (PathBuf::new(), Some(format!("it cannot be encoded: {why}"))),
    };
    let missing = bench.options.python.is_none().then(|| NO_STORM.to_owned());
    let arguments = words(&["-I", script, &file.display().to_string(), engine]);
    Run {
        question: None,
        arguments,
        inputs: vec![file, PathBuf::from(script)],
        memory_limit: Some(bench.options.memory_limit.unwrap_or(MEGABYTES)),
        broken: unwritten.or(missing),
        by: By::Driver(bench.options.python.clone().unwrap_or_default()),
        ..bench.run("", on, &[], limit)
    }
}

/// What all of our runs leave possible.
fn known(runs: &[Measured]) -> Option<(f64, f64)> {
    let values = runs[..OURS.len().min(runs.len())].iter().filter_map(Measured::value);
    values.reduce(|one, other| (one.0.max(other.0), one.1.min(other.1)))
}

/// Whether Storm's value fits ours; nothing, where there is none of them.
fn agrees(run: &Measured, known: Option<(f64, f64)>, text: &Encoded) -> &'static str {
    let (Some(value), Some((lower, upper)), Ok((_, is_exact, _))) = (run.result["value"].as_f64(), known, text) else {
        return "";
    };
    if (lower - PRECISION..=upper + PRECISION).contains(&value) {
        "yes"
    } else if *is_exact {
        "NO"
    } else {
        "rounded"
    }
}

fn note(
    verdict: &str,
    instance: &str,
    checker: &str,
    run: &Measured,
    (lower, upper): (f64, f64),
    text: &Encoded,
) -> String {
    let value = run.result["value"].as_f64().unwrap_or(f64::NAN);
    let why = match (verdict, text) {
        ("rounded", Ok((_, _, error))) => format!(
            "scores of the text may differ from the network's by up to {error}, so that it may be another policy"
        ),
        _ => "nothing was rounded, so that one of them is wrong".to_owned(),
    };
    let what = if verdict == "NO" { "**Contradiction**" } else { "Difference" };
    format!("{what} on {instance}: {checker} says {value}, our runs [{lower}, {upper}]; {why}.")
}

fn row(instance: &Instance, checker: &str, run: &Measured, text: &Encoded, agrees: &str, limit: f64) -> Vec<Cell> {
    let value = match (run.result["value"].as_f64(), run.value()) {
        (Some(value), _) => value.to_string(),
        (None, Some((lower, upper))) => format!("[{}, {}]", short(lower), short(upper)),
        (None, None) => "-".to_owned(),
    };
    let states = run.figure("reachable_states").or(run.result["states"].as_f64());
    let (encoding, error) = match text {
        Ok((_, true, error)) => ("exact", error.as_str()),
        Ok((_, false, error)) => ("rounded", error.as_str()),
        Err(_) => ("", ""),
    };
    vec![
        Cell::text(&instance.name),
        Cell::text(instance.label()),
        instance.width.map_or(Cell::Empty, |width| Cell::count(Some(float(width.into())))),
        Cell::text(if instance.filter { "✓" } else { "×" }),
        Cell::text(checker),
        Cell::text(value),
        Cell::text(if run.is_decided() { short(run.seconds()) } else { "-".to_owned() }),
        Cell::count(states),
        Cell::text(agrees),
        Cell::text(run.why()),
        Cell::number(run.value().map(|value| value.0)),
        Cell::number(run.value().map(|value| value.1)),
        Cell::text(encoding),
        Cell::text(error),
        Cell::number(run.result["build_seconds"].as_f64()),
        Cell::count(run.figure("transitions").or(run.result["transitions"].as_f64())),
        Cell::number(Some(run.wall)),
        Cell::number(run.cpu),
        Cell::Number(limit),
        Cell::number(run.load),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Ended;
    use serde_json::json;

    #[test]
    fn values_outside_of_our_interval_are_told() {
        let said = |result| Measured { result, ..Measured::broken(Ended::Answered) };
        let text = |is_exact| Ok((PathBuf::new(), is_exact, "1/8".to_owned()));
        let storm = said(json!({"value": 0.5}));
        let our = [said(json!({"value": {"lo": 0.2, "hi": 0.6}})), said(json!({"value": {"lo": 0.1, "hi": "1/2"}}))];
        assert_eq!(known(&our), Some((0.2, 0.5)));
        assert_eq!(known(&[storm.clone(), storm.clone()]), None);
        assert_eq!(agrees(&storm, Some((0.2, 0.49995)), &text(true)), "yes");
        assert_eq!(agrees(&storm, Some((0.2, 0.4998)), &text(true)), "NO");
        assert_eq!(agrees(&storm, Some((0.6, 0.7)), &text(false)), "rounded");
        assert_eq!(agrees(&storm, None, &text(true)), "");
        assert_eq!(agrees(&our[0], Some((0.2, 0.5)), &text(true)), "");
        let note = note("NO", "a", "Storm, dd", &storm, (0.6, 0.7), &text(true));
        assert!(note.contains("**Contradiction** on a: Storm, dd says 0.5, our runs [0.6, 0.7]"), "{note}");
    }
}
