//! Formulas of bounded CTL.

use super::exploration;
use crate::ctl::cover::Cover;
use crate::ctl::{CtlFormula, CtlOutcome, CtlVerdict, MilpOutcome};
use crate::problem::Problem;
use crate::result::body::{About, CoverRecord, Decided, FormulaDecided, PieceRecord};
use crate::result::statistics::{Formula, ProgramSize, Programs, Statistics};
use crate::result::{Body, Command, Evidence, ResultObject, Subject};

impl ResultObject {
    /// A formula that the built-in procedure decided, or not.
    #[must_use]
    pub fn formula_decided(self, problem: &Problem, formula: &CtlFormula, engine: &str, outcome: &CtlOutcome) -> Self {
        let figures = &outcome.statistics;
        let stuttering = match &outcome.verdict {
            CtlVerdict::Violated(witness) => witness.stutters,
            CtlVerdict::Holds(()) | CtlVerdict::Unknown(_) => figures.stuttering > 0,
        };
        let regions = Statistics::Formula(Formula {
            expanded_states: figures.expanded,
            deadlocks: figures.stuttering,
            pieces: figures.pieces,
            cuts: figures.cuts,
            programs: figures.programs,
            oracle_queries: figures.questions,
        });
        let statistics = outcome.explored.as_ref().map_or(regions, |figures| exploration(problem, figures));
        let undecided = matches!(outcome.verdict, CtlVerdict::Unknown(_));
        let found = FormulaDecided {
            formula: formula.text.clone(),
            horizon: formula.terms.horizon(),
            stuttering: Some(stuttering),
            horizon_decided: undecided.then_some(outcome.horizon),
            cover: outcome.explored.is_none().then(|| cover(&outcome.cover)),
        };
        Self { statistics, ..self.by(engine) }.formula(problem, &outcome.verdict, found)
    }

    /// A formula that mixed-integer programs decided, or not.
    #[must_use]
    pub fn programs_decided(
        self,
        problem: &Problem,
        formula: &CtlFormula,
        engine: &str,
        outcome: &MilpOutcome,
    ) -> Self {
        let figures = &outcome.statistics;
        let statistics = Statistics::Programs(Programs {
            programs: figures.programs,
            infeasible_programs: figures.infeasible,
            unconfirmed_programs: figures.open,
            discarded_branches: figures.discarded,
            largest_program: ProgramSize { variables: figures.largest.0, rows: figures.largest.1 },
        });
        let found = FormulaDecided {
            formula: formula.text.clone(),
            horizon: formula.terms.horizon(),
            stuttering: match &outcome.verdict {
                CtlVerdict::Violated(witness) => Some(witness.stutters),
                CtlVerdict::Holds(()) | CtlVerdict::Unknown(_) => None,
            },
            horizon_decided: None,
            cover: None,
        };
        let object = Self { statistics, ..self.by(engine).assuming(outcome.assumptions.iter().cloned()) };
        object.formula(problem, &outcome.verdict, found)
    }

    fn formula(self, problem: &Problem, verdict: &CtlVerdict, found: FormulaDecided) -> Self {
        let (command, subject) = (self.command, Subject::of(problem));
        let body = if command == Command::Verify {
            Body::Decided(Box::new(Decided { formula: Some(found), ..Decided::about(subject) }))
        } else {
            Body::Formula(Box::new(About { subject, found: Some(found) }))
        };
        let witness: Option<Evidence> = verdict.refutation().map(|witness| witness.record(problem));
        Self { body: Some(body), witness, ..self.judged(Some(verdict)) }
    }
}

fn cover(cover: &Cover) -> CoverRecord {
    let piece = |piece: &crate::ctl::cover::CoveredPiece| PieceRecord {
        constraints: piece.constraints.clone(),
        holds: piece.holds,
        states: piece.states,
    };
    CoverRecord { count: cover.count, pieces: cover.pieces.iter().map(piece).collect() }
}
