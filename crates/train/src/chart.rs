//! Learning curves as SVG: shares of runs over the steps of training, told apart by dashes, marks and words rather than colours.

use std::fmt::Write as _;

use surefoot_explicit::simulate::RunEnd;

use crate::curve::Point;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
/// The frame of the curves: left, right, top, bottom.
const FRAME: [f64; 4] = [56.0, 600.0, 40.0, 310.0];
/// Labels at the right end are at least so far apart.
const APART: f64 = 15.0;

/// A curve: its name, its dashes, its colour, and what ends it counts.
struct Series {
    name: &'static str,
    dashes: &'static str,
    colour: &'static str,
    end: RunEnd,
}

const SERIES: [Series; 3] = [
    Series { name: "goal", dashes: "none", colour: "#1b6ca8", end: RunEnd::Goal },
    Series { name: "unsafe", dashes: "7 4", colour: "#b3321f", end: RunEnd::Reach },
    Series { name: "stopped", dashes: "2 3", colour: "#555555", end: RunEnd::Stopped },
];

/// The chart of points; the one of the policy that is kept has a mark.
#[must_use]
pub fn svg(title: &str, points: &[Point], kept: u64) -> String {
    let [left, right, top, bottom] = FRAME;
    let last = points.last().map_or(0, |point| point.step).max(1);
    #[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
    let x = |step: u64| left + (right - left) * (step as f64 / last as f64);
    let y = |share: f64| bottom - (bottom - top) * share;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"22\" font-size=\"14\">{}</text>\n",
        escaped(title)
    );
    for tick in 0..=4u8 {
        let share = f64::from(tick) / 4.0;
        let _ = writeln!(
            text,
            "<line x1=\"{left}\" x2=\"{right}\" y1=\"{0:.1}\" y2=\"{0:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{3} %</text>",
            y(share),
            left - 6.0,
            y(share) + 4.0,
            25 * tick
        );
        let step = last / 4 * u64::from(tick);
        let _ =
            writeln!(text, "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{step}</text>", x(step), bottom + 18.0);
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">steps of training</text>",
        f64::midpoint(left, right),
        bottom + 36.0
    );
    let kept_at = x(kept.min(last));
    let _ = writeln!(
        text,
        "<line x1=\"{kept_at:.1}\" x2=\"{kept_at:.1}\" y1=\"{top}\" y2=\"{bottom}\" stroke=\"black\" stroke-dasharray=\"1 4\"/>\
         <text x=\"{kept_at:.1}\" y=\"{}\" text-anchor=\"middle\">kept</text>",
        top - 4.0
    );
    let mut labels: Vec<(f64, &Series)> = Vec::new();
    for series in &SERIES {
        let place = |point: &Point| format!("{:.1},{:.1}", x(point.step), y(point.share(series.end).mean));
        let places: Vec<String> = points.iter().map(place).collect();
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
            places.join(" "),
            series.colour,
            series.dashes
        );
        let end = points.last().map_or(0.0, |point| point.share(series.end).mean);
        labels.push((y(end), series));
    }
    // From the bottom up: below the frame there are numbers.
    labels.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut below = f64::MAX;
    for (at, series) in labels {
        let at = at.min(below - APART);
        below = at;
        let Series { name, dashes, colour, .. } = series;
        let _ = writeln!(
            text,
            "<line x1=\"{}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dashes}\"/><text x=\"{}\" y=\"{:.1}\">{name}</text>",
            right + 8.0,
            right + 34.0,
            right + 40.0,
            at + 4.0
        );
    }
    text.push_str("</svg>\n");
    text
}

/// A text inside of XML.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_stay_text() {
        assert_eq!(escaped("a<b>&\u{1b}c"), "a&lt;b&gt;&amp; c");
        let empty = svg("<nothing>", &[], 0);
        assert!(empty.starts_with("<svg ") && empty.ends_with("</svg>\n") && empty.contains("&lt;nothing&gt;"));
    }
}
