//! `bounds`: single bounds on the probability, decided alone and in an incremental run, as in Table 2 of the paper on probabilities.

use surefoot_chart::{Axis, Chart, Rule, Series};

use crate::bench::Bench;
use crate::error::Error;
use crate::events::{Watch, first};
use crate::published::probabilistic as published;
use crate::report::{DIFFERENT, Report};
use crate::run::{Measured, Run};
use crate::set::{Instance, Kind};
use crate::table::{Cell, Table, short};

use super::Experiment;
use super::probabilistic::{load, suits};

/// The bounds of Table 2.
const BOUNDS: [&str; 6] = ["0", "0.05", "0.1", "0.2", "0.3", "0.5"];
/// Steps and beginnings: the default, and the others that the text speaks of.
const SEARCHES: [(&str, &str); 4] = [("0.05", "0"), ("0.01", "0"), ("0.1", "0"), ("0.05", "1")];

pub(super) struct Bounds;

impl Experiment for Bounds {
    fn name(&self) -> &'static str {
        "bounds"
    }

    fn about(&self) -> &'static str {
        "single bounds decided alone, and the moment at which an incremental run had decided them (Table 2 of the paper on probabilities)"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let limit = bench.seconds(120.0, 2.0);
        let bounds = bench.size(&BOUNDS[..], &["0", "0.1", "0.5"][..]);
        let searches = bench.size(&SEARCHES[..], &SEARCHES[..1]);
        let instances = chosen(bench);
        let mut runs = Vec::new();
        for instance in &instances {
            let prepared = bench.prepare(instance)?;
            for bound in bounds {
                let options = ["--engine", "cegar", "--algorithm", "paper", "--p-max", bound];
                runs.push(bench.run("bounds", &prepared, &options, limit));
            }
            for (step, init) in searches {
                let options = ["--engine", "cegar", "--algorithm", "paper", "--p-step", step, "--p-init", init];
                runs.push(Run { watch: Watch::Band, ..bench.run("bounds", &prepared, &options, limit) });
            }
        }
        let measured = bench.carry_out_all(runs)?;
        let columns = [
            "benchmark",
            "*instance",
            "NN",
            "app",
            "p_u",
            "step",
            "from",
            "p_u alone",
            "seconds alone",
            "incremental",
            "seconds incremental",
            "p_u, paper",
            "seconds alone, paper",
            "seconds incremental, paper",
            "*alone_reason",
            "*incremental_reason",
            "*lower",
            "*upper",
            "*run_seconds",
            "*alone_cpu",
            "*run_cpu",
            "*limit",
            "*load",
        ];
        let mut table = Table::new("bounds", "Single bounds", &columns);
        let mut charts = Vec::new();
        for (instance, runs) in instances.iter().zip(measured.chunks(bounds.len() + searches.len())) {
            let (alone, incremental) = runs.split_at(bounds.len());
            charts.push((format!("bounds_{}", instance.name), narrowing(instance, bounds, searches, incremental)));
            for (search, run) in searches.iter().zip(incremental) {
                for (bound, alone) in bounds.iter().zip(alone) {
                    table.row(bound_row(instance, bound, *search, alone, run, limit));
                }
            }
        }
        let mut report = Report {
            title: "Single bounds, alone and in an incremental run".to_owned(),
            about: vec![
                format!(
                    "Whether the probability of unsafety is at most p_u: decided by a run of its own, and by the interval of an incremental run as soon as that decides it; both by the paper's algorithm, at most {} s for each \
                     run, on one thread. The paper's table has steps of 0.05 from 0.",
                    short(limit)
                ),
                DIFFERENT.to_owned(),
            ],
            tables: vec![table],
            charts,
            ..Report::default()
        };
        report.note_load(&measured);
        Ok(report)
    }
}

/// How the interval of each incremental run became narrower, and the bounds that it decides.
fn narrowing(instance: &Instance, bounds: &[&str], searches: &[(&str, &str)], runs: &[Measured]) -> Chart {
    let series = searches.iter().zip(runs).map(|((step, init), run)| {
        let told = run.told.as_array().into_iter().flatten().filter_map(|entry| {
            let [seconds, lower, upper] = [0, 1, 2].map(|index| entry[index].as_f64());
            Some((seconds?, lower?, upper?))
        });
        let end = run.value().map(|(lower, upper)| (run.seconds(), lower, upper));
        Series::held(format!("steps of {step} from {init}"), told.chain(end), None)
    });
    let y = Axis { ends: Some((0.0, 1.0)), ..Axis::linear("probability") };
    let title = format!("{}: the interval over time", instance.label());
    let mut chart = Chart::band(title, Axis::seconds("time"), y, series.collect(), None);
    chart.rules =
        bounds.iter().filter_map(|bound| Some(Rule::Across(bound.parse().ok()?, format!("p_u = {bound}")))).collect();
    chart
}

/// Those that the table has; some others where the set has none of them.
fn chosen(bench: &Bench<'_>) -> Vec<Instance> {
    let all = bench.chosen(suits);
    let of_table = |instance: &&Instance| {
        let kind = instance.kind().filter(|kind| *kind == Kind::Blocks(4));
        kind.is_some_and(|kind| published::bound(kind, instance.costs, instance.width, instance.filter, 0.0).is_some())
    };
    let found: Vec<Instance> = all.iter().filter(of_table).cloned().collect();
    let mut found = if found.is_empty() { all } else { found };
    found.truncate(bench.size(4, 1));
    found
}

fn bound_row(
    instance: &Instance,
    bound: &str,
    (step, init): (&str, &str),
    alone: &Measured,
    run: &Measured,
    limit: f64,
) -> Vec<Cell> {
    let number: f64 = bound.parse().unwrap_or(f64::NAN);
    let when = |holds: &dyn Fn(f64, f64) -> bool| {
        let at_end = || run.value().filter(|(lower, upper)| holds(*lower, *upper)).map(|_| run.seconds());
        first(&run.told, holds).or_else(at_end)
    };
    let (safe, violated) = (when(&|_, upper| upper <= number), when(&|lower, _| lower > number));
    let (settled, seconds) = match (safe, violated) {
        (Some(seconds), _) => ("holds", Some(seconds)),
        (None, Some(seconds)) => ("violated", Some(seconds)),
        (None, None) => ("unknown", None),
    };
    let theirs = (init == "0" && step == "0.05").then(|| instance.kind()).flatten();
    let theirs =
        theirs.and_then(|kind| published::bound(kind, instance.costs, instance.width, instance.filter, number));
    let beside = |seconds: Option<u32>| Cell::text(seconds.map_or("-".to_owned(), |seconds| seconds.to_string()));
    let word = |holds: Option<bool>| holds.map_or("unknown", |holds| if holds { "holds" } else { "violated" });
    vec![
        Cell::text(instance.label()),
        Cell::text(&instance.name),
        instance.width.map_or(Cell::Empty, |width| Cell::Count(width.into())),
        Cell::text(if instance.filter { "✓" } else { "×" }),
        Cell::text(bound),
        Cell::text(step),
        Cell::text(init),
        Cell::text(alone.word()),
        Cell::number(alone.is_decided().then(|| alone.seconds())),
        Cell::text(settled),
        Cell::number(seconds),
        theirs.map_or(Cell::Empty, |entry| Cell::text(word(entry.0))),
        theirs.map_or(Cell::Empty, |entry| beside(entry.1)),
        theirs.map_or(Cell::Empty, |entry| beside(entry.2)),
        Cell::text(alone.why()),
        Cell::text(run.why()),
        Cell::number(run.value().map(|value| value.0)),
        Cell::number(run.value().map(|value| value.1)),
        Cell::number(Some(run.seconds())),
        Cell::number(alone.cpu),
        Cell::number(run.cpu),
        Cell::Number(limit),
        load(alone, run),
    ]
}
