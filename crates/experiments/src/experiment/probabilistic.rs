//! `probabilistic`: derived intervals, as in Table 1 of the paper on probabilities.

use surefoot_chart::{Axis, Chart, Point, Series};

use crate::bench::Bench;
use crate::error::Error;
use crate::published::probabilistic as published;
use crate::report::{DIFFERENT, Report};
use crate::run::Measured;
use crate::set::Instance;
use crate::statistics::most;
use crate::table::{Cell, Table, short};

use super::Experiment;

/// The paper's algorithm by steps of 0.05 from 0: its default.
const INCREMENTAL: [&str; 8] = ["--engine", "cegar", "--algorithm", "paper", "--p-step", "0.05", "--p-init", "0"];
/// Ours, until the interval is as narrow as a step.
const OURS: [&str; 4] = ["--engine", "auto", "--precision", "0.05"];
/// Derived intervals.
pub(super) struct Probabilistic;

/// Instances about a probability that the papers have as well.
pub(super) fn suits(instance: &Instance) -> bool {
    instance.probabilistic && instance.kind().is_some()
}

impl Experiment for Probabilistic {
    fn name(&self) -> &'static str {
        "probabilistic"
    }

    fn about(&self) -> &'static str {
        "bounds on the probability of unsafety, by the paper's algorithm and by ours (Table 1 of the paper on probabilities)"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let limit = bench.seconds(120.0, 2.0);
        let mut instances = bench.chosen(suits);
        instances.truncate(bench.size(usize::MAX, 2));
        let mut runs = Vec::new();
        for instance in &instances {
            let prepared = bench.prepare(instance)?;
            runs.extend([&INCREMENTAL[..], &OURS].map(|options| bench.run("bounds", &prepared, options, limit)));
        }
        let measured = bench.carry_out_all(runs)?;
        let columns = [
            "benchmark",
            "*instance",
            "NN",
            "app",
            "interval",
            "last p_u",
            "time",
            "%CE",
            "paths",
            "interval, paper",
            "last p_u, paper",
            "time, paper",
            "%CE, paper",
            "paths, paper",
            "auto interval",
            "auto time",
            "*lower",
            "*upper",
            "*ended",
            "*reason",
            "*cpu",
            "*peak_bytes",
            "*predicates",
            "*abstract_states",
            "*iterations",
            "*most_paths",
            "*analysis_seconds",
            "*auto_lower",
            "*auto_upper",
            "*auto_engine",
            "*auto_ended",
            "*auto_reason",
            "*auto_cpu",
            "*limit",
            "*load",
        ];
        let mut table = Table::new("probabilistic", "Derived intervals", &columns);
        for (instance, runs) in instances.iter().zip(measured.chunks(2)) {
            table.row(row(instance, &runs[0], &runs[1], limit));
        }
        let mut report = Report {
            title: "Bounds on the probability of unsafety".to_owned(),
            about: vec![
                format!(
                    "The paper's algorithm (`bounds --engine cegar --algorithm paper`, steps of 0.05 from 0) and ours (`--engine auto --precision 0.05`), at most {} s for each run, on one thread. A run that meets the \
                     limit keeps its interval, and has `-` as its time. `last p_u`: the last bound that was tried, which the interval verifies (≤), falsifies (>) or contains (∋). `%CE`: the share of the time that \
                     went into counterexamples. `paths`: the order, as a power of ten, of the largest set of paths. Where the set has instances that the paper has not, its columns are empty.",
                    short(limit)
                ),
                DIFFERENT.to_owned(),
            ],
            tables: vec![table],
            charts: vec![("probabilistic".to_owned(), intervals(&instances, &measured))],
            ..Report::default()
        };
        report.note_load(&measured);
        Ok(report)
    }
}

/// Both intervals of each instance.
fn intervals(instances: &[Instance], measured: &[Measured]) -> Chart {
    let of = |name: &str, place: usize| {
        let runs = measured.chunks(2).enumerate();
        Series::of(
            name,
            runs.filter_map(|(row, runs)| runs[place].value().map(|(lower, upper)| Point::in_row(row, lower, upper))),
        )
    };
    let series = vec![of("the paper's algorithm", 0), of("ours", 1)];
    let names = instances.iter().map(|instance| instance.name.clone()).collect();
    Chart::spans(
        "Derived intervals",
        Axis { ends: Some((0.0, 1.0)), ..Axis::linear("probability") },
        names,
        series,
        None,
    )
}

fn row(instance: &Instance, paper: &Measured, ours: &Measured, limit: f64) -> Vec<Cell> {
    let theirs =
        instance.kind().and_then(|kind| published::find(kind, instance.costs, instance.width, instance.filter));
    let beside = |text: &dyn Fn(&published::Row) -> String| theirs.map_or(Cell::Empty, |row| Cell::text(text(row)));
    let share = paper.figure("analysis_seconds").map(|seconds| 100.0 * seconds / paper.seconds().max(1e-9));
    let order = paper.figure("most_paths").map(|paths| if paths < 1.0 { 0.0 } else { paths.log10().floor() });
    vec![
        Cell::text(instance.label()),
        Cell::text(&instance.name),
        instance.width.map_or(Cell::Empty, |width| Cell::Count(width.into())),
        Cell::text(if instance.filter { "✓" } else { "×" }),
        Cell::text(interval(paper)),
        Cell::text(last(paper)),
        Cell::text(time(paper)),
        share.map_or(Cell::Empty, |share| Cell::text(format!("{share:.0}"))),
        order.map_or(Cell::Empty, |order| Cell::text(format!("{order:.0}"))),
        beside(&|row| format!("[{}, {}]", row.interval.0, row.interval.1)),
        beside(&published::Row::last_bound),
        beside(&|row| row.seconds.map_or("-".to_owned(), |seconds| seconds.to_string())),
        beside(&|row| row.analysis.to_string()),
        beside(&|row| row.paths.to_string()),
        Cell::text(interval(ours)),
        Cell::text(time(ours)),
        Cell::number(paper.value().map(|value| value.0)),
        Cell::number(paper.value().map(|value| value.1)),
        Cell::text(paper.word()),
        Cell::text(paper.why()),
        Cell::number(paper.cpu),
        paper.peak.map_or(Cell::Empty, Cell::Count),
        Cell::count(paper.figure("predicates")),
        Cell::count(paper.figure("reachable_states")),
        Cell::count(paper.figure("iterations")),
        Cell::count(paper.figure("most_paths")),
        Cell::number(paper.figure("analysis_seconds")),
        Cell::number(ours.value().map(|value| value.0)),
        Cell::number(ours.value().map(|value| value.1)),
        Cell::text(ours.result["engine"].as_str().unwrap_or_default()),
        Cell::text(ours.word()),
        Cell::text(ours.why()),
        Cell::number(ours.cpu),
        Cell::Number(limit),
        load(paper, ours),
    ]
}

/// How busy the machine was at most.
pub(super) fn load(one: &Measured, other: &Measured) -> Cell {
    Cell::number(most(&[one, other].into_iter().filter_map(|run| run.load).collect::<Vec<f64>>()))
}

fn interval(run: &Measured) -> String {
    match run.value() {
        Some((lower, upper)) => format!("[{}, {}]", short(lower), short(upper)),
        None if run.result.is_null() => format!("{}: {}", run.word(), run.why()),
        None => "-".to_owned(),
    }
}

/// What the interval says of the last bound that was tried.
fn last(run: &Measured) -> String {
    let (Some((lower, upper)), Some(bound)) = (run.value(), run.figure("last_p_u")) else { return String::new() };
    let sign = if upper <= bound {
        "≤"
    } else if lower > bound {
        ">"
    } else {
        "∋"
    };
    format!("{sign} {}", (bound * 1e6).round() / 1e6)
}

fn time(run: &Measured) -> String {
    if run.is_decided() { short(run.seconds()) } else { "-".to_owned() }
}
