//! A table as a chart of each kind but bands.

use std::collections::BTreeMap;

use super::reader::{Column, Reader, Reading};
use super::{Drawn, Plot};
use crate::axis::{Axis, Scale};
use crate::chart::{Chart, Point, Rule, Series};
use crate::number::Unit;
use crate::sheet::{Row, Sheet, SheetError};

impl Plot {
    pub(super) fn cactus(&self, sheet: &Sheet) -> Result<Drawn, SheetError> {
        let reader = Reader::new(self, sheet)?;
        let columns = self.ys(&reader)?;
        // No time at all has a place here; less than that has none anywhere.
        let reading = Reading { logarithmic: false, least: self.least, limit: self.limit };
        let (mut names, mut runs) = (Vec::new(), Vec::<Vec<f64>>::new());
        let mut empty = 0;
        for row in &reader.rows {
            let mut is_empty = true;
            for column in &columns {
                let Some(seconds) = reader.number(row, column, reading)? else { continue };
                if seconds < 0.0 {
                    let error = SheetError::at(row.line, format!("{seconds} seconds are less than none"));
                    return Err(error.in_column(&column.name));
                }
                let series = reader.series(row, &self.part(column), &mut names)?;
                runs.resize(runs.len().max(series + 1), Vec::new());
                runs[series].push(seconds);
                is_empty = false;
            }
            empty += usize::from(is_empty);
        }
        let chart = Chart::cactus(self.title(), self.limit, names.into_iter().zip(runs));
        Ok(drawn(self.retitled(chart), reader.rows.len(), empty))
    }

    pub(super) fn scatter(&self, sheet: &Sheet) -> Result<Drawn, SheetError> {
        let reader = Reader::new(self, sheet)?;
        let (x, y) = (self.xs(&reader)?, reader.column(&self.y[0])?);
        let logarithmic = self.logarithmic.map(|told| told.unwrap_or(true));
        if logarithmic[0] != logarithmic[1] {
            return Err(SheetError::new("both axes of a scatter plot grow in the same way"));
        }
        let reading = Reading { logarithmic: logarithmic[0], least: self.least, limit: self.limit };
        let (mut names, mut series) = (Vec::new(), Vec::<Series>::new());
        let mut empty = 0;
        for row in &reader.rows {
            let both = (reader.number(row, &x, reading)?, reader.number(row, &y, reading)?);
            let (Some(across), Some(up)) = both else {
                empty += 1;
                continue;
            };
            let index = reader.series(row, "", &mut names)?;
            add(&mut series, index, Point::at(across, up));
        }
        let axes = [&x, &y].map(|column| axis(column, logarithmic[0], column.name.clone()));
        let [x, y] = self.bordered(axes, &series);
        let chart = Chart::scatter(self.title(), x, y, named(names, series));
        Ok(drawn(self.retitled(chart), reader.rows.len(), empty))
    }

    pub(super) fn growth(&self, sheet: &Sheet) -> Result<Drawn, SheetError> {
        let reader = Reader::new(self, sheet)?;
        let (x, ys) = (self.xs(&reader)?, self.ys(&reader)?);
        let logarithmic = [self.logarithmic[0].unwrap_or(false), self.logarithmic[1].unwrap_or(true)];
        let across = Reading { logarithmic: logarithmic[0], least: None, limit: None };
        let up = Reading { logarithmic: logarithmic[1], least: self.least, limit: self.limit };
        let (mut names, mut series) = (Vec::new(), Vec::<Series>::new());
        let mut taken = Taken::default();
        let mut empty = 0;
        for row in &reader.rows {
            let Some(place) = reader.number(row, &x, across)?.filter(|place| place.is_finite()) else {
                empty += 1;
                continue;
            };
            let mut is_empty = true;
            for column in &ys {
                let Some(number) = reader.number(row, column, up)? else { continue };
                let index = reader.series(row, &self.part(column), &mut names)?;
                taken.take(index, place, row, column)?;
                add(&mut series, index, Point::at(place, number));
                is_empty = false;
            }
            empty += usize::from(is_empty);
        }
        for series in &mut series {
            series.points.sort_by(|one, other| one.x.total_cmp(&other.x));
        }
        let title = if let [only] = &ys[..] { only.name.clone() } else { String::new() };
        let axes = [axis(&x, logarithmic[0], x.name.clone()), axis(&ys[0], logarithmic[1], title)];
        let [x, y] = self.bordered(axes, &series);
        let mut chart = Chart::growth(self.title(), x, y, named(names, series));
        chart.rules.extend(self.threshold(&chart.y).map(|(place, name)| Rule::Across(place, name)));
        Ok(drawn(self.retitled(chart), reader.rows.len(), empty))
    }

    pub(super) fn xs(&self, reader: &Reader<'_>) -> Result<Column, SheetError> {
        reader.column(self.x.as_deref().unwrap_or_default())
    }

    fn ys(&self, reader: &Reader<'_>) -> Result<Vec<Column>, SheetError> {
        self.y.iter().map(|text| reader.column(text)).collect()
    }

    /// What a column says in the name of a series: nothing where it is the only one, and others tell series apart.
    fn part(&self, column: &Column) -> String {
        if self.y.len() == 1 && (!self.by.is_empty() || self.kind == super::Kind::Growth) {
            String::new()
        } else {
            column.name.clone()
        }
    }

    pub(super) fn title(&self) -> String {
        self.title.clone().unwrap_or_default()
    }

    /// With the titles that are asked for.
    pub(super) fn retitled(&self, mut chart: Chart) -> Chart {
        for (axis, title) in [&mut chart.x, &mut chart.y].into_iter().zip(&self.titles) {
            if let Some(title) = title {
                axis.title.clone_from(title);
            }
        }
        chart
    }

    /// Axes with borders, where something never came.
    fn bordered(&self, axes: [Axis; 2], series: &[Series]) -> [Axis; 2] {
        let [x, y] = axes;
        let points = || series.iter().flat_map(|series| &series.points);
        let name =
            |axis: &Axis| self.limit.map_or("never".to_owned(), |limit| format!("≥ {}", axis.unit.write(limit, 0.0)));
        let border = |axis: Axis, is_needed: bool| Axis { border: is_needed.then(|| name(&axis)), ..axis };
        [border(x, points().any(|point| point.x.is_infinite())), border(y, points().any(|point| point.y.is_infinite()))]
    }

    pub(super) fn threshold(&self, axis: &Axis) -> Option<(f64, String)> {
        self.threshold.map(|place| (place, format!("threshold {}", axis.unit.write(place, 0.0))))
    }
}

/// Where the points of each series are, and on which lines they were told: there is one for each place.
#[derive(Default)]
pub(super) struct Taken(BTreeMap<(usize, u64), usize>);

impl Taken {
    /// Takes a place for a row.
    pub(super) fn take(&mut self, series: usize, place: f64, row: &Row, column: &Column) -> Result<(), SheetError> {
        match self.0.insert((series, place.to_bits()), row.line) {
            None => Ok(()),
            Some(other) => {
                let error =
                    SheetError::at(row.line, format!("the series has a point there already, from line {other}"));
                Err(error.in_column(&column.name).with_help("tell rows apart by a column, or choose some of them"))
            }
        }
    }
}

pub(super) fn axis(column: &Column, logarithmic: bool, title: String) -> Axis {
    let scale = if logarithmic { Scale::Logarithmic } else { Scale::Linear };
    let unit = if column.unit == Unit::Seconds { Unit::Seconds } else { Unit::Number };
    Axis { scale, unit, ..Axis::linear(title) }
}

pub(super) fn add(series: &mut Vec<Series>, index: usize, point: Point) {
    series.resize(series.len().max(index + 1), Series::default());
    series[index].points.push(point);
}

pub(super) fn named(names: Vec<String>, series: Vec<Series>) -> Vec<Series> {
    names.into_iter().zip(series).map(|(name, series)| Series { name, ..series }).collect()
}

pub(super) fn drawn(chart: Chart, rows: usize, empty: usize) -> Drawn {
    let points = chart.series.iter().map(|series| series.points.len()).sum();
    Drawn { chart, points, rows, empty }
}
