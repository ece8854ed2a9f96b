//! Where things are: the frame of the data, the numbers beside it, and how much room words have.
//!
//! From left to right: numbers, the frame, a lane to the border for what never came, names of factors, names of series. From top to bottom: the title, that of the axis, names of lines, the border, the frame,
//! numbers, the title of the other axis, notes.

use super::{Anchor, SIZE, TITLE, write_line, write_text};
use crate::axis::{Axis, Fitted, Scale};
use crate::chart::{Chart, Form, Rule, Series};
use crate::text::{cut, shown, width, wrapped};

pub(super) const WIDTH: f64 = 720.0;
/// Nothing is nearer to the edge of the drawing.
pub(super) const EDGE: f64 = 12.0;
/// The first line of the title, and how far the next is below it.
pub(super) const HEAD: f64 = 20.0;
pub(super) const TITLE_LINE: f64 = 18.0;
/// Lines of smaller words are so far apart.
pub(super) const LINE: f64 = 15.0;
/// The least height of a frame, the side of one of a comparison, and the height of a row.
const HEIGHT: f64 = 270.0;
const SIDE: f64 = 400.0;
const ROW: f64 = 10.0;
/// Names are at most so wide: those of series and those of rows.
const NAME: f64 = 210.0;
const ROW_NAME: f64 = 200.0;
/// Beside a name: the line or the mark that it is the name of.
pub(super) const SAMPLE: f64 = 26.0;
/// Room for `1/100×`.
const FACTOR: f64 = 46.0;
/// The lane between the end of the axis from bottom to top and its border.
const LANE: f64 = 22.0;

/// Where things are.
pub(super) struct Frame {
    pub(super) title: Vec<String>,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    /// Where infinite numbers are.
    border_x: Option<f64>,
    border_y: Option<f64>,
    pub(super) x: Fitted,
    pub(super) y: Fitted,
    pub(super) height: f64,
    /// Where names of series begin.
    pub(super) names: f64,
    /// Names of lines that go up: where they are, and the names.
    up: Vec<(f64, f64, String)>,
    notes: Vec<String>,
}

impl Frame {
    pub(super) fn of(chart: &Chart) -> Self {
        let (x, y) = (chart.x.fit(chart.xs()), chart.y.fit(chart.ys()));
        let is_scatter = chart.form == Form::Scatter;
        let beside =
            y.ticks().into_iter().map(|(_, text)| shown(&text)).chain(chart.y.border.iter().map(|name| shown(name)));
        let left = EDGE + 8.0 + beside.map(|text| width(&cut(&text, ROW_NAME, SIZE), SIZE)).fold(24.0, f64::max);
        let names = named(chart).map(|name| width(&name, SIZE)).fold(0.0, f64::max);
        let names = if names > 0.0 { names + SAMPLE + 14.0 } else { 0.0 };
        let factors = if is_scatter { FACTOR } else { 0.0 };
        let lane = chart.x.border.as_ref().map(|name| {
            let last = x.ticks().last().map_or(0.0, |(_, text)| width(text, SIZE));
            (width(&border(name), SIZE) + last) / 2.0 + 10.0
        });
        let mut right = WIDTH - EDGE - names.max(10.0) - factors - lane.unwrap_or(0.0);
        if is_scatter {
            right = right.min(left + SIDE);
        }
        let border_x = lane.map(|lane| right + lane);
        let title = wrapped(&shown(&chart.title), WIDTH - 2.0 * EDGE, TITLE, 2);
        let mut frame = Self {
            left,
            right,
            border_x,
            names: border_x.unwrap_or(right) + factors,
            x,
            y,
            notes: notes(chart),
            title,
            top: 0.0,
            bottom: 0.0,
            border_y: None,
            height: 0.0,
            up: Vec::new(),
        };
        frame.stack(chart);
        frame
    }

    /// What depends on the height of things.
    #[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
    fn stack(&mut self, chart: &Chart) {
        let mut y = HEAD + TITLE_LINE * self.title.len() as f64 + 4.0;
        if is_titled(&chart.y) {
            y += LINE;
        }
        let mut rows: Vec<f64> = Vec::new();
        for rule in &chart.rules {
            let Rule::Up(place, name) = rule else { continue };
            if !chart.x.takes(*place) || name.is_empty() {
                continue;
            }
            let name = cut(&shown(name), NAME, SIZE);
            let half = width(&name, SIZE) / 2.0;
            let middle = self.x(*place).clamp(EDGE + half, WIDTH - EDGE - half);
            // The first row in which nothing is in the way.
            let row = rows.iter().position(|end| *end + 6.0 < middle - half).unwrap_or(rows.len());
            rows.resize(rows.len().max(row + 1), 0.0);
            rows[row] = middle + half;
            self.up.push((middle, y + LINE * row as f64 - 2.0, name));
        }
        let factors = if chart.form == Form::Scatter { LINE } else { 0.0 };
        let top = y + LINE * rows.len() as f64 + factors - 6.0;
        self.border_y = chart.y.border.as_ref().map(|_| top);
        self.top = top + if self.border_y.is_some() { LANE } else { 0.0 };
        let labels = LINE * (named(chart).count() + 1) as f64;
        self.bottom = self.top
            + match (&chart.y.scale, chart.form) {
                (Scale::Words(words), _) => {
                    let row = ROW + 12.0 * chart.series.len().max(1) as f64;
                    labels.max(row * words.len().max(1) as f64)
                }
                (_, Form::Scatter) => (self.right - self.left).max(labels),
                _ => HEIGHT.max(labels),
            };
        let title = if is_titled(&chart.x) { 18.0 } else { 0.0 };
        self.height = (self.bottom + 18.0 + title + LINE * self.notes.len() as f64 + 10.0).ceil();
    }

    /// Where a number is.
    pub(super) fn x(&self, number: f64) -> f64 {
        match self.border_x {
            Some(border) if number == f64::INFINITY => border,
            _ => self.left + (self.right - self.left) * self.x.place(number),
        }
    }

    pub(super) fn y(&self, number: f64) -> f64 {
        match self.border_y {
            Some(border) if number == f64::INFINITY => border,
            _ => self.bottom - (self.bottom - self.top) * self.y.place(number),
        }
    }

    /// The frame with its borders.
    pub(super) fn outer_right(&self) -> f64 {
        self.border_x.unwrap_or(self.right)
    }

    pub(super) fn outer_top(&self) -> f64 {
        self.border_y.unwrap_or(self.top)
    }

    pub(super) fn axes(&self, out: &mut String, chart: &Chart) {
        let (right, top, bottom) = (self.outer_right(), self.outer_top(), self.bottom);
        for (place, text) in self.y.ticks() {
            let y = bottom - (bottom - self.top) * place;
            write_line(out, (self.left, y), (right, y), "stroke=\"#ddd\"");
            write_text(out, (self.left - 6.0, y + 4.0), Anchor::End, &cut(&shown(&text), ROW_NAME, SIZE));
        }
        let mut free = 0.0;
        for (place, text) in self.x.ticks() {
            let x = self.left + (self.right - self.left) * place;
            write_line(out, (x, top), (x, bottom), "stroke=\"#ddd\"");
            let (text, half) = (shown(&text), width(&text, SIZE) / 2.0);
            // A number that would touch the one before it is not written.
            if x - half > free {
                write_text(out, (x, bottom + 16.0), Anchor::Middle, &text);
                free = x + half + 4.0;
            }
        }
        write_line(out, (self.left, bottom), (right, bottom), "stroke=\"#888\"");
        write_line(out, (self.left, top), (self.left, bottom), "stroke=\"#888\"");
        let dashed = "stroke=\"#111\" stroke-dasharray=\"6 3\"";
        if let (Some(y), Some(name)) = (self.border_y, &chart.y.border) {
            write_line(out, (self.left, y), (right, y), dashed);
            write_text(out, (self.left - 6.0, y + 4.0), Anchor::End, &cut(&shown(name), ROW_NAME, SIZE));
        }
        if let (Some(x), Some(name)) = (self.border_x, &chart.x.border) {
            write_line(out, (x, top), (x, bottom), dashed);
            write_text(out, (x, bottom + 16.0), Anchor::Middle, &border(name));
        }
        if is_titled(&chart.x) {
            let middle = f64::midpoint(self.left, self.right);
            let room = 2.0 * (middle - EDGE).min(WIDTH - EDGE - middle);
            write_text(out, (middle, bottom + 34.0), Anchor::Middle, &cut(&shown(&chart.x.title), room, SIZE));
        }
        if is_titled(&chart.y) {
            #[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
            let y = HEAD + TITLE_LINE * self.title.len() as f64 + 2.0;
            write_text(out, (EDGE, y), Anchor::Start, &cut(&shown(&chart.y.title), WIDTH - 2.0 * EDGE, SIZE));
        }
        for (x, y, name) in &self.up {
            write_text(out, (*x, *y), Anchor::Middle, name);
        }
    }

    /// What is below everything else.
    pub(super) fn notes(&self, out: &mut String) {
        for (note, line) in self.notes.iter().rev().zip(0u8..) {
            let y = self.height - 8.0 - LINE * f64::from(line);
            write_text(out, (EDGE, y), Anchor::Start, &cut(note, WIDTH - 2.0 * EDGE, SIZE));
        }
    }
}

/// The names at the right end, as they are written: those of series and of lines across.
fn named(chart: &Chart) -> impl Iterator<Item = String> {
    let rules = chart.rules.iter().filter_map(|rule| match rule {
        Rule::Across(place, name) if chart.y.takes(*place) && !name.is_empty() => Some(name_of(name)),
        _ => None,
    });
    chart.series.iter().filter_map(|series| name_of_series(chart, series)).chain(rules)
}

/// The name of a series, if it has one; where runs are counted, with their number.
pub(super) fn name_of_series(chart: &Chart, series: &Series) -> Option<String> {
    let name = (!series.name.is_empty()).then(|| name_of(&series.name))?;
    Some(if chart.form == Form::Cactus { format!("{name}: {}", chart.placed(series).count()) } else { name })
}

/// A name at the right end.
pub(super) fn name_of(name: &str) -> String {
    cut(&shown(name), NAME, SIZE)
}

fn border(name: &str) -> String {
    cut(&shown(name), 100.0, SIZE)
}

fn is_titled(axis: &Axis) -> bool {
    !axis.title.is_empty()
}

/// What must be said so that nobody misreads the drawing.
fn notes(chart: &Chart) -> Vec<String> {
    let mut notes = Vec::new();
    if chart.form == Form::Scatter {
        notes.push("Solid line: equal. Dotted: 2, 10 and 100 times as much.".to_owned());
    }
    if chart.series.iter().flat_map(|series| chart.placed(series)).any(|point| point.limit) {
        notes.push("A ring: a limit was met.".to_owned());
    }
    match chart.left_out() {
        0 => {}
        1 => notes.push("1 point has no place on these axes, and is left out.".to_owned()),
        count => notes.push(format!("{count} points have no place on these axes, and are left out.")),
    }
    notes
}
