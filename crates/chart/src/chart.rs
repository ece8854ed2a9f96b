//! What a chart is made of: two axes, series of points, and lines that are no data.

use crate::axis::Axis;

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
    /// How points are drawn.
    pub form: Form,
    /// The series.
    pub series: Vec<Series>,
    /// Lines that are no data.
    pub rules: Vec<Rule>,
}

/// How the points of each series are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Lines.
    Lines,
    /// Lines with a mark at each point.
    Growth,
    /// Steps up at each point, and level to the limit, or else to the right end.
    Cactus,
    /// Marks alone.
    Scatter,
    /// The area between each point and its other end below it.
    Band,
    /// A bar from each point to its other end beside it.
    Spans,
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Their name.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<Point>,
}

/// A point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// How far to the right.
    pub x: f64,
    /// How far up.
    pub y: f64,
    /// The other end, of bands (further down) and of spans (further to the left).
    pub other: Option<f64>,
    /// Whether a limit was met there: it has a ring.
    pub limit: bool,
}

/// A line that is no data.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// At a place on the axis from left to right, with its name: a limit.
    Up(f64, String),
    /// At a place on the axis from bottom to top: a threshold.
    Across(f64, String),
    /// So many times as much upwards as to the right, on logarithmic axes.
    Times(f64),
}

impl Point {
    /// A point.
    #[must_use]
    pub fn at(x: f64, y: f64) -> Self {
        Self { x, y, other: None, limit: false }
    }

    /// An interval at a place on the axis from left to right.
    #[must_use]
    pub fn between(x: f64, lower: f64, upper: f64) -> Self {
        Self { other: Some(lower), ..Self::at(x, upper) }
    }

    /// An interval in a row.
    #[must_use]
    pub fn in_row(row: usize, lower: f64, upper: f64) -> Self {
        Self { other: Some(lower), ..Self::at(upper, crate::axis::row_number(row)) }
    }
}

impl Series {
    /// A series of points.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::of(name, points.into_iter().map(|(x, y)| Point::at(x, y)))
    }

    /// The same of points with more than a place.
    pub fn of(name: impl Into<String>, points: impl IntoIterator<Item = Point>) -> Self {
        Self { name: name.into(), points: points.into_iter().collect() }
    }
}

impl Chart {
    /// Whether a point has a place.
    pub(crate) fn takes(&self, point: &Point) -> bool {
        let other = match self.form {
            Form::Band => point.other.is_some_and(|other| other.is_finite() && self.y.takes(other)),
            Form::Spans => point.other.is_some_and(|other| other.is_finite() && self.x.takes(other)),
            _ => true,
        };
        self.x.takes(point.x) && self.y.takes(point.y) && other
    }

    /// The points of a series that have a place.
    pub(crate) fn placed<'c>(&'c self, series: &'c Series) -> impl Iterator<Item = &'c Point> {
        series.points.iter().filter(|point| self.takes(point))
    }

    /// How many points have none.
    pub(crate) fn left_out(&self) -> usize {
        self.series.iter().flat_map(|series| &series.points).filter(|point| !self.takes(point)).count()
    }

    /// All that the axis from left to right is about.
    pub(crate) fn xs(&self) -> impl Iterator<Item = f64> {
        let other = |point: &Point| point.other.filter(|_| self.form == Form::Spans);
        let points = self.series.iter().flat_map(|series| self.placed(series));
        let rules = self.rules.iter().filter_map(|rule| if let Rule::Up(x, _) = rule { Some(*x) } else { None });
        points.flat_map(move |point| [Some(point.x), other(point)]).flatten().chain(rules)
    }

    /// The same from bottom to top.
    pub(crate) fn ys(&self) -> impl Iterator<Item = f64> {
        let other = |point: &Point| point.other.filter(|_| self.form == Form::Band);
        let points = self.series.iter().flat_map(|series| self.placed(series));
        let rules = self.rules.iter().filter_map(|rule| if let Rule::Across(y, _) = rule { Some(*y) } else { None });
        points.flat_map(move |point| [Some(point.y), other(point)]).flatten().chain(rules)
    }
}
