//! Z3 (de Moura and Bjørner, *Z3: An Efficient SMT Solver*, 2008) and cvc5 (Barbosa and others, *cvc5: A Versatile and Industrial-Strength
//! SMT Solver*, 2022), as processes that are kept.
//!
//! Z3 is its executable, which reads scripts and is reset between them. cvc5 is its Python package, which has no executable: a script
//! is a line for its driver. Both compute in exact rationals; a model of theirs that is no witness is garbage.

use std::path::Path;
use std::sync::Arc;

use surefoot_files::Scratch;
use surefoot_limits::{Limits, Trouble};
use surefoot_milp::Worker;
use surefoot_oracle::Question;

use crate::backend::{Backend, Failure, Found, started, version};
use crate::model;
use crate::smtlib::{script, values};
use crate::unrolled::Unrolled;

/// What cvc5's process runs.
const DRIVER: &str = include_str!("cvc5_driver.py");
/// What Z3 says when it has said all.
const END: &str = "that-is-all";
/// What Z3 reads before a script: it forgets everything, and takes its incremental solver, which begins faster.
const FRESH: &str = "(reset)(push 1)\n";
/// Lines of one answer, at most.
const MOST_LINES: usize = 1 << 16;
/// What Z3 is asked first; its answer is one line.
const HELLO: &str = "(get-info :version)\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    Z3,
    Cvc5,
}

/// An SMT solver.
#[derive(Debug)]
pub(crate) struct Smt {
    program: Program,
    worker: Worker,
    folder: Arc<Scratch>,
    name: String,
}

impl Smt {
    /// Z3 by its executable, started.
    pub(crate) fn z3(path: &Path, folder: &Arc<Scratch>, limits: &Limits) -> Result<Self, Failure> {
        Self::begin(Program::Z3, Worker::new(path, &["-in", "-smt2"], folder.path()), folder, limits)
    }

    /// cvc5 by a Python that has it, started.
    pub(crate) fn cvc5(python: &Path, folder: &Arc<Scratch>, limits: &Limits) -> Result<Self, Failure> {
        Self::begin(Program::Cvc5, Worker::python(python, DRIVER, folder.path()), folder, limits)
    }

    fn begin(program: Program, worker: Worker, folder: &Arc<Scratch>, limits: &Limits) -> Result<Self, Failure> {
        let mut solver = Self { program, worker, folder: Arc::clone(folder), name: String::new() };
        let said = solver.start(limits)?.unwrap_or_default();
        let version = match program {
            Program::Cvc5 => version(&said),
            // (:version "5.4.0")
            Program::Z3 => {
                said.strip_prefix("(:version \"").and_then(|said| said.strip_suffix("\")")).map(str::to_owned)
            }
        };
        let version = version.ok_or_else(|| Failure::garbage(solver.short(), &said))?;
        solver.name = format!("{} {version}", solver.short());
        Ok(solver)
    }

    fn start(&mut self, limits: &Limits) -> Result<Option<String>, Failure> {
        let hello = if self.program == Program::Z3 { HELLO } else { "" };
        let who = self.short();
        started(&mut self.worker, who, hello, limits)
    }

    /// What is said of a script, and then of the values where there are any.
    fn ask(&mut self, script: &str, values: &str, limits: &Limits) -> Result<String, Failure> {
        let who = self.short();
        let failed = |trouble| Failure::of_process(who, trouble, limits);
        match self.program {
            Program::Z3 => {
                self.worker.send(format!("{FRESH}{script}(echo \"{END}\")\n")).map_err(failed)?;
                let verdict = self.lines(limits)?;
                if verdict.trim() != "sat" {
                    return Ok(verdict);
                }
                self.worker.send(format!("{values}(echo \"{END}\")\n")).map_err(failed)?;
                Ok(format!("sat\n{}", self.lines(limits)?))
            }
            Program::Cvc5 => {
                let logic = "(set-logic QF_LIRA)(set-option :produce-models true)";
                let line = serde_json::Value::from(format!("{logic}{script}{values}"));
                self.worker.send(format!("{line}\n")).map_err(failed)?;
                let said = self.worker.line(limits).map_err(failed)?;
                let answer: serde_json::Value =
                    serde_json::from_str(&said).map_err(|_| Failure::garbage(who, &said))?;
                answer["said"].as_str().map(str::to_owned).ok_or_else(|| Failure::garbage(who, &said))
            }
        }
    }

    /// All lines up to the last.
    fn lines(&mut self, limits: &Limits) -> Result<String, Failure> {
        let who = self.short();
        let mut text = String::new();
        for _ in 0..MOST_LINES {
            let line = self.worker.line(limits).map_err(|trouble| Failure::of_process(who, trouble, limits))?;
            if line == END {
                return Ok(text);
            }
            text.push_str(&line);
            text.push('\n');
        }
        Err(Failure::garbage(who, &text))
    }
}

impl Backend for Smt {
    fn short(&self) -> &'static str {
        match self.program {
            Program::Z3 => "Z3",
            Program::Cvc5 => "cvc5",
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn solve(&mut self, question: &Question, integral: bool, limits: &Limits) -> Result<Found, Failure> {
        let relaxed;
        let question = if integral {
            question
        } else {
            relaxed = question.over_reals();
            &relaxed
        };
        let who = self.short();
        let unrolled = Unrolled::of(question)
            .ok_or_else(|| Failure::new(who, Trouble::Unsuited, "a network is not piecewise linear over the reals"))?;
        self.start(limits)?;
        let said = self.ask(&script(question, &unrolled), &values(question), limits)?;
        let (verdict, rest) = said.split_once('\n').unwrap_or((&said, ""));
        let found = match verdict.trim() {
            "unsat" => Some(Found::Nothing),
            "unknown" => return Err(Failure::new(who, Trouble::GaveUp, "it said unknown")),
            "sat" => model::values(rest, question.variables.len()).map(Found::Point),
            _ => None,
        };
        found.ok_or_else(|| {
            // What else it would say is anybody's guess.
            self.worker.end();
            Failure::garbage(who, &said)
        })
    }

    fn replicate(&self) -> Box<dyn Backend> {
        let (folder, name) = (Arc::clone(&self.folder), self.name.clone());
        Box::new(Self { program: self.program, worker: self.worker.another(folder.path()), folder, name })
    }
}
