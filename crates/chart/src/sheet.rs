//! Tables in CSV: a line of names, and lines of cells; cells in quotes may have commas, quotes (twice) and line breaks.
//!
//! Invariants: every row has a cell for each column, and names of columns are different; a row knows its line in the file, so that what is wrong with a cell can be found.

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub(crate) rows: Vec<Row>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// The line on which it begins.
    pub(crate) line: usize,
    /// A cell for each column.
    pub(crate) cells: Vec<String>,
}

/// What is wrong with a table, or with what is asked of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetError {
    /// The line of the file.
    pub line: Option<usize>,
    /// The column.
    pub column: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What can be done.
    pub help: Option<String>,
}

impl std::fmt::Display for SheetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.line, &self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}, column \"{column}\": {}", self.what),
            (Some(line), None) => write!(f, "line {line}: {}", self.what),
            (None, Some(column)) => write!(f, "column \"{column}\": {}", self.what),
            (None, None) => write!(f, "{}", self.what),
        }
    }
}

impl std::error::Error for SheetError {}

impl SheetError {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { line: None, column: None, what: what.into(), help: None }
    }

    pub(crate) fn at(line: usize, what: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::new(what) }
    }

    pub(crate) fn in_column(self, column: impl Into<String>) -> Self {
        Self { column: Some(column.into()), ..self }
    }

    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl Sheet {
    /// Reads a table.
    ///
    /// # Errors
    /// No line of names, names that are the same, a row with too few or too many cells, quotes that do not end or begin inside of a cell.
    pub fn read(text: &str) -> Result<Self, SheetError> {
        let mut rows = rows(text.strip_prefix('\u{feff}').unwrap_or(text))?.into_iter();
        let columns = rows.next().ok_or_else(|| SheetError::new("there is no line of names"))?.cells;
        for (place, name) in columns.iter().enumerate() {
            if columns[..place].contains(name) {
                return Err(SheetError::at(1, format!("two columns are called \"{name}\"")));
            }
        }
        let rows: Vec<Row> = rows.collect();
        for row in &rows {
            if row.cells.len() != columns.len() {
                let (found, wanted) = (row.cells.len(), columns.len());
                return Err(SheetError::at(
                    row.line,
                    format!("the row has {found} cells, but there are {wanted} columns"),
                ));
            }
        }
        Ok(Self { columns, rows })
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

    /// The place of a column.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// Lines without anything on them are no rows.
fn rows(text: &str) -> Result<Vec<Row>, SheetError> {
    let mut rows = Vec::new();
    let (mut line, mut begun) = (1, 1);
    let (mut cells, mut cell) = (Vec::new(), String::new());
    let mut was_quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if cell.is_empty() && !was_quoted => {
                was_quoted = true;
                loop {
                    match characters.next() {
                        Some('"') if characters.peek() == Some(&'"') => cell.extend(characters.next()),
                        Some('"') => break,
                        Some(inside) => {
                            line += usize::from(inside == '\n');
                            cell.push(inside);
                        }
                        None => return Err(SheetError::at(begun, "a quote does not end")),
                    }
                }
            }
            '"' => return Err(SheetError::at(line, "a quote inside of a cell that does not begin with one")),
            ',' => {
                cells.push(std::mem::take(&mut cell));
                was_quoted = false;
            }
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' => {
                finish(&mut rows, &mut cells, &mut cell, was_quoted, begun);
                was_quoted = false;
                line += 1;
                begun = line;
            }
            _ if was_quoted => return Err(SheetError::at(line, "text after a quote that ended")),
            other => cell.push(other),
        }
    }
    finish(&mut rows, &mut cells, &mut cell, was_quoted, begun);
    Ok(rows)
}

fn finish(rows: &mut Vec<Row>, cells: &mut Vec<String>, cell: &mut String, was_quoted: bool, line: usize) {
    if !cells.is_empty() || !cell.is_empty() || was_quoted {
        cells.push(std::mem::take(cell));
        rows.push(Row { line, cells: std::mem::take(cells) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Sheet::read(text).unwrap_err().to_string()
    }

    #[test]
    fn quotes_commas_and_line_breaks_are_read() {
        let sheet = Sheet::read("\u{feff}a,\"b, c\"\r\n1,\"x \"\"y\"\"\nz\"\n\n2,\n").unwrap();
        assert_eq!(sheet.columns, ["a", "b, c"]);
        let rows: Vec<(usize, &[String])> = sheet.rows.iter().map(|row| (row.line, &row.cells[..])).collect();
        assert_eq!(rows, [(2, &["1".to_owned(), "x \"y\"\nz".to_owned()][..]), (5, &["2".to_owned(), String::new()])]);
        assert_eq!(Sheet::read("a\n\"\"\nlast").unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        assert_eq!(refused(""), "there is no line of names");
        assert_eq!(refused("a,b\n1,2\n3"), "line 3: the row has 1 cells, but there are 2 columns");
        assert_eq!(refused("a,a\n"), "line 1: two columns are called \"a\"");
        assert_eq!(refused("a\n1\n\"2\n3\n"), "line 3: a quote does not end");
        assert_eq!(refused("a\n1\"2\"\n"), "line 2: a quote inside of a cell that does not begin with one");
        assert_eq!(refused("a\n\"1\"2\n"), "line 2: text after a quote that ended");
    }
}
