//! What an experiment writes: a page in Markdown, its tables as CSV, its charts as SVG.

use std::path::Path;

use surefoot_chart::Chart;
use surefoot_files::replace;

use crate::error::Error;
use crate::run::Measured;
use crate::table::{Table, short};

/// A load average at which times mean little: the machine does more than one thing.
pub const BUSY: f64 = 1.5;

/// What every page says of figures that stand beside the papers'.
pub const DIFFERENT: &str = "Columns called *paper* are the published figures. They are not measured here, and not comparable one to one: the papers' policies are other networks than ours (most of theirs are \
not published), and their machines and limits differ (12 hours and 4 GB per run). They show orders of magnitude, and what was decided.";

/// What came out of an experiment.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// What the page is about.
    pub title: String,
    /// Paragraphs at its beginning.
    pub about: Vec<String>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Charts, with the names of their files.
    pub charts: Vec<(String, Chart)>,
    /// Paragraphs at its end.
    pub notes: Vec<String>,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The files, the page first.
    pub files: Vec<String>,
    /// Rows of all tables.
    pub rows: usize,
}

impl Report {
    /// The page.
    #[must_use]
    pub fn page(&self) -> String {
        let mut text = format!("# {}\n", self.title);
        for paragraph in &self.about {
            text.push_str(&format!("\n{paragraph}\n"));
        }
        for table in self.tables.iter().filter(|table| !table.is_long) {
            text.push_str(&format!("\n## {}\n\nAll columns: [{1}.csv]({1}.csv).\n\n", table.title, table.name));
            let rows = if table.is_empty() { "There are no rows.\n".to_owned() } else { table.markdown() };
            text.push_str(&rows);
        }
        for table in self.tables.iter().filter(|table| table.is_long) {
            text.push_str(&format!("\n{}: [{2}.csv]({2}.csv), {1} rows.\n", table.title, table.len(), table.name));
        }
        if !self.charts.is_empty() {
            text.push_str("\n## Charts\n");
        }
        for (name, chart) in &self.charts {
            text.push_str(&format!("\n![{}]({name}.svg)\n", chart.title));
        }
        if !self.notes.is_empty() {
            text.push_str("\n## Notes\n\n");
        }
        for note in &self.notes {
            text.push_str(&format!("- {note}\n"));
        }
        text
    }

    /// Writes everything into a folder; the page is called as told.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, folder: &Path, name: &str) -> Result<Written, Error> {
        let mut files = vec![(format!("{name}.md"), self.page())];
        files.extend(self.tables.iter().map(|table| (format!("{}.csv", table.name), table.csv())));
        files.extend(self.charts.iter().map(|(name, chart)| (format!("{name}.svg"), chart.svg())));
        for (file, text) in &files {
            let path = folder.join(file);
            replace(&path, |out| out.write_all(text.as_bytes())).map_err(|error| Error::file(&path, error))?;
        }
        let rows = self.tables.iter().map(Table::len).sum();
        Ok(Written { files: files.into_iter().map(|(file, _)| file).collect(), rows })
    }

    /// Notes how busy the machine was, where that spoils times.
    pub fn note_load<'m>(&mut self, runs: impl IntoIterator<Item = &'m Measured>) {
        let busiest = runs.into_iter().filter_map(|run| run.load).fold(0.0, f64::max);
        if busiest > BUSY {
            self.notes.push(format!(
                "The machine was busy (load average up to {}): wall seconds mean little, CPU seconds more.",
                short(busiest)
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Ended;
    use crate::table::Cell;

    #[test]
    fn pages_name_their_files() {
        let mut table = Table::new("t", "A table", &["a"]);
        table.row([Cell::Count(1)]);
        let mut report = Report {
            title: "An experiment".to_owned(),
            about: vec!["About it.".to_owned()],
            tables: vec![table],
            charts: vec![("c".to_owned(), Chart::cactus("A chart", None, []))],
            notes: Vec::new(),
        };
        let run = |load| Measured { load, ..Measured::broken(Ended::Answered) };
        report.note_load(&[run(Some(1.0)), run(None)]);
        assert!(report.notes.is_empty());
        report.note_load(&[run(Some(1.0)), run(Some(3.25))]);
        assert_eq!(
            report.page(),
            "# An experiment\n\nAbout it.\n\n## A table\n\nAll columns: [t.csv](t.csv).\n\n| a |\n|---:|\n| 1 |\n\n## Charts\n\n![A chart](c.svg)\n\n\
             ## Notes\n\n- The machine was busy (load average up to 3.25): wall seconds mean little, CPU seconds more.\n"
        );
        let folder = tempfile::tempdir().unwrap();
        let written = report.write(folder.path(), "page").unwrap();
        assert_eq!(
            written,
            Written { files: vec!["page.md".to_owned(), "t.csv".to_owned(), "c.svg".to_owned()], rows: 1 }
        );
        assert!(std::fs::read_to_string(folder.path().join("c.svg")).unwrap().ends_with("</svg>\n"));
    }
}
