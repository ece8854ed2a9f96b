//! What evidence becomes when it is written down.
//!
//! A run is written as it is. A proof is an invariant: the abstract states or the states that the engine ends with, or, where these cannot be shown to be one (or the engine keeps none),
//! the reachable states themselves, as far as little memory goes.

use std::ops::ControlFlow;
use std::path::Path;

use rustc_hash::FxHashSet;
use surefoot_certificate::index::Claim;
use surefoot_certificate::token::Place;
use surefoot_certificate::{CertificateWriter, Size, Witness, WriteError};
use surefoot_checker::formula::Formulas;
use surefoot_checker::rules::States;
use surefoot_checker::subject;
use surefoot_explicit::start::for_each_start;
use surefoot_explicit::{Reached, explore_keeping};
use surefoot_model::State;
use surefoot_prove::{Invariant, Unwritten};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Silent;

use crate::abstraction::regions::{Cells, Regions};
use crate::abstraction::system;
use crate::engine::{Asked, Budget, Evidence, task};
use crate::problem::Problem;

/// Megabytes for states where the engine's own invariant is not one that can be written.
const EXPLORED_MEMORY: usize = 64;

/// What a certificate says besides what it shows.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'v> {
    /// The engine whose verdict it is.
    pub engine: &'v str,
    /// Whether the verdict takes it for granted that the model is never in error.
    pub assume_no_errors: bool,
    /// What it takes for granted of other people's solvers, if it is a proof.
    pub rests_on: &'v [String],
}

/// A certificate that was written.
#[derive(Debug, Clone)]
pub(super) struct Written {
    pub(super) size: Size,
    pub(super) regions: u64,
    pub(super) states: u64,
    /// Why it is of the reachable states, and not of what the engine ended with.
    pub(super) instead: Option<String>,
}

/// Writes a certificate.
///
/// # Errors
/// Why there is none, in words.
pub(super) fn write(
    problem: &Problem,
    about: &Subject<'_>,
    evidence: &Evidence,
    path: &Path,
    budget: &Budget,
) -> Result<Written, String> {
    let proof = Proof { problem, about, path, budget };
    let own = match evidence {
        Evidence::Run(run) => return write_run(problem, about, &run.witness, path),
        Evidence::Invariant { cells: Some(cells), .. } => proof.of_cells(cells),
        Evidence::Exhaustive { reached: Some(reached) } => proof.of_states(reached),
        Evidence::Invariant { .. } => Err("errors of the model are excluded by exploration alone".to_owned()),
        Evidence::Exhaustive { .. } => Err("models with real variables have none".to_owned()),
        Evidence::AllPaths { .. } => Err("paths are no invariant".to_owned()),
    };
    own.or_else(|why| match proof.explored() {
        Some(reached) => match proof.of_states(&reached) {
            Ok(written) => Ok(Written { instead: Some(why), ..written }),
            Err(other) if other == why => Err(why),
            Err(other) => Err(format!("{why}; of the reachable states: {other}")),
        },
        None => Err(why),
    })
}

/// A run. That the model is never in error is no matter of it: it is what it is.
fn write_run(problem: &Problem, about: &Subject<'_>, run: &Witness, path: &Path) -> Result<Written, String> {
    let index = subject::index(problem, Claim::Reachable, about.engine, false)?;
    let in_words = |error: WriteError| error.to_string();
    let line = serde_json::to_string(run).map_err(|error| error.to_string())?;
    let mut writer = CertificateWriter::create(path, &index).map_err(in_words)?;
    writer.line(&line).map_err(in_words)?;
    let size = writer.finish(&[]).map_err(in_words)?;
    Ok(Written { size, regions: 0, states: run.steps.len() as u64 + 1, instead: None })
}

/// An invariant that is to be written.
struct Proof<'p> {
    problem: &'p Problem,
    about: &'p Subject<'p>,
    path: &'p Path,
    budget: &'p Budget,
}

impl Proof<'_> {
    fn of_cells(&self, cells: &Cells) -> Result<Written, String> {
        let system = system(&Asked::of(self.problem), &[]).map_err(|error| Diagnostic::from(error).message)?;
        let regions = Regions::new(&system, cells)?;
        let invariant = Invariant {
            formulas: regions.formulas.clone(),
            regions: regions.regions.clone(),
            states: States::default(),
            start: self.start()?,
            locate: &|point| regions.locate(point),
        };
        self.written(invariant)
    }

    fn of_states(&self, reached: &Reached) -> Result<Written, String> {
        let slot = |slot: &usize| u32::try_from(*slot).map_err(|_| "there are too many variables".to_owned());
        let kept = reached.kept().iter().map(slot).collect::<Result<Vec<u32>, String>>()?;
        let mut values = FxHashSet::default();
        reached.for_each(|state| {
            values.insert(state.into());
        });
        let invariant = Invariant {
            formulas: Formulas::default(),
            regions: Vec::new(),
            states: States { kept, values },
            start: self.start()?,
            locate: &|point| reached.contains(point).then_some(Place::States),
        };
        self.written(invariant)
    }

    /// Some start state.
    fn start(&self) -> Result<State, String> {
        let mut first = None;
        let found = for_each_start(self.problem.model(), &self.problem.query.start, |state| {
            first = Some(state.clone());
            ControlFlow::Break(())
        });
        found.map_err(|error| error.to_string())?;
        first.ok_or_else(|| "there is no start state".to_owned())
    }

    fn written(&self, invariant: Invariant<'_>) -> Result<Written, String> {
        let Subject { engine, assume_no_errors, .. } = *self.about;
        let index = subject::index(self.problem, Claim::Unreachable, engine, assume_no_errors)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.budget.threads.max(1)).build();
        let pool = pool.map_err(|error| format!("no threads: {error}"))?;
        let limits = self.budget.limits();
        let write = || -> Result<Written, Unwritten> {
            let mut out = CertificateWriter::create(self.path, &index)?;
            let shown = surefoot_prove::write(self.problem, assume_no_errors, invariant, &limits, &mut out)?;
            let size = out.finish(&[shown.regions, shown.states])?;
            Ok(Written { size, regions: shown.regions, states: shown.states, instead: None })
        };
        pool.install(write).map_err(|error| error.to_string())
    }

    /// The reachable states, if they are few.
    fn explored(&self) -> Option<Reached> {
        let memory = self.budget.memory.map_or(EXPLORED_MEMORY, |memory| memory.min(EXPLORED_MEMORY));
        let mut task = task(self.problem, &Budget { memory: Some(memory), ..self.budget.clone() });
        if self.problem.query.initial_only {
            task.goal = Some(self.problem.query.always);
            task.goal_terminal = true;
        }
        explore_keeping(&task, &Silent).1
    }
}
