//! How good a policy is, by random runs: the same as `simulate` makes, with the network's choices decided exactly.
//!
//! Runs end at the goal, as they do in training, or go on where the problem says so.

use std::ops::ControlFlow;
use std::sync::Arc;

use surefoot_explicit::simulate::{RunEnd, SimulateError, SimulateOptions, Simulation, Starts, simulate_from};
use surefoot_model::{Interpreter, ModelError};
use surefoot_network::Network;
use surefoot_verdict::Silent;

use crate::interface::Interface;
use crate::options::Rewards;
use crate::problem::Problem;

/// What random runs under a policy come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The runs.
    pub simulation: Simulation,
    /// What a run earned by the problem's own reward, on average.
    pub collected: f64,
}

impl Evaluation {
    /// The share of the runs that ended so.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share, for people and for the choice of the best")]
    pub fn share(&self, end: RunEnd) -> f64 {
        let totals = &self.simulation.totals;
        totals.ended(end) as f64 / totals.runs.max(1) as f64
    }

    /// What a run earned on average, without discount: what policies are compared by.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean, for people and for the choice of the best")]
    pub fn score(&self, rewards: &Rewards) -> f64 {
        let totals = &self.simulation.totals;
        let length = totals.steps as f64 / totals.runs.max(1) as f64;
        f64::from(rewards.goal) * self.share(RunEnd::Goal)
            + f64::from(rewards.unsafety) * self.share(RunEnd::Reach)
            + f64::from(rewards.stuck) * self.share(RunEnd::Stopped)
            + f64::from(rewards.step) * length
            + self.collected
    }
}

/// Makes runs under the policy of a network. Limits cut them short.
///
/// # Errors
/// Where the model is in error.
pub fn evaluate(
    problem: &Problem<'_>,
    starts: &Starts<'_>,
    interface: &Interface,
    network: Arc<Network>,
    options: &SimulateOptions,
) -> Result<Evaluation, Box<ModelError>> {
    let policy = interface.policy(network, "<trained>");
    let task = problem.task(Some(&policy));
    let made = |result: Result<Simulation, SimulateError>| match result {
        Ok(simulation) => Ok(simulation),
        Err(SimulateError::Model(error)) => Err(error),
        Err(SimulateError::Start(_)) => unreachable!("start states were found before"),
    };
    let Some(term) = problem.reward else {
        let simulation = made(simulate_from(&task, starts, options, &Silent, None))?;
        return Ok(Evaluation { simulation, collected: 0.0 });
    };
    let interpreter = Interpreter::new(problem.model);
    let (mut sum, mut failed) = (0.0, None);
    let mut listener = |_: u64, _: &_, trace: &surefoot_explicit::simulate::Trace| {
        for state in trace.states().into_iter().skip(1) {
            match interpreter.eval(term, &state) {
                Ok(value) => sum += value.to_f64(),
                Err(error) => {
                    failed = Some(Box::new(ModelError::evaluation(error, state)));
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    };
    let simulation = made(simulate_from(&task, starts, options, &Silent, Some(&mut listener)))?;
    if let Some(error) = failed {
        return Err(error);
    }
    #[expect(clippy::cast_precision_loss, reason = "a mean, for people and for the choice of the best")]
    let collected = sum / simulation.totals.runs.max(1) as f64;
    Ok(Evaluation { simulation, collected })
}
