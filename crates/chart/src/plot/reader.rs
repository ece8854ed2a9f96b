//! The rows and cells that a chart is about.

use super::{Plot, SERIES};
use crate::number::Unit;
use crate::sheet::{Row, Sheet, SheetError};

/// A column that is read as numbers.
#[derive(Debug, Clone)]
pub(super) struct Column {
    place: usize,
    /// What it is called in the file, and what it is called in the drawing.
    column: String,
    pub(super) name: String,
    /// What its numbers are multiplied by.
    factor: f64,
    pub(super) unit: Unit,
}

/// How numbers of a column are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// Whether only positive numbers have a place.
    pub(super) logarithmic: bool,
    /// Less counts as this.
    pub(super) least: Option<f64>,
    /// As much counts as never.
    pub(super) limit: Option<f64>,
}

/// A table with those of its rows that are wanted.
pub(super) struct Reader<'s> {
    sheet: &'s Sheet,
    pub(super) rows: Vec<&'s Row>,
    by: Vec<usize>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(plot: &Plot, sheet: &'s Sheet) -> Result<Self, SheetError> {
        let by = plot.by.iter().map(|name| place(sheet, name)).collect::<Result<_, _>>()?;
        // Values for one column are alternatives.
        let mut wanted: Vec<(usize, Vec<&str>)> = Vec::new();
        for condition in &plot.only {
            let (column, value) = condition_of(sheet, condition)?;
            match wanted.iter_mut().find(|(place, _)| *place == column) {
                Some((_, values)) => values.push(value),
                None => wanted.push((column, vec![value])),
            }
        }
        let is_wanted =
            |row: &&Row| wanted.iter().all(|(column, values)| values.contains(&row.cells[*column].as_str()));
        Ok(Self { sheet, rows: sheet.rows.iter().filter(is_wanted).collect(), by })
    }

    /// A column, as `COL` or `NAME=COL`.
    pub(super) fn column(&self, text: &str) -> Result<Column, SheetError> {
        let (name, column) = match (self.sheet.column(text), text.split_once('=')) {
            (None, Some((name, column))) => (name, column),
            _ => (text, text),
        };
        let place = place(self.sheet, column)?;
        let ends = |end: &str| column.ends_with(end);
        let factor = if ends("_us") {
            1e-6
        } else if ends("_ms") {
            1e-3
        } else {
            1.0
        };
        let is_time = column.contains("seconds") || ["_us", "_ms", "_s", "time"].into_iter().any(ends);
        let unit = if is_time { Unit::Seconds } else { Unit::Number };
        Ok(Column { place, column: column.to_owned(), name: name.to_owned(), factor, unit })
    }

    /// The text of a cell.
    pub(super) fn text(&self, row: &'s Row, column: &Column) -> &'s str {
        &row.cells[column.place]
    }

    /// The number in a cell: none where it is empty, infinite where it never came.
    pub(super) fn number(&self, row: &Row, column: &Column, reading: Reading) -> Result<Option<f64>, SheetError> {
        let refused = |what: String| SheetError::at(row.line, what).in_column(&column.column);
        let number = match row.cells[column.place].trim() {
            "" => return Ok(None),
            "-" => return Ok(Some(f64::INFINITY)),
            text => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => number * column.factor,
                _ => return Err(refused(format!("\"{text}\" is no finite number"))),
            },
        };
        let number = reading.least.map_or(number, |least| number.max(least));
        if reading.limit.is_some_and(|limit| number >= limit) {
            return Ok(Some(f64::INFINITY));
        }
        if reading.logarithmic && number <= 0.0 {
            let help = "say what less is taken for, or use a linear scale, which has a place for it";
            return Err(refused(format!("{number} has no place on a logarithmic axis")).with_help(help));
        }
        Ok(Some(number))
    }

    /// Which series a row belongs to, as an index into the names, which grow.
    ///
    /// # Errors
    /// There are more than can be told apart.
    pub(super) fn series(&self, row: &Row, name: &str, names: &mut Vec<String>) -> Result<usize, SheetError> {
        let values: Vec<&str> = self.by.iter().map(|place| row.cells[*place].as_str()).collect();
        let values = values.join(", ");
        let name = match (values.is_empty(), name.is_empty()) {
            (true, _) => name.to_owned(),
            (false, true) => values,
            (false, false) => format!("{values}, {name}"),
        };
        let index = names.iter().position(|other| *other == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        if names.len() > SERIES {
            let error = SheetError::at(row.line, format!("more than {SERIES} series cannot be told apart"));
            return Err(error.with_help("choose some rows, or do not tell them apart"));
        }
        Ok(index)
    }
}

/// `COL=VALUE`, where both may have equals signs: the first column that there is.
fn condition_of<'c>(sheet: &Sheet, condition: &'c str) -> Result<(usize, &'c str), SheetError> {
    let splits = condition.match_indices('=').map(|(at, _)| (&condition[..at], &condition[at + 1..]));
    let found = splits.clone().find_map(|(column, value)| Some((sheet.column(column)?, value)));
    match (found, splits.into_iter().next()) {
        (Some(found), _) => Ok(found),
        (None, Some((column, value))) => place(sheet, column).map(|place| (place, value)),
        (None, None) => Err(SheetError::new(format!("\"{condition}\" is not of the form COL=VALUE"))),
    }
}

fn place(sheet: &Sheet, name: &str) -> Result<usize, SheetError> {
    sheet.column(name).ok_or_else(|| {
        SheetError::at(1, format!("there is no column \"{name}\""))
            .with_help(format!("columns are: {}", sheet.columns.join(", ")))
    })
}
