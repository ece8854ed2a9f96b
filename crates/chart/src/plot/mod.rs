//! What of a table becomes a chart: which columns, which rows, and in which form.
//!
//! An empty cell is a number that is not there, and `-` one that never came. Columns whose names end in `_ms` or `_us` are read as seconds. Whatever else is not a finite number is refused with its line and column:
//! a drawing that leaves out what it cannot read is believed all the same.

mod band;
mod kinds;
mod reader;

use crate::chart::Chart;
use crate::sheet::{Sheet, SheetError};

/// More series cannot be told apart, more rows and points not be seen.
const SERIES: usize = 30;
const ROWS: usize = 200;
const POINTS: usize = 100_000;

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// How many runs had ended after so many seconds.
    Cactus,
    /// One column against another.
    Scatter,
    /// Columns over another one.
    Growth,
    /// From a lower to an upper number, over numbers or for each word.
    Band,
}

/// A chart that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What is drawn.
    pub kind: Kind,
    /// The column from left to right, as `COL` or `NAME=COL`.
    pub x: Option<String>,
    /// The columns from bottom to top, in the same way.
    pub y: Vec<String>,
    /// The columns of the lower and of the upper number.
    pub ends: Option<(String, String)>,
    /// The columns whose values tell series apart.
    pub by: Vec<String>,
    /// Only rows with these values, as `COL=VALUE`: of several for one column any.
    pub only: Vec<String>,
    /// So many seconds, or so much, count as never.
    pub limit: Option<f64>,
    /// A line across, or up where there are rows for words.
    pub threshold: Option<f64>,
    /// Less counts as this much.
    pub least: Option<f64>,
    /// The title.
    pub title: Option<String>,
    /// The titles of both axes.
    pub titles: [Option<String>; 2],
    /// Whether both axes are logarithmic, where that is not as usual.
    pub logarithmic: [Option<bool>; 2],
}

/// A chart of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The chart.
    pub chart: Chart,
    /// Points of all series.
    pub points: usize,
    /// Rows that were looked at, and those of them that have no number where one is needed.
    pub rows: usize,
    /// See there.
    pub empty: usize,
}

impl Plot {
    /// A chart that nothing is said of yet.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            x: None,
            y: Vec::new(),
            ends: None,
            by: Vec::new(),
            only: Vec::new(),
            limit: None,
            threshold: None,
            least: None,
            title: None,
            titles: [None, None],
            logarithmic: [None, None],
        }
    }

    /// The chart of a table.
    ///
    /// # Errors
    /// Columns that there are not, cells that are no numbers or have no place on their axis, two points where there can be one, nothing to draw, or too much.
    pub fn draw(&self, sheet: &Sheet) -> Result<Drawn, SheetError> {
        self.check()?;
        let drawn = match self.kind {
            Kind::Cactus => self.cactus(sheet),
            Kind::Scatter => self.scatter(sheet),
            Kind::Growth => self.growth(sheet),
            Kind::Band => self.band(sheet),
        }?;
        if drawn.points > POINTS {
            let message = format!("{} points are more than anybody sees: {POINTS} are the most", drawn.points);
            return Err(SheetError::new(message).with_help("choose some rows"));
        }
        if drawn.points == 0 && self.kind != Kind::Cactus || drawn.rows == 0 {
            return Err(SheetError::new("no row has what is to be drawn")
                .with_help("look at what rows must have, and at the columns"));
        }
        Ok(drawn)
    }

    /// That what the kind needs is told, and nothing else.
    fn check(&self) -> Result<(), SheetError> {
        let (needs, given) = match self.kind {
            Kind::Cactus => ("a cactus plot needs a column for y, and takes no x, lower, upper and threshold", {
                self.x.is_none() && !self.y.is_empty() && self.ends.is_none() && self.threshold.is_none()
            }),
            Kind::Scatter => {
                ("a scatter plot needs a column for x and one for y, and takes no lower, upper and threshold", {
                    self.x.is_some() && self.y.len() == 1 && self.ends.is_none() && self.threshold.is_none()
                })
            }
            Kind::Growth => ("growth needs columns for x and y, and takes no lower and upper", {
                self.x.is_some() && !self.y.is_empty() && self.ends.is_none()
            }),
            Kind::Band => ("a band needs columns for x, lower and upper, and takes no y and limit", {
                self.x.is_some() && self.y.is_empty() && self.ends.is_some() && self.limit.is_none()
            }),
        };
        if given { Ok(()) } else { Err(SheetError::new(needs)) }
    }
}

#[cfg(test)]
mod tests;
