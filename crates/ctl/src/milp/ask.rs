//! Programs generated, written out where that is asked for, and put to a solver.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use surefoot_files::{head, replace};
use surefoot_milp::{Answer, Program, Solver, SolverError};
use surefoot_verdict::{Event, Figure};

use super::compositional::{Generator, Job};
use super::decide::{Method, MilpOptions};
use super::encoder::Encoder;
use super::queue::Outcome;
use super::witness;
use crate::check::start::Root;
use crate::explore::{Engine, Trouble};
use crate::formula::Ctl;
use crate::formula::unfold::NodeId;

/// How far it is: programs that were solved or looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Solved(u64);

impl Event for Solved {
    fn figures(&self) -> Vec<Figure> {
        vec![Figure::new("programs", self.0)]
    }

    fn line(&self) -> String {
        format!("{} programs solved", self.0)
    }
}

/// What generating jobs leaves besides jobs.
#[derive(Debug, Default)]
pub(super) struct Generated {
    pub(super) discarded: u64,
    pub(super) errors_possible: bool,
    pub(super) unwritten: Option<String>,
}

/// Generates jobs, and has them solved.
pub(super) struct Asker<'a, 's, 'm> {
    pub(super) engine: &'a Engine<'s, 'm>,
    pub(super) formula: &'a Ctl,
    pub(super) negation: NodeId,
    pub(super) roots: &'a [Root],
    pub(super) options: &'a MilpOptions<'a>,
    /// The solver's name, once one was started.
    pub(super) name: OnceLock<String>,
    /// Programs solved or looked at.
    pub(super) solved: AtomicU64,
}

impl Asker<'_, '_, '_> {
    /// Hands all jobs over, box by box.
    pub(super) fn generate(
        &self,
        take: &mut dyn FnMut(Job) -> std::ops::ControlFlow<()>,
    ) -> Result<Generated, Trouble> {
        let mut generated = Generated::default();
        let mut number = 0;
        for (root, boxed) in self.roots.iter().enumerate() {
            let mut encoder = Encoder::new(self.engine);
            let start = encoder.start(boxed)?;
            generated.errors_possible |= encoder.errors_possible;
            let Some((state, parameters)) = start else { continue };
            let mut unwritten = None;
            let mut written = |job: Job| {
                unwritten = self.write(&job.program, job.number).err();
                if unwritten.is_some() { std::ops::ControlFlow::Break(()) } else { take(job) }
            };
            let (flow, errors_possible) = match self.options.method {
                Method::Monolithic => {
                    encoder.encode(self.negation, state, None)?;
                    let program = encoder.rows.finished();
                    number += 1;
                    (written(Job { number: number - 1, root, program, parameters }), encoder.errors_possible)
                }
                Method::Compositional => {
                    let take = &mut written;
                    let mut generator = Generator { encoder, root, parameters, next: number, discarded: 0, take };
                    let flow = generator.generate(self.negation, state)?;
                    (number, generated.discarded) = (generator.next, generated.discarded + generator.discarded);
                    (flow, generator.encoder.errors_possible)
                }
            };
            generated.errors_possible |= errors_possible;
            generated.unwritten = unwritten;
            if flow.is_break() {
                break;
            }
        }
        Ok(generated)
    }

    fn write(&self, program: &Program, number: u64) -> Result<(), String> {
        let Some(folder) = &self.options.write else { return Ok(()) };
        let file = folder.join(format!("program-{:04}.lp", number + 1));
        let cannot = |error: &dyn std::fmt::Display| format!("{} cannot be written: {error}", file.display());
        // A program of an earlier run is replaced, and nothing else: it might be an input.
        if head(&file, 16).is_some_and(|text| !text.starts_with("Maximize") && !text.starts_with("Minimize")) {
            return Err(cannot(&"there is a file that is no program"));
        }
        // Nor does a link lead the program out of the folder.
        if file.is_symlink() {
            return Err(cannot(&"there is a link"));
        }
        std::fs::create_dir_all(folder).map_err(|error| cannot(&error))?;
        replace(&file, |out| out.write_all(program.to_lp().as_bytes())).map_err(|error| cannot(&error))
    }

    /// Someone who solves jobs; the solver is started with the first that needs it.
    pub(super) fn worker(&self) -> impl FnMut(&Job) -> Outcome {
        let mut solver: Option<Box<dyn Solver>> = None;
        move |job| {
            let answer = if job.program.rows().is_empty() && job.program.indicators().is_empty() {
                let lowest = job.program.variables().iter().map(|variable| variable.lower.to_f64());
                Answer::Solution(lowest.collect())
            } else {
                match self.ask(&mut solver, &job.program) {
                    Ok(answer) => answer,
                    // It came to no conclusion, numbers being what they are: for the built-in procedure to decide.
                    Err(SolverError::Unusable { .. }) => return Outcome::Open,
                    Err(error) => return Outcome::Silent(error),
                }
            };
            self.options.reporter.tell(&Solved(self.solved.fetch_add(1, Ordering::Relaxed) + 1));
            let Answer::Solution(values) = answer else { return Outcome::Infeasible };
            let values: Vec<f64> = job.parameters.iter().map(|p| values[p.index()]).collect();
            match witness::near(self.engine, self.formula, self.negation, &self.roots[job.root], &values) {
                Ok(Some(found)) => Outcome::Confirmed(Box::new(found)),
                Ok(None) => Outcome::Open,
                Err(failure) => Outcome::Failed(failure),
            }
        }
    }

    fn ask(&self, solver: &mut Option<Box<dyn Solver>>, program: &Program) -> Result<Answer, SolverError> {
        let limits = &self.options.limits.run;
        if limits.stop().is_some() {
            return Err(SolverError::TimeOut("the time limit".to_owned()));
        }
        let mut started = match solver.take() {
            Some(started) => started,
            None => (self.options.solver)()?,
        };
        self.name.get_or_init(|| started.name().to_owned());
        let answer = started.solve(program, limits);
        *solver = Some(started);
        answer
    }
}
