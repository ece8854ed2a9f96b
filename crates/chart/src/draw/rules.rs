//! Lines that are no data: limits, thresholds, and factors between two axes.

use super::frame::Frame;
use super::{Anchor, SIZE, write_line, write_text};
use crate::chart::{Chart, Rule};
use crate::text::width;

/// The stroke of limits and thresholds.
pub(super) const LIMIT: &str = "stroke=\"#111\" stroke-dasharray=\"1 4\"";

impl Frame {
    pub(super) fn rules(&self, out: &mut String, chart: &Chart) {
        let mut factors: Vec<f64> = Vec::new();
        for rule in &chart.rules {
            match rule {
                Rule::Up(place, _) if chart.x.takes(*place) => {
                    let x = self.x(*place);
                    write_line(out, (x, self.outer_top()), (x, self.bottom), LIMIT);
                }
                Rule::Across(place, _) if chart.y.takes(*place) => {
                    let y = self.y(*place);
                    write_line(out, (self.left, y), (self.outer_right(), y), LIMIT);
                }
                Rule::Times(factor) => factors.push(*factor),
                Rule::Up(..) | Rule::Across(..) => {}
            }
        }
        // The farther from the middle first: where names would touch, those near the middle are not written.
        factors.sort_by(|one, other| other.ln().abs().total_cmp(&one.ln().abs()));
        let (mut above, mut beside) = (Vec::new(), Vec::new());
        for factor in factors {
            self.factor(out, factor, &mut above, &mut beside);
        }
    }

    /// The line for so many times as much. `above` and `beside` are the places that names have taken.
    fn factor(&self, out: &mut String, factor: f64, above: &mut Vec<f64>, beside: &mut Vec<f64>) {
        let shift = match (self.x.decades(), self.y.decades()) {
            (Some(x), Some(y)) if (x - y).abs() < 1e-9 => factor.log10() / x,
            // On linear axes only what is equal is a line from corner to corner.
            (None, None) if factor == 1.0 => 0.0,
            _ => return,
        };
        if !(-0.99..=0.99).contains(&shift) {
            return;
        }
        let across = |share: f64| self.left + (self.right - self.left) * share;
        let up = |share: f64| self.bottom - (self.bottom - self.top) * share;
        let from = (across((-shift).max(0.0)), up(shift.max(0.0)));
        let to = (across((1.0 - shift).min(1.0)), up((1.0 + shift).min(1.0)));
        write_line(
            out,
            from,
            to,
            if factor == 1.0 { "stroke=\"#555\"" } else { "stroke=\"#777\" stroke-dasharray=\"2 3\"" },
        );
        let name = if factor > 1.0 { format!("{factor}×") } else { format!("1/{}×", (1.0 / factor).round()) };
        if factor > 1.0 && above.iter().all(|place| (place - to.0).abs() > width(&name, SIZE) + 6.0) {
            above.push(to.0);
            write_text(out, (to.0, self.outer_top() - 5.0), Anchor::Middle, &name);
        }
        if factor < 1.0 && beside.iter().all(|place| (place - to.1).abs() > SIZE + 1.0) {
            beside.push(to.1);
            write_text(out, (self.outer_right() + 5.0, to.1 + 4.0), Anchor::Start, &name);
        }
    }
}
