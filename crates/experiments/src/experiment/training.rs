//! `training`: the policies of the set, trained anew by the arguments that it records. The same seed gives the same bytes: a network that differs is told.

use crate::bench::Bench;
use crate::error::Error;
use crate::prepare::words;
use crate::report::Report;
use crate::run::{Ended, Measured, Run};
use crate::set::{Instance, Rates};
use crate::table::{Cell, Table, short};

use super::Experiment;

pub(super) struct Training;

impl Experiment for Training {
    fn name(&self) -> &'static str {
        "training"
    }

    fn about(&self) -> &'static str {
        "the policies of the set, trained anew: rates of random runs, and whether the networks are the same to the byte"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let limit = bench.seconds(3600.0, 10.0);
        let mut instances = bench.chosen(|instance| instance.training.is_some());
        // The shortest recipes first, where time is short.
        if bench.options.quick {
            instances.sort_by_key(steps);
            instances.truncate(1);
        }
        let runs: Result<Vec<Run>, Error> = instances.iter().map(|instance| train(bench, instance, limit)).collect();
        let measured = bench.carry_out_all(runs?)?;
        let columns = [
            "instance",
            "what",
            "NN",
            "goal",
            "goal, recorded",
            "unsafe",
            "unsafe, recorded",
            "stopped",
            "stopped, recorded",
            "network",
            "seconds",
            "*steps",
            "*updates",
            "*kept_step",
            "*cpu",
            "*ended",
            "*reason",
            "*load",
        ];
        let mut table = Table::new("training", "Policies trained anew", &columns);
        let mut differing = Vec::new();
        for (instance, run) in instances.iter().zip(&measured) {
            let same = if run.is_decided() { compare(bench, instance, run) } else { run.why() };
            if same == "differs" {
                differing.push(instance.name.as_str());
            }
            table.row(row(instance, run, same));
        }
        let mut report = Report {
            title: "Policies trained anew".to_owned(),
            about: vec![format!(
                "Every policy of the set that has a recipe, trained by its recorded arguments, for at most {} s. Rates are shares of random runs under the policy that was kept. `network` says whether the network is \
                 that of the set, byte by byte.",
                short(limit)
            )],
            tables: vec![table],
            ..Report::default()
        };
        if !differing.is_empty() {
            report.notes.push(format!(
                "Networks that differ from those of the set: {}. The same version, seed and arguments give the same bytes; so the set was made by another version, or this is a bug.",
                differing.join(", ")
            ));
        }
        report.note_load(&measured);
        Ok(report)
    }
}

/// How many steps a recipe has.
fn steps(instance: &Instance) -> u64 {
    let arguments = instance.training.as_deref().unwrap_or_default();
    let place = arguments.iter().position(|argument| argument == "--steps");
    place.and_then(|place| arguments.get(place + 1)?.parse().ok()).unwrap_or(u64::MAX)
}

/// The folder of a trained policy, relative to that of the experiment.
fn folder(instance: &Instance) -> String {
    format!("trained/{}", instance.name)
}

/// Training on the instance with a random policy, which says what is read and chosen among.
fn train(bench: &Bench<'_>, instance: &Instance, limit: f64) -> Result<Run, Error> {
    let settings = [&instance.settings[..], &words(&["policy=random"])].concat();
    let given = instance.training.as_deref().unwrap_or_default();
    let is_given = |name: &str| given.iter().any(|argument| argument == name);
    let property = instance.property.iter().filter(|_| !is_given("--property"));
    let property: Vec<String> = property.flat_map(|name| words(&["--property", name])).collect();
    let prepared = bench.generate(&instance.name, &instance.domain, &settings, &property)?;
    let mut arguments = [&words(&["zoo", "train"]), &prepared.arguments[..], given].concat();
    arguments.extend(words(&["--out", &folder(instance)]));
    // The number of threads changes no bytes.
    if !is_given("--threads") {
        arguments.extend(words(&["--threads", "1"]));
    }
    Ok(Run { question: None, arguments, ..bench.run("zoo", &prepared, &[], limit) })
}

/// Whether the trained network is that of the set.
fn compare(bench: &Bench<'_>, instance: &Instance, run: &Measured) -> &'static str {
    let (Ended::Answered, Some(network)) = (&run.ended, &instance.network) else { return "" };
    let committed = bench.set.folder.join(network);
    let extension = committed.extension().unwrap_or_default();
    let trained = bench.options.out.join(folder(instance)).join("policy").with_extension(extension);
    match (bench.bytes(&committed), bench.bytes(&trained)) {
        (Some(committed), Some(trained)) if committed == trained => "the same",
        (Some(_), Some(_)) => "differs",
        _ => "is missing",
    }
}

fn row(instance: &Instance, run: &Measured, same: &str) -> Vec<Cell> {
    let share = |name: &str| Cell::number(run.result["statistics"][name]["mean"].as_f64());
    let recorded = |share: fn(&Rates) -> Option<f64>| Cell::number(instance.rates.as_ref().and_then(share));
    vec![
        Cell::text(&instance.name),
        Cell::text(instance.label()),
        instance.width.map_or(Cell::Empty, |width| Cell::Count(width.into())),
        share("goal_share"),
        recorded(|rates| rates.goal),
        share("unsafe_share"),
        recorded(|rates| rates.unsafe_),
        share("stopped_share"),
        recorded(|rates| rates.stopped),
        Cell::text(same),
        Cell::number(Some(run.seconds())),
        Cell::count(run.result["steps"].as_f64()),
        Cell::count(run.result["updates"].as_f64()),
        Cell::count(run.result["kept_step"].as_f64()),
        Cell::number(run.cpu),
        Cell::text(run.word()),
        Cell::text(run.why()),
        Cell::number(run.load),
    ]
}
