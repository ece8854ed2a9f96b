//! `prob-overhead`: what probabilities cost an abstraction, as in Figure 3 of the paper on probabilities.
//!
//! The abstraction for halving predicate sets is built with probabilities (`abstract --distributions`) and without, in one process, in turns, three times; the least times count.

use surefoot_chart::{Axis, Chart, Point, Series as Curve};

use crate::bench::Bench;
use crate::error::Error;
use crate::report::Report;
use crate::run::{Measured, Run};
use crate::set::Instance;
use crate::table::{Cell, Table, float, short};

use super::Experiment;

/// What both charts show.
const TITLE: &str = "Building abstractions with probabilities and without";

pub(super) struct Overhead;

impl Experiment for Overhead {
    fn name(&self) -> &'static str {
        "prob-overhead"
    }

    fn about(&self) -> &'static str {
        "building abstractions with probabilities and without (Figure 3 of the paper on probabilities)"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let limit = bench.seconds(60.0, 2.0);
        let counts = bench.size(&[4, 8, 16, 32, 64][..], &[4, 8][..]);
        let (mut runs, mut about) = (Vec::new(), Vec::new());
        for instance in chosen(bench) {
            let prepared = bench.prepare(&instance)?;
            for count in counts {
                let file = bench.predicates(&prepared, *count, &[])?;
                // Small models have no more predicates: the row says so.
                let shown = file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
                let run = bench.run("abstract", &prepared, &["--predicates", &shown, "--distributions"], limit);
                let inputs = run.inputs.iter().cloned().chain(file.clone().ok()).collect();
                runs.push(Run { inputs, broken: run.broken.clone().or_else(|| file.err()), ..run });
                about.push((instance.clone(), *count));
            }
        }
        let measured = bench.carry_out_all(runs)?;
        let columns = [
            "benchmark",
            "*instance",
            "NN",
            "predicates",
            "states",
            "transitions",
            "seconds",
            "states without",
            "transitions without",
            "seconds without",
            "ratio",
            "reason",
            "*cpu",
            "*limit",
            "*load",
        ];
        let mut table = Table::new("prob_overhead", "With probabilities and without", &columns);
        for ((instance, count), run) in about.iter().zip(&measured) {
            table.row(row(instance, *count, run, limit));
        }
        let mut report = Report {
            title: "What probabilities cost an abstraction".to_owned(),
            about: vec![
                format!(
                    "Abstractions for predicate sets by halving, with transitions to distributions and with transitions to states, as far as they are reachable; unsafe abstract states are not expanded. The least of \
                     three times, at most {} s for all of them, on one thread.",
                    short(limit)
                ),
                "The paper's Figure 3 is a drawing without numbers; its text says that little performance is lost."
                    .to_owned(),
            ],
            tables: vec![table],
            charts: vec![
                ("prob_overhead".to_owned(), growth(&about, &measured)),
                ("prob_overhead_pairs".to_owned(), pairs(&about, &measured)),
            ],
            notes: Vec::new(),
        };
        report.note_load(&measured);
        Ok(report)
    }
}

/// The first instance of each benchmark, without filter.
fn chosen(bench: &Bench<'_>) -> Vec<Instance> {
    let mut found: Vec<Instance> = Vec::new();
    for instance in bench.chosen(|instance| instance.probabilistic && !instance.filter && instance.kind().is_some()) {
        if found.iter().all(|other| other.label() != instance.label()) {
            found.push(instance);
        }
    }
    found.truncate(bench.size(usize::MAX, 2));
    found
}

/// A figure of the abstraction with probabilities.
fn with(run: &Measured, name: &str) -> Option<f64> {
    run.result["statistics"]["distributions"][name].as_f64()
}

fn row(instance: &Instance, count: usize, run: &Measured, limit: f64) -> Vec<Cell> {
    let (seconds, without) = (with(run, "build_seconds"), with(run, "plain_build_seconds"));
    // Where a limit was met, the figures say how far it came.
    let figure = |name: &str| Cell::count(with(run, name));
    let plain = |name: &str| Cell::count(run.figure(name).filter(|_| seconds.is_some()));
    vec![
        Cell::text(instance.label()),
        Cell::text(&instance.name),
        instance.width.map_or(Cell::Empty, |width| Cell::Count(width.into())),
        Cell::Count(count as u64),
        figure("reachable_states"),
        figure("transitions"),
        Cell::number(seconds),
        plain("reachable_states"),
        plain("transitions"),
        Cell::number(without),
        Cell::number(seconds.zip(without).map(|(seconds, without)| seconds / without.max(1e-6))),
        Cell::text(match seconds {
            Some(_) => "",
            None if run.result.is_null() => run.why(),
            None => "the limit was met",
        }),
        Cell::number(run.cpu),
        Cell::Number(limit),
        Cell::number(run.load),
    ]
}

/// Both times over the number of predicates, as the paper draws them.
fn growth(about: &[(Instance, usize)], measured: &[Measured]) -> Chart {
    let mut series = Vec::new();
    let points: Vec<(&(Instance, usize), &Measured)> = about.iter().zip(measured).collect();
    for of_instance in points.chunk_by(|a, b| a.0.0.name == b.0.0.name) {
        let label = of_instance[0].0.0.label();
        for (words, figure) in [("with", "build_seconds"), ("without", "plain_build_seconds")] {
            let points =
                of_instance.iter().filter_map(|((_, count), run)| Some((float(*count as u64), with(run, figure)?)));
            series.push(Curve::new(format!("{label}, {words}"), points));
        }
    }
    Chart::growth(TITLE, Axis::count("predicates"), Axis::seconds("time"), series)
}

/// Each abstraction by both times.
fn pairs(about: &[(Instance, usize)], measured: &[Measured]) -> Chart {
    let mut series: Vec<Curve> = Vec::new();
    for ((instance, _), run) in about.iter().zip(measured) {
        let Some(both) = with(run, "plain_build_seconds").zip(with(run, "build_seconds")) else { continue };
        let (label, point) = (instance.label(), Point::at(both.0, both.1));
        match series.iter_mut().find(|series| series.name == label) {
            Some(series) => series.points.push(point),
            None => series.push(Curve::of(label, [point])),
        }
    }
    Chart::scatter(TITLE, Axis::seconds("without probabilities"), Axis::seconds("with probabilities"), series)
}
