//! One update of deep Q-learning.
//!
//! For a transition `(s, a, r, s')` with discount `g` the network `Q` is moved towards
//!
//! > `y = r + g T(s', argmax Q(s', .))`
//!
//! where `T` is an older copy of `Q` (double Q-learning), and the maximum is over the labels that may be chosen in `s'`. The loss is Huber's, and gradients are clipped.
//!
//! Without the applicability filter, choosing a label that is not applicable ends a run, unless the environment moves by itself. What that is worth is known
//! without trying: every transition says of such labels of `s` that they are worth that reward. So runs need not die of them to learn it.

use surefoot_num::Random;

use crate::adam::{Adam, clip};
use crate::dense::{Dense, Pass};
use crate::replay::{Replay, has};

/// The largest norm of a gradient.
const MOST_NORM: f32 = 10.0;

/// What learns.
#[derive(Debug, Clone)]
pub struct Learner {
    network: Dense,
    target: Dense,
    adam: Adam,
    gradient: Vec<f32>,
    /// Room.
    pass: Pass,
    batch: Batch,
    updates: u64,
}

/// The rows of a batch.
#[derive(Debug, Clone, Default)]
struct Batch {
    drawn: Vec<usize>,
    states: Vec<f32>,
    nexts: Vec<f32>,
    chosen: Vec<usize>,
    wanted: Vec<f32>,
    by_outputs: Vec<f32>,
}

impl Learner {
    /// Begins with a network.
    #[must_use]
    pub fn new(network: Dense) -> Self {
        let parameters = network.shape().parameter_count();
        Self {
            target: network.clone(),
            adam: Adam::new(parameters),
            gradient: vec![0.0; parameters],
            pass: Pass::default(),
            batch: Batch::default(),
            updates: 0,
            network,
        }
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Dense {
        &self.network
    }

    /// How many updates there were.
    #[must_use]
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// The label with the largest score among those allowed, the first of several; the first label where none is.
    pub fn best(&mut self, state: &[f32], allowed: impl Fn(usize) -> bool) -> usize {
        best(self.network.forward(state, &mut self.pass), allowed)
    }

    /// Copies the network to the one that says what choices are worth.
    pub fn renew(&mut self) {
        self.target.clone_from(&self.network);
    }

    /// Learns from a random batch; the mean loss. `stuck` is what a label is worth that ends a run.
    pub fn update(&mut self, replay: &Replay, size: usize, stuck: f32, rate: f32, random: &mut Random) -> f32 {
        let Self { network, target, gradient, pass, batch, .. } = self;
        batch.drawn.clear();
        batch.drawn.extend((0..size).map(|_| replay.draw(random)));
        batch.states.clear();
        batch.nexts.clear();
        for at in &batch.drawn {
            let transition = replay.get(*at);
            batch.states.extend_from_slice(transition.state);
            batch.nexts.extend_from_slice(transition.next);
        }
        let labels = network.shape().sizes()[network.shape().sizes().len() - 1];
        let scores = network.forward(&batch.nexts, pass).chunks_exact(labels);
        batch.chosen.clear();
        let allowed = |at: &usize| replay.get(*at).allowed;
        batch.chosen.extend(scores.zip(&batch.drawn).map(|(row, at)| best(row, |label| has(allowed(at), label))));
        let worth = target.forward(&batch.nexts, pass).chunks_exact(labels);
        batch.wanted.clear();
        for ((row, at), chosen) in worth.zip(&batch.drawn).zip(&batch.chosen) {
            let transition = replay.get(*at);
            batch.wanted.push(transition.reward + transition.discount * row[*chosen]);
        }
        let found = network.forward(&batch.states, pass);
        batch.by_outputs.clear();
        batch.by_outputs.resize(found.len(), 0.0);
        let mut loss = 0.0;
        #[expect(clippy::cast_precision_loss, reason = "batches are small")]
        let part = 1.0 / size as f32;
        let rows = found.chunks_exact(labels).zip(batch.by_outputs.chunks_exact_mut(labels));
        for ((row, by), (at, wanted)) in rows.zip(batch.drawn.iter().zip(&batch.wanted)) {
            let transition = replay.get(*at);
            let mut differ = |label: usize, wanted: f32| {
                let difference = row[label] - wanted;
                by[label] = part * difference.clamp(-1.0, 1.0);
                loss += part * huber(difference);
            };
            for label in (0..labels).filter(|label| has(transition.dead, *label)) {
                differ(label, stuck);
            }
            differ(transition.action, *wanted);
        }
        gradient.fill(0.0);
        network.backward(pass, &batch.by_outputs, gradient);
        clip(gradient, MOST_NORM);
        self.adam.step(network.parameters_mut(), gradient, rate);
        self.updates += 1;
        loss
    }
}

/// Half the square near zero, and a line further out.
fn huber(difference: f32) -> f32 {
    let size = difference.abs();
    if size <= 1.0 { 0.5 * size * size } else { size - 0.5 }
}

fn best(scores: &[f32], allowed: impl Fn(usize) -> bool) -> usize {
    let mut best = None;
    for (label, score) in scores.iter().enumerate() {
        if allowed(label) && best.is_none_or(|(_, other)| *score > other) {
            best = Some((label, *score));
        }
    }
    best.map_or(0, |(label, _)| label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::Shape;
    use crate::replay::Transition;

    /// Three states in a row, each an input of its own. `0` goes back, `1` forward, which earns 1 at the end; `2` is not applicable in the middle, and allowed nowhere.
    fn row() -> Replay {
        let mut replay = Replay::new(100, 3, 3);
        let one = |state: usize| {
            let mut one = [0.0; 3];
            one[state.min(2)] = 1.0;
            one
        };
        for state in 0..3usize {
            for action in 0..2 {
                let next = if action == 0 { state.saturating_sub(1) } else { state + 1 };
                let ended = next == 3;
                replay.push(&Transition {
                    state: &one(state),
                    dead: &[if state == 1 { 4 } else { 0 }],
                    action,
                    reward: if ended { 1.0 } else { -0.125 },
                    discount: if ended { 0.0 } else { 0.5 },
                    next: &one(next),
                    allowed: &[3],
                });
            }
        }
        replay
    }

    #[test]
    fn scores_become_the_values_of_the_process() {
        // The exact values, by iteration.
        let mut exact = [[0.0f64; 2]; 3];
        for _ in 0..100 {
            let worth = |state: usize| exact[state][0].max(exact[state][1]);
            exact = [0, 1, 2].map(|state: usize| {
                let back = -0.125 + 0.5 * worth(state.saturating_sub(1));
                [back, if state == 2 { 1.0 } else { -0.125 + 0.5 * worth(state + 1) }]
            });
        }
        let (replay, mut random) = (row(), Random::new(5));
        let mut learner = Learner::new(Dense::random(Shape::new(vec![3, 16, 3]), &mut random));
        let mut loss = f32::MAX;
        for update in 0..4000u16 {
            loss = learner.update(&replay, 16, -2.0, 3e-3 * (1.0 - f32::from(update) / 4100.0), &mut random);
            if update % 50 == 0 {
                learner.renew();
            }
        }
        assert!(loss < 1e-4, "{loss}");
        let mut pass = Pass::default();
        for (state, expected) in exact.iter().enumerate() {
            let mut input = [0.0; 3];
            input[state] = 1.0;
            let found = learner.network().forward(&input, &mut pass).to_vec();
            for (found, expected) in found.iter().zip(expected) {
                assert!((f64::from(*found) - expected).abs() < 0.02, "{state}: {found} is not {expected}");
            }
            assert!(state != 1 || (found[2] + 2.0).abs() < 0.02, "what ends a run is worth what is said: {found:?}");
            assert_eq!(learner.best(&input, |label| label < 2), 1);
        }
        assert_eq!(learner.updates(), 4000);
    }

    #[test]
    fn the_best_is_the_first_of_those_allowed() {
        assert_eq!(best(&[1.0, 3.0, 3.0, 9.0], |label| label < 3), 1);
        assert_eq!(best(&[1.0, 3.0], |_| false), 0);
        assert_eq!((huber(0.5), huber(-3.0)), (0.125, 2.5));
    }
}
