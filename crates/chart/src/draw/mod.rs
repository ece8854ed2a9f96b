//! Charts drawn as SVG: a frame with its axes, lines that are no data, the series, and names at the right end.

mod frame;
mod labels;
mod rules;
mod series;

use std::fmt::Write as _;

use crate::chart::{Chart, Form};
use crate::style::Style;
use crate::text::{escaped, shown};
use frame::{Frame, WIDTH};

/// The size of letters.
const SIZE: f64 = 12.0;
/// The size of those of the title.
const TITLE: f64 = 14.0;

impl Chart {
    /// The chart as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let frame = Frame::of(self);
        let height = frame.height;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" font-family=\"sans-serif\" font-size=\"{SIZE}\">\n\
             <title>{}</title>\n<desc>{}</desc>\n",
            escaped(&shown(&self.title)),
            escaped(&shown(&self.words()))
        );
        if self.form == Form::Band {
            let patterns = (0..self.series.len()).map(|index| Style(index).hatching().0);
            let _ = writeln!(out, "<defs>{}</defs>", patterns.collect::<String>());
        }
        let _ = writeln!(out, "<rect width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"#fff\"/>");
        for (line, words) in (0u8..).zip(&frame.title) {
            let y = frame::HEAD + f64::from(line) * frame::TITLE_LINE;
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{y:.1}\" font-size=\"{TITLE}\" fill=\"#111\">{}</text>",
                frame::EDGE,
                escaped(words)
            );
        }
        frame.axes(&mut out, self);
        frame.rules(&mut out, self);
        for (index, series) in self.series.iter().enumerate() {
            frame.series(&mut out, self, index, series);
        }
        frame.labels(&mut out, self);
        frame.notes(&mut out);
        out.push_str("</svg>\n");
        out
    }
}

/// Where a text stands: it begins there, ends there, or has its middle there.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// A text that is short enough already.
fn write_text(out: &mut String, (x, y): (f64, f64), anchor: Anchor, text: &str) {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor} fill=\"#111\">{}</text>", escaped(text));
}

/// A line from one place to another, with the attributes of its stroke.
fn write_line(out: &mut String, from: (f64, f64), to: (f64, f64), stroke: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(out, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {stroke}/>");
}
