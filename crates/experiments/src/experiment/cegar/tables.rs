//! What the runs of strategies come to: means beside the paper's, iterations and predicates, all figures, a cactus plot, ours against the paper's.

use surefoot_chart::{Axis, Chart, Rule, Series};

use crate::prepare::words;
use crate::published::cegar::{self, STRATEGIES};
use crate::run::Measured;
use crate::statistics::{deviation, least, mean, median, most};
use crate::table::{Cell, Table, short};

use super::{EXPLICIT, Row, Subject};

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
pub(super) fn times(presets: &[&str], rows: &[Row<'_>], limit: f64) -> Table {
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
pub(super) fn sizes(rows: &[Row<'_>]) -> Table {
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

pub(super) fn all_figures(rows: &[Row<'_>], limit: f64) -> Table {
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

/// How many runs of each strategy are decided within so many seconds.
pub(super) fn cactus(presets: &[&str], rows: &[Row<'_>], limit: f64) -> Chart {
    let ended = presets.iter().chain([&EXPLICIT]).map(|preset| {
        let runs = rows.iter().filter(|row| row.preset == *preset).flat_map(|row| &row.runs);
        ((*preset).to_owned(), runs.filter(|run| run.is_decided()).map(Measured::seconds).collect())
    });
    let mut chart = Chart::cactus("Runs that were decided", None, ended);
    // A verdict counts that came a moment after the limit.
    chart.rules.push(Rule::Up(limit, format!("limit {} s", short(limit))));
    chart.y.title = "runs that were decided within it".to_owned();
    chart
}

/// Our strategy against those that the paper compares, by the mean of the seeds of an instance; what no seed decided lies on the border.
pub(super) fn against(ours: &str, rows: &[Row<'_>], limit: f64) -> Chart {
    let time = |subject: &Subject, preset: &str| {
        let row = rows.iter().find(|row| std::ptr::eq(row.subject, subject) && row.preset == preset)?;
        let seconds: Vec<f64> = row.runs.iter().map(|run| seconds(run, limit)).collect();
        if row.runs.iter().any(Measured::is_decided) { mean(&seconds) } else { Some(f64::INFINITY) }
    };
    let series = ["vea-w", "bsverix-w"].map(|preset| {
        let subjects = rows.iter().filter(|row| row.preset == ours).map(|row| row.subject);
        Series::new(preset, subjects.filter_map(|subject| Some((time(subject, ours)?, time(subject, preset)?))))
    });
    let axis = |title: &str| Axis::seconds(title).with_border("undecided");
    Chart::scatter("Each instance, mean time", axis(ours), axis("the paper's strategies"), series.into())
}
