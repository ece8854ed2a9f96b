//! The induced model, written for other checkers.

use std::path::PathBuf;

use surefoot_export::{ExportError, Format, Model, Numbers, Options, ProcessType, paths, save};
use surefoot_limits::Stop;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_verdict::{Event, Reporter};

use super::{Outcome, Told};
use crate::engine::Budget;
use crate::induce::induce;
use crate::problem::{Failure, Problem};
use crate::result::body::Exported;
use crate::result::{ResultObject, VerdictWord};

/// What to write, and where.
#[derive(Debug, Clone)]
pub struct Inducing {
    /// The file.
    pub out: PathBuf,
    /// The format, whatever the extension.
    pub format: Option<Format>,
    /// How probabilities are written; else as the format has them.
    pub numbers: Option<Numbers>,
    /// Whether a decision process is written even where no state has a choice.
    pub always_mdp: bool,
    /// Whether drawings may have any size.
    pub any_size: bool,
}

/// What was written.
#[derive(Debug)]
pub struct Written {
    /// The files.
    pub files: Vec<String>,
    /// What is in them.
    pub exported: Exported,
}

impl Inducing {
    /// The format, and that there is a place for the file.
    pub(super) fn format(&self) -> Result<Format, Failure> {
        let error = |message: String, help: String| Failure::from(Diagnostic::error_anywhere(message).with_help(help));
        let path = &self.out;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if path.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
            let message = format!("cannot write {}: there is no such place for a file", path.display());
            return Err(error(message, "give a file in a folder that exists".to_owned()));
        }
        self.format.or_else(|| Format::of(path)).ok_or_else(|| {
            let message = format!("the extension of {} names no format", path.display());
            error(message, format!("use .drn, .tra, .umb, .dot or .graphml, or say which with {}", option("format")))
        })
    }

    /// The files that will be written.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        let mut paths = self.format().map(|format| paths(&self.out, format)).unwrap_or_default();
        // Where the files of the format fall together, saving says so.
        paths.dedup();
        paths
    }

    pub(super) fn run(
        &self,
        problem: Problem,
        result: ResultObject,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let format = self.format()?;
        let options = Options {
            numbers: self.numbers,
            always_mdp: self.always_mdp,
            any_size: self.any_size,
            deadline: budget.time.and_then(|time| budget.started.checked_add(time)),
        };
        let induced = induce(&problem, budget, reporter)?;
        let explored = induced.limit();
        let mut limit = explored;
        let mut written = None;
        if let Some(model) = induced.model() {
            match save(&model, format, &options, &self.out) {
                Ok(files) => {
                    let files = files.iter().map(|path| path.display().to_string()).collect();
                    written = Some(Written { files, exported: describe(&model, format, &options) });
                }
                Err(ExportError::Deadline) => limit = Some(Stop::Time),
                Err(error) => return Err(refusal(&error)),
            }
        }
        let reason = match &written {
            Some(_) => None,
            None => Some(budget.describe(limit.unwrap_or(Stop::Time))),
        };
        let figures = *induced.statistics();
        let result = result.explored(&problem, &figures, reason);
        let result = match &written {
            Some(Written { files, exported }) => {
                let file = Some(self.out.display().to_string());
                result.induced(&problem, file, files.clone(), Some(exported.clone()))
            }
            None => result.induced(&problem, None, Vec::new(), None),
        };
        drop(induced);
        let last = (figures.explored().figures(), explored.map(|_| VerdictWord::Unknown));
        Ok(Outcome { last, ..Outcome::new(result, Told::Induced(written), problem, Vec::new()) })
    }
}

fn refusal(error: &ExportError) -> Failure {
    let help = match error {
        ExportError::TooLarge { .. } => format!("use .drn, .tra or .umb, or force it with {}", option("large")),
        ExportError::Vanishes(_) => format!("use {} exact", option("numbers")),
        ExportError::Inconsistent(_) | ExportError::Label(_) => return Failure::Internal(error.to_string()),
        _ => "nothing was written".to_owned(),
    };
    Diagnostic::error_anywhere(error.to_string()).with_help(help).into()
}

/// What is in the files.
fn describe(model: &Model<'_>, format: Format, options: &Options) -> Exported {
    let process = match model.process_type(options) {
        ProcessType::Dtmc => "dtmc",
        ProcessType::Mdp => "mdp",
    };
    let numbers = match options.numbers.unwrap_or(format.numbers()) {
        Numbers::Exact => "exact",
        Numbers::Double => "double",
    };
    let mdp = model.mdp;
    let stuck = mdp.states().filter(|state| mdp.choices(*state).is_empty()).count();
    let self_loops = if format.is_drawing() { 0 } else { stuck };
    Exported {
        format: format.extension().to_owned(),
        r#type: process.to_owned(),
        numbers: numbers.to_owned(),
        states: mdp.num_states(),
        choices: mdp.num_choices() + self_loops,
        transitions: mdp.num_branches() + self_loops,
        self_loops,
        labels: model.labels.iter().map(|label| (label.name.clone(), label.states.count())).collect(),
    }
}
