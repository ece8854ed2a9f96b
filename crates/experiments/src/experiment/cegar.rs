//! `cegar`: strategies of refinement side by side, as in Table 1 of the paper on predicate selection.
//!
//! No predicates are given. As in the paper a run that meets the limit counts as twice the limit; where the first runs of an instance all meet it, the others are not made, and `runs` says how many were.
//!
//! We also exclude errors of the model (assignments that leave a variable's domain), of which the papers say nothing. A run that proved safety and met the limit over these is `conditional`, and counts as one
//! that met the limit; `proof` columns have seconds and iterations up to the first search that found no abstract path to an unsafe state, whatever came after it.

use std::path::Path;

use surefoot_chart::Chart;

use crate::bench::{Bench, Prepared, Series, words};
use crate::error::Error;
use crate::events::Watch;
use crate::published::cegar::{self, STRATEGIES};
use crate::report::{DIFFERENT, Report};
use crate::run::{Measured, Run};
use crate::set::{Instance, Kind};
use crate::statistics::{deviation, least, mean, median, most};
use crate::table::{Cell, Table, short};

use super::Experiment;

/// Ours first, then the paper's, and what PlaJA does by itself.
const PRESETS: [&str; 9] =
    ["explain", "vea-w", "vea-mid", "bsverix-w", "bsverix-mid", "bsverix-eps", "sens-mid", "rand", "plaja"];
/// All states visited instead, for comparison; it knows no seeds.
const EXPLICIT: &str = "explicit";
/// Figures of a result, under the names that columns have.
const FIGURES: [(&str, &str); 8] = [
    ("iterations", "iterations"),
    ("policy_iterations", "policy_refinements"),
    ("predicates", "predicates"),
    ("policy_predicates", "policy_predicates"),
    ("reachable", "reachable_states"),
    ("expanded", "expanded_in_all"),
    ("queries", "oracle_queries"),
    ("nodes", "oracle_nodes"),
];

pub(super) struct Cegar;

/// What is verified.
struct Subject {
    label: String,
    width: Option<u32>,
    filter: bool,
    published: Option<&'static cegar::Row>,
    prepared: Prepared,
}

/// All runs of a strategy on a subject.
struct Row<'s> {
    subject: &'s Subject,
    preset: &'static str,
    runs: Vec<Measured>,
}

impl Experiment for Cegar {
    fn name(&self) -> &'static str {
        "cegar"
    }

    fn about(&self) -> &'static str {
        "refinement strategies side by side, over seeds (Table 1 of the paper on predicate selection)"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let (limit, seeds) = (bench.seconds(30.0, 1.0), bench.options.seeds.unwrap_or(bench.size(10, 2)));
        let presets = bench.size(&PRESETS[..], &["explain", "vea-w", "bsverix-w"][..]);
        let subjects = subjects(bench)?;
        let (mut series, mut about) = (Vec::new(), Vec::new());
        for subject in &subjects {
            for preset in presets {
                let runs = (0..seeds).map(|seed| run(bench, subject, preset, seed, limit)).collect();
                series.push(Series { runs, give_up: Some(bench.size(3, 1)) });
                about.push((subject, *preset));
            }
            series
                .push(bench.run("verify", &subject.prepared, &["--engine", "explicit", "--slice", "on"], limit).into());
            about.push((subject, EXPLICIT));
        }
        let measured = bench.carry_out(&series)?;
        let rows: Vec<Row<'_>> =
            about.into_iter().zip(measured).map(|((subject, preset), runs)| Row { subject, preset, runs }).collect();
        let mut report = Report {
            title: "Refinement: strategies side by side".to_owned(),
            about: vec![
                format!(
                    "Means in seconds over {seeds} seeds, at most {} s for each run, on one thread; a run that meets the limit counts as twice the limit, and `-` means that all did. `safe`: ✓ proved, × refuted, ? open. \
                     `explicit` visits all states instead.",
                    short(limit)
                ),
                DIFFERENT.to_owned(),
            ],
            tables: vec![times(presets, &rows, limit), sizes(&rows), all_figures(&rows, limit)],
            ..Report::default()
        };
        report.charts.push(("cegar_cactus".to_owned(), cactus(presets, &rows)));
        report.note_load(rows.iter().flat_map(|row| &row.runs));
        Ok(report)
    }
}

/// The instances of the set that are like the paper's, and PlaJA's own where they are there.
fn subjects(bench: &Bench<'_>) -> Result<Vec<Subject>, Error> {
    let mut subjects = Vec::new();
    let suits = |instance: &Instance| {
        !instance.probabilistic && matches!(instance.kind(), Some(Kind::Blocks(_) | Kind::Puzzle))
    };
    let mut instances = bench.chosen(suits);
    instances.truncate(bench.size(usize::MAX, 2));
    for instance in instances {
        let kind = instance.kind().filter(|_| !instance.filter);
        let published = kind.and_then(|kind| cegar::find(kind, instance.costs, instance.width));
        let label = format!("{}{}", instance.label(), if instance.set == "imitation" { ", imitation" } else { "" });
        let prepared = bench.prepare(&instance)?;
        subjects.push(Subject { label, width: instance.width, filter: instance.filter, published, prepared });
    }
    if let Some(data) = bench.options.data.as_ref().filter(|_| !bench.options.quick) {
        subjects.extend(originals(data).into_iter().filter(|subject| bench.wants(&subject.prepared.name)));
    }
    Ok(subjects)
}

/// PlaJA's own blocksworlds, as they were published.
fn originals(data: &Path) -> Vec<Subject> {
    let compact = "compact_starts_cost_predicates_afterwards";
    let (four, six) = ("plaja/blocksworld", "plaja/icaps22/blocksworld");
    let found = [
        (
            "plaja_bw4",
            "blocksworld_4_3",
            16,
            format!("{four}/cost_terminal/models/legacy_enc/blocksworld_4_3.jani"),
            format!(
                "{four}/additional_properties/safety_verification/blocksworld_4_3/{compact}/pa_{compact}_blocksworld_4_3.jani"
            ),
            &["--const", "failing_probability=0.5", "--const", "item_cost_bound=50"][..],
        ),
        (
            "plaja_bw6",
            "blocksworld_6_5",
            32,
            format!("{six}/models/cost05/blocksworld_6_5.jani"),
            format!(
                "{six}/additional_properties/safety_verification/cost05/blocksworld_6_5/{compact}/learned_cost05_non_terminal/pa_{compact}_blocksworld_6_5_32_32.jani"
            ),
            &[][..],
        ),
    ];
    let subject = |(name, label, width, model, properties, constants): (&str, &str, u32, String, String, &[&str])| {
        let [model, properties] = [model, properties].map(|file| data.join(file).canonicalize().ok());
        let (model, properties) = (model?, properties?);
        let arguments = words(&[
            &model.display().to_string(),
            "--properties",
            &properties.display().to_string(),
            "--property",
            "1",
        ]);
        let prepared = Prepared {
            name: name.to_owned(),
            folder: data.to_owned(),
            arguments: [&arguments[..], &words(constants)].concat(),
            inputs: vec![model, properties],
            broken: None,
        };
        Some(Subject {
            label: format!("{label}, PlaJA's"),
            width: Some(width),
            filter: false,
            published: None,
            prepared,
        })
    };
    found.into_iter().filter_map(subject).collect()
}

fn run(bench: &Bench<'_>, subject: &Subject, preset: &str, seed: u32, limit: f64) -> Run {
    let seed = seed.to_string();
    let options = ["--engine", "cegar", "--preset", preset, "--ignore-predicates", "--seed", &seed];
    Run { watch: Watch::Proof, ..bench.run("verify", &subject.prepared, &options, limit) }
}

/// Seconds as the paper counts them.
fn seconds(run: &Measured, limit: f64) -> f64 {
    if run.is_decided() { run.seconds() } else { 2.0 * limit }
}

/// Seconds and iterations of the proof alone: of a run that was decided, those of the end where nothing was told before.
fn proof(run: &Measured) -> Option<(f64, Option<f64>)> {
    let told = run.told["seconds"].as_f64().map(|seconds| (seconds, run.told["iterations"].as_f64()));
    let end = || run.is_decided().then(|| (run.seconds(), run.figure("iterations")));
    if run.word() == "violated" { end() } else { told.or_else(end) }
}

fn safe(rows: &[Row<'_>]) -> &'static str {
    let said = |word: &str| rows.iter().flat_map(|row| &row.runs).any(|run| run.word() == word);
    if said("holds") {
        "✓"
    } else if said("violated") {
        "×"
    } else {
        "?"
    }
}

/// Means, with the paper's beside them.
fn times(presets: &[&str], rows: &[Row<'_>], limit: f64) -> Table {
    let mut columns = vec!["benchmark", "*instance", "NN", "filter", "safe", "safe, paper"];
    let beside: Vec<String> = presets.iter().map(|preset| format!("{preset}, paper")).collect();
    for (preset, beside) in presets.iter().zip(&beside) {
        columns.push(preset);
        if STRATEGIES.contains(preset) {
            columns.push(beside);
        }
    }
    columns.push(EXPLICIT);
    let mut table = Table::new("cegar_times", "Seconds", &columns);
    for of_subject in rows.chunk_by(|a, b| std::ptr::eq(a.subject, b.subject)) {
        let Subject { label, width, filter, published, prepared } = of_subject[0].subject;
        let mark = |safe: Option<bool>| safe.map_or("?", |safe| if safe { "✓" } else { "×" });
        let mut cells = vec![
            Cell::text(label),
            Cell::text(&prepared.name),
            width.map_or(Cell::Empty, |width| Cell::Count(width.into())),
            Cell::text(if *filter { "on" } else { "off" }),
            Cell::text(safe(of_subject)),
            published.map_or(Cell::Empty, |row| Cell::text(mark(row.safe))),
        ];
        for preset in presets.iter().chain([&EXPLICIT]) {
            let row = of_subject.iter().find(|row| row.preset == *preset);
            cells.push(row.map_or(Cell::Empty, |row| mean_cell(&row.runs, limit)));
            if STRATEGIES.contains(preset) {
                let time = |row: &cegar::Row| row.time(preset).map_or("-".to_owned(), |time| short(time.mean));
                cells.push(published.map_or(Cell::Empty, |row| Cell::text(time(row))));
            }
        }
        table.row(cells);
    }
    table
}

fn mean_cell(runs: &[Measured], limit: f64) -> Cell {
    if runs.iter().any(Measured::is_decided) {
        let seconds: Vec<f64> = runs.iter().map(|run| seconds(run, limit)).collect();
        return Cell::text(mean(&seconds).map_or(String::new(), short));
    }
    let broken = runs.iter().find(|run| run.result.is_null());
    Cell::text(broken.map_or("-".to_owned(), |run| format!("{}: {}", run.word(), run.why())))
}

/// Iterations and predicates of the two strategies that the paper compares.
fn sizes(rows: &[Row<'_>]) -> Table {
    let columns = [
        "benchmark",
        "NN",
        "iterations",
        "iterations, paper",
        "for the policy",
        "for the policy, paper",
        "predicates",
        "predicates, paper",
        "of the policy",
        "of the policy, paper",
    ];
    let mut table = Table::new("cegar_sizes", "Iterations and predicates: (vea-w, bsverix-w)", &columns);
    for of_subject in rows.chunk_by(|a, b| std::ptr::eq(a.subject, b.subject)) {
        let subject = of_subject[0].subject;
        let mut cells =
            vec![Cell::text(&subject.label), subject.width.map_or(Cell::Empty, |width| Cell::Count(width.into()))];
        for (place, (_, figure)) in FIGURES[..4].iter().enumerate() {
            let ours = ["vea-w", "bsverix-w"].map(|preset| {
                let row = of_subject.iter().find(|row| row.preset == preset);
                let figures = row.map(|row| figures(&row.runs, figure)).unwrap_or_default();
                mean(&figures).map_or("-".to_owned(), |mean| format!("{mean:.0}"))
            });
            cells.push(Cell::text(format!("({}, {})", ours[0], ours[1])));
            let theirs = subject.published.and_then(|row| row.pairs[place]);
            cells.push(theirs.map_or(Cell::Empty, |(vea, bsverix)| Cell::text(format!("({vea}, {bsverix})"))));
        }
        table.row(cells);
    }
    table
}

/// A figure of the runs that ended: those of others say where they were stopped.
fn figures(runs: &[Measured], name: &str) -> Vec<f64> {
    runs.iter().filter(|run| run.is_decided()).filter_map(|run| run.figure(name)).collect()
}

fn all_figures(rows: &[Row<'_>], limit: f64) -> Table {
    let mut columns: Vec<String> = words(&[
        "instance",
        "benchmark",
        "width",
        "filter",
        "preset",
        "limit",
        "runs",
        "holds",
        "violated",
        "conditional",
        "unknown",
        "failed",
        "reason",
        "seconds_mean",
        "seconds_deviation",
        "seconds_median",
        "seconds_min",
        "seconds_max",
        "cpu_mean",
        "peak_bytes",
        "proof_runs",
        "proof_seconds_mean",
        "proof_seconds_median",
        "proof_iterations_mean",
    ]);
    columns.extend(FIGURES.iter().flat_map(|(name, _)| [format!("{name}_mean"), format!("{name}_deviation")]));
    columns.push("load".to_owned());
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new("cegar", "All figures", &columns).long();
    for Row { subject, preset, runs } in rows {
        let times: Vec<f64> = runs.iter().map(|run| seconds(run, limit)).collect();
        let proofs: Vec<f64> = runs.iter().map(|run| proof(run).map_or(2.0 * limit, |proof| proof.0)).collect();
        let steps: Vec<f64> = runs.iter().filter_map(|run| proof(run)?.1).collect();
        let count = |word: &str| Cell::Count(runs.iter().filter(|run| run.word() == word).count() as u64);
        let failed = runs.iter().filter(|run| run.result.is_null());
        let cpu: Vec<f64> = runs.iter().filter_map(|run| run.cpu).collect();
        let peak = runs.iter().filter_map(|run| run.peak).max();
        let load: Vec<f64> = runs.iter().filter_map(|run| run.load).collect();
        let mut cells = vec![
            Cell::text(&subject.prepared.name),
            Cell::text(&subject.label),
            subject.width.map_or(Cell::Empty, |width| Cell::Count(width.into())),
            Cell::text(if subject.filter { "on" } else { "off" }),
            Cell::text(*preset),
            Cell::Number(limit),
            Cell::Count(runs.len() as u64),
            count("holds"),
            count("violated"),
            count("conditional"),
            count("unknown"),
            Cell::Count(failed.clone().count() as u64),
            Cell::text(runs.iter().find(|run| !run.is_decided()).map_or("", Measured::why)),
            Cell::number(mean(&times)),
            Cell::number(deviation(&times)),
            Cell::number(median(&times)),
            Cell::number(least(&times)),
            Cell::number(most(&times)),
            Cell::number(mean(&cpu)),
            peak.map_or(Cell::Empty, Cell::Count),
            Cell::Count(runs.iter().filter(|run| proof(run).is_some()).count() as u64),
            Cell::number(mean(&proofs)),
            Cell::number(median(&proofs)),
            Cell::number(mean(&steps)),
        ];
        for (_, name) in FIGURES {
            let figures = figures(runs, name);
            cells.extend([Cell::number(mean(&figures)), Cell::number(deviation(&figures))]);
        }
        cells.push(Cell::number(most(&load)));
        table.row(cells);
    }
    table
}

/// How many runs of each strategy end within so many seconds.
fn cactus(presets: &[&str], rows: &[Row<'_>]) -> Chart {
    let ended = presets.iter().chain([&EXPLICIT]).map(|preset| {
        let runs = rows.iter().filter(|row| row.preset == *preset).flat_map(|row| &row.runs);
        ((*preset).to_owned(), runs.filter(|run| run.is_decided()).map(Measured::seconds).collect())
    });
    Chart::cactus("Runs that were decided", ended)
}
