//! Why something is not known: a value that code can look at, in words that name no option of any program.

use std::fmt::{Display, Formatter, Result};
use std::time::Duration;

use surefoot_limits::Stop;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// A limit was met.
    Limit(Limit),
    /// A limit was met; from no start state is an unsafe state reached within so many steps.
    Steps {
        /// Which.
        limit: Limit,
        /// How many.
        safe: u64,
    },
    /// A limit was met; from all start states so many steps are decided.
    Horizon {
        /// Which.
        limit: Limit,
        /// How many.
        decided: u64,
    },
    /// Scores of the network could not be told apart somewhere, and no failure was found.
    LeftOpen {
        /// Why they could not.
        limit: Limit,
        /// The smallest set of states in which they could not, in words.
        start: String,
    },
    /// A limit was met before something that was found could be confirmed.
    Unconfirmed(Limit),
    /// An error of the model is open, and nothing else: perhaps because a limit of the whole run was met meanwhile.
    Errors {
        /// Which error.
        open: Undecided,
        /// The limit, if that is what ended the search.
        limit: Option<Limit>,
    },
    /// The abstraction has more runs than the model, and one of them reaches an unsafe state.
    Coarse,
    /// Bounds are not as close as asked for.
    Precision,
    /// Bounds lie on both sides of the number that they are compared with.
    Comparison,
    /// Iteration ended before bounds were as close as asked for.
    Solver {
        /// The precision that was asked for.
        precision: f64,
        /// By a limit of its own; where there is none, because floats give no more.
        limit: Option<Stop>,
    },
    /// Floats give no more, and fractions would take too long.
    Fractions,
    /// So many states are reachable, and more: they may never close.
    NotClosed(u64),
    /// What was to be solved got too large, and what of it.
    TooLarge(String),
    /// The model is in error somewhere else.
    ModelError(String),
    /// So many states were looked at, and there are more.
    Partly(u64),
    /// So many runs were made, and none reaches an unsafe state.
    Runs(u64),
    /// Start states cannot be listed, or transitions not kept; and why.
    Refused(String),
    /// A program of others gave no answer, and why.
    Outside {
        /// Which.
        limit: Limit,
        /// What it said or did instead.
        why: String,
    },
}

/// A limit that was met, and what it allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Which limit.
    pub stop: Stop,
    /// The time that was allowed.
    pub time: Option<Duration>,
    /// The megabytes (of 2^20 bytes) that were.
    pub memory: Option<usize>,
}

/// An error of the model of which it is not known whether a run comes to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// What would be an error, as in "an update of go leaves a variable's domain".
    pub what: String,
    /// Why it is not known whether it is.
    pub because: Because,
    /// What is proved if there is none.
    pub otherwise: Otherwise,
}

/// Why it is not known whether a run comes to an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// A limit was met.
    Limit(Limit),
    /// The abstraction does not exclude this state, in words.
    State(String),
    /// Bounds do not tell.
    Bounds,
}

/// What holds where the model is not in error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    /// No unsafe state is reached.
    Safe,
    /// The formula holds, of which only the steps that it looks at matter.
    Formula,
    /// What an abstraction says bounds the probability.
    Bounds,
}

impl From<Stop> for Limit {
    fn from(stop: Stop) -> Self {
        Self { stop, time: None, memory: None }
    }
}

impl From<Limit> for Reason {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Self {
        Self::Limit(stop.into())
    }
}

impl Limit {
    /// The same, with what the run as a whole was allowed.
    #[must_use]
    pub fn of(self, time: Option<Duration>, memory: Option<usize>) -> Self {
        Self { stop: self.stop, time, memory }
    }
}

impl Reason {
    /// The limit that was met, if that is the reason.
    #[must_use]
    pub fn limit(&self) -> Option<Stop> {
        match self {
            Self::Limit(limit)
            | Self::Steps { limit, .. }
            | Self::Horizon { limit, .. }
            | Self::LeftOpen { limit, .. }
            | Self::Outside { limit, .. }
            | Self::Unconfirmed(limit)
            | Self::Errors { limit: Some(limit), .. } => Some(limit.stop),
            Self::Solver { limit, .. } => *limit,
            _ => None,
        }
    }

    /// The same, where limits say what the run as a whole was allowed: engines know when to stop, and not how that came about.
    #[must_use]
    pub fn of(mut self, time: Option<Duration>, memory: Option<usize>) -> Self {
        let told = |limit: &mut Limit| *limit = limit.of(time, memory);
        match &mut self {
            Self::Limit(limit) | Self::Steps { limit, .. } | Self::Horizon { limit, .. } | Self::Unconfirmed(limit) => {
                told(limit);
            }
            Self::Errors { open, limit } => {
                limit.iter_mut().for_each(told);
                if let Because::Limit(limit) = &mut open.because {
                    told(limit);
                }
            }
            _ => {}
        }
        self
    }
}

impl Display for Limit {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match (self.stop, self.time, self.memory) {
            (Stop::Time, Some(time), _) => write!(f, "the time limit of {} s was reached", time.as_secs_f64()),
            (Stop::Memory, _, Some(memory)) => write!(f, "the memory limit of {memory} MB was reached"),
            (stop, ..) => stop.fmt(f),
        }
    }
}

impl Undecided {
    /// What an answer takes for granted that does without deciding it.
    #[must_use]
    pub fn assumption(&self) -> String {
        let Self { what, because, .. } = self;
        format!("{NO_ERRORS}: whether {what} was not decided ({because})")
    }
}

/// What a verdict takes for granted where the user said so.
pub const NO_ERRORS: &str = "the model is never in error (taken for granted, as asked for)";

impl Display for Undecided {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { what, because, otherwise } = self;
        let (within, then) = match otherwise {
            Otherwise::Safe => ("", "no unsafe state is reached"),
            Otherwise::Formula => (" within the formula's steps", "the formula holds"),
            Otherwise::Bounds => ("", "the bounds of the abstraction hold, too"),
        };
        write!(f, "errors of the model are not excluded: whether {what}{within} was not decided ({because}); ")?;
        write!(f, "if there are none, {then}")
    }
}

impl Display for Because {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Limit(limit) => limit.fmt(f),
            Self::State(state) => write!(f, "the abstraction does not exclude the state {state}"),
            Self::Bounds => f.write_str("bounds leave it open"),
        }
    }
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let steps = |n: u64| if n == 1 { "step" } else { "steps" };
        match self {
            Self::Limit(limit) => limit.fmt(f),
            Self::Steps { limit, safe } => {
                write!(f, "{limit}; no unsafe state is reached within {safe} {}", steps(*safe))
            }
            Self::Horizon { limit, decided } => {
                let are = if *decided == 1 { "is" } else { "are" };
                write!(f, "{limit}; from all start states {decided} {} {are} decided", steps(*decided))
            }
            Self::LeftOpen { limit, start: why } | Self::Outside { limit, why } => write!(f, "{limit}: {why}"),
            Self::Unconfirmed(limit) => {
                write!(f, "a start state was found in which the formula fails, but before that was confirmed {limit}")
            }
            Self::Errors { open, limit: Some(limit) } => write!(f, "{limit}; {open}"),
            Self::Errors { open, limit: None } => open.fmt(f),
            Self::Coarse => f.write_str("an abstract unsafe state is reached"),
            Self::Precision => f.write_str("the precision was not reached"),
            Self::Comparison => f.write_str("the bounds leave the comparison open"),
            Self::Solver { precision, limit } => {
                let why = if limit.is_some() { "Sweeps" } else { "Rounding" };
                write!(f, "the solver stopped before the precision {precision:e} was reached ({why})")
            }
            Self::Fractions => f.write_str("the bounds are as close as floats get, and fractions would take too long"),
            Self::NotClosed(most) => write!(
                f,
                "the formula has operators without bounds, and more than {most} states are reachable: they may never close; \
                 give the operators bounds"
            ),
            Self::TooLarge(what) | Self::Refused(what) => f.write_str(what),
            Self::ModelError(error) => write!(f, "the model is in error: {error}"),
            Self::Runs(runs) => write!(f, "none of {runs} runs reaches an unsafe state"),
            Self::Partly(states) => write!(f, "{states} states were explored, and there are more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_limits::Trouble;

    #[test]
    fn every_reason_has_its_words() {
        let late = Limit::from(Stop::Time).of(Some(Duration::from_millis(2500)), Some(64));
        let open =
            |because, otherwise| Undecided { what: "an update of go leaves a domain".to_owned(), because, otherwise };
        let errors = |limit, otherwise| Reason::Errors { open: open(Because::Bounds, otherwise), limit };
        for (reason, words) in [
            (Reason::from(Stop::Time), "the time limit was reached"),
            (late.into(), "the time limit of 2.5 s was reached"),
            (Reason::from(Stop::Memory).of(None, Some(64)), "the memory limit of 64 MB was reached"),
            (
                Reason::Steps { limit: late, safe: 1 },
                "the time limit of 2.5 s was reached; no unsafe state is reached within 1 step",
            ),
            (
                Reason::Horizon { limit: Stop::Interrupted.into(), decided: 2 },
                "it was interrupted; from all start states 2 steps are decided",
            ),
            (
                Reason::Horizon { limit: Stop::Interrupted.into(), decided: 1 },
                "it was interrupted; from all start states 1 step is decided",
            ),
            (
                Reason::Unconfirmed(Stop::Interrupted.into()),
                "a start state was found in which the formula fails, but before that was confirmed it was interrupted",
            ),
            (
                errors(None, Otherwise::Safe),
                "errors of the model are not excluded: whether an update of go leaves a domain was not decided (bounds leave it open); \
                 if there are none, no unsafe state is reached",
            ),
            (
                errors(Some(late), Otherwise::Formula),
                "the time limit of 2.5 s was reached; errors of the model are not excluded: whether an update of go leaves a domain within \
                 the formula's steps was not decided (bounds leave it open); if there are none, the formula holds",
            ),
            (Reason::Coarse, "an abstract unsafe state is reached"),
            (Reason::Precision, "the precision was not reached"),
            (Reason::Comparison, "the bounds leave the comparison open"),
            (
                Reason::Solver { precision: 1e-9, limit: None },
                "the solver stopped before the precision 1e-9 was reached (Rounding)",
            ),
            (
                Reason::Solver { precision: 1e-9, limit: Some(Stop::Most(surefoot_limits::Unit::Sweeps, 3)) },
                "the solver stopped before the precision 1e-9 was reached (Sweeps)",
            ),
            (Reason::Fractions, "the bounds are as close as floats get, and fractions would take too long"),
            (
                Reason::NotClosed(7),
                "the formula has operators without bounds, and more than 7 states are reachable: they may never close; give the \
                 operators bounds",
            ),
            (Reason::ModelError("x".to_owned()), "the model is in error: x"),
            (Reason::Runs(9), "none of 9 runs reaches an unsafe state"),
            (
                Reason::Outside { limit: Stop::Solver("Z3", Trouble::Crashed).into(), why: "it ended".to_owned() },
                "Z3 crashed: it ended",
            ),
            (Reason::Partly(9), "9 states were explored, and there are more"),
        ] {
            assert_eq!(reason.to_string(), words);
        }
        let state = open(Because::State("x = 3".to_owned()), Otherwise::Safe);
        let assumed = "the model is never in error (taken for granted, as asked for): whether an update of go leaves a domain was not \
                       decided (the abstraction does not exclude the state x = 3)";
        assert_eq!(state.assumption(), assumed);
    }

    #[test]
    fn what_was_allowed_is_told_wherever_a_limit_is() {
        let open =
            Undecided { what: String::new(), because: Because::Limit(Stop::Memory.into()), otherwise: Otherwise::Safe };
        let reason = Reason::Errors { open, limit: Some(Stop::Memory.into()) }.of(None, Some(5)).to_string();
        assert_eq!(reason.matches("the memory limit of 5 MB was reached").count(), 2, "{reason}");
        assert_eq!(Reason::from(Stop::Memory).limit(), Some(Stop::Memory));
        assert_eq!(Reason::Coarse.limit(), None);
    }
}
