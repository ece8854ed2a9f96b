//! Charts drawn as SVG.

use std::fmt::Write as _;

use crate::axis::Fitted;
use crate::{Chart, Series};

const WIDTH: f64 = 720.0;
/// The frame of the curves: left, right, top.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 540.0;
const TOP: f64 = 40.0;
/// Its least height; it grows with the number of series.
const HEIGHT: f64 = 270.0;
/// Below the frame: numbers and a title.
const FOOT: f64 = 50.0;
/// Names at the right end are at least so far apart.
const APART: f64 = 15.0;

/// Colours, dashes and marks: the first series have all three of their own.
const COLOURS: [&str; 6] = ["#1b6ca8", "#b3321f", "#555555", "#2e7d32", "#7b4fa3", "#a86b00"];
const DASHES: [&str; 5] = ["none", "7 4", "2 3", "9 3 2 3", "1 4"];
const MARKS: usize = 7;

impl Chart {
    /// The chart as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let shown: Vec<&Series> = self.series.iter().collect();
        let frame = Frame {
            x: self.x.fit(points().map(|point| point.x).chain(self.mark.iter().map(|(x, _)| *x))),
            y: self.y.fit(points().map(|point| point.y)),
            #[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
            bottom: TOP + HEIGHT.max(APART * shown.len() as f64),
        };
        let mut text = frame.begin(&self.title);
        frame.axes(&mut text, self);
        if let Some((place, name)) = &self.mark {
            let x = frame.x(*place);
            let _ = writeln!(
                text,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{}\" stroke=\"black\" stroke-dasharray=\"1 4\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                frame.bottom,
                TOP - 4.0,
                escaped(name)
            );
        }
        let mut labels = Vec::new();
        for (index, series) in shown.into_iter().enumerate() {
            let places = self.places(&frame, series);
            frame.curve(&mut text, index, &places, self.points);
            // A series without points is named all the same: at the bottom.
            labels.push((places.last().map_or(frame.bottom, |(_, y, _)| *y), index, series));
        }
        frame.names(&mut text, labels, self.points);
        text.push_str("</svg>\n");
        text
    }

    /// Where the points of a series are that have a place.
    fn places(&self, frame: &Frame, series: &Series) -> Vec<(f64, f64, bool)> {
        let points = series.points.iter().filter(|point| self.x.takes(point.x) && self.y.takes(point.y));
        points.map(|point| (frame.x(point.x), frame.y(point.y), point.limit)).collect()
    }
}

/// Where things are.
struct Frame {
    x: Fitted,
    y: Fitted,
    bottom: f64,
}

impl Frame {
    fn x(&self, number: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * self.x.place(number)
    }

    fn y(&self, number: f64) -> f64 {
        self.bottom - (self.bottom - TOP) * self.y.place(number)
    }

    fn begin(&self, title: &str) -> String {
        let height = self.bottom + FOOT;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"18\" font-size=\"14\">{}</text>\n",
            escaped(title)
        )
    }

    fn axes(&self, text: &mut String, chart: &Chart) {
        let bottom = self.bottom;
        for (place, number) in self.y.ticks() {
            let y = bottom - (bottom - TOP) * place;
            let _ = writeln!(
                text,
                "<line x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{number}</text>",
                LEFT - 6.0,
                y + 4.0
            );
        }
        for (place, number) in self.x.ticks() {
            let x = LEFT + (RIGHT - LEFT) * place;
            let _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{number}</text>", bottom + 18.0);
        }
        let _ = writeln!(
            text,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            f64::midpoint(LEFT, RIGHT),
            bottom + 36.0,
            escaped(&chart.x.title)
        );
        let _ = writeln!(text, "<text x=\"{LEFT}\" y=\"{}\">{}</text>", TOP - 6.0, escaped(&chart.y.title));
    }

    fn curve(&self, text: &mut String, index: usize, places: &[(f64, f64, bool)], marked: bool) {
        let line: Vec<String> = places.iter().map(|(x, y, _)| format!("{x:.1},{y:.1}")).collect();
        let (colour, dashes) = (COLOURS[index % COLOURS.len()], DASHES[index % DASHES.len()]);
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-dasharray=\"{dashes}\"/>",
            line.join(" ")
        );
        for (x, y, limit) in places {
            if marked {
                mark(text, index, *x, *y);
            }
            if *limit {
                let _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"none\" stroke=\"black\"/>");
            }
        }
    }

    /// Names at the right end, each near the end of its curve. From the bottom up: below the frame there are numbers.
    fn names(&self, text: &mut String, mut labels: Vec<(f64, usize, &Series)>, marked: bool) {
        labels.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut places: Vec<f64> = Vec::new();
        for (at, ..) in &labels {
            places.push(places.last().map_or(*at, |below| at.min(below - APART)));
        }
        // What was pushed out at the top pushes back.
        let mut least = TOP;
        for place in places.iter_mut().rev() {
            *place = place.max(least);
            least = *place + APART;
        }
        for ((_, index, series), at) in labels.into_iter().zip(places) {
            let (colour, dashes) = (COLOURS[index % COLOURS.len()], DASHES[index % DASHES.len()]);
            let _ = writeln!(
                text,
                "<line x1=\"{}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{colour}\" stroke-width=\"1.6\" \
                 stroke-dasharray=\"{dashes}\"/><text x=\"{}\" y=\"{:.1}\">{}</text>",
                RIGHT + 8.0,
                RIGHT + 34.0,
                RIGHT + 40.0,
                at + 4.0,
                escaped(&series.name)
            );
            if marked {
                mark(text, index, RIGHT + 21.0, at);
            }
        }
    }
}

/// The mark of a series at a place.
fn mark(text: &mut String, index: usize, x: f64, y: f64) {
    let colour = COLOURS[index % COLOURS.len()];
    let path = |points: &[(f64, f64)]| {
        let points: Vec<String> = points.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy)).collect();
        points.join(" ")
    };
    let _ = match index % MARKS {
        0 => writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"),
        1 => writeln!(
            text,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\" fill=\"white\" stroke=\"{colour}\"/>",
            x - 3.0,
            y - 3.0
        ),
        2 => polygon(text, &path(&[(-4.0, 3.0), (4.0, 3.0), (0.0, -4.0)]), colour, colour),
        3 => polygon(text, &path(&[(-4.0, 0.0), (0.0, -4.0), (4.0, 0.0), (0.0, 4.0)]), "white", colour),
        4 => polygon(text, &path(&[(-4.0, -3.0), (4.0, -3.0), (0.0, 4.0)]), "white", colour),
        5 => writeln!(
            text,
            "<path d=\"M{:.1} {y:.1}h8M{x:.1} {:.1}v8\" stroke=\"{colour}\" fill=\"none\"/>",
            x - 4.0,
            y - 4.0
        ),
        _ => writeln!(
            text,
            "<path d=\"M{0:.1} {1:.1}l6 6M{0:.1} {2:.1}l6 -6\" stroke=\"{colour}\" fill=\"none\"/>",
            x - 3.0,
            y - 3.0,
            y + 3.0
        ),
    };
}

fn polygon(text: &mut String, points: &str, fill: &str, stroke: &str) -> std::fmt::Result {
    writeln!(text, "<polygon points=\"{points}\" fill=\"{fill}\" stroke=\"{stroke}\"/>")
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
    use crate::{Axis, Point};

    fn chart(series: Vec<Series>) -> Chart {
        let (x, y) = (Axis::linear("a < b"), Axis::logarithmic("s & t"));
        Chart { title: "<nothing>".to_owned(), x, y, series, mark: None, points: true }
    }

    /// Whether every tag is closed, in order: enough of XML for what is written here.
    fn is_well_formed(text: &str) -> bool {
        let mut open = Vec::new();
        for tag in text.split('<').skip(1) {
            let Some((tag, rest)) = tag.split_once('>') else { return false };
            if rest.contains('>') || tag.matches('"').count() % 2 == 1 {
                return false;
            }
            match (tag.strip_prefix('/'), tag.ends_with('/')) {
                (Some(name), _) if open.pop() != Some(name) => return false,
                (None, false) => open.push(tag.split(' ').next().unwrap_or_default()),
                _ => {}
            }
        }
        open.is_empty()
    }

    #[test]
    fn names_of_others_stay_text() {
        assert_eq!(escaped("a<b>&\u{1b}c"), "a&lt;b&gt;&amp; c");
        let empty = chart(Vec::new()).svg();
        assert!(empty.starts_with("<svg ") && empty.ends_with("</svg>\n") && empty.contains("&lt;nothing&gt;"));
        assert!(is_well_formed(&empty), "{empty}");
        assert!(!is_well_formed("<a><b></a></b>") && !is_well_formed("<a>"));
    }

    #[test]
    fn points_without_a_place_are_left_out() {
        let series = Series::new("r", [(1.0, 0.0), (2.0, 10.0), (3.0, f64::NAN), (4.0, 100.0)]);
        let text = chart(vec![series]).svg();
        assert!(is_well_formed(&text) && !text.contains("NaN") && !text.contains("inf"), "{text}");
        // Two points, and the mark beside the name.
        assert_eq!(text.matches("<circle").count(), 3, "{text}");
    }

    #[test]
    fn limits_have_rings_and_many_series_differ() {
        let point = |limit| Point { x: 1.0, y: 2.0, limit };
        let series: Vec<Series> =
            (0..30).map(|i| Series { name: format!("series {i}"), points: vec![point(i == 7)] }).collect();
        let text = chart(series).svg();
        assert!(is_well_formed(&text), "{text}");
        assert_eq!(text.matches("r=\"7\"").count(), 1);
        // Names do not lie on each other, and all are inside of the drawing.
        let height: f64 = text.split("viewBox=\"0 0 720 ").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let places: Vec<f64> = text
            .lines()
            .filter(|line| line.contains(">series "))
            .map(|line| line.split("y1=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(places.len(), 30);
        assert!(places.windows(2).all(|pair| pair[0] - pair[1] >= APART - 0.1), "{places:?}");
        assert!(places.iter().all(|place| (0.0..height).contains(place)), "{places:?}");
        // The first series have dashes, marks and colours of their own.
        let styles: std::collections::BTreeSet<(usize, usize, usize)> =
            (0..30).map(|i| (i % COLOURS.len(), i % DASHES.len(), i % MARKS)).collect();
        assert_eq!(styles.len(), 30);
    }
}
