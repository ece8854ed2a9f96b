//! How learning went: a point for each evaluation, and all of them as CSV.

use std::fmt::Write as _;

use surefoot_explicit::simulate::RunEnd;
use surefoot_explicit::simulate::confidence::{self, Estimate};

use crate::evaluation::Evaluation;

/// What is known at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Choices made until then.
    pub step: u64,
    /// Runs of training until then, and updates.
    pub episodes: u64,
    /// Updates until then.
    pub updates: u64,
    /// The share of random choices.
    pub epsilon: f32,
    /// The mean loss since the last point; none where there was no update.
    pub loss: Option<f64>,
    /// What runs of training earned since the last point, on average; none where no run ended.
    pub earned: Option<f64>,
    /// Random runs under the policy as it is.
    pub evaluation: Evaluation,
    /// What they earned on average.
    pub score: f64,
    /// Whether no policy before was better.
    pub best: bool,
}

impl Point {
    /// The share of runs that ended so, with its interval.
    #[must_use]
    pub fn share(&self, end: RunEnd) -> Estimate {
        let totals = &self.evaluation.simulation.totals;
        let nothing = Estimate { mean: 0.0, lower: 0.0, upper: 1.0 };
        confidence::share(totals.ended(end), totals.runs).unwrap_or(nothing)
    }
}

/// All points, a line each.
#[must_use]
pub fn csv(points: &[Point]) -> String {
    let mut text =
        "step,episodes,updates,epsilon,loss,training_return,runs,goal,goal_lo,goal_hi,unsafe,unsafe_lo,unsafe_hi,\
                    stopped,stopped_lo,stopped_hi,mean_length,mean_return,best\n"
            .to_owned();
    for point in points {
        let number = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.6}"));
        let totals = &point.evaluation.simulation.totals;
        let Point { step, episodes, updates, epsilon, .. } = point;
        let (loss, earned) = (number(point.loss), number(point.earned));
        let _ = write!(text, "{step},{episodes},{updates},{epsilon:.4},{loss},{earned},{}", totals.runs);
        for end in [RunEnd::Goal, RunEnd::Reach, RunEnd::Stopped] {
            let Estimate { mean, lower, upper } = point.share(end);
            let _ = write!(text, ",{mean:.4},{lower:.4},{upper:.4}");
        }
        #[expect(clippy::cast_precision_loss, reason = "a mean, for people")]
        let length = totals.steps as f64 / totals.runs.max(1) as f64;
        let _ = writeln!(text, ",{length:.2},{:.6},{}", point.score, u8::from(point.best));
    }
    text
}
