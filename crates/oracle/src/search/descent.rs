//! A search for witnesses by gradients, from many points at once.
//!
//! Projected gradient steps (Madry et al., *Towards Deep Learning Models Resistant to Adversarial Attacks*, ICLR 2018): each point moves along the sign of
//! the gradient of what fails worst in it, by a share of the box that becomes smaller step by step, and is put back into the box.
//! Integers are rounded where a point is evaluated, not where it moves. What looks like a witness is tried exactly.
//!
//! The [local search](super::local) climbs from promising points, repairs linear constraints, and stops as soon as it creeps: it is right where
//! regions are small. This one looks at all of the box; it finds what a search tree of a hundred thousand regions has not come to, and
//! costs as much as some hundred of them.

use surefoot_num::{Random, Rational};

use super::engine::Search;
use super::goal::Witnesses;
use super::region::Region;
use super::witness::between;

/// Points that move side by side.
const POINTS: usize = 32;
/// Steps of each.
const STEPS: usize = 60;
/// The first step, as a share of the box.
const FIRST: f64 = 0.5;
/// By what the next step is smaller.
const DECAY: f64 = 0.93;
/// Points that are tried exactly without being witnesses, before the search gives up: floats are not enough.
const REFUSALS: usize = 4;

/// Multiplications that a search takes for each one that a network takes at a point: forward, and back.
pub(crate) const WORK: u64 = (2 * POINTS * STEPS) as u64;

/// Scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Descent {
    /// The points, one after the other.
    points: Vec<f64>,
    rounded: Vec<f64>,
}

impl<G: Witnesses> Search<'_, G> {
    /// Looks for a witness in a region; `round` says which points it begins with.
    pub(crate) fn descend(&mut self, region: &Region, id: u64, round: u64) -> Option<Vec<Rational>> {
        let mut descent = std::mem::take(&mut self.work.descent);
        let found = self.descend_from(&mut descent, region, id, round);
        self.work.descent = descent;
        found
    }

    fn descend_from(&mut self, descent: &mut Descent, region: &Region, id: u64, round: u64) -> Option<Vec<Rational>> {
        let compiled = self.task.compiled;
        let n = compiled.integral.len();
        if n == 0 {
            return None;
        }
        let (lower, upper) = region.data[..2 * n].split_at(n);
        let mut random = Random::stream(self.options.seed, round);
        descent.points.clear();
        descent.points.extend((0..POINTS * n).map(|i| between(&mut random, lower[i % n], upper[i % n])));
        let (mut step, mut refusals) = (FIRST, 0);
        for _ in 0..STEPS {
            self.work.local.points.reset(compiled, POINTS);
            for (k, point) in descent.points.chunks_exact(n).enumerate() {
                descent.rounded.clear();
                let values = point.iter().zip(&compiled.integral).enumerate();
                descent.rounded.extend(values.map(
                    |(v, (x, integral))| {
                        if *integral { x.round().clamp(lower[v], upper[v]) } else { *x }
                    },
                ));
                self.work.local.points.set(k, &descent.rounded);
            }
            self.work.local.points.eval(self.work.kernel, compiled);
            self.statistics.points += POINTS as u64;
            for (k, point) in descent.points.chunks_exact_mut(n).enumerate() {
                let robustness = self.work.local.points.robustness(compiled, compiled.root, k);
                if robustness.value >= 0.0 && refusals < REFUSALS {
                    let candidate = self.work.local.points.point(k).to_vec();
                    if let Some(witness) = self.accept(id, &candidate) {
                        return Some(witness);
                    }
                    refusals += 1;
                }
                let gradient = self.work.local.gradient(self.work.kernel, compiled, robustness.part, k);
                for (v, (x, g)) in point.iter_mut().zip(gradient).enumerate() {
                    let by = step * (upper[v] - lower[v]);
                    let moved = if *g > 0.0 {
                        *x + by
                    } else if *g < 0.0 {
                        *x - by
                    } else {
                        *x
                    };
                    *x = moved.clamp(lower[v], upper[v]);
                }
            }
            if self.task.limits.stop_now().is_some() {
                return None;
            }
            step *= DECAY;
        }
        None
    }
}
