//! Where other people's programs are looked for.

use std::path::PathBuf;

use surefoot_text::diagnostic::Diagnostic;
use surefoot_verify::OutsideRequest;
use surefoot_verify::outside::{Choice, Places as SolverPlaces};

use crate::args::oracle::{OracleArg, OracleArgs};

/// Names the Python with the solvers where no option does.
const VARIABLE: &str = "SUREFOOT_PYTHON";

/// Where programs are looked for. Never in the folder the user is in: that may be somebody else's, with somebody else's programs.
pub(super) struct Places {
    beside: Option<PathBuf>,
    path: Vec<PathBuf>,
}

impl Places {
    pub(super) fn of_system() -> Self {
        let beside = std::env::current_exe().ok().and_then(|file| Some(file.parent()?.to_owned()));
        let path = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
        Self { beside, path }
    }

    fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.beside.iter().chain(&self.path).filter(|folder| folder.is_absolute())
    }

    /// A program by its name.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        self.folders().map(|folder| folder.join(name)).find(|file| file.is_file())
    }

    /// What a user names: a path, or a program that is found by its name.
    pub(super) fn given(&self, named: PathBuf) -> Result<PathBuf, Diagnostic> {
        if named.components().count() > 1 {
            return Ok(named);
        }
        self.program(&named.to_string_lossy()).ok_or_else(|| {
            let named = named.display();
            let message = format!("there is no program {named} beside this one or on the PATH");
            Diagnostic::error_anywhere(message).with_help(format!("for a file in this folder write ./{named}"))
        })
    }
}

/// What a user names by an option, or by a variable of the environment.
pub(super) fn named(option: Option<&PathBuf>, variable: &str) -> Option<PathBuf> {
    option.cloned().or_else(|| std::env::var_os(variable).filter(|named| !named.is_empty()).map(PathBuf::from))
}

/// Who is asked instead of the built-in oracle; `smt`: where an exact test is to be Z3's and not branch and bound.
pub(super) fn oracle(args: &OracleArgs, smt: bool) -> Result<Option<OutsideRequest>, Diagnostic> {
    let choice = match args.oracle {
        OracleArg::Builtin if args.python.is_some() => {
            let error = Diagnostic::error_anywhere("--python is for --oracle, which is not given");
            return Err(error.with_help("add --oracle z3, cvc5, marabou, highs or paper, or leave it out"));
        }
        OracleArg::Builtin => return Ok(None),
        OracleArg::Z3 => Choice::Z3,
        OracleArg::Cvc5 => Choice::Cvc5,
        OracleArg::Marabou => Choice::Marabou,
        OracleArg::Highs => Choice::Highs,
        OracleArg::Paper if smt => Choice::PaperSmt,
        OracleArg::Paper => Choice::Paper,
    };
    let system = Places::of_system();
    let scratch = std::env::temp_dir();
    let places = match named(args.python.as_ref(), VARIABLE) {
        Some(python) => {
            let python = system.given(python)?;
            // The packages put their executables beside the Python that has them.
            let beside = python.with_file_name("z3");
            let z3 = if beside.is_file() { Some(beside) } else { system.program("z3") };
            SolverPlaces { z3: z3.into_iter().collect(), python: vec![python], highs: Vec::new(), scratch }
        }
        None => SolverPlaces {
            z3: system.program("z3").into_iter().collect(),
            python: system.program("python3").into_iter().collect(),
            highs: system.program("highs").into_iter().collect(),
            scratch,
        },
    };
    Ok(Some(OutsideRequest { choice, places }))
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
        assert_eq!(absolute.program("highs"), Some(folder.path().join("highs")));
        assert_eq!(absolute.program("z3"), None);
        assert_eq!(absolute.given("highs".into()), Ok(folder.path().join("highs")));
        assert_eq!(absolute.given("./highs".into()), Ok(PathBuf::from("./highs")));
        assert!(places(vec![".".into()]).given("Cargo.toml".into()).is_err());
        // The same folder, spelt from here.
        let up = "../".repeat(std::env::current_dir().unwrap().components().count());
        let relative = PathBuf::from(format!("{up}{}", folder.path().display()));
        assert!(relative.join("highs").is_file() && places(vec![relative]).program("highs").is_none());
    }
}
