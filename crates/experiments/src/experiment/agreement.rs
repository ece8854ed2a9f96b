//! `agreement`: every engine on every instance of the set. Verdicts and intervals that contradict each other, or what the set records, end the experiment.

use crate::bench::Bench;
use crate::error::Error;
use crate::report::Report;
use crate::run::{Measured, Run};
use crate::set::Instance;
use crate::table::{Cell, Table, short};

use super::Experiment;

/// Engines: the name of a column, the command, its options.
type Engine = (&'static str, &'static str, &'static [&'static str]);

const VERDICTS: [Engine; 4] = [
    ("explicit", "verify", &["--engine", "explicit"]),
    ("cegar", "verify", &["--engine", "cegar"]),
    ("bmc", "verify", &["--engine", "bmc"]),
    ("auto", "verify", &["--engine", "auto"]),
];
const PROBABILITIES: [Engine; 5] = [
    ("explicit", "bounds", &["--engine", "explicit"]),
    ("boxes", "bounds", &["--engine", "cegar", "--precision", "0.05"]),
    ("paper", "bounds", &["--engine", "cegar", "--algorithm", "paper"]),
    ("auto", "bounds", &["--engine", "auto", "--precision", "0.05"]),
    ("verify", "verify", &["--engine", "auto"]),
];

pub(super) struct Agreement;

impl Experiment for Agreement {
    fn name(&self) -> &'static str {
        "agreement"
    }

    fn about(&self) -> &'static str {
        "every engine on every instance of the set: all must say the same"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let limit = bench.seconds(60.0, 1.0);
        let mut report = Report {
            title: "Agreement of engines".to_owned(),
            about: vec![format!(
                "Every engine decides every instance, for at most {} s each. Verdicts that contradict each other, a verdict and an interval that do, two intervals that have no number in \
                 common, or any of them and what the set records: each of these ends the experiment with an error, so that this page exists only where there are none.",
                short(limit)
            )],
            ..Report::default()
        };
        let (mut verdicts, mut probabilities) = (bench.chosen(|i| !i.probabilistic), bench.chosen(|i| i.probabilistic));
        verdicts.truncate(bench.size(usize::MAX, 3));
        probabilities.truncate(bench.size(usize::MAX, 2));
        let mut all = Vec::new();
        for (name, title, engines, instances) in [
            ("agreement_verdicts", "Verdicts", &VERDICTS[..], verdicts),
            ("agreement_probabilities", "Probabilities", &PROBABILITIES[..], probabilities),
        ] {
            let (table, runs) = compare(bench, name, title, engines, &instances, limit)?;
            report.tables.push(table);
            all.extend(runs);
        }
        report.note_load(&all);
        Ok(report)
    }
}

fn compare(
    bench: &Bench<'_>,
    name: &str,
    title: &str,
    engines: &[Engine],
    instances: &[Instance],
    limit: f64,
) -> Result<(Table, Vec<Measured>), Error> {
    let mut runs: Vec<Run> = Vec::new();
    for instance in instances {
        bench.hold_against_record(instance)?;
        let prepared = bench.prepare(instance)?;
        runs.extend(engines.iter().map(|(_, command, options)| bench.run(command, &prepared, options, limit)));
    }
    let measured = bench.carry_out_all(runs)?;
    let mut columns = vec!["instance", "what", "width", "filter"];
    let details: Vec<[String; 3]> = engines
        .iter()
        .map(|(engine, ..)| [format!("*{engine} seconds"), format!("*{engine} cpu"), format!("*{engine} reason")])
        .collect();
    for ((engine, ..), details) in engines.iter().zip(&details) {
        columns.push(engine);
        columns.extend(details.iter().map(String::as_str));
    }
    columns.extend(["recorded", "decided by"]);
    let mut table = Table::new(name, title, &columns);
    for (instance, runs) in instances.iter().zip(measured.chunks(engines.len())) {
        let mut row = vec![
            Cell::text(&instance.name),
            Cell::text(instance.label()),
            instance.width.map_or(Cell::Empty, |width| Cell::Count(width.into())),
            Cell::text(if instance.filter { "on" } else { "off" }),
        ];
        for run in runs {
            row.extend([
                Cell::text(said(run)),
                Cell::number(Some(run.seconds())),
                Cell::number(run.cpu),
                Cell::text(run.why()),
            ]);
        }
        row.push(Cell::text(recorded(instance)));
        let decided = runs.iter().filter(|run| run.is_decided()).count();
        row.push(Cell::text(format!("{decided} of {}", runs.len())));
        table.row(row);
    }
    Ok((table, measured))
}

/// What a run said, and how soon.
fn said(run: &Measured) -> String {
    let what = match run.value() {
        Some((lower, upper)) => format!("[{}, {}]", short(lower), short(upper)),
        None => run.word().to_owned(),
    };
    format!("{what}, {} s", short(run.seconds()))
}

fn recorded(instance: &Instance) -> String {
    let value = instance.value.map(|[lower, upper]| format!("[{}, {}]", short(lower), short(upper)));
    instance.verdict.clone().into_iter().chain(value).collect::<Vec<_>>().join(" ")
}
