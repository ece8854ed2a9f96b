//! Everything that can be chosen about training.

/// The largest network that is trained: so many neurons per layer, and so many layers.
const MOST_NEURONS: usize = 1024;
const MOST_LAYERS: usize = 16;
/// Transitions of a batch, at most.
const MOST_BATCH: usize = 1 << 16;
/// Bytes of the replay buffer, at most.
const MOST_BYTES: usize = 1 << 32;

/// What a run earns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rewards {
    /// On reaching the goal, where a run ends.
    pub goal: f32,
    /// On reaching an unsafe state, where a run ends.
    pub unsafety: f32,
    /// Where nothing can happen any more, which is no goal: in particular after a choice that is not applicable.
    pub stuck: f32,
    /// For every step.
    pub step: f32,
}

impl Default for Rewards {
    fn default() -> Self {
        Self { goal: 1.0, unsafety: -1.0, stuck: -1.0, step: 0.0 }
    }
}

/// How to train.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Neurons of the hidden layers.
    pub hidden: Vec<usize>,
    /// Choices to be made, in all runs together.
    pub steps: u64,
    /// Seed of everything that is random.
    pub seed: u64,
    /// What runs earn.
    pub rewards: Rewards,
    /// What the next choice counts.
    pub discount: f32,
    /// How far parameters move in one update, at the beginning; it falls to a tenth of that.
    pub learning_rate: f32,
    /// Transitions of one update.
    pub batch: usize,
    /// Transitions that are kept.
    pub replay: usize,
    /// Choices between updates.
    pub update_every: u64,
    /// Updates between copies of the network to the one that says what choices are worth.
    pub target_every: u64,
    /// The share of random choices at the end; at the beginning all are.
    pub epsilon: f32,
    /// The share of the steps in which random choices become fewer.
    pub exploration: f32,
    /// The share of the runs of training that begin in a state of an earlier run: where goals are hard to come by from start states.
    pub restarts: f32,
    /// Steps of a run, at most.
    pub run_steps: u64,
    /// Evaluations on the way.
    pub evaluations: u64,
    /// Runs of each of them.
    pub evaluation_runs: u64,
    /// Runs of the evaluation at the end.
    pub final_runs: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hidden: vec![32, 32],
            steps: 100_000,
            seed: 0,
            rewards: Rewards::default(),
            discount: 0.97,
            learning_rate: 1e-3,
            batch: 64,
            replay: 50_000,
            update_every: 2,
            target_every: 500,
            epsilon: 0.05,
            exploration: 0.5,
            restarts: 0.0,
            run_steps: 200,
            evaluations: 40,
            evaluation_runs: 200,
            final_runs: 1000,
        }
    }
}

/// An option that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} cannot be {given}: expected {expected}")]
pub struct OptionError {
    /// The option, in words.
    pub what: &'static str,
    /// What was given.
    pub given: String,
    /// What is possible.
    pub expected: String,
}

impl Options {
    /// That they make sense, for networks of so many inputs and outputs.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self, inputs: usize, labels: usize) -> Result<(), OptionError> {
        let fail =
            |what, given: String, expected: &str| Err(OptionError { what, given, expected: expected.to_owned() });
        check_hidden(&self.hidden)?;
        for (what, given) in
            [("the discount", self.discount), ("the share of steps with fewer random choices", self.exploration)]
        {
            if !(given > 0.0 && given <= 1.0) {
                return fail(what, given.to_string(), "a number above 0 and at most 1");
            }
        }
        for (what, given) in [("the share of random choices", self.epsilon), ("the share of restarts", self.restarts)] {
            if !(0.0..=1.0).contains(&given) {
                return fail(what, given.to_string(), "a number from 0 to 1");
            }
        }
        if !(self.learning_rate > 0.0 && self.learning_rate <= 1.0) {
            return fail("the learning rate", self.learning_rate.to_string(), "a number above 0 and at most 1");
        }
        let Rewards { goal, unsafety, stuck, step } = self.rewards;
        for given in [goal, unsafety, stuck, step] {
            if given.is_nan() || given.abs() > 1e6 {
                return fail("a reward", given.to_string(), "a number from -1e6 to 1e6");
            }
        }
        if !(1..=MOST_BATCH).contains(&self.batch) {
            return fail("the batch", self.batch.to_string(), &format!("a number from 1 to {MOST_BATCH}"));
        }
        for (what, given) in [
            ("the number of steps between updates", self.update_every),
            ("the number of updates between copies", self.target_every),
            ("the number of steps of a run", self.run_steps),
        ] {
            if given == 0 {
                return fail(what, given.to_string(), "at least 1");
            }
        }
        let most = MOST_BYTES / crate::replay::Replay::bytes_each(inputs, labels);
        if self.replay == 0 || self.replay > most {
            return fail(
                "the number of transitions kept",
                self.replay.to_string(),
                &format!("a number from 1 to {most}"),
            );
        }
        Ok(())
    }

    /// The share of random choices after so many steps: it falls evenly.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a share")]
    pub fn epsilon_at(&self, step: u64) -> f32 {
        let falling = self.steps as f64 * f64::from(self.exploration);
        let done = if falling > 0.0 { (step as f64 / falling).min(1.0) } else { 1.0 };
        (1.0 - done * (1.0 - f64::from(self.epsilon))) as f32
    }

    /// How far parameters move after so many steps: it falls evenly to a tenth.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a share")]
    pub fn rate_at(&self, step: u64) -> f32 {
        let done = step as f64 / self.steps.max(1) as f64;
        self.learning_rate * (1.0 - 0.9 * done.min(1.0)) as f32
    }
}

/// That hidden layers are neither too large nor too many.
pub(crate) fn check_hidden(hidden: &[usize]) -> Result<(), OptionError> {
    if hidden.iter().all(|size| (1..=MOST_NEURONS).contains(size)) && hidden.len() <= MOST_LAYERS {
        return Ok(());
    }
    let given: Vec<String> = hidden.iter().map(usize::to_string).collect();
    let expected = format!("up to {MOST_LAYERS} sizes from 1 to {MOST_NEURONS}");
    Err(OptionError { what: "the hidden layers", given: given.join(","), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_fall_evenly() {
        let options = Options { steps: 100, exploration: 0.5, epsilon: 0.1, learning_rate: 0.01, ..Options::default() };
        for (step, expected) in [(0, 1.0), (25, 0.55), (50, 0.1), (100, 0.1)] {
            assert!((options.epsilon_at(step) - expected).abs() < 1e-6);
        }
        for (step, expected) in [(0, 0.01), (50, 0.0055), (100, 0.001)] {
            assert!((options.rate_at(step) - expected).abs() < 1e-8);
        }
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let default = Options::default;
        assert_eq!(default().check(4, 9), Ok(()));
        let told = |options: Options| options.check(4, 9).unwrap_err().to_string();
        assert!(
            told(Options { hidden: vec![4, 0], ..default() }).starts_with("the hidden layers cannot be 4,0: expected")
        );
        assert!(told(Options { discount: 1.5, ..default() }).starts_with("the discount cannot be 1.5: expected"));
        assert!(told(Options { epsilon: f32::NAN, ..default() }).contains("random choices"));
        assert!(told(Options { restarts: -1.0, ..default() }).contains("the share of restarts"));
        assert!(told(Options { learning_rate: 0.0, ..default() }).contains("the learning rate"));
        assert!(
            told(Options { rewards: Rewards { stuck: f32::INFINITY, ..Rewards::default() }, ..default() })
                .contains("a reward")
        );
        assert!(told(Options { batch: 0, ..default() }).contains("the batch"));
        assert!(told(Options { target_every: 0, ..default() }).contains("at least 1"));
        assert!(told(Options { replay: usize::MAX, ..default() }).contains("transitions kept"));
    }
}
