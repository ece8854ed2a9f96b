//! The kinds of charts that benchmarks need.

use crate::axis::Axis;
use crate::chart::{Chart, Form, Point, Rule, Series};
use crate::number::Unit;

/// How many times as much, for which a comparison with a peer has lines.
const FACTORS: [f64; 7] = [0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0];

impl Chart {
    /// How something grows: lines with marks.
    pub fn growth(title: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Self {
        Self { title: title.into(), x, y, form: Form::Growth, series, rules: Vec::new() }
    }

    /// A cactus plot: how many runs of each series had ended after so many seconds, up to a limit.
    ///
    /// Runs that took as long as the limit, or infinitely long, have not ended. A run that took no time at all by its clock counts as the fastest of the others.
    pub fn cactus(
        title: impl Into<String>,
        limit: Option<f64>,
        seconds: impl IntoIterator<Item = (String, Vec<f64>)>,
    ) -> Self {
        let has_ended =
            |seconds: &f64| *seconds >= 0.0 && seconds.is_finite() && limit.is_none_or(|limit| *seconds < limit);
        let runs: Vec<(String, Vec<f64>)> = seconds
            .into_iter()
            .map(|(name, seconds)| (name, seconds.into_iter().filter(has_ended).collect()))
            .collect();
        let most = runs.iter().map(|(_, seconds)| seconds.len()).max().unwrap_or(0).max(1);
        let positive = runs.iter().flat_map(|(_, seconds)| seconds).copied().filter(|seconds| *seconds > 0.0);
        let fastest = positive.reduce(f64::min).unwrap_or(1.0);
        let series = runs.into_iter().map(|(name, mut seconds)| {
            seconds.sort_by(f64::total_cmp);
            Series::new(
                name,
                seconds.into_iter().enumerate().map(|(index, seconds)| (seconds.max(fastest), number(index + 1))),
            )
        });
        Self {
            title: title.into(),
            x: Axis::seconds("time of a run"),
            y: Axis { unit: Unit::Count, ends: Some((0.0, number(most))), ..Axis::linear("runs that ended within it") },
            form: Form::Cactus,
            series: series.collect(),
            rules: limit
                .map(|limit| Rule::Up(limit, format!("limit {}", Unit::Seconds.write(limit, 0.0))))
                .into_iter()
                .collect(),
        }
    }

    /// A comparison with a peer: a mark for each instance, on two axes with the same ends, with lines for equal and for 2, 10 and 100 times as much. What never came is infinite, and lies on the border of its axis.
    pub fn scatter(title: impl Into<String>, x: Axis, y: Axis, series: Vec<Series>) -> Self {
        let mut chart =
            Self { title: title.into(), x, y, form: Form::Scatter, series, rules: FACTORS.map(Rule::Times).to_vec() };
        let ends = [chart.x.range(chart.xs()), chart.y.range(chart.ys())].into_iter().flatten();
        let ends = ends.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        (chart.x.ends, chart.y.ends) = (chart.x.ends.or(ends), chart.y.ends.or(ends));
        chart
    }

    /// Areas between a lower and an upper number, and a threshold with its name.
    pub fn band(
        title: impl Into<String>,
        x: Axis,
        y: Axis,
        series: Vec<Series>,
        threshold: Option<(f64, String)>,
    ) -> Self {
        let rules = threshold.map(|(place, name)| Rule::Across(place, name)).into_iter().collect();
        Self { title: title.into(), x, y, form: Form::Band, series, rules }
    }

    /// Bars from a lower to an upper number, in a row for each of some words, and a threshold with its name.
    pub fn spans(
        title: impl Into<String>,
        x: Axis,
        rows: Vec<String>,
        series: Vec<Series>,
        threshold: Option<(f64, String)>,
    ) -> Self {
        let rules = threshold.map(|(place, name)| Rule::Up(place, name)).into_iter().collect();
        Self { title: title.into(), x, y: Axis::words("", rows), form: Form::Spans, series, rules }
    }
}

impl Series {
    /// An interval over time from when it was known: each holds until the next one came.
    pub fn held(name: impl Into<String>, told: impl IntoIterator<Item = (f64, f64, f64)>, end: Option<f64>) -> Self {
        let mut points: Vec<Point> = Vec::new();
        for (x, lower, upper) in told {
            if let Some(last) = points.last().copied() {
                points.push(Point { x, ..last });
            }
            points.push(Point::between(x, lower, upper));
        }
        let last = points.last().copied();
        points.extend(last.zip(end).filter(|(last, end)| last.x < *end).map(|(last, end)| Point { x: end, ..last }));
        Self { name: name.into(), points }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(chart: &Chart, series: usize) -> Vec<(f64, f64)> {
        chart.series[series].points.iter().map(|point| (point.x, point.y)).collect()
    }

    #[test]
    fn a_cactus_counts_runs_that_ended() {
        let seconds = vec![3.0, 0.0, 2.0, 5.0, f64::INFINITY, f64::NAN, -1.0];
        let cactus = Chart::cactus("t", Some(5.0), [("a".to_owned(), seconds), ("b".to_owned(), Vec::new())]);
        assert_eq!(places(&cactus, 0), [(2.0, 1.0), (2.0, 2.0), (3.0, 3.0)]);
        assert_eq!([&cactus.series[0].name, &cactus.series[1].name], ["a", "b"]);
        assert_eq!(cactus.y.ends, Some((0.0, 3.0)));
        assert_eq!(cactus.rules, [Rule::Up(5.0, "limit 5 s".to_owned())]);
    }

    #[test]
    fn peers_have_the_same_ends() {
        let [x, y] = ["ours", "theirs"].map(|name| Axis::seconds(name).with_border("> 20 s"));
        let scatter = Chart::scatter("t", x, y, vec![Series::new("", [(0.1, 10.0), (f64::INFINITY, 0.5), (0.0, 1e9)])]);
        assert_eq!((scatter.x.ends, scatter.y.ends), (Some((0.1, 10.0)), Some((0.1, 10.0))));
        assert_eq!(scatter.left_out(), 1);
    }

    #[test]
    fn an_interval_holds_until_the_next() {
        let held = Series::held("p", [(0.5, 0.0, 1.0), (0.9, 0.25, 0.5)], Some(2.0));
        let corners: Vec<(f64, Option<f64>, f64)> =
            held.points.iter().map(|point| (point.x, point.other, point.y)).collect();
        assert_eq!(
            corners,
            [(0.5, Some(0.0), 1.0), (0.9, Some(0.0), 1.0), (0.9, Some(0.25), 0.5), (2.0, Some(0.25), 0.5)]
        );
    }
}
