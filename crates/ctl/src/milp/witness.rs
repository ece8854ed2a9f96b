//! From a solution in floats to a start state in which the formula fails, exactly.
//!
//! Candidates are the values of the parameters rounded to few digits, then as they are, all moved into the root's box. A candidate
//! counts only if the exact evaluation of the negated formula in that one state says so, and the reference interpreter confirms the
//! evidence. If no candidate does, the built-in procedure looks at a small box around the solution: with the pattern of
//! decisions fixed by its cuts this is an exact linear program over the parameters.

use std::sync::Arc;

use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_verdict::Silent;

use crate::check::search::check_on;
use crate::check::start::Root;
use crate::check::{Evidence, Failing, Failure, Options, Reference, Verdict, confirm};
use crate::explore::{Cell, Engine, Image, Memory, Trouble};
use crate::formula::Ctl;
use crate::formula::unfold::NodeId;
use crate::region::{Piece, Truth};

/// Digits after the point that are tried.
const DIGITS: [i32; 3] = [2, 5, 9];

/// Half the width of the box around a solution, per unit of its size: beyond what the solver's tolerances can move it by.
fn around(value: &Rational) -> Rational {
    let unit = Rational::new(1, 100_000).expect("not zero");
    &value.abs().max(Rational::ONE) * &unit
}

/// A start state in which the formula fails, and why.
pub(super) type Found = (State, Evidence);

/// Looks for a start state near a solution.
pub(super) fn near(
    engine: &Engine<'_, '_>,
    formula: &Ctl,
    negation: NodeId,
    root: &Root,
    values: &[f64],
) -> Result<Option<Found>, Failure> {
    let Some(exact) = values.iter().map(|v| Rational::from_f64(*v)).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let clamp = |values: Vec<Rational>| -> Vec<Rational> {
        let bounds = root.piece.bounds().iter().zip(root.piece.integer());
        let clamp = |(value, ((lower, upper), integer)): (Rational, (&(Rational, Rational), &bool))| {
            let value = if *integer { rounded(&value, 0) } else { value };
            value.max(lower.clone()).min(upper.clone())
        };
        values.into_iter().zip(bounds).map(clamp).collect()
    };
    let mut tried: Vec<Vec<Rational>> = Vec::new();
    let few = DIGITS.iter().map(|digits| exact.iter().map(|value| rounded(value, *digits)).collect::<Vec<_>>());
    for point in few.chain([exact.clone()]).map(clamp) {
        if tried.contains(&point) {
            continue;
        }
        if let Some(found) = at(engine, negation, &root.image.at(&point))? {
            return Ok(Some(found));
        }
        tried.push(point);
    }
    if tried.is_empty() || root.piece.dimension() == 0 {
        return Ok(None);
    }
    let centre = clamp(exact);
    let bounds = root.piece.bounds().iter().zip(&centre).map(|((lower, upper), value)| {
        let width = around(value);
        ((value - &width).max(lower.clone()), (value + &width).min(upper.clone()))
    });
    let Some(piece) = Piece::new(bounds.collect(), root.piece.integer().into()) else { return Ok(None) };
    let options = Options { limits: engine.limits.clone(), most_states: engine.most_states };
    match check_on(engine.system, formula, &options, vec![Root { piece, ..root.clone() }], &Silent) {
        Ok(checked) => match checked.verdict {
            Verdict::Violated(Failing { start, evidence }) => Ok(Some((start, *evidence))),
            Verdict::Unknown(reason) => reason.limit().map_or(Ok(None), |stop| Err(Trouble::Stopped(stop).into())),
            Verdict::Holds(()) => Ok(None),
        },
        Err(Failure::NoStart) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Evidence that the negated formula holds in a start state, if it does and this is one.
fn at(engine: &Engine<'_, '_>, negation: NodeId, start: &State) -> Result<Option<Found>, Failure> {
    if !Reference::new(engine.system).is_start(start).unwrap_or(false) {
        return Ok(None);
    }
    let piece = Piece::new(Vec::new(), Arc::new([])).expect("a box without parameters has a point");
    let mut cell = Cell::new(engine, piece, Memory::default());
    let state = cell.memory.share(Arc::new(Image::of(start)));
    if cell.evaluate(negation, &state)? != Truth::Holds {
        return Ok(None);
    }
    let evidence = Evidence::new(engine, negation, start)?;
    confirm(engine.system, engine.formula, negation, start, &evidence)
        .map_err(|reason| Trouble::Internal(format!("the evidence is not confirmed: {reason}")))?;
    Ok(Some((start.clone(), evidence)))
}

/// A number rounded to so many digits after the point.
fn rounded(value: &Rational, digits: i32) -> Rational {
    let scale = Rational::from(10).checked_pow(digits).expect("ten is not zero");
    let half = Rational::new(1, 2).expect("not zero");
    (&(value * &scale) + &half).floor().checked_div(&scale).expect("not zero")
}
