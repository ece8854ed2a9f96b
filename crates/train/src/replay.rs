//! What was seen: the last transitions between choices, drawn from at random.

use surefoot_num::Random;

/// A transition between choices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transition<'t> {
    /// What the network reads where a label was chosen.
    pub state: &'t [f32],
    /// Labels that would have ended the run there, as bits: what they are worth is known.
    pub dead: &'t [u64],
    /// The label.
    pub action: usize,
    /// What it earned.
    pub reward: f32,
    /// What the next choice counts: the discount, or zero where there is none.
    pub discount: f32,
    /// What the network reads at the next choice; anything where there is none.
    pub next: &'t [f32],
    /// Labels that may be chosen there, as bits.
    pub allowed: &'t [u64],
}

/// The last transitions, up to a capacity.
#[derive(Debug, Clone)]
pub struct Replay {
    capacity: usize,
    inputs: usize,
    words: usize,
    /// Where the next one goes.
    next: usize,
    states: Vec<f32>,
    nexts: Vec<f32>,
    dead: Vec<u64>,
    allowed: Vec<u64>,
    rest: Vec<(u32, f32, f32)>,
}

/// How many words the bits of so many labels take.
#[must_use]
pub fn words(labels: usize) -> usize {
    labels.div_ceil(64)
}

/// Whether a label is in a mask.
#[must_use]
pub fn has(mask: &[u64], label: usize) -> bool {
    mask[label / 64] >> (label % 64) & 1 == 1
}

/// The mask of labels.
pub fn fill(mask: &mut [u64], holds: impl Fn(usize) -> bool, labels: usize) {
    mask.fill(0);
    for label in (0..labels).filter(|label| holds(*label)) {
        mask[label / 64] |= 1 << (label % 64);
    }
}

impl Replay {
    /// Bytes that a transition takes.
    #[must_use]
    pub fn bytes_each(inputs: usize, labels: usize) -> usize {
        2 * (inputs * size_of::<f32>() + words(labels) * size_of::<u64>()) + size_of::<(u32, f32, f32)>()
    }

    /// For so many transitions at most, at least one.
    #[must_use]
    pub fn new(capacity: usize, inputs: usize, labels: usize) -> Self {
        let capacity = capacity.max(1);
        Self {
            capacity,
            inputs,
            words: words(labels),
            next: 0,
            states: Vec::new(),
            nexts: Vec::new(),
            dead: Vec::new(),
            allowed: Vec::new(),
            rest: Vec::new(),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Adds a transition; where it is full the oldest goes.
    ///
    /// # Panics
    /// Never: labels are fewer than 2^32.
    pub fn push(&mut self, transition: &Transition<'_>) {
        let action = u32::try_from(transition.action).expect("fewer than 2^32 labels");
        let rest = (action, transition.reward, transition.discount);
        if self.len() < self.capacity {
            self.states.extend_from_slice(transition.state);
            self.nexts.extend_from_slice(transition.next);
            self.dead.extend_from_slice(transition.dead);
            self.allowed.extend_from_slice(transition.allowed);
            self.rest.push(rest);
            return;
        }
        let (at, inputs, words) = (self.next, self.inputs, self.words);
        self.states[at * inputs..(at + 1) * inputs].copy_from_slice(transition.state);
        self.nexts[at * inputs..(at + 1) * inputs].copy_from_slice(transition.next);
        self.dead[at * words..(at + 1) * words].copy_from_slice(transition.dead);
        self.allowed[at * words..(at + 1) * words].copy_from_slice(transition.allowed);
        self.rest[at] = rest;
        self.next = (at + 1) % self.capacity;
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, at: usize) -> Transition<'_> {
        let (inputs, words) = (self.inputs, self.words);
        let (action, reward, discount) = self.rest[at];
        Transition {
            state: &self.states[at * inputs..(at + 1) * inputs],
            dead: &self.dead[at * words..(at + 1) * words],
            action: action as usize,
            reward,
            discount,
            next: &self.nexts[at * inputs..(at + 1) * inputs],
            allowed: &self.allowed[at * words..(at + 1) * words],
        }
    }

    /// The number of a random one, each as likely as any other.
    pub fn draw(&self, random: &mut Random) -> usize {
        random.below(self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first() {
        let mut replay = Replay::new(3, 2, 70);
        for i in 0..5u8 {
            let x = f32::from(i);
            let (mut dead, mut allowed) = ([0; 2], [0; 2]);
            fill(&mut dead, |label| label == usize::from(i), 70);
            fill(&mut allowed, |label| label >= 65, 70);
            let (state, next) = ([x, -x], [x + 1.0, 0.0]);
            replay.push(&Transition {
                state: &state,
                dead: &dead,
                action: usize::from(i) + 60,
                reward: x,
                discount: 0.5,
                next: &next,
                allowed: &allowed,
            });
        }
        assert_eq!(replay.len(), 3);
        let seen: Vec<usize> = (0..3).map(|at| replay.get(at).action).collect();
        assert_eq!(seen, [63, 64, 62]);
        let first = replay.get(0);
        assert_eq!((first.state, first.next, first.reward), (&[3.0, -3.0][..], &[4.0, 0.0][..], 3.0));
        assert!(has(first.dead, 3) && !has(first.dead, 4) && has(first.allowed, 69) && !has(first.allowed, 64));
        let mut random = Random::new(0);
        let mut drawn = [0; 3];
        (0..300).for_each(|_| drawn[replay.draw(&mut random)] += 1);
        assert!(drawn.iter().all(|n| *n > 60), "{drawn:?}");
    }
}
