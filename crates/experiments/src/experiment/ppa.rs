//! `ppa-predicates` and `ppa-starts`: how policy predicate abstraction scales, as in Figures 1 and 2 of *Neural Network Action Policy Verification via Predicate Abstraction*.
//!
//! Racetrack on the map barto-small without probabilities; predicates `c <= v` over the position and the velocity of the car, by halving domains, one variable after the other. The whole reachable part is
//! built, beyond unsafe abstract states too, by every method of `abstract`. There are no published numbers to set beside ours: the figures are drawings.

use std::collections::BTreeMap;

use surefoot_chart::{Axis, Chart, Point, Series};

use crate::bench::{Bench, Prepared};
use crate::error::Error;
use crate::report::Report;
use crate::run::{Measured, Run};
use crate::set::Instance;
use crate::table::{Cell, Table, short};

use super::Experiment;

/// What `abstract --method` knows: ours, and the paper's configurations.
const METHODS: [&str; 5] = ["builtin", "pa", "pa+relaxed", "pa+bb", "pa+relaxed+smt"];
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

/// A point by one method.
struct Row {
    point: Place,
    policy: &'static str,
    method: &'static str,
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
        let rows = measure(bench, points.map(|(width, predicates, starts)| Place { width, predicates, starts }))?;
        let varied = |point: &Place| (format!("{} neurons", point.width), point.predicates);
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
        let rows = measure(bench, points.into_iter())?;
        let varied =
            |point: &Place| (format!("{} neurons, {} predicates", point.width, point.predicates), point.starts);
        let title = "Predicate abstraction over the number of start states";
        Ok(report(bench, "ppa_starts", title, "start states", &rows, varied))
    }
}

/// Seconds of a run.
fn limit(bench: &Bench<'_>) -> f64 {
    bench.seconds(120.0, 1.0)
}

/// All points by all methods.
fn measure(bench: &Bench<'_>, points: impl Iterator<Item = Place>) -> Result<Vec<Row>, Error> {
    let limit = limit(bench);
    let (mut runs, mut rows) = (Vec::new(), Vec::new());
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
        for method in &METHODS {
            runs.push(run(bench, prepared, &file, method, limit));
            rows.push((point.clone(), *policy, *method));
        }
    }
    let measured = bench.carry_out_all(runs)?;
    let row = |((point, policy, method), run)| Row { point, policy, method, run };
    Ok(rows.into_iter().zip(measured).map(row).collect())
}

fn run(
    bench: &Bench<'_>,
    on: &Prepared,
    predicates: &Result<std::path::PathBuf, String>,
    method: &str,
    limit: f64,
) -> Run {
    let (file, broken) = match predicates {
        Ok(file) => (file.clone(), None),
        Err(why) => (std::path::PathBuf::new(), Some(why.clone())),
    };
    let shown = file.display().to_string();
    let options = ["--predicates", &shown, "--method", method, "--expand-unsafe"];
    let run = bench.run("abstract", on, &options, limit);
    let inputs = [&run.inputs[..], &[file]].concat();
    Run { inputs, broken: run.broken.clone().or(broken), ..run }
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

/// A page: a table of methods side by side, all figures in a file, and charts by `varied`, which says the name of a chart and the place of a point in it.
fn report(
    bench: &Bench<'_>,
    name: &str,
    title: &str,
    axis: &str,
    rows: &[Row],
    varied: impl Fn(&Place) -> (String, usize),
) -> Report {
    let mut report = Report {
        title: title.to_owned(),
        about: vec![
            format!(
                "Racetrack on the map barto-small; the whole part of the abstract state space that is reachable, beyond unsafe states too. At most {} s for each run, on one thread. A cell has seconds, and the \
                 number of reachable abstract states; `-` is a run that met the limit.",
                short(limit(bench))
            ),
            "The paper's Figures 1 and 2 are drawings: there are no numbers to set beside ours. `pa` leaves the policy out, `pa+relaxed` asks for it over the reals (the paper's PA+Marabou), `pa+bb` exactly by branch and \
             bound (PA+BB(Marabou)), `pa+relaxed+smt` exactly after the relaxed test (PA+Marabou+Z3); `builtin` is ours, exact as the last two. Exact methods must reach the same abstract states."
                .to_owned(),
        ],
        ..Report::default()
    };
    report.tables.push(side_by_side(name, title, rows));
    report.tables.push(all_figures(name, rows, limit(bench)));
    report.charts = charts(name, axis, rows, varied);
    let differing = differing(rows);
    if !differing.is_empty() {
        report.notes.push(format!(
            "Exact methods differ in their numbers of states, which must not be: {}.",
            differing.join("; ")
        ));
    }
    report.note_load(rows.iter().map(|row| &row.run));
    report
}

fn side_by_side(name: &str, title: &str, rows: &[Row]) -> Table {
    let columns = [&["width", "policy", "predicates", "start states"], &METHODS[..]].concat();
    let mut table = Table::new(format!("{name}_methods"), title, &columns);
    for methods in rows.chunk_by(|a, b| a.point == b.point) {
        let first = &methods[0];
        let point = &first.point;
        let mut cells = vec![
            Cell::Count(point.width.into()),
            Cell::text(first.policy),
            Cell::Count(point.predicates as u64),
            Cell::Count(point.starts as u64),
        ];
        cells.extend(METHODS.iter().map(|method| {
            methods
                .iter()
                .find(|row| row.method == *method)
                .map_or(Cell::Empty, |row| Cell::text(seconds_and_states(&row.run)))
        }));
        table.row(cells);
    }
    table
}

fn seconds_and_states(run: &Measured) -> String {
    match run.figure("reachable_states").filter(|_| is_complete(run)) {
        Some(states) => format!("{} ({states})", short(run.seconds())),
        None if run.result.is_null() => format!("{}: {}", run.word(), run.why()),
        None => "-".to_owned(),
    }
}

/// Whether everything reachable was built: an unsafe abstract state leaves the verdict open, a limit the figures.
fn is_complete(run: &Measured) -> bool {
    run.is_decided() || run.why() == "an abstract unsafe state is reached"
}

fn all_figures(name: &str, rows: &[Row], limit: f64) -> Table {
    let columns = [
        "width",
        "policy",
        "predicates",
        "start_states",
        "method",
        "oracle",
        "complete",
        "states",
        "expanded",
        "transitions",
        "seconds",
        "cpu",
        "wall",
        "peak_bytes",
        "queries",
        "nodes",
        "verdict",
        "reason",
        "limit",
        "load",
    ];
    let mut table = Table::new(name, "All figures", &columns).long();
    for Row { point, policy, method, run } in rows {
        let figure = |name: &str| Cell::count(run.figure(name));
        let oracle = run.result["oracle"].as_str().unwrap_or(if run.result.is_null() { "" } else { "builtin" });
        table.row([
            Cell::Count(point.width.into()),
            Cell::text(*policy),
            Cell::Count(point.predicates as u64),
            Cell::Count(point.starts as u64),
            Cell::text(*method),
            Cell::text(oracle),
            Cell::text(if is_complete(run) { "yes" } else { "no" }),
            figure("reachable_states"),
            figure("expanded_states"),
            figure("transitions"),
            Cell::number(Some(run.seconds())),
            Cell::number(run.cpu),
            Cell::number(Some(run.wall)),
            Cell::count(run.peak.map(crate::table::float)),
            figure("oracle_queries"),
            figure("oracle_nodes"),
            Cell::text(run.word()),
            Cell::text(run.why()),
            Cell::Number(limit),
            Cell::number(run.load),
        ]);
    }
    table
}

/// Points at which the exact methods do not reach the same number of abstract states.
fn differing(rows: &[Row]) -> Vec<String> {
    let exact = |row: &&Row| is_complete(&row.run) && ["builtin", "pa+bb", "pa+relaxed+smt"].contains(&row.method);
    let mut found = Vec::new();
    for methods in rows.chunk_by(|a, b| a.point == b.point) {
        let states: Vec<(&str, f64)> = methods
            .iter()
            .filter(exact)
            .filter_map(|row| Some((row.method, row.run.figure("reachable_states")?)))
            .collect();
        if states.windows(2).any(|pair| pair[0].1 != pair[1].1) {
            found.push(format!("{:?}: {states:?}", methods[0].point));
        }
    }
    found
}

/// A chart: width, predicates unless they are what is varied, and its name.
type Group = (u32, usize, String);
/// What is drawn: the name of a file, that of the axis, and the number.
type Figure = (&'static str, &'static str, fn(&Measured) -> Option<f64>);

/// Seconds and states, a chart for each value of what is not varied.
fn charts(name: &str, axis: &str, rows: &[Row], varied: impl Fn(&Place) -> (String, usize)) -> Vec<(String, Chart)> {
    let mut groups: BTreeMap<Group, Vec<(usize, &Row)>> = BTreeMap::new();
    for row in rows {
        let (group, x) = varied(&row.point);
        // In the order of numbers, not of texts.
        let predicates = if axis == "predicates" { 0 } else { row.point.predicates };
        groups.entry((row.point.width, predicates, group)).or_default().push((x, row));
    }
    let mut charts = Vec::new();
    for ((width, predicates, group), rows) in groups {
        let figures: [Figure; 2] = [
            ("seconds", "seconds", |run| Some(run.seconds())),
            ("states", "reachable abstract states", |run| run.figure("reachable_states").filter(|_| is_complete(run))),
        ];
        for (file, title, figure) in figures {
            let series = METHODS.iter().map(|method| Series {
                name: (*method).to_owned(),
                points: rows
                    .iter()
                    .filter(|(_, row)| row.method == *method && row.run.figure("reachable_states").is_some())
                    .filter_map(|(x, row)| {
                        Some(Point {
                            x: crate::table::float(*x as u64),
                            y: figure(&row.run)?,
                            limit: !is_complete(&row.run),
                        })
                    })
                    .collect(),
            });
            let chart = Chart {
                title: format!("{title}: {group}"),
                x: Axis::linear(axis),
                y: Axis::logarithmic(title),
                series: series.collect(),
                mark: None,
                points: true,
            };
            let part = if predicates > 0 { format!("_{predicates}") } else { String::new() };
            charts.push((format!("{name}_{width}{part}_{file}"), chart));
        }
    }
    charts
}
