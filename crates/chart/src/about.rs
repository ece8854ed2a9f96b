//! A chart in words, for those who do not see it.

use crate::axis::{Axis, Scale};
use crate::chart::{Chart, Form, Rule, Series};

/// So many series are described one by one.
const MOST: usize = 12;

impl Chart {
    /// What is drawn, in sentences.
    #[must_use]
    pub fn words(&self) -> String {
        let kind = match self.form {
            Form::Lines => "Lines",
            Form::Growth => "Lines with marks",
            Form::Cactus => "Cactus plot",
            Form::Scatter => "Scatter plot",
            Form::Band => "Bands between a lower and an upper number",
            Form::Spans => "Bars from a lower to an upper number",
        };
        let mut text = format!("{kind}. From left to right: {}. From bottom to top: {}.", axis(&self.x), axis(&self.y));
        for series in self.series.iter().take(MOST) {
            text.push_str(&self.of_series(series));
        }
        if self.series.len() > MOST {
            text.push_str(&format!(" And {} more series.", self.series.len() - MOST));
        }
        for rule in &self.rules {
            match rule {
                Rule::Up(place, name) => {
                    text.push_str(&format!(" {name}: a line at {}.", self.x.unit.write(*place, 0.0)));
                }
                Rule::Across(place, name) => {
                    text.push_str(&format!(" {name}: a line at {}.", self.y.unit.write(*place, 0.0)));
                }
                Rule::Times(_) => {}
            }
        }
        text
    }

    fn of_series(&self, series: &Series) -> String {
        let count = self.placed(series).count();
        let name = if series.name.is_empty() { "Points" } else { &series.name };
        let mut text =
            format!(" {name}, {}", if count == 1 { "1 point".to_owned() } else { format!("{count} points") });
        let numbers = |axis: &Axis, of: fn(&crate::Point) -> [Option<f64>; 2]| {
            axis.range(self.placed(series).flat_map(of).flatten())
                .map(|(low, high)| format!("{} to {}", axis.unit.write(low, 0.0), axis.unit.write(high, 0.0)))
        };
        let spans = self.form == Form::Spans;
        let x =
            numbers(&self.x, if spans { |point| [Some(point.x), point.other] } else { |point| [Some(point.x), None] });
        let y = if spans { None } else { numbers(&self.y, |point| [Some(point.y), point.other]) };
        for (word, range) in [("from left to right", x), ("from bottom to top", y)] {
            text.push_str(&range.map(|range| format!(", {word} {range}")).unwrap_or_default());
        }
        let borders = [(&self.x, 0), (&self.y, 1)].map(|(axis, which)| {
            let count = self.placed(series).filter(|point| [point.x, point.y][which] == f64::INFINITY).count();
            axis.border.as_ref().filter(|_| count > 0).map(|name| format!(", {count} at {name} of {}", axis.title))
        });
        text.extend(borders.into_iter().flatten());
        text + "."
    }
}

fn axis(axis: &Axis) -> String {
    match &axis.scale {
        Scale::Linear => axis.title.clone(),
        Scale::Logarithmic => format!("{}, logarithmic", axis.title),
        Scale::Words(words) => format!("{} rows", words.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_told_in_words() {
        let [x, y] = ["ours", "theirs"].map(|name| Axis::seconds(name).with_border("> 20 s"));
        let series = vec![Series::new("sat", [(0.001, 2.0), (0.5, f64::INFINITY)])];
        assert_eq!(
            Chart::scatter("t", x, y, series).words(),
            "Scatter plot. From left to right: ours, logarithmic. From bottom to top: theirs, logarithmic. \
             sat, 2 points, from left to right 1 ms to 500 ms, from bottom to top 2 s to 2 s, 1 at > 20 s of theirs."
        );
        let many = (0..20).map(|index| Series::new(format!("s{index}"), [(1.0, 1.0)])).collect();
        let text = Chart::growth("t", Axis::linear("n"), Axis::linear("m"), many).words();
        assert!(text.contains("s11,") && !text.contains("s12,") && text.ends_with("And 8 more series."), "{text}");
    }
}
