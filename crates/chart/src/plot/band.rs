//! A table as bands: areas over numbers, or bars in rows of words.

use super::kinds::{Taken, add, axis, drawn, named};
use super::reader::{Column, Reader, Reading};
use super::{Drawn, Plot, ROWS};
use crate::axis::Axis;
use crate::chart::{Chart, Point, Series};
use crate::sheet::{Row, Sheet, SheetError};

/// The columns of both ends, and how they are read.
struct Ends {
    lower: Column,
    upper: Column,
    reading: Reading,
}

impl Plot {
    pub(super) fn band(&self, sheet: &Sheet) -> Result<Drawn, SheetError> {
        let reader = Reader::new(self, sheet)?;
        let x = self.xs(&reader)?;
        let cells = || reader.rows.iter().map(|row| reader.text(row, &x)).filter(|cell| !cell.is_empty());
        if cells().all(|cell| cell.trim().parse::<f64>().is_ok()) {
            self.areas(&reader, &x)
        } else {
            self.bars(&reader, &x)
        }
    }

    fn areas(&self, reader: &Reader<'_>, x: &Column) -> Result<Drawn, SheetError> {
        let ends = self.both_ends(reader, 1)?;
        let across = Reading { logarithmic: self.logarithmic[0].unwrap_or(false), least: None, limit: None };
        let (mut names, mut series, mut taken) = (Vec::new(), Vec::<Series>::new(), Taken::default());
        let mut empty = 0;
        for row in &reader.rows {
            let place = reader.number(row, x, across)?.filter(|place| place.is_finite());
            let Some((place, (low, high))) = place.zip(ends.of(reader, row)?) else {
                empty += 1;
                continue;
            };
            let index = reader.series(row, "", &mut names)?;
            taken.take(index, place, row, x)?;
            add(&mut series, index, Point::between(place, low, high));
        }
        for series in &mut series {
            series.points.sort_by(|one, other| one.x.total_cmp(&other.x));
        }
        let is_share = |point: &Point| point.y <= 1.0 && point.other.is_some_and(|lower| lower >= 0.0);
        let y = self.numbers(&ends, &series, is_share);
        let threshold = self.threshold(&y);
        let x = axis(x, across.logarithmic, x.name.clone());
        let chart = Chart::band(self.title(), x, y, named(names, series), threshold);
        Ok(drawn(self.retitled(chart), reader.rows.len(), empty))
    }

    fn bars(&self, reader: &Reader<'_>, x: &Column) -> Result<Drawn, SheetError> {
        let ends = self.both_ends(reader, 0)?;
        let (mut names, mut series, mut taken) = (Vec::new(), Vec::<Series>::new(), Taken::default());
        let (mut words, mut empty) = (Vec::<String>::new(), 0);
        for row in &reader.rows {
            let Some((low, high)) = ends.of(reader, row)? else {
                empty += 1;
                continue;
            };
            let word = reader.text(row, x);
            let place = words.iter().position(|other| other == word).unwrap_or_else(|| {
                words.push(word.to_owned());
                words.len() - 1
            });
            if words.len() > ROWS {
                let message = format!("there are more than {ROWS} different values");
                return Err(SheetError::at(row.line, message).in_column(&x.name).with_help("choose some rows"));
            }
            let index = reader.series(row, "", &mut names)?;
            let point = Point::in_row(place, low, high);
            taken.take(index, point.y, row, x)?;
            add(&mut series, index, point);
        }
        let is_share = |point: &Point| point.x <= 1.0 && point.other.is_some_and(|lower| lower >= 0.0);
        let numbers = self.numbers(&ends, &series, is_share);
        let threshold = self.threshold(&numbers);
        let chart = Chart::spans(self.title(), numbers, words, named(names, series), threshold);
        Ok(drawn(self.retitled(chart), reader.rows.len(), empty))
    }

    /// The columns of both ends; the numbers are on the first or the second axis.
    fn both_ends(&self, reader: &Reader<'_>, axis: usize) -> Result<Ends, SheetError> {
        let (lower, upper) = self.ends.as_ref().map_or(("", ""), |(lower, upper)| (lower.as_str(), upper.as_str()));
        let reading = Reading { logarithmic: self.logarithmic[axis].unwrap_or(false), least: self.least, limit: None };
        Ok(Ends { lower: reader.column(lower)?, upper: reader.column(upper)?, reading })
    }

    /// The axis of the numbers: from 0 to 1 where all of them are, since probabilities are to look as large as they are.
    fn numbers(&self, ends: &Ends, series: &[Series], is_share: impl Fn(&Point) -> bool) -> Axis {
        let axis = axis(&ends.upper, ends.reading.logarithmic, String::new());
        let are_shares = series.iter().flat_map(|series| &series.points).all(is_share)
            && self.threshold.is_none_or(|threshold| (0.0..=1.0).contains(&threshold));
        Axis { ends: (are_shares && !ends.reading.logarithmic).then_some((0.0, 1.0)), ..axis }
    }
}

impl Ends {
    /// Both ends in a row; nothing where one is not there, or never came.
    fn of(&self, reader: &Reader<'_>, row: &Row) -> Result<Option<(f64, f64)>, SheetError> {
        let number = |column: &Column| reader.number(row, column, self.reading);
        let both = number(&self.lower)?.zip(number(&self.upper)?).filter(|(low, high)| (low + high).is_finite());
        match both {
            Some((low, high)) if low > high => {
                Err(SheetError::at(row.line, format!("{low} is above {high}")).in_column(&self.lower.name))
            }
            both => Ok(both),
        }
    }
}
