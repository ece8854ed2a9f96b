//! How series are told apart: by dashes, by marks, by hatching, and only then by colours. The first series have all of them to themselves.

use std::fmt::Write as _;

/// Colours that are dark enough on white, as lines and as text.
const COLOURS: [&str; 6] = ["#1b6ca8", "#b3321f", "#444444", "#2e7d32", "#7b4fa3", "#8f5a00"];
const DASHES: [&str; 5] = ["none", "7 4", "2 3", "9 3 2 3", "1 4"];
/// The strokes of a tile of six by six.
const HATCHES: [&str; 6] =
    ["M0 6L6 0", "M0 0L6 6", "M0 3H6", "M3 0V6", "M0 6L6 0M0 0L6 6", "M3 2.4V3.6M0 5.4V6M6 5.4V6M0 0V.6M6 0V.6"];

/// The look of a series.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style(pub(crate) usize);

impl Style {
    pub(crate) fn colour(self) -> &'static str {
        COLOURS[self.0 % COLOURS.len()]
    }

    pub(crate) fn dashes(self) -> &'static str {
        DASHES[self.0 % DASHES.len()]
    }

    /// A line's attributes.
    pub(crate) fn stroke(self) -> String {
        format!("stroke=\"{}\" stroke-width=\"1.6\" stroke-dasharray=\"{}\"", self.colour(), self.dashes())
    }

    /// The pattern that fills an area, and the name under which it is used.
    pub(crate) fn hatching(self) -> (String, String) {
        let name = format!("hatch{}", self.0);
        let pattern = format!(
            "<pattern id=\"{name}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"{}\" stroke=\"{}\" stroke-width=\".8\"/></pattern>",
            HATCHES[self.0 % HATCHES.len()],
            self.colour()
        );
        (pattern, format!("url(#{name})"))
    }

    /// A path with the mark of the series at each of some places. Only the first is filled: what is below the others stays visible.
    pub(crate) fn marks(self, places: &[(f64, f64)]) -> String {
        let (shape, filled) = match self.0 % 7 {
            0 => ("m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", true),
            1 => ("m-3 -3h6v6h-6z", false),
            2 => ("m-4 3h8l-4 -7z", false),
            3 => ("m-4 0l4 -4l4 4l-4 4z", false),
            4 => ("m-4 -3h8l-4 7z", false),
            5 => ("m-4 0h8m-4 -4v8", false),
            _ => ("m-3 -3l6 6m-6 0l6 -6", false),
        };
        let colour = self.colour();
        let fill = if filled { format!("fill=\"{colour}\" fill-opacity=\".7\"") } else { "fill=\"none\"".to_owned() };
        let mut path = String::new();
        for (x, y) in places {
            let _ = write!(path, "M{x:.1} {y:.1}{shape}");
        }
        format!("<path class=\"marks\" d=\"{path}\" {fill} stroke=\"{colour}\"/>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_series_differ() {
        let looks: std::collections::BTreeSet<(String, String)> =
            (0..30).map(|index| (Style(index).stroke(), Style(index).marks(&[(0.0, 0.0)]))).collect();
        assert_eq!(looks.len(), 30);
        // Without colours too, for as many as anybody can follow.
        let plain: std::collections::BTreeSet<(&str, usize)> =
            (0..30).map(|index| (Style(index).dashes(), index % 7)).collect();
        assert_eq!(plain.len(), 30);
    }
}
