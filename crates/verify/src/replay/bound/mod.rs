//! Whether a start state shows the end of an interval that comes from the model.
//!
//! Of a largest value that is the lower end: from the start state some scheduler (for `Pmin` every one) comes to what is asked for with at least that
//! probability. Of a smallest value it is the upper end. The other end is about all start states, and no single one shows it.
//!
//! The check knows nothing of how the interval was found. The likely part of what is reachable from the start state is explored and the probability
//! enclosed, what was not explored lost for the lower bound and won for the upper one. The part doubles until it tells.
//!
//! * `search`: the growing part; `listed`: the scheduler that a result lists.

mod listed;
mod search;

use surefoot_certificate::ReadBound;
use surefoot_explicit::Task;
use surefoot_explicit::simulate::{RunEnd, SimulateOptions, simulate};
use surefoot_model::State;
use surefoot_model::property::StartSet;
use surefoot_num::{FloatInterval, Rational};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::{Reason, Silent};

use super::NotReal;
use crate::answer::{Number, quantity_takes_smallest};
use crate::bounds::task;
use crate::engine::Budget;
use crate::problem::{Failure, Problem};
use crate::quantity::Quantity;
use crate::states::{NoState, StateNames};

use listed::Listed;
use search::{Found, Search};

/// Random runs, and steps of each: so few that they cost little.
const RUNS: (u64, u64) = (100, 200);

/// What came of the check.
#[derive(Debug, Clone)]
pub struct CheckedBound {
    /// Whether it is the lower end that the start state shows.
    pub from_below: bool,
    /// That end.
    pub claimed: Rational,
    /// The start state, if it is a state.
    pub start: Option<State>,
    /// The probability from there, enclosed.
    pub lower: Number,
    /// From above.
    pub upper: Number,
    /// States that were expanded for it.
    pub expanded: u64,
    /// Whether the scheduler is the one that the result lists; else any was taken.
    pub scheduled: bool,
    /// Random runs from there, and how many of them come to what is asked for; only where that is a matter of a run's end.
    pub simulated: Option<(u64, u64)>,
    /// What the check says.
    pub says: Confirmed,
}

/// What a check says.
#[derive(Debug, Clone, PartialEq)]
pub enum Confirmed {
    /// The start state shows the end.
    Yes,
    /// It does not.
    No(NotReal),
    /// It is not known.
    Open(Reason),
}

/// Checks the end of an interval that the start state of a result shows.
///
/// # Errors
/// [`Failure::Input`] where the result is about another model, or the model is in error.
pub(crate) fn check(
    problem: &Problem,
    quantity: &Quantity,
    read: &ReadBound,
    seed: u64,
    budget: &Budget,
) -> Result<CheckedBound, Failure> {
    let from_below = !quantity_takes_smallest(quantity);
    let claimed = if from_below { read.lower.clone() } else { read.upper.clone() };
    let names = StateNames::new(problem.model());
    let mut checked = CheckedBound {
        from_below,
        claimed: claimed.clone(),
        start: None,
        lower: Number::Float(0.0),
        upper: Number::Float(1.0),
        expanded: 0,
        scheduled: false,
        simulated: None,
        says: Confirmed::Yes,
    };
    let start = match names.state(problem.model(), &read.start) {
        Ok(start) => start,
        Err(NoState::NoSuchValue(reason)) => {
            checked.says = Confirmed::No(NotReal::Start(reason));
            return Ok(checked);
        }
        Err(NoState::OtherModel(reason)) => {
            let message = format!("the witness is not about this model: {reason}");
            let help = "give the model, properties, policy and constants that it was found with";
            return Err(Diagnostic::error(read.start_span, message).with_help(help).into());
        }
    };
    checked.start = Some(start.clone());
    if let Err(reason) = super::start(problem, &start) {
        checked.says = Confirmed::No(NotReal::Start(reason));
        return Ok(checked);
    }
    let only = StartSet { conditions: Vec::new(), states: vec![start] };
    let task = Task { start: &only, limits: budget.limits(), ..task(problem, quantity, budget) };
    // Of one minus an until, the lower end is the until's from above.
    let turned = |value: &Rational| if quantity.complement { &Rational::ONE - value } else { value.clone() };
    let listed = Listed::new(problem, &names, read)?;
    let mut search = Search::new(problem, quantity, &task, listed, budget)?;
    let found = search.run(from_below != quantity.complement, &turned(&claimed))?;
    let (low, high) = (turned(&search.value.0), turned(&search.value.1));
    let (low, high) = if quantity.complement { (high, low) } else { (low, high) };
    checked.says = match found {
        Found::Shown => Confirmed::Yes,
        Found::Open(reason) => Confirmed::Open(reason),
        Found::NoChoice(entry) => {
            Confirmed::No(NotReal::Claim(format!("entry {entry} of the scheduler is no choice of its state")))
        }
        Found::Refuted => {
            let by = if search.scheduled { " by the scheduler that is listed" } else { "" };
            let (word, end) = if from_below { ("at most", high.to_f64()) } else { ("at least", low.to_f64()) };
            Confirmed::No(NotReal::Claim(format!("from its start state the probability is {word} {end}{by}")))
        }
    };
    let point = low == high && FloatInterval::tightest(&low).lower < FloatInterval::tightest(&low).upper;
    (checked.lower, checked.upper) = if point {
        (Number::Exact(low), Number::Exact(high))
    } else {
        (Number::Float(FloatInterval::tightest(&low).lower), Number::Float(FloatInterval::tightest(&high).upper))
    };
    checked.expanded = search.expanded();
    checked.scheduled = search.scheduled;
    if quantity.left.is_none() && quantity.steps.is_none() {
        let options = SimulateOptions { runs: RUNS.0, steps: RUNS.1, seed };
        // What is wrong with the model was told above.
        let runs = simulate(&task, &options, &Silent, None).ok().filter(|made| made.stopped.is_none());
        let reached = runs.map(|made| made.totals.ended(RunEnd::Reach));
        checked.simulated = reached.map(|n| (RUNS.0, if quantity.complement { RUNS.0 - n } else { n }));
    }
    Ok(checked)
}
