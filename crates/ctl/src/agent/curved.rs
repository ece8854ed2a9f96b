//! The permitted outputs of a network that is not piecewise linear over the reals.
//!
//! Where its choice changes is no hyperplane. So a piece with two choices is cut half-way between two points that have different ones,
//! along the parameter in which they are farthest apart, until every part has one choice. Parts that the border runs through never
//! do: one whose two points are closer than [`CLOSE`] is given up, with [`Stop::Narrow`]. Integers are never that close, so over
//! integers alone there is always an answer, but for states in which no precision tells scores apart ([`Stop::Tie`]).

use surefoot_limits::Stop;
use surefoot_linear::{Linear, Symbol};
use surefoot_model::policy::Ties;
use surefoot_network::eval::Scores;
use surefoot_num::Rational;
use surefoot_oracle::{Answer, BranchAndBound, Limits, Options, Oracle};

use super::Prepared;
use super::choice::another_choice;
use super::walk::Contest;
use crate::explore::Trouble;
use crate::region::{Cut, Decider, Stopped};

/// Nodes that the oracle may take for one question.
const MOST_NODES: u64 = 50_000;

/// Points are too close to be parted when no parameter differs by more than one part in so many, or by more than that part of one.
const CLOSE: i64 = 1 << 20;

/// The permitted outputs for given scores.
fn permitted_outputs(scores: &Scores<'_>, contest: &Contest<'_>) -> Result<Vec<usize>, Trouble> {
    let found = match contest.ties {
        Ties::First => scores.first_largest(contest.candidates).map(Vec::from_iter),
        Ties::Any | Ties::Plaja => scores.within(contest.candidates, &contest.tolerance()),
    };
    found.map_err(|_| Trouble::Stopped(Stop::Tie))
}

/// The outputs permitted everywhere in the piece, if they are the same everywhere.
///
/// # Errors
/// [`Trouble::Open`] with a cut where they are not; limits.
pub(super) fn permitted(
    decider: &mut Decider<'_>,
    oracle: &mut Option<BranchAndBound>,
    prepared: &Prepared,
    inputs: &[Linear],
    inputs_here: &[Rational],
    contest: &Contest<'_>,
) -> Result<Vec<usize>, Trouble> {
    let here = permitted_outputs(&prepared.network.scores_at(inputs_here), contest)?;
    if inputs.iter().all(Linear::is_constant) || contest.candidates.len() < 2 {
        return Ok(here);
    }
    let Some(question) = another_choice(decider, prepared, inputs, contest, &here)? else {
        return Err(Trouble::TooLarge(
            "the start set, for a network that is not piecewise linear over the reals".into(),
        ));
    };
    let run = surefoot_limits::Limits { memory: None, ..decider.limits().run.clone() };
    let limits = Limits { nodes: Some(MOST_NODES), run };
    match oracle.get_or_insert_with(|| BranchAndBound::new(Options::default())).decide(&question, &limits) {
        Answer::Unsat => Ok(here),
        // Soundness: what is too close to be decided is given up, and the piece with it.
        Answer::Unknown(Stop::Most(..)) => Err(Stopped(Stop::Narrow).into()),
        Answer::Unknown(limit) => Err(Stopped(limit).into()),
        Answer::Sat(other) => match between(decider.piece().point(), &other) {
            Some(cut) => Err(Trouble::Open(cut)),
            None => Err(Stopped(Stop::Narrow).into()),
        },
    }
}

/// The cut half-way between two points; `None` if they are too close.
///
/// Progress: one of them is on either side.
fn between(p: &[Rational], q: &[Rational]) -> Option<Cut> {
    let part = Rational::new(1, CLOSE).expect("not zero");
    let apart = |(p, q): (&Rational, &Rational)| (p - q).abs();
    let (v, distance) = p.iter().zip(q).map(apart).enumerate().max_by(|(i, a), (j, b)| a.cmp(b).then(j.cmp(i)))?;
    if distance <= &part * &p[v].abs().max(Rational::ONE) {
        return None;
    }
    let half = &(&p[v] + &q[v]) * &Rational::new(1, 2).expect("not zero");
    Some(Cut { form: Linear::new(vec![(Symbol::at(v), Rational::ONE)], -&half), border_apart: false })
}
