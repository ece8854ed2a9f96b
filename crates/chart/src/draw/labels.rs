//! Names at the right end: each near the end of its curve, and none on another.

use std::fmt::Write as _;

use super::frame::{Frame, LINE, SAMPLE, name_of, name_of_series};
use super::rules::LIMIT;
use super::{Anchor, write_line, write_text};
use crate::chart::{Chart, Form, Rule, Series};
use crate::style::Style;

/// A name, where it would like to be, and what it is the name of: a series, or a line.
struct Label {
    at: f64,
    name: String,
    style: Option<Style>,
}

impl Frame {
    pub(super) fn labels(&self, out: &mut String, chart: &Chart) {
        let mut labels: Vec<Label> = Vec::new();
        for (index, series) in chart.series.iter().enumerate() {
            let Some(name) = name_of_series(chart, series) else { continue };
            let at = self.end(chart, index, series);
            labels.push(Label { at, name, style: Some(Style(index)) });
        }
        for rule in &chart.rules {
            if let Rule::Across(place, name) = rule
                && chart.y.takes(*place)
                && !name.is_empty()
            {
                labels.push(Label { at: self.y(*place), name: name_of(name), style: None });
            }
        }
        // From the bottom up: below the frame there are numbers. The order of equals is kept.
        labels.sort_by(|one, other| other.at.total_cmp(&one.at));
        let mut places: Vec<f64> = Vec::new();
        for label in &labels {
            places.push(places.last().map_or(label.at, |below| label.at.min(below - LINE)));
        }
        // What was pushed out at the top pushes back.
        let mut least = self.outer_top();
        for place in places.iter_mut().rev() {
            *place = place.max(least);
            least = *place + LINE;
        }
        for (label, at) in labels.iter().zip(places) {
            self.sample(out, chart.form, label.style, at);
            write_text(out, (self.names + SAMPLE + 14.0, at + 4.0), Anchor::Start, &label.name);
        }
    }

    /// Where the name of a series would like to be: at the end of its curve; in order from the top, where there are no curves.
    fn end(&self, chart: &Chart, index: usize, series: &Series) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
        let in_order = self.outer_top() + LINE * (index as f64 + 0.5);
        let last = chart.placed(series).last();
        match chart.form {
            Form::Scatter | Form::Spans => in_order,
            Form::Band => {
                last.map_or(self.bottom, |point| f64::midpoint(self.y(point.y), self.y(point.other.unwrap_or(point.y))))
            }
            // A series without points is named all the same: at the bottom.
            Form::Lines | Form::Growth | Form::Cactus => last.map_or(self.bottom, |point| self.y(point.y)),
        }
    }

    /// What the series looks like, left of its name.
    fn sample(&self, out: &mut String, form: Form, style: Option<Style>, y: f64) {
        let (from, to) = (self.names + 8.0, self.names + 8.0 + SAMPLE);
        let Some(style) = style else { return write_line(out, (from, y), (to, y), LIMIT) };
        if form == Form::Band {
            let (_, fill) = style.hatching();
            let _ = writeln!(
                out,
                "<rect x=\"{from:.1}\" y=\"{:.1}\" width=\"{SAMPLE}\" height=\"10\" fill=\"{fill}\" {}/>",
                y - 5.0,
                style.stroke()
            );
            return;
        }
        if form != Form::Scatter {
            write_line(out, (from, y), (to, y), &style.stroke());
        }
        let places = match form {
            Form::Lines | Form::Band => return,
            Form::Spans => vec![(from + 3.0, y), (to - 3.0, y)],
            Form::Growth | Form::Cactus | Form::Scatter => vec![(f64::midpoint(from, to), y)],
        };
        let _ = writeln!(out, "{}", style.marks(&places));
    }
}
