//! `ppa-predicates` and `ppa-starts`: how policy predicate abstraction scales, as in Figures 1 and 2 of *Neural Network Action Policy Verification via Predicate Abstraction*.
//!
//! Racetrack on the map barto-small without probabilities; predicates `c <= v` over the position and the velocity of the car, by halving domains, one variable after the other. The whole reachable part is
//! built, beyond unsafe abstract states too, by every method of `abstract`; where a Python is given, the paper's methods by the paper's solvers as well (`--oracle paper`: Z3 and Marabou). There are no published numbers to set beside ours: the figures are drawings.

mod report;

use std::collections::BTreeMap;

use crate::bench::Bench;
use crate::error::Error;
use crate::prepare::Prepared;
use crate::report::Report;
use crate::run::{Measured, Run};
use crate::series::{GiveUp, Series};
use crate::set::Instance;

use super::Experiment;
use report::report;

/// What `abstract --method` knows: ours, and the paper's configurations.
const METHODS: [&str; 5] = ["builtin", "pa", "pa+relaxed", "pa+bb", "pa+relaxed+smt"];
/// So many sizes in a row at which a method met its limit, and it is not run at larger ones.
const PATIENCE: usize = 2;
/// The variables that predicates are about, in the order in which they are served.
const VARIABLES: [&str; 4] = ["car0_x", "car0_y", "car0_dx", "car0_dy"];
/// The paper's networks have two hidden layers of these sizes.
const WIDTHS: [u32; 4] = [16, 24, 32, 64];
/// Where a network of the paper is, in the folder of published data.
const PUBLISHED: &str = "plaja/icaps22/racetrack/networks/simple/barto-small/no_filtering";
const PROPERTY: [&str; 2] = ["--property", "no-crash"];

/// Over the number of predicates, from a single start state.
pub(super) struct Predicates;
/// Over the number of start states, for some numbers of predicates.
pub(super) struct Starts;

/// What is varied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    width: u32,
    predicates: usize,
    starts: usize,
}

/// A method, and who answers its questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Configuration {
    method: &'static str,
    /// What `--oracle` is told.
    oracle: &'static str,
}

impl Configuration {
    /// As tables and charts call it.
    fn name(self) -> String {
        if self.oracle == "builtin" { self.method.to_owned() } else { format!("{} (Z3, Marabou)", self.method) }
    }

    /// Whether the policy is asked for exactly, over the integers.
    fn is_exact(self) -> bool {
        !["pa", "pa+relaxed"].contains(&self.method)
    }
}

/// All methods by our oracle; the paper's by the paper's solvers, where there is a Python that may have them.
fn configurations(bench: &Bench<'_>) -> Vec<Configuration> {
    let by = |oracle| move |method: &&'static str| Configuration { method, oracle };
    // Z3 and Marabou are slow: quickly only without the policy, and exactly.
    let asked = bench.size(&METHODS[1..], &["pa", "pa+bb"][..]);
    let theirs = bench.options.python.iter().flat_map(|_| asked.iter().map(by("paper")));
    METHODS.iter().map(by("builtin")).chain(theirs).collect()
}

/// What the runs of a series have in common: the width, what `varied` calls it, who makes them.
type OneSeries = (u32, String, Configuration);

/// A point by one method.
struct Row {
    point: Place,
    policy: &'static str,
    configuration: Configuration,
    run: Measured,
}

impl Experiment for Predicates {
    fn name(&self) -> &'static str {
        "ppa-predicates"
    }

    fn about(&self) -> &'static str {
        "predicate abstraction over the number of predicates, all methods (Figure 1 of the paper on predicate abstraction)"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let widths = bench.size(&WIDTHS[..], &WIDTHS[..1]);
        // One per variable, and every fifth set from there, up to the finest.
        let counts: Vec<usize> = (4..=bench.size(200, 9)).step_by(5).collect();
        let points = widths.iter().flat_map(|width| counts.iter().map(|count| (*width, *count, 1)));
        let varied = |point: &Place| (format!("{} neurons", point.width), point.predicates);
        let points = points.map(|(width, predicates, starts)| Place { width, predicates, starts });
        let rows = measure(bench, points, varied)?;
        let title = "Predicate abstraction over the number of predicates";
        Ok(report(bench, "ppa_predicates", title, "predicates", &rows, varied))
    }
}

impl Experiment for Starts {
    fn name(&self) -> &'static str {
        "ppa-starts"
    }

    fn about(&self) -> &'static str {
        "predicate abstraction over the number of start states, all methods (Figure 2 of the paper on predicate abstraction)"
    }

    fn carry_out(&self, bench: &Bench<'_>) -> Result<Report, Error> {
        let widths = bench.size(&[16, 64][..], &[16][..]);
        let predicates = bench.size(&[30, 50, 75, 125][..], &[8][..]);
        let starts: Vec<usize> =
            if bench.options.quick { vec![1, 10] } else { [1].into_iter().chain((100..=1000).step_by(100)).collect() };
        let mut points = Vec::new();
        for width in widths {
            for predicates in predicates {
                points.extend(starts.iter().map(|starts| Place {
                    width: *width,
                    predicates: *predicates,
                    starts: *starts,
                }));
            }
        }
        let varied =
            |point: &Place| (format!("{} neurons, {} predicates", point.width, point.predicates), point.starts);
        let rows = measure(bench, points.into_iter(), varied)?;
        let title = "Predicate abstraction over the number of start states";
        Ok(report(bench, "ppa_starts", title, "start states", &rows, varied))
    }
}

/// Seconds of a run.
fn limit(bench: &Bench<'_>) -> f64 {
    bench.seconds(120.0, 1.0)
}

/// All points by all methods. `varied` says which points are one series, by a name, and are run one after the other until a method meets its limits.
fn measure(
    bench: &Bench<'_>,
    points: impl Iterator<Item = Place>,
    varied: impl Fn(&Place) -> (String, usize),
) -> Result<Vec<Row>, Error> {
    let (limit, configurations) = (limit(bench), configurations(bench));
    let mut rows = Vec::new();
    // By series: the places of its rows, and its runs.
    let mut series: BTreeMap<OneSeries, (Vec<usize>, Vec<Run>)> = BTreeMap::new();
    let mut made: BTreeMap<(u32, usize), (Prepared, &'static str)> = BTreeMap::new();
    let mut finest: BTreeMap<u32, usize> = BTreeMap::new();
    for point in points {
        // Beyond the finest set of predicates there is one row that says so.
        if finest.get(&point.width).is_some_and(|finest| point.predicates > *finest) {
            continue;
        }
        let place = (point.width, point.starts);
        if let std::collections::btree_map::Entry::Vacant(entry) = made.entry(place) {
            entry.insert(instance(bench, point.width, point.starts)?);
        }
        let Some((prepared, policy)) = made.get(&place) else { continue };
        if !bench.wants(&prepared.name) {
            continue;
        }
        let file = bench.predicates(prepared, point.predicates, &VARIABLES)?;
        if file.is_err() {
            finest.insert(point.width, point.predicates);
        }
        for configuration in &configurations {
            let (places, runs) = series.entry((point.width, varied(&point).0, *configuration)).or_default();
            places.push(rows.len());
            runs.push(run(bench, prepared, &file, *configuration, limit));
            rows.push((point.clone(), *policy, *configuration));
        }
    }
    let (places, series): (Vec<Vec<usize>>, Vec<Series>) =
        series.into_values().map(|(places, runs)| (places, Series { runs, give_up: GiveUp::InARow(PATIENCE) })).unzip();
    let measured = bench.carry_out(&series)?;
    let by_place: BTreeMap<usize, Measured> =
        places.into_iter().flatten().zip(measured.into_iter().flatten()).collect();
    let row = |((point, policy, configuration), run)| Row { point, policy, configuration, run };
    Ok(rows.into_iter().zip(by_place.into_values()).map(row).collect())
}

fn run(
    bench: &Bench<'_>,
    on: &Prepared,
    predicates: &Result<std::path::PathBuf, String>,
    Configuration { method, oracle }: Configuration,
    limit: f64,
) -> Run {
    let (file, broken) = match predicates {
        Ok(file) => (file.clone(), None),
        Err(why) => (std::path::PathBuf::new(), Some(why.clone())),
    };
    let shown = file.display().to_string();
    let mut options = vec!["--predicates", &shown, "--method", method, "--expand-unsafe"];
    let python = bench.options.python.as_ref().map(|python| python.display().to_string()).unwrap_or_default();
    let is_ours = oracle == "builtin";
    if !is_ours {
        options.extend(["--oracle", oracle, "--python", &python]);
    }
    let run = bench.run("abstract", on, &options, limit);
    let inputs = [&run.inputs[..], &[file]].concat();
    // What other people's solvers say is compared in a note: they may be wrong, and that is no contradiction of ours.
    let question = run.question.clone().filter(|_| is_ours);
    Run { question, inputs, broken: run.broken.clone().or(broken), ..run }
}

/// Racetrack with so many start states under a policy of a width: one of the set, else one that was published, else a random one.
fn instance(bench: &Bench<'_>, width: u32, starts: usize) -> Result<(Prepared, &'static str), Error> {
    let suits = |instance: &&Instance| {
        let map = instance.setting("map").unwrap_or("barto-small");
        instance.domain == "racetrack"
            && map == "barto-small"
            && instance.width == Some(width)
            && !instance.probabilistic
    };
    let published = bench
        .options
        .data
        .as_ref()
        .map(|data| data.join(PUBLISHED).join(format!("simple_barto-small_{width}_{width}.jani2nnet")));
    let published = published.filter(|file| file.is_file()).and_then(|file| file.canonicalize().ok());
    let (mut settings, policy) = match (bench.set.instances.iter().find(suits), published) {
        (Some(instance), _) => {
            let others =
                |setting: &&String| !["start=", "count=", "seed="].iter().any(|name| setting.starts_with(name));
            (instance.settings.iter().filter(others).cloned().chain(bench.network(instance)).collect(), "of the set")
        }
        (None, Some(file)) => (vec![format!("networks={}", file.display())], "published"),
        (None, None) => (vec!["policy=random".to_owned(), format!("hidden={width},{width}")], "random"),
    };
    if starts > 1 {
        settings.extend(["start=states".to_owned(), format!("count={starts}")]);
    }
    let name = format!("racetrack_{width}_{starts}");
    let prepared = bench.generate(&name, "racetrack", &settings, &PROPERTY.map(str::to_owned))?;
    Ok((prepared, policy))
}
