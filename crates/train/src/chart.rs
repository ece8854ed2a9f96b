//! Learning curves as a chart: shares of runs over the steps of training.

use surefoot_chart::{Axis, Chart, Form, Rule, Series};
use surefoot_explicit::simulate::RunEnd;

use crate::curve::Point;

/// The curves: a name, and what ends it counts.
const SERIES: [(&str, RunEnd); 3] = [("goal", RunEnd::Goal), ("unsafe", RunEnd::Reach), ("stopped", RunEnd::Stopped)];

/// The chart of points, as SVG; the one of the policy that is kept has a mark.
#[must_use]
pub fn svg(title: &str, points: &[Point], kept: u64) -> String {
    let last = points.last().map_or(0, |point| point.step).max(1);
    #[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
    let place = |step: u64| step as f64;
    let series = SERIES
        .into_iter()
        .map(|(name, end)| Series::new(name, points.iter().map(|point| (place(point.step), point.share(end).mean))));
    let x = Axis { ends: Some((0.0, place(last))), ..Axis::linear("steps of training") };
    Chart {
        title: title.to_owned(),
        x,
        y: Axis::share("share of runs"),
        series: series.collect(),
        form: Form::Lines,
        rules: vec![Rule::Up(place(kept.min(last)), "kept".to_owned())],
    }
    .svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_three_curves_and_a_mark() {
        let text = svg("a model", &[], 0);
        for part in [">a model<", ">goal<", ">unsafe<", ">stopped<", ">kept<", ">25 %<", ">steps of training<"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
