//! `cegar`: strategies of refinement side by side, as in Table 1 of the paper on predicate selection.
//!
//! No predicates are given. As in the paper a run that meets the limit counts as twice the limit; where the first runs of an instance all meet it, the others are not made, and `runs` says how many were.
//!
//! We also exclude errors of the model (assignments that leave a variable's domain), of which the papers say nothing. A run that proved safety and met the limit over these is `conditional`, and counts as one
//! that met the limit; `proof` columns have seconds and iterations up to the first search that found no abstract path to an unsafe state, whatever came after it.

mod tables;

use std::path::Path;

use crate::bench::Bench;
use crate::error::Error;
use crate::events::Watch;
use crate::prepare::{Prepared, words};
use crate::published::cegar;
use crate::report::{DIFFERENT, Report};
use crate::run::{Measured, Run};
use crate::series::{GiveUp, Series};
use crate::set::{Instance, Kind};
use crate::table::short;

use super::Experiment;
use tables::{against, all_figures, cactus, sizes, times};

/// Ours first, then the paper's, and what PlaJA does by itself.
const PRESETS: [&str; 9] =
    ["explain", "vea-w", "vea-mid", "bsverix-w", "bsverix-mid", "bsverix-eps", "sens-mid", "rand", "plaja"];
/// All states visited instead, for comparison; it knows no seeds.
const EXPLICIT: &str = "explicit";
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
                series.push(Series { runs, give_up: GiveUp::First(bench.size(3, 1)) });
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
        report.charts.push(("cegar_cactus".to_owned(), cactus(presets, &rows, limit)));
        report.charts.push(("cegar_against".to_owned(), against("explain", &rows, limit)));
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
