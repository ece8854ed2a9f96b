//! Tables, as CSV with all columns and as Markdown with those that are for people.

use std::fmt::Write as _;

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The name of its file.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Whether pages only name its file: it is long, and for programs.
    pub is_long: bool,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
struct Column {
    name: String,
    /// Whether Markdown has it.
    shown: bool,
}

/// What is in a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing: it is not known, or makes no sense.
    Empty,
    /// Words.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number; people see three digits of it.
    Number(f64),
}

impl Table {
    /// An empty table. Columns whose names begin with a star are for programs alone.
    pub fn new(name: impl Into<String>, title: impl Into<String>, columns: &[&str]) -> Self {
        let column = |name: &&str| match name.strip_prefix('*') {
            Some(name) => Column { name: name.to_owned(), shown: false },
            None => Column { name: (*name).to_owned(), shown: true },
        };
        let columns = columns.iter().map(column).collect();
        Self { name: name.into(), title: title.into(), is_long: false, columns, rows: Vec::new() }
    }

    /// The same, for programs: pages only name its file.
    #[must_use]
    pub fn long(self) -> Self {
        Self { is_long: true, ..self }
    }

    /// Adds a row; one that is too short is filled up, one that is too long is cut.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.resize(self.columns.len(), Cell::Empty);
        self.rows.push(cells);
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The cells of a column.
    pub fn column(&self, name: &str) -> impl Iterator<Item = &Cell> {
        let place = self.columns.iter().position(|column| column.name == name);
        self.rows.iter().filter_map(move |row| row.get(place?))
    }

    /// As CSV, with the names of all columns.
    #[must_use]
    pub fn csv(&self) -> String {
        let names = self.columns.iter().map(|column| quoted(&column.name));
        let mut text = line(names);
        for row in &self.rows {
            text.push_str(&line(row.iter().map(|cell| quoted(&cell.exact()))));
        }
        text
    }

    /// As Markdown, with the columns that are for people.
    #[must_use]
    pub fn markdown(&self) -> String {
        let shown: Vec<usize> = (0..self.columns.len()).filter(|column| self.columns[*column].shown).collect();
        let number = |column: &usize| {
            let mut cells = self.rows.iter().map(|row| &row[*column]).filter(|cell| **cell != Cell::Empty).peekable();
            cells.peek().is_some() && cells.all(|cell| matches!(cell, Cell::Count(_) | Cell::Number(_)))
        };
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = row(shown.iter().map(|column| piped(&self.columns[*column].name)).collect());
        let rule: Vec<&str> = shown.iter().map(|column| if number(column) { "---:" } else { "---" }).collect();
        let _ = writeln!(text, "|{}|", rule.join("|"));
        for cells in &self.rows {
            text.push_str(&row(shown.iter().map(|column| piped(&cells[*column].short())).collect()));
        }
        text
    }
}

impl Cell {
    /// Words.
    pub fn text(words: impl Into<String>) -> Self {
        Self::Text(words.into())
    }

    /// A figure that counts something, if it is there.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be a whole number that fits"
    )]
    pub fn count(figure: Option<f64>) -> Self {
        match figure {
            Some(figure) if (0.0..9e15).contains(&figure) && figure.fract() == 0.0 => Self::Count(figure as u64),
            other => Self::number(other),
        }
    }

    /// A number, if it is there and finite.
    #[must_use]
    pub fn number(number: Option<f64>) -> Self {
        number.filter(|number| number.is_finite()).map_or(Self::Empty, Self::Number)
    }

    /// For programs.
    #[must_use]
    pub fn exact(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => number.to_string(),
        }
    }

    /// For people.
    #[must_use]
    pub fn short(&self) -> String {
        match self {
            Self::Number(number) => short(*number),
            other => other.exact(),
        }
    }
}

/// A number to three digits that count, and no more than four after the point.
#[must_use]
pub fn short(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if size < 0.1 => format!("{number:.4}"),
        size if size < 1.0 => format!("{number:.3}"),
        size if size < 10.0 => format!("{number:.2}"),
        size if size < 100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// A count as a number.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "figures of tables and places on drawings")]
pub fn float(count: u64) -> f64 {
    count as f64
}

fn line(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(",") + "\n"
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

fn piped(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_table() {
        let mut table = Table::new("t", "A table", &["name", "*raw", "n", "seconds"]);
        table.row([
            Cell::text("a,\"b\"|c"),
            Cell::Number(0.123_456),
            Cell::count(Some(7.0)),
            Cell::number(Some(12.345)),
        ]);
        table.row([Cell::text("d"), Cell::Empty, Cell::count(None), Cell::number(Some(f64::NAN))]);
        table.row([Cell::text("short")]);
        assert_eq!(table.csv(), "name,raw,n,seconds\n\"a,\"\"b\"\"|c\",0.123456,7,12.345\nd,,,\nshort,,,\n");
        assert_eq!(
            table.markdown(),
            "| name | n | seconds |\n|---|---:|---:|\n| a,\"b\"\\|c | 7 | 12.3 |\n| d |  |  |\n| short |  |  |\n"
        );
        assert_eq!((table.len(), table.column("n").count(), table.column("none").count()), (3, 3, 0));
    }

    #[test]
    fn people_see_three_digits() {
        let numbers = [0.0, 0.001_234, 0.5, 3.456, 34.56, 345.6, -2.0];
        assert_eq!(numbers.map(short), ["0", "0.0012", "0.500", "3.46", "34.6", "346", "-2.00"]);
        assert_eq!(Cell::count(Some(2.5)), Cell::Number(2.5));
    }
}
