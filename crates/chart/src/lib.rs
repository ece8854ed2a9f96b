//! Line charts as SVG, in one style.
//!
//! A [`Chart`] is a frame with two [axes](Axis) and some [`Series`]; [`Chart::svg`] draws it. Series are told apart by dashes, marks and words, so that nothing is
//! lost in print or to those who see colours otherwise. Points that stand for a limit that was met have a ring around them.
//!
//! Invariants: the same chart gives the same bytes; numbers that have no place (not finite, or not positive on a logarithmic axis) are left out; names are
//! text, whatever is in them.

mod axis;
mod svg;

pub use axis::{Axis, Scale, Unit};

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Series>,
    /// A place on the axis from left to right, with its name.
    pub mark: Option<(f64, String)>,
    /// Whether points are marked besides the lines between them.
    pub points: bool,
}

/// A curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// How far to the right.
    pub x: f64,
    /// How far up.
    pub y: f64,
    /// Whether a limit was met there: it has a ring.
    pub limit: bool,
}

impl Series {
    /// A curve through points.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let points = points.into_iter().map(|(x, y)| Point { x, y, limit: false }).collect();
        Self { name: name.into(), points }
    }
}

impl Chart {
    /// A cactus plot: how many runs of each series end within so many seconds each.
    pub fn cactus(title: impl Into<String>, seconds: impl IntoIterator<Item = (String, Vec<f64>)>) -> Self {
        let series = seconds.into_iter().map(|(name, mut seconds)| {
            seconds.sort_by(f64::total_cmp);
            #[expect(clippy::cast_precision_loss, reason = "a place on a drawing")]
            let points = seconds.into_iter().enumerate().map(|(index, seconds)| ((index + 1) as f64, seconds));
            Series::new(name, points)
        });
        Self {
            title: title.into(),
            x: Axis::linear("runs that ended"),
            y: Axis::logarithmic("seconds"),
            series: series.collect(),
            mark: None,
            points: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cactus_is_sorted() {
        let cactus = Chart::cactus("t", [("a".to_owned(), vec![3.0, 1.0, 2.0])]);
        let places: Vec<(f64, f64)> = cactus.series[0].points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!(places, [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]);
    }
}
