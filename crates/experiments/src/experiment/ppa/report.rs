//! What the runs of abstractions come to: methods side by side, all figures, charts.

use std::collections::BTreeMap;

use surefoot_chart::{Axis, Chart, Point, Series};

use crate::bench::Bench;
use crate::report::Report;
use crate::run::{Ended, Measured};
use crate::table::{Cell, Table, float, short};

use super::{Configuration, Place, Row, configurations, limit};

/// A page: a table of methods side by side, all figures in a file, and charts by `varied`, which says the name of a chart and the place of a point in it.
pub(super) fn report(
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
                 number of reachable abstract states; `-` is a run that met the limit. A method that met it at two sizes in a row is not run at larger ones (`not run`).",
                short(limit(bench))
            ),
            "The paper's Figures 1 and 2 are drawings: there are no numbers to set beside ours. `pa` leaves the policy out, `pa+relaxed` asks for it over the reals (the paper's PA+Marabou), `pa+bb` exactly by branch and \
             bound (PA+BB(Marabou)), `pa+relaxed+smt` exactly after the relaxed test (PA+Marabou+Z3); `builtin` is ours, exact as the last two. Exact methods must reach the same abstract states. They are \
             answered by our oracle, and, where a Python was given (`--python`), once more by the paper's solvers, Z3 and Marabou."
                .to_owned(),
        ],
        ..Report::default()
    };
    let configurations = configurations(bench);
    report.tables.push(side_by_side(name, title, rows, &configurations));
    report.tables.push(all_figures(name, rows, limit(bench)));
    report.charts = charts(name, axis, rows, &configurations, varied);
    let ours = differing(rows, &|row| row.configuration.oracle == "builtin");
    let all = differing(rows, &|_| true);
    if !ours.is_empty() {
        report
            .notes
            .push(format!("Exact methods differ in their numbers of states, which must not be: {}.", ours.join("; ")));
    } else if !all.is_empty() {
        report.notes.push(format!(
            "With the paper's solvers exact methods differ from ours in their numbers of states: one of Z3 and Marabou was wrong, or we were: {}.",
            all.join("; ")
        ));
    }
    report.note_load(rows.iter().map(|row| &row.run));
    report
}

fn side_by_side(name: &str, title: &str, rows: &[Row], configurations: &[Configuration]) -> Table {
    let names: Vec<String> = configurations.iter().map(|configuration| configuration.name()).collect();
    let columns: Vec<&str> =
        ["width", "policy", "predicates", "start states"].into_iter().chain(names.iter().map(String::as_str)).collect();
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
        cells.extend(configurations.iter().map(|configuration| {
            methods
                .iter()
                .find(|row| row.configuration == *configuration)
                .map_or(Cell::Empty, |row| Cell::text(seconds_and_states(&row.run)))
        }));
        table.row(cells);
    }
    table
}

fn seconds_and_states(run: &Measured) -> String {
    match run.figure("reachable_states").filter(|_| is_complete(run)) {
        Some(states) => format!("{} ({states})", short(run.seconds())),
        None if matches!(run.ended, Ended::Skipped(_)) => run.word().to_owned(),
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
    for Row { point, policy, configuration, run } in rows {
        let figure = |name: &str| Cell::count(run.figure(name));
        let was_made = !matches!(run.ended, Ended::Skipped(_));
        table.row([
            Cell::Count(point.width.into()),
            Cell::text(*policy),
            Cell::Count(point.predicates as u64),
            Cell::Count(point.starts as u64),
            Cell::text(configuration.method),
            Cell::text(configuration.oracle),
            Cell::text(if is_complete(run) { "yes" } else { "no" }),
            figure("reachable_states"),
            figure("expanded_states"),
            figure("transitions"),
            Cell::number(was_made.then(|| run.seconds())),
            Cell::number(run.cpu),
            Cell::number(was_made.then_some(run.wall)),
            Cell::count(run.peak.map(float)),
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
fn differing(rows: &[Row], among: &dyn Fn(&Row) -> bool) -> Vec<String> {
    let exact = |row: &&Row| is_complete(&row.run) && row.configuration.is_exact() && among(row);
    let mut found = Vec::new();
    for methods in rows.chunk_by(|a, b| a.point == b.point) {
        let states: Vec<(String, f64)> = methods
            .iter()
            .filter(exact)
            .filter_map(|row| Some((row.configuration.name(), row.run.figure("reachable_states")?)))
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
fn charts(
    name: &str,
    axis: &str,
    rows: &[Row],
    configurations: &[Configuration],
    varied: impl Fn(&Place) -> (String, usize),
) -> Vec<(String, Chart)> {
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
            let series = configurations.iter().map(|configuration| Series {
                name: configuration.name(),
                points: rows
                    .iter()
                    .filter(|(_, row)| {
                        row.configuration == *configuration && row.run.figure("reachable_states").is_some()
                    })
                    .filter_map(|(x, row)| {
                        let point = Point::at(float(*x as u64), figure(&row.run)?);
                        Some(Point { limit: !is_complete(&row.run), ..point })
                    })
                    .collect(),
            });
            let y = if file == "seconds" { Axis::seconds(title) } else { Axis::logarithmic(title) };
            let chart = Chart::growth(format!("{title}: {group}"), Axis::count(axis), y, series.collect());
            let part = if predicates > 0 { format!("_{predicates}") } else { String::new() };
            charts.push((format!("{name}_{width}{part}_{file}"), chart));
        }
    }
    charts
}
