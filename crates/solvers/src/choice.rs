//! Which solver answers which questions, and where they are.

use std::path::PathBuf;
use std::sync::Arc;

use surefoot_files::Scratch;
use surefoot_limits::{Limits, Stop};

use crate::backend::{Backend, Failure};
use crate::highs::ByHighs;
use crate::marabou::Marabou;
use crate::outside::{Outside, Roles};
use crate::smt::Smt;

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Z3.
    Z3,
    /// cvc5.
    Cvc5,
    /// Marabou, and the paper's branch and bound over it.
    Marabou,
    /// HiGHS.
    Highs,
    /// As in the papers: Z3 where there is no network, Marabou where there is one, and branch and bound over it where that is to be exact.
    Paper,
    /// The same, but Z3 where it is to be exact.
    PaperSmt,
}

/// Where solvers may be; the first that works is taken.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Z3's executable.
    pub z3: Vec<PathBuf>,
    /// Pythons that may have packages.
    pub python: Vec<PathBuf>,
    /// HiGHS's executable.
    pub highs: Vec<PathBuf>,
    /// A folder for files that are not kept.
    pub scratch: PathBuf,
}

/// A solver that does not start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Who.
    pub who: &'static str,
    /// What was tried.
    pub tried: String,
    /// The limit of the run that was met meanwhile, if that is why.
    pub stopped: Option<Stop>,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} does not start: {}", self.who, self.tried)
    }
}

impl std::error::Error for Missing {}

impl Choice {
    /// The oracle, its solvers started.
    ///
    /// # Errors
    /// Where one does not start.
    pub fn start(self, places: &Places, limits: &Limits) -> Result<Outside, Missing> {
        let folder = Scratch::new(&places.scratch).map(Arc::new).map_err(|error| Missing {
            who: "a solver",
            tried: format!("{} cannot be written: {error}", places.scratch.display()),
            stopped: None,
        })?;
        let begin = Begin { places, folder: &folder, limits };
        let one = Roles { plain: 0, networks: 0, relaxed: 0 };
        let (solvers, roles) = match self {
            Self::Z3 => (vec![begin.z3()?], one),
            Self::Cvc5 => (vec![begin.cvc5()?], one),
            Self::Marabou => (vec![begin.marabou()?], one),
            Self::Highs => (vec![begin.highs()?], one),
            Self::Paper => (vec![begin.z3()?, begin.marabou()?], Roles { networks: 1, relaxed: 1, ..one }),
            Self::PaperSmt => (vec![begin.z3()?, begin.marabou()?], Roles { relaxed: 1, ..one }),
        };
        Ok(Outside::new(solvers, roles))
    }
}

struct Begin<'p> {
    places: &'p Places,
    folder: &'p Arc<Scratch>,
    limits: &'p Limits,
}

impl Begin<'_> {
    fn z3(&self) -> Result<Box<dyn Backend>, Missing> {
        self.first("Z3", &self.places.z3, |path| Ok(Box::new(Smt::z3(path, self.folder, self.limits)?)))
    }

    fn cvc5(&self) -> Result<Box<dyn Backend>, Missing> {
        self.first("cvc5", &self.places.python, |path| Ok(Box::new(Smt::cvc5(path, self.folder, self.limits)?)))
    }

    fn marabou(&self) -> Result<Box<dyn Backend>, Missing> {
        let start = |path: &PathBuf| -> Result<Box<dyn Backend>, Failure> {
            Ok(Box::new(Marabou::start(path, self.folder, self.limits)?))
        };
        self.first("Marabou", &self.places.python, start)
    }

    fn highs(&self) -> Result<Box<dyn Backend>, Missing> {
        let candidates: Vec<PathBuf> = self.places.highs.iter().chain(&self.places.python).cloned().collect();
        let started = ByHighs::start(&candidates, &self.places.scratch, self.limits);
        let missing = |failure: Failure| Missing { who: "HiGHS", stopped: of_run(failure.stop), tried: failure.why };
        Ok(Box::new(started.map_err(missing)?))
    }

    fn first(
        &self,
        who: &'static str,
        candidates: &[PathBuf],
        start: impl Fn(&PathBuf) -> Result<Box<dyn Backend>, Failure>,
    ) -> Result<Box<dyn Backend>, Missing> {
        let (mut tried, mut stopped) = (Vec::new(), None);
        for candidate in candidates {
            // It is run from another folder.
            let path = std::path::absolute(candidate).unwrap_or_else(|_| candidate.clone());
            match start(&path) {
                Ok(started) => return Ok(started),
                Err(failure) => {
                    stopped = stopped.or(of_run(failure.stop));
                    tried.push(format!("{}: {}", candidate.display(), failure.why));
                }
            }
        }
        let tried =
            if tried.is_empty() { "no program or Python for it was found".to_owned() } else { tried.join("; ") };
        Err(Missing { who, tried, stopped })
    }
}

/// A limit of the run, and not the solver's own trouble.
fn of_run(stop: Stop) -> Option<Stop> {
    matches!(stop, Stop::Time | Stop::Memory | Stop::Interrupted).then_some(stop)
}
