//! `ctl --method monolithic|compositional`: the paper's procedures, by a solver that is not ours.

use std::path::PathBuf;

use surefoot_files::escape;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::{CtlFormula, CtlVerdict, MilpMethod, MilpOutcome, MilpRequest, Problem};

use crate::args::ctl::CtlArgs;
use crate::commands::{assumed, subject};
use crate::evidence::evidence_table;
use crate::output::counted;

/// As in the paper.
const JOBS: usize = 8;
/// Names the solver where no option does.
const VARIABLE: &str = "SUREFOOT_HIGHS";

/// What is asked for, and where the solver is.
pub(super) fn request(args: &CtlArgs, method: MilpMethod) -> Result<MilpRequest, Diagnostic> {
    let given =
        args.solver.clone().or_else(|| std::env::var_os(VARIABLE).filter(|named| !named.is_empty()).map(PathBuf::from));
    let places = Places::of_system();
    let solvers = match given {
        None => places.solvers(),
        Some(named) => vec![places.given(named)?],
    };
    Ok(MilpRequest {
        method,
        jobs: args.jobs.unwrap_or(JOBS),
        solvers,
        scratch: std::env::temp_dir(),
        write: args.write_lp.clone(),
        assume_no_errors: args.assume.no_errors(),
    })
}

/// Where programs are looked for. Never in the folder the user is in: that may be somebody else's, with somebody else's programs.
struct Places {
    beside: Option<PathBuf>,
    path: Vec<PathBuf>,
}

impl Places {
    fn of_system() -> Self {
        let beside = std::env::current_exe().ok().and_then(|file| Some(file.parent()?.to_owned()));
        let path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        Self { beside, path }
    }

    fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.beside.iter().chain(&self.path).filter(|folder| folder.is_absolute())
    }

    /// Where a solver may be, unless one is named.
    fn solvers(&self) -> Vec<PathBuf> {
        let programs =
            ["highs", "python3"].map(|name| self.folders().map(|folder| folder.join(name)).find(|f| f.is_file()));
        programs.into_iter().flatten().collect()
    }

    /// What a user names: a path, or a program that is found by its name.
    fn given(&self, named: PathBuf) -> Result<PathBuf, Diagnostic> {
        if named.components().count() > 1 {
            return Ok(named);
        }
        self.folders().map(|folder| folder.join(&named)).find(|file| file.is_file()).ok_or_else(|| {
            let named = named.display();
            let message = format!("there is no program {named} beside this one or on the PATH");
            Diagnostic::error_anywhere(message).with_help(format!("for a file in this folder write ./{named}"))
        })
    }
}

pub(super) fn text(
    problem: &Problem,
    formula: &CtlFormula,
    outcome: &MilpOutcome,
    engine: &str,
    seconds: f64,
) -> String {
    let statistics = &outcome.statistics;
    let mut text = super::headline(&outcome.verdict, outcome.assumes_no_errors);
    text.push_str(&format!("  formula   {}\n", escape(&formula.text)));
    text.push_str(&subject(problem));
    text.push_str(&format!(
        "  programs  {}, the largest with {} and {}; {} ruled out by bounds\n",
        counted(statistics.programs, "mixed-integer program"),
        counted(statistics.largest.0 as u64, "variable"),
        counted(statistics.largest.1 as u64, "row"),
        counted(statistics.discarded, "alternative")
    ));
    let replayed =
        if matches!(outcome.verdict, CtlVerdict::Violated(_)) { "; replayed in exact arithmetic" } else { "" };
    text.push_str(&format!("  engine    {engine}{replayed}\n"));
    let shown = assumed(problem);
    for assumption in shown.chain(&outcome.assumptions) {
        text.push_str(&format!("  assuming  {assumption}\n"));
    }
    if let CtlVerdict::Violated(witness) = &outcome.verdict
        && witness.stutters
    {
        text.push_str("  note      a state below has no successors: it stays as it is for ever\n");
    }
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    if let CtlVerdict::Violated(witness) = &outcome.verdict {
        text.push('\n');
        text.push_str(&evidence_table(problem, witness));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_absolute_folders_only() {
        let folder = tempfile::tempdir().unwrap();
        let here = std::env::current_dir().unwrap();
        std::fs::write(folder.path().join("highs"), "").unwrap();
        let places = |path: Vec<PathBuf>| Places { beside: None, path };
        let absolute = places(vec![PathBuf::new(), ".".into(), folder.path().to_owned(), here]);
        assert_eq!(absolute.solvers(), [folder.path().join("highs")]);
        assert_eq!(absolute.given("highs".into()), Ok(folder.path().join("highs")));
        assert_eq!(absolute.given("./highs".into()), Ok(PathBuf::from("./highs")));
        assert!(places(vec![".".into()]).given("Cargo.toml".into()).is_err());
        // The same folder, spelt from here.
        let up = "../".repeat(std::env::current_dir().unwrap().components().count());
        let relative = PathBuf::from(format!("{up}{}", folder.path().display()));
        assert!(relative.join("highs").is_file() && places(vec![relative]).solvers().is_empty());
    }
}
