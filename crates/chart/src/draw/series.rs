//! A series in the frame, by the form of its chart.

use std::fmt::Write as _;

use super::frame::Frame;
use crate::chart::{Chart, Form, Point, Rule, Series};
use crate::style::Style;

/// Marks of a curve are at least so far apart, where it has more than a few points.
const APART: f64 = 42.0;
const FEW: usize = 40;
/// How far apart the bars of a row are.
const BAR: f64 = 12.0;

impl Frame {
    pub(super) fn series(&self, out: &mut String, chart: &Chart, index: usize, series: &Series) {
        let style = Style(index);
        let points: Vec<&Point> = chart.placed(series).collect();
        let places: Vec<(f64, f64)> = points.iter().map(|point| (self.x(point.x), self.y(point.y))).collect();
        if places.is_empty() {
            return;
        }
        match chart.form {
            Form::Lines => lines(out, style, &points, &places),
            Form::Growth => {
                lines(out, style, &points, &places);
                let thinned = if places.len() > FEW { thinned(&places, index) } else { places.clone() };
                marks(out, style, &thinned);
            }
            Form::Cactus => {
                self.steps(out, chart, style, &places);
                marks(out, style, &thinned(&places, index));
            }
            Form::Scatter => marks(out, style, &places),
            Form::Band => self.band(out, style, &points, &places),
            Form::Spans => self.spans(out, chart, index, &points, &places),
        }
        for (_, (x, y)) in points.iter().zip(&places).filter(|(point, _)| point.limit) {
            let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"none\" stroke=\"#111\"/>");
        }
    }

    /// Up at each place, and level from there to the next, the last to the limit: what is beyond was not measured. Without one, to the end of the axis.
    fn steps(&self, out: &mut String, chart: &Chart, style: Style, places: &[(f64, f64)]) {
        let mut path = format!("M{:.1} {:.1}", places[0].0, self.bottom);
        for (place, (x, y)) in places.iter().enumerate() {
            // Steps that are too small to be seen are made together.
            let next = places.get(place + 1);
            if next.is_none_or(|next| next.0 - x >= 0.1) {
                let _ = write!(path, "H{x:.1}V{y:.1}");
            }
        }
        let limits = chart.rules.iter().filter_map(|rule| match rule {
            Rule::Up(limit, _) if chart.x.takes(*limit) => Some(self.x(*limit)),
            _ => None,
        });
        let _ = write!(path, "H{:.1}", limits.fold(self.right, f64::min));
        write_path(out, style, &path);
    }

    /// The area between both ends, and its two outlines.
    fn band(&self, out: &mut String, style: Style, points: &[&Point], places: &[(f64, f64)]) {
        let lower: Vec<(f64, f64)> =
            points.iter().zip(places).filter_map(|(point, (x, _))| Some((*x, self.y(point.other?)))).collect();
        let there_and_back: Vec<(f64, f64)> = places.iter().chain(lower.iter().rev()).copied().collect();
        let (_, fill) = style.hatching();
        let _ = writeln!(out, "<path d=\"{}Z\" fill=\"{fill}\" stroke=\"none\"/>", path(&there_and_back));
        write_path(out, style, &path(places));
        write_path(out, style, &path(&lower));
        // An area without width is a line all the same.
        if let ([(x, upper)], [(_, lower)]) = (places, &lower[..]) {
            write_path(out, style, &path(&[(*x, *upper), (*x, *lower)]));
            marks(out, style, &[(*x, *upper), (*x, *lower)]);
        }
    }

    /// Bars between both ends, those of one row below each other.
    fn spans(&self, out: &mut String, chart: &Chart, index: usize, points: &[&Point], places: &[(f64, f64)]) {
        #[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
        let down = BAR * (index as f64 - (chart.series.len() as f64 - 1.0) / 2.0);
        let mut ends = Vec::new();
        for (point, (x, y)) in points.iter().zip(places) {
            let from = (point.other.map_or(*x, |other| self.x(other)), y + down);
            write_path(out, Style(index), &path(&[from, (*x, y + down)]));
            ends.extend([from, (*x, y + down)]);
        }
        ends.dedup();
        marks(out, Style(index), &ends);
    }
}

/// Lines between points; to what lies on a border there is none.
fn lines(out: &mut String, style: Style, points: &[&Point], places: &[(f64, f64)]) {
    let is_inside = |point: &Point| point.x.is_finite() && point.y.is_finite();
    let both: Vec<(&&Point, &(f64, f64))> = points.iter().zip(places).collect();
    for part in both.chunk_by(|one, other| is_inside(one.0) && is_inside(other.0)) {
        if part.len() > 1 {
            write_path(out, style, &path(&part.iter().map(|(_, place)| **place).collect::<Vec<_>>()));
        }
    }
}

/// So many places that marks tell curves apart and hide nothing; other ones for each series.
fn thinned(places: &[(f64, f64)], index: usize) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let skipped = index * places.len() / 40 % places.len();
    for place in places[skipped..].iter().chain(places.last()) {
        if kept.last().is_none_or(|last| (last.0 - place.0).hypot(last.1 - place.1) >= APART) {
            kept.push(*place);
        }
    }
    kept
}

fn marks(out: &mut String, style: Style, places: &[(f64, f64)]) {
    let _ = writeln!(out, "{}", style.marks(places));
}

fn path(places: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (place, (x, y)) in places.iter().enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if place == 0 { 'M' } else { 'L' });
    }
    path
}

fn write_path(out: &mut String, style: Style, path: &str) {
    let _ = writeln!(out, "<path class=\"curve\" d=\"{path}\" fill=\"none\" {}/>", style.stroke());
}
