//! Options of `zoo train`.

use std::path::PathBuf;

use clap::Args;
use surefoot_verify::task::train::Training;

use super::number::{count, real, size};
use super::{CommonArgs, ModelArgs};

#[derive(Debug, Args)]
pub(crate) struct ZooTrainArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// The folder for the policy, its network and the learning curves; it is made if it does not exist
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Neurons of the hidden layers
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_value = "32,32", value_parser = size)]
    hidden: Vec<usize>,
    /// Choices of the policy in all runs of training together
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = count)]
    steps: u64,
    /// What the policy reads [default: what that of the property or of --policy reads, else all that changes]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    inputs: Vec<String>,
    /// What the policy chooses among [default: what that of the property or of --policy does, else all actions]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    labels: Vec<String>,
    /// What a step earns besides: an expression over the state that it enters
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    reward: Option<String>,
    /// What a step earns besides: how much this expression grows by it. One that grows towards the goal helps where the goal is far
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    progress: Option<String>,
    /// What reaching the goal earns
    #[arg(long, value_name = "R", default_value_t = 1.0, value_parser = real, allow_negative_numbers = true)]
    goal_reward: f32,
    /// What reaching an unsafe state earns
    #[arg(long, value_name = "R", default_value_t = -1.0, value_parser = real, allow_negative_numbers = true)]
    unsafe_reward: f32,
    /// What it earns when nothing can happen any more: at a dead end, or after a choice that is not applicable
    #[arg(long, value_name = "R", default_value_t = -1.0, value_parser = real, allow_negative_numbers = true)]
    stuck_reward: f32,
    /// What every step earns
    #[arg(long, value_name = "R", default_value_t = 0.0, value_parser = real, allow_negative_numbers = true)]
    step_reward: f32,
    /// What the next choice counts
    #[arg(long, value_name = "D", default_value_t = 0.97, value_parser = real)]
    discount: f32,
    /// How far an update moves the network at the beginning; at the end it is a tenth
    #[arg(long, value_name = "A", default_value_t = 1e-3, value_parser = real)]
    learning_rate: f32,
    /// Transitions of an update
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = size)]
    batch: usize,
    /// Transitions that are kept to learn from
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = size)]
    replay: usize,
    /// Choices between updates
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = count)]
    update_every: u64,
    /// Updates between copies of the network to the one that says what choices are worth
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = count)]
    target_every: u64,
    /// The share of random choices at the end; at the beginning all are
    #[arg(long, value_name = "E", default_value_t = 0.05, value_parser = real)]
    epsilon: f32,
    /// The share of the steps in which random choices become fewer
    #[arg(long, value_name = "F", default_value_t = 0.5, value_parser = real)]
    exploration: f32,
    /// The share of the runs of training that begin in a state of an earlier run: where goals are hard to come by
    #[arg(long, value_name = "F", default_value_t = 0.0, value_parser = real)]
    restarts: f32,
    /// Steps of a run, at most
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count)]
    run_steps: u64,
    /// Evaluations on the way; the best policy is kept
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = count)]
    evaluations: u64,
    /// Runs of each of them
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count)]
    evaluation_runs: u64,
    /// Runs of the evaluation at the end
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = count)]
    runs: u64,
}

impl ZooTrainArgs {
    /// How to train.
    pub(crate) fn training(&self) -> Training {
        let rewards = surefoot_train::Rewards {
            goal: self.goal_reward,
            unsafety: self.unsafe_reward,
            stuck: self.stuck_reward,
            step: self.step_reward,
        };
        let options = surefoot_train::Options {
            hidden: self.hidden.clone(),
            steps: self.steps,
            seed: self.common.seed,
            rewards,
            discount: self.discount,
            learning_rate: self.learning_rate,
            batch: self.batch,
            replay: self.replay,
            update_every: self.update_every,
            target_every: self.target_every,
            epsilon: self.epsilon,
            exploration: self.exploration,
            restarts: self.restarts,
            run_steps: self.run_steps,
            evaluations: self.evaluations,
            evaluation_runs: self.evaluation_runs,
            final_runs: self.runs,
        };
        Training {
            options,
            reward: self.reward.clone(),
            progress: self.progress.clone(),
            inputs: self.inputs.clone(),
            labels: self.labels.clone(),
            out: self.out.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::zoo::ZooCommand;
    use super::super::{Cli, Command};

    #[test]
    fn defaults_are_those_of_the_library() {
        let cli = Cli::try_parse_from(["surefoot", "zoo", "train", "m.jani", "--out", "d"]).expect("it is complete");
        let Command::Zoo(args) = cli.command else { panic!("it is zoo") };
        let ZooCommand::Train(args) = args.command else { panic!("it is train") };
        assert_eq!(args.training().options, surefoot_train::Options::default());
    }
}
