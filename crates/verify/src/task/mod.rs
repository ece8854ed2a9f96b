//! The facade: a [`Task`] in, an [`Outcome`] out, for everything that can be done.
//!
//! A task is a [`Job`], what may be spent on it, and a seed. [`Task::run`] is all there is to it. A front end that has its say on the way takes the
//! same steps one by one: [`Task::open`] reads the problem, [`Opened::prepare`] what else the job names (predicates, a checkpoint, a formula), and
//! [`Opened::run`] does it. Which engine or procedure answers follows from the task; nobody above chooses.
//!
//! One file for each kind of job; [`outcome`]: what comes out.

pub mod abstraction;
pub mod bounds;
pub mod certify;
pub mod check;
pub mod ctl;
pub mod decide;
pub mod diff;
pub mod encode;
pub mod explain;
pub mod explore;
pub mod induce;
mod inputs;
pub mod outcome;
pub mod refine;
pub mod replay;
mod replay_bound;
mod report;
mod scaling;
pub mod simulate;
pub mod train;
pub mod verify;

use std::path::PathBuf;

use surefoot_certificate::Members;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verdict::Reporter;

use crate::engine::Budget;
use crate::problem::{Failure, Problem, Selection};
use crate::request::{Request, Slicing};
use crate::result::{Command, ResultObject};
use crate::source::Source;

use abstraction::Abstracting;
use bounds::Bounding;
use certify::Judging;
use ctl::Formulating;
use decide::Deciding;
use diff::Differing;
use encode::Encoding;
use explain::Explaining;
use induce::Inducing;
pub use outcome::{Class, Outcome, Told};
use replay::Replaying;
use replay_bound::ReplayingBound;
pub use report::Reported;
use report::Reporting;
use simulate::Simulating;
use train::Training;
use verify::Verifying;

/// Something to do.
#[derive(Debug, Clone)]
pub struct Task {
    /// What.
    pub job: Job,
    /// What may be spent on it.
    pub budget: Budget,
    /// Varies what may be done one way or another.
    pub seed: u64,
}

/// What to do.
#[derive(Debug, Clone)]
pub enum Job {
    /// Read everything and say what it is.
    Check(Request),
    /// Count the reachable states.
    Explore(Request),
    /// Make random runs.
    Simulate(Request, Simulating),
    /// Decide a property.
    Verify(Request, Verifying),
    /// Bound a probability.
    Bounds(Request, Box<Bounding>),
    /// Abstract by given predicates.
    Abstract(Request, Abstracting),
    /// Decide a formula of bounded CTL.
    Ctl(Request, Formulating),
    /// Answer single questions about a network.
    Decide(Deciding),
    /// Write the induced model for other checkers.
    Induce(Request, Inducing),
    /// Write the system with its policy in it for other checkers.
    Encode(Request, Encoding),
    /// Step through a witness.
    Replay(Request, Source),
    /// Read a result again, to be shown.
    Report(Request, Source),
    /// Read everything, to be looked at.
    View(Request),
    /// Judge a certificate.
    Certify(Request, Judging),
    /// Explain a choice of the policy.
    Explain(Request, Explaining),
    /// Compare the policy with another one.
    Diff(Request, Box<Differing>),
    /// Train a policy.
    Train(Request, Box<Training>),
}

impl Job {
    /// What results call it.
    #[must_use]
    pub fn command(&self) -> Command {
        match self {
            Self::Check(_) => Command::Check,
            Self::Explore(_) => Command::Explore,
            Self::Simulate(..) => Command::Simulate,
            Self::Verify(..) => Command::Verify,
            Self::Bounds(..) => Command::Bounds,
            Self::Abstract(..) => Command::Abstract,
            Self::Ctl(..) => Command::Ctl,
            Self::Decide(_) => Command::Decide,
            Self::Induce(..) => Command::Induce,
            Self::Encode(..) => Command::Encode,
            Self::Replay(..) => Command::Replay,
            Self::Report(..) => Command::Report,
            Self::View(_) => Command::View,
            Self::Certify(..) => Command::Certify,
            Self::Explain(..) => Command::Explain,
            Self::Diff(..) => Command::Diff,
            Self::Train(..) => Command::ZooTrain,
        }
    }

    /// The model, properties and policy that it is about.
    #[must_use]
    pub fn request(&self) -> Option<&Request> {
        match self {
            Self::Check(request)
            | Self::Explore(request)
            | Self::Simulate(request, _)
            | Self::Verify(request, _)
            | Self::Bounds(request, _)
            | Self::Abstract(request, _)
            | Self::Ctl(request, _)
            | Self::Induce(request, _)
            | Self::Encode(request, _)
            | Self::Replay(request, _)
            | Self::Report(request, _)
            | Self::View(request)
            | Self::Certify(request, _)
            | Self::Explain(request, _)
            | Self::Diff(request, _)
            | Self::Train(request, _) => Some(request),
            Self::Decide(_) => None,
        }
    }

    /// The files that it names to be read.
    #[must_use]
    pub fn files(&self) -> Vec<&PathBuf> {
        let mut files: Vec<&PathBuf> = self.request().into_iter().flat_map(Request::files).collect();
        match self {
            Self::Verify(_, verifying) => files.extend(verifying.refinement.predicates.as_ref().and_then(Source::file)),
            Self::Bounds(_, bounding) => files.extend(bounding.refinement.predicates.as_ref().and_then(Source::file)),
            Self::Abstract(_, abstracting) => files.extend(abstracting.predicates.as_ref().and_then(Source::file)),
            Self::Decide(deciding) => files.extend(deciding.files()),
            Self::Replay(_, witness) | Self::Report(_, witness) => files.extend(witness.file()),
            Self::Explain(_, explaining) => files.extend(explaining.file()),
            Self::Diff(_, differing) => files.extend(differing.files()),
            Self::Certify(_, judging) => files.extend([&judging.certificate].into_iter().chain(&judging.network)),
            _ => {}
        }
        files
    }
}

/// A task whose problem has been read.
#[derive(Debug)]
pub struct Opened<'t> {
    task: &'t Task,
    state: State,
    /// Warnings and notices that nobody has taken yet.
    notes: Vec<Diagnostic>,
}

/// What has been read.
#[derive(Debug)]
enum State {
    /// All that can be said without an engine.
    Checked(Box<check::Checked>),
    /// A problem, and what else the job names.
    Problem(Box<Problem>, Prepared),
    /// Questions about a network.
    Queries(Box<crate::decide::Queries>),
    /// A witness and the problem it is about.
    Witness(Box<Replaying>),
    /// A result and the problem it is about.
    Result(Box<Reporting>),
    /// A bound on a probability and the problem it is about.
    Bound(Box<ReplayingBound>),
    /// A certificate and the problem it is about.
    Certificate(Box<certify::Loaded>),
}

/// What a job names besides its problem.
#[derive(Debug)]
enum Prepared {
    /// Nothing, or nothing yet.
    Nothing,
    /// A certificate that says what it is about.
    Certificate(diff::Certificate),
    /// Another policy, and what is asked of both.
    Second(Box<diff::Second>),
    /// What refinement starts from.
    Refinement(Box<crate::cegar::CegarOptions>),
    /// What refinement starts from, and how much start states count.
    Bounding(Box<crate::cegar::CegarOptions>, Option<surefoot_model::TermId>),
    /// Predicates.
    Predicates(Vec<surefoot_model::TermId>),
    /// A formula.
    Formula(crate::ctl::CtlFormula),
    /// A state.
    State(surefoot_model::State),
    /// What is summed up, and how much start states count.
    Summed(crate::bounds::expected::Summed, Option<surefoot_model::TermId>),
    /// What every step earns.
    Earnings(train::Earnings),
}

impl Task {
    /// Does it.
    ///
    /// # Errors
    /// What is wrong with the input, with places in the sources; a limit that was met before there was anything to tell.
    pub fn run(&self, sources: &mut SourceMap, reporter: &dyn Reporter) -> Result<Outcome, Failure> {
        let mut opened = self.open(sources)?;
        opened.prepare(sources)?;
        opened.run(sources, reporter)
    }

    /// Reads the problem.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open<'t>(&'t self, sources: &mut SourceMap) -> Result<Opened<'t>, Failure> {
        let mut load = |request: &Request, selection| Problem::load(sources, request, selection);
        let problem = match &self.job {
            Job::Check(request) => {
                let checked = check::check(sources, request);
                let notes = checked.notes.clone();
                return Ok(Opened { task: self, state: State::Checked(Box::new(checked)), notes });
            }
            Job::Decide(deciding) => {
                let mut queries = deciding.load(sources)?;
                let notes = std::mem::take(&mut queries.notes);
                return Ok(Opened { task: self, state: State::Queries(Box::new(queries)), notes });
            }
            Job::Replay(request, witness) => {
                if let Some((replaying, notes)) = ReplayingBound::load(sources, request, witness)? {
                    return Ok(Opened { task: self, state: State::Bound(Box::new(replaying)), notes });
                }
                let mut replaying = Replaying::load(sources, request, witness)?;
                let notes = std::mem::take(&mut replaying.notes);
                return Ok(Opened { task: self, state: State::Witness(Box::new(replaying)), notes });
            }
            Job::Report(request, source) => {
                let mut reporting = Reporting::load(sources, request, source)?;
                let notes = std::mem::take(&mut reporting.notes);
                return Ok(Opened { task: self, state: State::Result(Box::new(reporting)), notes });
            }
            Job::Certify(request, judging) => {
                let opened = judging.load(sources, request)?;
                let notes = opened.problem().notes.clone();
                return Ok(Opened { task: self, state: State::Certificate(Box::new(opened)), notes });
            }
            Job::Diff(request, differing) => {
                let (problem, certificate) = differing.load(sources, request)?;
                let notes = problem.notes.clone();
                let prepared = certificate.map_or(Prepared::Nothing, Prepared::Certificate);
                return Ok(Opened { task: self, state: State::Problem(Box::new(problem), prepared), notes });
            }
            Job::Verify(request, verifying) => {
                verifying.certifying.supports(request)?;
                verifying.engine()?;
                let slices = verifying.engine.slices() && !verifying.explores();
                let slicing = if slices { request.slicing } else { Slicing::Off };
                load(&Request { slicing, ..request.clone() }, Selection::Decide)?
            }
            Job::Induce(request, inducing) => {
                inducing.format()?;
                load(request, Selection::Optional)?
            }
            Job::Encode(request, encoding) => {
                encoding.place()?;
                load(request, Selection::Bound)?
            }
            Job::Bounds(request, bounding) => {
                bounding.certifying.supports(request)?;
                let selection = if bounding.expecting.is_some() { Selection::Optional } else { Selection::Bound };
                // What is left out of states would make several start states one.
                let whole = bounding.expecting.is_some() || bounding.weights.is_some();
                let slicing = if whole { Slicing::Off } else { request.slicing };
                load(&Request { slicing, ..request.clone() }, selection)?
            }
            Job::Abstract(request, abstracting) => {
                abstracting.certifying.supports(request)?;
                load(request, Selection::Abstract)?
            }
            Job::Explore(request) => load(request, Selection::Named)?,
            Job::Train(request, _) => Training::without_policy(load(&Training::request(request), Selection::Optional)?),
            Job::Simulate(request, simulating) => {
                simulating.format()?;
                load(request, Selection::Optional)?
            }
            Job::Ctl(request, formulating) if formulating.formula.is_some() => load(request, Selection::Formula)?,
            Job::Ctl(request, _) | Job::Explain(request, _) | Job::View(request) => load(request, Selection::Optional)?,
        };
        let notes = problem.notes.clone();
        Ok(Opened { task: self, state: State::Problem(Box::new(problem), Prepared::Nothing), notes })
    }

    /// A result that says nothing yet.
    #[must_use]
    pub fn result(&self) -> ResultObject {
        ResultObject::new(self.job.command(), self.seed)
    }
}

impl Opened<'_> {
    /// The problem, where one was read.
    #[must_use]
    pub fn problem(&self) -> Option<&Problem> {
        match &self.state {
            State::Problem(problem, _) => Some(problem),
            State::Witness(replaying) => Some(&replaying.problem),
            State::Bound(replaying) => Some(&replaying.problem),
            State::Result(reporting) => Some(reporting.problem()),
            State::Certificate(opened) => Some(opened.problem()),
            State::Checked(_) | State::Queries(_) => None,
        }
    }

    /// Warnings and notices since they were taken last.
    pub fn take_notes(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.notes)
    }

    /// A result that says what was asked, and of which sources.
    #[must_use]
    pub fn result(&self, sources: &SourceMap) -> ResultObject {
        let Some(problem) = self.problem() else { return self.task.result() };
        // Predicates and checkpoints are read after the problem.
        let inputs = Members(sources.inputs.hashes());
        ResultObject { inputs, ..ResultObject::about(self.task.job.command(), self.task.seed, problem) }
    }

    /// Reads what the job names besides its problem.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn prepare(&mut self, sources: &mut SourceMap) -> Result<(), Failure> {
        let State::Problem(problem, prepared) = &mut self.state else { return Ok(()) };
        match &self.task.job {
            Job::Verify(request, verifying) => {
                let (options, notice) = verifying.prepare(sources, problem, request)?;
                self.notes.extend(notice);
                *prepared = Prepared::Refinement(Box::new(options));
            }
            Job::Bounds(_, bounding) if bounding.expecting.is_some() => {
                let summed = bounding.expecting.as_ref().map(|expecting| expecting.prepare(sources, problem));
                let summed = summed.unwrap_or(Ok(crate::bounds::expected::Summed::Steps))?;
                *prepared = Prepared::Summed(summed, bounding.weigh(sources, problem)?);
            }
            Job::Bounds(request, bounding) => {
                let (options, notice) = bounding.refinement.prepare(bounding.engine, sources, problem, request)?;
                self.notes.extend(notice);
                *prepared = Prepared::Bounding(Box::new(options), bounding.weigh(sources, problem)?);
            }
            Job::Abstract(request, abstracting) => {
                *prepared = Prepared::Predicates(abstracting.prepare(sources, problem, request)?);
            }
            Job::Ctl(request, formulating) => {
                *prepared = Prepared::Formula(formulating.prepare(sources, problem, request)?);
            }
            Job::Train(_, training) => *prepared = Prepared::Earnings(training.prepare(sources, problem)?),
            Job::Explain(_, explaining) => *prepared = Prepared::State(explaining.prepare(sources, problem)?),
            Job::Diff(request, differing) => {
                let certificate = match std::mem::replace(prepared, Prepared::Nothing) {
                    Prepared::Certificate(certificate) => Some(certificate),
                    _ => None,
                };
                let (second, notes) = differing.prepare(sources, problem, certificate, request)?;
                self.notes.extend(notes);
                *prepared = Prepared::Second(Box::new(second));
            }
            _ => {}
        }
        Ok(())
    }

    /// Does what is to be done.
    ///
    /// # Errors
    /// As [`Task::run`].
    pub fn run(self, sources: &mut SourceMap, reporter: &dyn Reporter) -> Result<Outcome, Failure> {
        let result = self.result(sources);
        let Task { job, budget, seed } = self.task;
        let unprepared = || Failure::Internal("a task was run before it was prepared".to_owned());
        let outcome = match (self.state, job) {
            (State::Checked(checked), _) => Ok(checked.outcome(result, sources)),
            (State::Queries(queries), Job::Decide(deciding)) => deciding.run(*queries, result, *seed, reporter),
            (State::Witness(replaying), _) => replaying.run(sources, result),
            (State::Result(reporting), _) => reporting.run(sources, result, budget, reporter),
            (State::Bound(replaying), _) => replaying.run(result, budget, *seed),
            (State::Certificate(opened), Job::Certify(_, judging)) => judging.run(*opened, result),
            (State::Problem(problem, Prepared::Refinement(options)), Job::Verify(_, verifying)) => {
                verifying.run(*problem, *options, result, budget, *seed, reporter)
            }
            (State::Problem(problem, Prepared::Bounding(options, weights)), Job::Bounds(_, bounding)) => {
                bounding.run(*problem, (*options, weights), result, budget, *seed, reporter)
            }
            (State::Problem(problem, Prepared::Predicates(predicates)), Job::Abstract(request, abstracting)) => {
                abstracting.run(*problem, &predicates, request, result, budget, reporter)
            }
            (State::Problem(problem, Prepared::Formula(formula)), Job::Ctl(_, formulating)) => {
                formulating.run(*problem, formula, result, budget, reporter)
            }
            (State::Problem(problem, Prepared::Summed(summed, weights)), Job::Bounds(_, bounding)) => {
                bounding.expect(*problem, (summed, weights), result, budget, reporter)
            }
            (State::Problem(problem, Prepared::State(state)), Job::Explain(..)) => {
                Explaining::run(*problem, &state, result, budget)
            }
            (State::Problem(problem, Prepared::Second(second)), Job::Diff(_, differing)) => {
                differing.run(*problem, *second, result, budget, reporter)
            }
            (State::Problem(problem, Prepared::Earnings(earnings)), Job::Train(request, training)) => {
                training.run(*problem, earnings, request.filter, result, budget, *seed, reporter)
            }
            (State::Problem(problem, _), Job::Explore(_)) => explore::explore(*problem, result, budget, reporter),
            (State::Problem(problem, _), Job::View(_)) => Ok(Outcome::new(result, Told::Opened, *problem, Vec::new())),
            (State::Problem(problem, _), Job::Simulate(_, simulating)) => {
                simulating.run(*problem, result, budget, *seed, reporter)
            }
            (State::Problem(problem, _), Job::Induce(_, inducing)) => inducing.run(*problem, result, budget, reporter),
            (State::Problem(problem, _), Job::Encode(_, encoding)) => encoding.run(*problem, result),
            _ => Err(unprepared()),
        }?;
        let seconds = budget.started.elapsed().as_secs_f64();
        Ok(Outcome { result: outcome.result.after(seconds), ..outcome })
    }
}
