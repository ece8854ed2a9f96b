//! The outputs that are permitted on a piece.
//!
//! Bounds in floats settle most pieces: one output is ahead everywhere ([`far_ahead`]). Otherwise the choice at one point of the piece is
//! compared with that at all others: an oracle is asked for a point with another choice. If there is one, the
//! piece is cut between the two.

use std::sync::Arc;

use surefoot_limits::{Stop, Unit};
use surefoot_linear::{Atom, Formula, Linear};
use surefoot_model::policy::Ties;
use surefoot_network::eval::Neuron;
use surefoot_num::Rational;
use surefoot_oracle::{
    Answer, Application, BranchAndBound, Kind, Limits, Options, Oracle, Question, QuestionError, Ties as OracleTies,
    Variable,
};

use super::walk::{Contest, walk};
use super::{Prepared, curved};
use crate::explore::Trouble;
use crate::region::{Decider, Stopped, Truth};

/// Nodes that the oracle may take for one question. Where scores touch without crossing it may need very many; then the
/// signs of neurons are decided one by one instead, which always ends.
const MOST_NODES: u64 = 1000;

/// The permitted outputs for given scores: the definition.
#[must_use]
pub fn permitted_outputs(scores: &[Rational], contest: &Contest<'_>) -> Vec<usize> {
    let Some(best) = contest.candidates.iter().map(|c| &scores[*c]).max() else { return Vec::new() };
    let tolerance = contest.tolerance();
    let mut chosen: Vec<usize> =
        contest.candidates.iter().copied().filter(|c| &scores[*c] + &tolerance >= *best).collect();
    if contest.ties == Ties::First {
        chosen.truncate(1);
    }
    chosen
}

/// The output that is ahead of all others everywhere in the piece, if bounds in floats show that.
#[must_use]
pub fn far_ahead(
    decider: &Decider<'_>,
    prepared: &Prepared,
    inputs: &[Linear],
    contest: &Contest<'_>,
) -> Option<usize> {
    let margin = if contest.ties == Ties::Plaja { 1.000_001e-7 } else { 0.0 };
    prepared.exact.as_ref()?.bounds.winner(inputs, decider.piece().float_bounds(), contest.candidates, margin)
}

/// The outputs permitted everywhere in the piece, if they are the same everywhere. Inputs are affine in the parameters.
///
/// # Errors
/// [`Trouble::Open`] with a cut where they are not; limits.
pub fn permitted(
    decider: &mut Decider<'_>,
    oracle: &mut Option<BranchAndBound>,
    prepared: &Prepared,
    inputs: &[Linear],
    contest: &Contest<'_>,
) -> Result<Vec<usize>, Trouble> {
    let point = decider.piece().point().to_vec();
    let inputs_here: Vec<Rational> = inputs.iter().map(|form| form.eval(|s| point[s.index()].clone())).collect();
    let Some(exact) = &prepared.exact else {
        return curved::permitted(decider, oracle, prepared, inputs, &inputs_here, contest);
    };
    let here = permitted_outputs(&exact.outputs.eval(&inputs_here), contest);
    if inputs.iter().all(Linear::is_constant) || contest.candidates.len() < 2 {
        return Ok(here);
    }
    let Some(question) = another_choice(decider, prepared, inputs, contest, &here)? else {
        return by_signs(decider, prepared, inputs, contest);
    };
    // Few nodes take little memory, whatever is left of it.
    let run = surefoot_limits::Limits { memory: None, ..decider.limits().run.clone() };
    let limits = Limits { nodes: Some(MOST_NODES), run };
    let answer = oracle.get_or_insert_with(|| BranchAndBound::new(Options::default())).decide(&question, &limits);
    match answer {
        Answer::Unsat => Ok(here),
        Answer::Unknown(Stop::Most(Unit::Nodes, _)) => by_signs(decider, prepared, inputs, contest),
        Answer::Unknown(limit) => Err(Stopped(limit).into()),
        Answer::Sat(other) => match walk(prepared, inputs, contest, &point, &other) {
            Some(cut) => Err(Trouble::Open(cut)),
            None => {
                Err(Trouble::Internal("the oracle's witness has the same choice as the point it differs from".into()))
            }
        },
    }
}

/// "Somewhere in the piece other outputs are permitted than these." `None` where the piece is too large for an oracle.
pub(super) fn another_choice(
    decider: &Decider<'_>,
    prepared: &Prepared,
    inputs: &[Linear],
    contest: &Contest<'_>,
    here: &[usize],
) -> Result<Option<Question>, Trouble> {
    let piece = decider.piece();
    let variables = piece.bounds().iter().zip(piece.integer()).map(|((lower, upper), integer)| Variable {
        kind: if *integer { Kind::Integer } else { Kind::Real },
        lower: lower.clone(),
        upper: upper.clone(),
    });
    let application = Application { network: Arc::clone(&prepared.network), inputs: inputs.into() };
    let mut question =
        Question { variables: variables.collect(), applications: vec![application], formula: Formula::truth() };
    let ties = match contest.ties {
        Ties::First => OracleTies::First,
        Ties::Any => OracleTies::Any,
        Ties::Plaja => OracleTies::Within(contest.tolerance()),
    };
    let applicable = |output: usize| Formula::constant(contest.candidates.contains(&output));
    let chosen = |output: usize| question.chosen(0, output, &ties, applicable);
    let differs = Formula::any(contest.candidates.iter().map(|output| match here.contains(output) {
        true => chosen(*output).negated(),
        // Where ties go to the first, another choice is the absence of this one.
        false if contest.ties == Ties::First => Formula::falsity(),
        false => chosen(*output),
    }));
    let rows = piece.rows().iter().cloned().map(Formula::Atom);
    question.formula = Formula::all(rows.chain([differs]));
    match question.check() {
        Ok(()) => Ok(Some(question)),
        Err(QuestionError::Bounds { .. }) => Ok(None),
        Err(error) => Err(Trouble::Internal(error.to_string())),
    }
}

/// The permitted outputs where every neuron has one sign all over the piece, by linear programs alone: slow, and complete.
///
/// # Errors
/// [`Trouble::Open`] with a cut along a neuron or a tie; limits.
pub fn by_signs(
    decider: &mut Decider<'_>,
    prepared: &Prepared,
    inputs: &[Linear],
    contest: &Contest<'_>,
) -> Result<Vec<usize>, Trouble> {
    let outputs = values(decider, prepared, inputs)?;
    let tolerance = Linear::constant_form(contest.tolerance());
    let mut decided = |atom: &Atom| match decider.atom(atom)? {
        Truth::Holds => Ok(true),
        Truth::Fails => Ok(false),
        Truth::Open(cut) => Err(Trouble::Open(cut)),
    };
    let mut chosen = Vec::new();
    for a in contest.candidates {
        let mut beaten = false;
        for b in contest.candidates.iter().filter(|b| *b != a) {
            let ahead = &(&outputs[*a] - &outputs[*b]) + &tolerance;
            let first = contest.ties == Ties::First && b < a;
            beaten |= !decided(&if first { Atom::positive(ahead) } else { Atom::at_least_zero(ahead) })?;
        }
        if !beaten {
            chosen.push(*a);
        }
    }
    Ok(chosen)
}

/// The outputs as affine forms over the parameters, if every neuron has one sign all over the piece.
///
/// # Errors
/// [`Trouble::Open`] with a cut along the first neuron that has not; limits.
pub fn values(decider: &mut Decider<'_>, prepared: &Prepared, inputs: &[Linear]) -> Result<Vec<Linear>, Trouble> {
    prepared.affine().walk(inputs, |z| {
        if !z.relu {
            return Ok(Neuron::Active);
        }
        let form = z.multiple();
        // A neuron that is nowhere positive counts as inactive, one that is nowhere negative as active.
        match decider.atom(&Atom::at_least_zero(form.clone()))? {
            Truth::Holds => Ok(Neuron::Active),
            Truth::Fails => Ok(Neuron::Inactive),
            Truth::Open(cut) => match decider.atom(&Atom::at_least_zero(-&form))? {
                Truth::Holds => Ok(Neuron::Inactive),
                _ => Err(Trouble::Open(cut)),
            },
        }
    })
}
