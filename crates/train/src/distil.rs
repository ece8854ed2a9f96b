//! Networks that imitate a teacher who knows what every label costs.
//!
//! States are drawn anew for every update, so nothing is seen twice and nothing can be learned by heart. The loss is the cross-entropy of [`crate::softmax`], the optimiser is
//! Adam, and the learning rate falls evenly to a hundredth.

use surefoot_limits::{Limits, Stop, Ticker};
use surefoot_num::Random;

use crate::adam::{Adam, clip};
use crate::dense::{Dense, Pass, Shape};
use crate::options::{OptionError, check_hidden};
use crate::softmax::{softmax, wanted};

/// The largest norm of a gradient.
const MOST_NORM: f32 = 1.0;
/// The share of the learning rate that is left at the end.
const LAST_RATE: f32 = 0.01;
/// States of a batch, at most.
const MOST_BATCH: usize = 1 << 16;

/// Someone who knows what every label costs.
pub trait Teacher: Sync {
    /// How many numbers a network sees.
    fn inputs(&self) -> usize;

    /// How many labels there are.
    fn labels(&self) -> usize;

    /// Draws a state: what a network sees of it, and what every label costs there.
    fn draw(&self, random: &mut Random, seen: &mut [f32], costs: &mut [f32]);
}

/// How to imitate.
#[derive(Debug, Clone, PartialEq)]
pub struct Imitation {
    /// Neurons of the hidden layers.
    pub hidden: Vec<usize>,
    /// Updates.
    pub updates: u64,
    /// States of an update.
    pub batch: usize,
    /// How far parameters move in one update, at the beginning.
    pub learning_rate: f32,
    /// Differences of costs far below this count for nothing.
    pub temperature: f32,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Student {
    /// The network.
    pub network: Dense,
    /// Updates made.
    pub updates: u64,
    /// The limit that cut it short.
    pub stopped: Option<Stop>,
}

/// How near a network is to its teacher, on states drawn by the teacher.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// States.
    pub states: u64,
    /// Those in which the label with the largest score is the one that costs least, the first of several each.
    pub same: u64,
    /// What the network's label costs more, on average.
    pub regret: f64,
}

impl Imitation {
    /// That it makes sense.
    ///
    /// # Errors
    /// The first option that does not.
    pub fn check(&self) -> Result<(), OptionError> {
        check_hidden(&self.hidden)?;
        let fail = |what, given: String, expected: String| Err(OptionError { what, given, expected });
        if !(1..=MOST_BATCH).contains(&self.batch) {
            return fail("the batch", self.batch.to_string(), format!("a number from 1 to {MOST_BATCH}"));
        }
        for (what, given) in [("the learning rate", self.learning_rate), ("the temperature", self.temperature)] {
            if !(given > 0.0 && given <= 1.0) {
                return fail(what, given.to_string(), "a number above 0 and at most 1".to_owned());
            }
        }
        Ok(())
    }

    /// Learns from a teacher; `told` hears of every update. Limits cut it short.
    pub fn learn(
        &self,
        teacher: &impl Teacher,
        random: &mut Random,
        limits: &Limits,
        mut told: impl FnMut(u64),
    ) -> Student {
        let (inputs, labels) = (teacher.inputs(), teacher.labels());
        let sizes = [&[inputs], &self.hidden[..], &[labels]].concat();
        let mut network = Dense::random(Shape::new(sizes), random);
        let parameters = network.shape().parameter_count();
        let (mut adam, mut pass, mut gradient) = (Adam::new(parameters), Pass::default(), vec![0.0; parameters]);
        let (mut seen, mut costs) = (vec![0.0; self.batch * inputs], vec![0.0; self.batch * labels]);
        let mut by_outputs = Vec::new();
        #[expect(clippy::cast_precision_loss, reason = "batches are small")]
        let part = 1.0 / self.batch as f32;
        for update in 0..self.updates {
            if let Some(stop) = limits.stop() {
                return Student { network, updates: update, stopped: Some(stop) };
            }
            for (seen, costs) in seen.chunks_exact_mut(inputs).zip(costs.chunks_exact_mut(labels)) {
                teacher.draw(random, seen, costs);
                wanted(costs, self.temperature);
            }
            by_outputs.clear();
            by_outputs.extend_from_slice(network.forward(&seen, &mut pass));
            for (scores, wanted) in by_outputs.chunks_exact_mut(labels).zip(costs.chunks_exact(labels)) {
                softmax(scores);
                scores.iter_mut().zip(wanted).for_each(|(p, w)| *p = part * (*p - w));
            }
            gradient.fill(0.0);
            network.backward(&mut pass, &by_outputs, &mut gradient);
            clip(&mut gradient, MOST_NORM);
            adam.step(network.parameters_mut(), &gradient, self.rate_at(update));
            told(update + 1);
        }
        Student { network, updates: self.updates, stopped: None }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a share")]
    fn rate_at(&self, update: u64) -> f32 {
        let done = (update as f64 / self.updates.max(1) as f64) as f32;
        self.learning_rate * (1.0 - (1.0 - LAST_RATE) * done)
    }
}

/// Compares a network with a teacher, on so many states; limits cut that short.
pub fn compare(
    teacher: &impl Teacher,
    network: &Dense,
    states: u64,
    random: &mut Random,
    limits: &Limits,
) -> Agreement {
    let (inputs, labels) = (teacher.inputs(), teacher.labels());
    let (mut seen, mut costs, mut pass) = (vec![0.0; inputs], vec![0.0; labels], Pass::default());
    let (mut same, mut regret, mut ticker) = (0, 0.0, Ticker::new(limits, 64));
    let mut compared = 0;
    while compared < states && ticker.tick().is_ok() {
        compared += 1;
        teacher.draw(random, &mut seen, &mut costs);
        let chosen = largest(network.forward(&seen, &mut pass));
        costs.iter_mut().for_each(|cost| *cost = -*cost);
        let best = largest(&costs);
        same += u64::from(chosen == best);
        regret += f64::from(costs[best] - costs[chosen]);
    }
    #[expect(clippy::cast_precision_loss, reason = "a mean, for people")]
    let regret = regret / compared.max(1) as f64;
    Agreement { states: compared, same, regret }
}

/// The place of the largest number, the first of several.
#[must_use]
pub fn largest(numbers: &[f32]) -> usize {
    let mut best = 0;
    for (place, number) in numbers.iter().enumerate() {
        if *number > numbers[best] {
            best = place;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::uniform;

    /// Two numbers from -1 to 1; label 0 costs less above a bent line, label 1 below it, and label 2 always a bit more than the better one.
    struct Bent;

    impl Teacher for Bent {
        fn inputs(&self) -> usize {
            2
        }

        fn labels(&self) -> usize {
            3
        }

        fn draw(&self, random: &mut Random, seen: &mut [f32], costs: &mut [f32]) {
            let [x, y] = [0; 2].map(|_| 2.0 * uniform(random) - 1.0);
            seen.copy_from_slice(&[x, y]);
            let above = y - x.abs() + 0.25;
            costs.copy_from_slice(&[(-above).max(0.0), above.max(0.0), 0.125]);
        }
    }

    fn imitation() -> Imitation {
        Imitation { hidden: vec![8, 8], updates: 400, batch: 32, learning_rate: 1e-2, temperature: 0.05 }
    }

    fn taught(updates: u64, seed: u64) -> Student {
        let imitation = Imitation { updates, ..imitation() };
        imitation.learn(&Bent, &mut Random::new(seed), &Limits::default(), |_| {})
    }

    #[test]
    fn the_same_seed_is_the_same_network_and_learning_improves_it() {
        let (begun, learned) = (taught(0, 1), taught(400, 1));
        assert_eq!(learned, taught(400, 1));
        assert_ne!(learned.network, taught(400, 2).network);
        assert_eq!((learned.updates, learned.stopped), (400, None));
        let agreement =
            |student: &Student| compare(&Bent, &student.network, 2000, &mut Random::new(9), &Limits::default());
        let (before, after) = (agreement(&begun), agreement(&learned));
        assert!(after.same > 1880 && after.same > before.same + 300, "{before:?} {after:?}");
        assert!(after.regret < before.regret / 10.0, "{before:?} {after:?}");
    }

    #[test]
    fn a_limit_leaves_what_was_learned() {
        let limits = Limits::default();
        let stop = |update| {
            if update == 25 {
                limits.cancel.stop(Stop::Interrupted);
            }
        };
        let cut = imitation().learn(&Bent, &mut Random::new(1), &limits, stop);
        assert_eq!((cut.updates, cut.stopped), (25, Some(Stop::Interrupted)));
        assert_ne!(cut.network, taught(0, 1).network);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        assert_eq!(imitation().check(), Ok(()));
        let told = |imitation: Imitation| imitation.check().unwrap_err().to_string();
        assert!(told(Imitation { hidden: vec![0], ..imitation() }).starts_with("the hidden layers cannot be 0"));
        assert!(told(Imitation { batch: 0, ..imitation() }).starts_with("the batch cannot be 0"));
        assert!(told(Imitation { temperature: 0.0, ..imitation() }).starts_with("the temperature cannot be 0"));
        assert!(told(Imitation { learning_rate: f32::NAN, ..imitation() }).contains("above 0 and at most 1"));
    }
}
