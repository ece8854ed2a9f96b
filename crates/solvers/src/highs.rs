//! HiGHS by mixed-integer programs: a binary variable for the phase of every neuron that may change it, and for every part of a choice.
//!
//! Constants of big-M rows are exact ranges. HiGHS computes in floats with tolerances: a solution is a hint.

use std::path::{Path, PathBuf};

use surefoot_limits::{Limits, Stop, Trouble};
use surefoot_linear::{Atom, Formula, Linear};
use surefoot_milp::highs::Installation;
use surefoot_milp::{Answer, Highs, Kind, Program, Solver, SolverError, VarId};
use surefoot_num::Rational;
use surefoot_oracle::Question;

use crate::backend::{Backend, Failure, Found};
use crate::closed::closed;
use crate::unrolled::Unrolled;

const WHO: &str = "HiGHS";

/// HiGHS, which starts when it is asked.
#[derive(Debug)]
pub(crate) struct ByHighs {
    installation: Installation,
    scratch: PathBuf,
    name: String,
    solver: Option<Highs>,
}

impl ByHighs {
    /// The first installation of some that works, started.
    pub(crate) fn start(candidates: &[PathBuf], scratch: &Path, limits: &Limits) -> Result<Self, Failure> {
        let candidates: Vec<Installation> = candidates.iter().map(|path| Installation::at(path)).collect();
        let found = Installation::first(&candidates, scratch, limits.deadline);
        let (installation, solver) = found.map_err(|error| failure(&error, limits))?;
        let name = solver.name().to_owned();
        Ok(Self { installation, scratch: scratch.to_owned(), name, solver: Some(solver) })
    }
}

fn failure(error: &SolverError, limits: &Limits) -> Failure {
    let trouble = match error {
        SolverError::TimeOut(_) => {
            if let Some(stop) = limits.stop() {
                return Failure { stop, why: error.to_string() };
            }
            Trouble::GaveUp
        }
        SolverError::Missing(_) | SolverError::Failed { .. } => Trouble::Crashed,
        SolverError::Unusable { .. } => Trouble::Garbage,
    };
    Failure { stop: Stop::Solver(WHO, trouble), why: error.to_string() }
}

impl Backend for ByHighs {
    fn short(&self) -> &'static str {
        WHO
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_exact(&self) -> bool {
        false
    }

    fn solve(&mut self, question: &Question, integral: bool, limits: &Limits) -> Result<Found, Failure> {
        let unrolled = Unrolled::of(question)
            .ok_or_else(|| Failure::new(WHO, Trouble::Unsuited, "a network is not piecewise linear over the reals"))?;
        let formula = closed(question, &unrolled);
        if formula.is_falsity() {
            return Ok(Found::Excluded);
        }
        let program = program(question, &unrolled, &formula, integral);
        if self.solver.is_none() {
            let started = Highs::start(&self.installation, &self.scratch, limits.remaining());
            self.solver = Some(started.map_err(|error| failure(&error, limits))?);
        }
        let Some(solver) = &mut self.solver else {
            return Err(Failure::new(WHO, Trouble::Crashed, "it did not start"));
        };
        match solver.solve(&program, limits) {
            Ok(Answer::Infeasible) => Ok(Found::Nothing),
            Ok(Answer::Solution(values)) => {
                let values = values.iter().take(unrolled.variables).map(|value| Rational::from_f64(*value)).collect();
                let values: Option<Vec<Rational>> = values;
                values.map(Found::Point).ok_or_else(|| Failure::garbage(WHO, "a value that is no number"))
            }
            Err(error) => Err(failure(&error, limits)),
        }
    }

    fn replicate(&self) -> Box<dyn Backend> {
        let (installation, scratch, name) = (self.installation.clone(), self.scratch.clone(), self.name.clone());
        Box::new(Self { installation, scratch, name, solver: None })
    }
}

/// The program of a question. Its variables are numbered like the symbols of what is unrolled; binary ones follow.
fn program(question: &Question, unrolled: &Unrolled, formula: &Formula, integral: bool) -> Program {
    let mut program = Program::default();
    for (index, range) in unrolled.ranges.iter().enumerate() {
        let integer = question.variables.get(index).is_some_and(|v| v.kind == surefoot_oracle::Kind::Integer);
        let kind = if integer && integral { Kind::Integer } else { Kind::Continuous };
        let (lower, upper) = range.ends().map_or((Rational::ZERO, Rational::ZERO), |(l, u)| (l.clone(), u.clone()));
        program.variable(kind, lower, upper);
    }
    for (index, neuron) in unrolled.neurons.iter().enumerate() {
        let after = Linear::symbol(unrolled.symbol(index));
        let above = &after - &neuron.before;
        let (false, Some((lower, upper))) = (neuron.is_active, neuron.range.ends()) else {
            program.row(Atom::zero(above));
            continue;
        };
        // after >= before, after <= before - lower (1 - d), after <= upper d; after >= 0 by its bound.
        let d = program.binary().form();
        let off = &Linear::constant_form(Rational::ONE) - &d;
        program.row(Atom::at_least_zero((-&above).plus_scaled(&off, &-lower)));
        program.row(Atom::at_least_zero(&(&d * upper) - &after));
        program.row(Atom::at_least_zero(above));
    }
    add(&mut program, formula, None);
    program
}

/// Adds a closed formula that holds where a binary variable is 1, or always.
fn add(program: &mut Program, formula: &Formula, under: Option<VarId>) {
    match (formula, under) {
        (Formula::Atom(atom), None) => program.row(atom.clone()),
        (Formula::Atom(atom), Some(d)) => program.indicator(d, true, atom.clone()),
        (Formula::All(parts), _) => parts.iter().for_each(|part| add(program, part, under)),
        (Formula::Any(parts), _) => {
            let switches: Vec<VarId> = parts.iter().map(|_| program.binary()).collect();
            let least = under.map_or_else(|| Linear::constant_form(Rational::ONE), VarId::form);
            let sum = switches.iter().fold(Linear::default(), |sum, d| &sum + &d.form());
            program.row(Atom::at_least_zero(&sum - &least));
            for (part, d) in parts.iter().zip(switches) {
                add(program, part, Some(d));
            }
        }
    }
}
