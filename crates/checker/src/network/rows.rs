//! The rule: bounds of all neurons over a box, then rows of outputs.

use surefoot_num::round::gamma;

use super::TINY;
use super::neurons::{Neurons, Work, is_unstable};
use super::prepared::{Folded, Prepared, Score};
use super::weights::multiply;
use crate::values::Bounds;

/// A neuron that is known to be active, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phase {
    /// The hidden layer, from 0.
    pub layer: usize,
    /// The neuron.
    pub neuron: usize,
    /// Whether its pre-activation is at least zero; else it is at most zero.
    pub active: bool,
}

/// Lower slopes of hidden neurons in fifteenths, in order; `None` and what is missing: the usual ones.
pub type Slopes = [Option<u8>];

/// `a x + constant + slack` is at least what it bounds, for all `x` in the box that it was made for.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Coefficients, one per slot that is left.
    pub coefficients: Vec<f64>,
    /// The constant.
    pub constant: f64,
    /// How far rounding may be off, that of the sum over a box included.
    pub slack: f64,
    /// The sum of the sizes of all terms, rounding aside.
    pub size: f64,
}

impl Row {
    /// At least its largest value over a box inside the one that it was made for; the slots are those of the folded layer.
    #[must_use]
    pub fn maximum(&self, slots: &[u32], bounds: &[Bounds]) -> f64 {
        let mut sum = self.constant;
        for (a, slot) in self.coefficients.iter().zip(slots) {
            let (lower, upper) = bounds[*slot as usize];
            #[expect(clippy::cast_precision_loss, reason = "at most 2^51, which `Prepared::folded` sees to")]
            let end = if *a > 0.0 { upper as f64 } else { lower as f64 };
            sum += a * end;
        }
        sum + self.slack
    }
}

/// All neurons over a box.
#[derive(Debug, Clone, Default)]
pub struct Bounded {
    layers: Vec<Neurons>,
    /// Centre, radius and largest size of each slot that is left.
    centre: Vec<f64>,
    radius: Vec<f64>,
    reach: Vec<f64>,
    /// Roundings that are accounted for in one sum.
    error: f64,
    scratch: Vec<f64>,
    work: Work,
}

/// What is known of a row besides its terms.
struct Found {
    slack: f64,
    size: f64,
    /// Its maximum over the box.
    maximum: f64,
}

/// What came of bounding all neurons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounding {
    /// They are bounded.
    Bounded,
    /// No state of the box has the phases that are known: some neuron has no value left.
    Empty,
    /// Something is not finite.
    Unbounded,
}

impl Bounded {
    /// Bounds all neurons over a box.
    pub fn bound(
        &mut self,
        network: &Prepared,
        folded: &Folded,
        bounds: &[Bounds],
        phases: &[Phase],
        slopes: &Slopes,
    ) -> Bounding {
        let widest = network.hidden.iter().map(|layer| layer.weights.inputs().max(layer.bias.len())).max().unwrap_or(0);
        self.error = gamma(8 * (widest + folded.slots.len() + folded.bias.len()) + 64);
        self.set_box(folded, bounds);
        let mut slopes = slopes.iter().copied();
        self.layers.resize_with(network.hidden.len() + 1, Neurons::default);
        for layer in 0..=network.hidden.len() {
            let mut neurons = std::mem::take(&mut self.layers[layer]);
            if layer == 0 {
                self.first(folded, &mut neurons);
            } else {
                self.by_intervals(network, layer, &mut neurons);
            }
            let relu = if layer == 0 { folded.relu } else { network.hidden[layer - 1].relu };
            neurons.relu = relu;
            if relu && layer > 0 {
                self.by_substitution(network, folded, layer, &mut neurons);
            }
            let count = neurons.lower.len();
            for phase in phases.iter().filter(|phase| relu && phase.layer == layer && phase.neuron < count) {
                if phase.active {
                    neurons.lower[phase.neuron] = neurons.lower[phase.neuron].max(0.0);
                } else {
                    neurons.upper[phase.neuron] = neurons.upper[phase.neuron].min(0.0);
                }
            }
            let ends = || neurons.lower.iter().zip(&neurons.upper);
            let finite = ends().all(|(l, u)| l.is_finite() && u.is_finite());
            let empty = ends().any(|(l, u)| l > u);
            neurons.set_lines(&mut slopes);
            self.layers[layer] = neurons;
            if !finite {
                return Bounding::Unbounded;
            }
            if empty {
                return Bounding::Empty;
            }
        }
        Bounding::Bounded
    }

    fn set_box(&mut self, folded: &Folded, bounds: &[Bounds]) {
        self.centre.clear();
        self.radius.clear();
        self.reach.clear();
        for slot in &folded.slots {
            let (lower, upper) = bounds[*slot as usize];
            #[expect(clippy::cast_precision_loss, reason = "at most 2^51, so halves of sums are floats")]
            let (lower, upper) = (lower as f64, upper as f64);
            let (centre, radius) = (0.5 * (lower + upper), 0.5 * (upper - lower));
            self.centre.push(centre);
            self.radius.push(radius);
            self.reach.push(centre.abs() + radius);
        }
    }

    /// Pre-activations of the first layer: the image of the box.
    fn first(&self, folded: &Folded, neurons: &mut Neurons) {
        let columns = folded.slots.len();
        neurons.clear();
        for (i, bias) in folded.bias.iter().enumerate() {
            let row = &folded.weights[i * columns..(i + 1) * columns];
            let errors = &folded.errors[i * columns..(i + 1) * columns];
            let (mut centre, mut radius, mut size, mut apart) = (*bias, 0.0, bias.abs(), folded.bias_errors[i]);
            for j in 0..columns {
                centre += row[j] * self.centre[j];
                radius += row[j].abs() * self.radius[j];
                size += row[j].abs() * self.reach[j];
                apart += errors[j] * self.reach[j];
            }
            neurons.push(centre, radius, size, apart, self.error);
        }
    }

    /// Pre-activations of a later layer from the intervals of the one before.
    fn by_intervals(&mut self, network: &Prepared, layer: usize, neurons: &mut Neurons) {
        let (own, before) = (&network.hidden[layer - 1], &self.layers[layer - 1]);
        let count = own.bias.len();
        // Centres, radii and sizes, all of them sums over the columns of the weights.
        self.scratch.clear();
        self.scratch.resize(3 * count, 0.0);
        let (centres, rest) = self.scratch.split_at_mut(count);
        let (radii, sizes) = rest.split_at_mut(count);
        for i in 0..own.weights.inputs() {
            let (low, high) = before.after(i);
            if low == 0.0 && high == 0.0 {
                continue;
            }
            let centre = 0.5 * low + 0.5 * high;
            // Soundness: no number between the two is farther from the centre; what `next_up` adds covers the difference.
            let radius = (high - centre).max(centre - low).next_up();
            let reach = centre.abs() + radius;
            own.weights.of_input(i, |k, w| {
                centres[k] += w * centre;
                radii[k] += w.abs() * radius;
                sizes[k] += w.abs() * reach;
            });
        }
        neurons.clear();
        for (k, bias) in own.bias.iter().enumerate() {
            neurons.push(centres[k] + bias, radii[k], sizes[k] + bias.abs(), 0.0, self.error);
        }
    }

    /// Tighter bounds of those whose sign is open, by substitution.
    fn by_substitution(&mut self, network: &Prepared, folded: &Folded, layer: usize, neurons: &mut Neurons) {
        let own = &network.hidden[layer - 1];
        let mut row = vec![0.0; own.weights.inputs()];
        let mut work = std::mem::take(&mut self.work);
        for i in 0..neurons.lower.len() {
            if !is_unstable(neurons.lower[i], neurons.upper[i]) {
                continue;
            }
            row.fill(0.0);
            own.weights.of_output(i, |input, weight| row[input] = weight);
            work.start(row.iter().copied(), own.bias[i], 0.0);
            let above = self.substitute(network, folded, layer, &mut work).maximum;
            work.start(row.iter().map(|w| -w), -own.bias[i], 0.0);
            let below = -self.substitute(network, folded, layer, &mut work).maximum;
            neurons.upper[i] = neurons.upper[i].min(above);
            neurons.lower[i] = neurons.lower[i].max(below);
        }
        self.work = work;
    }

    /// The row of an output over another.
    #[must_use]
    pub fn row(&mut self, network: &Prepared, folded: &Folded, score: &Score) -> Row {
        let mut work = std::mem::take(&mut self.work);
        let last = &self.layers[self.layers.len() - 1];
        let (constant, apart) = score.constant;
        let apart = score.errors.iter().enumerate().fold(apart, |sum, (i, error)| {
            let (low, high) = last.after(i);
            sum + error * low.abs().max(high.abs())
        });
        work.start(score.weights.iter().copied(), constant, apart * (1.0 + self.error));
        let Found { slack, size, .. } = self.substitute(network, folded, self.layers.len(), &mut work);
        let row = Row { coefficients: work.form.clone(), constant: work.constant, slack, size };
        self.work = work;
        row
    }

    /// Makes of a form of what comes out of the layers before `layer` an upper row over the slots.
    fn substitute(&self, network: &Prepared, folded: &Folded, layer: usize, work: &mut Work) -> Found {
        for before in (0..layer).rev() {
            let neurons = &self.layers[before];
            let (bias, errors): (&[f64], &[f64]) =
                if before == 0 { (&folded.bias, &folded.bias_errors) } else { (&network.hidden[before - 1].bias, &[]) };
            work.relax(neurons, bias, self.error);
            for (m, error) in work.form.iter().zip(errors) {
                work.slack += m.abs() * error;
            }
            if before == 0 {
                multiply(&work.form, &folded.weights, folded.slots.len(), &mut work.next);
                for (i, m) in work.form.iter().enumerate().filter(|_| folded.inexact) {
                    let errors = &folded.errors[i * folded.slots.len()..(i + 1) * folded.slots.len()];
                    for (error, reach) in errors.iter().zip(&self.reach) {
                        work.slack += m.abs() * error * reach;
                    }
                }
            } else {
                network.hidden[before - 1].weights.multiply(&work.form, &mut work.next);
            }
            std::mem::swap(&mut work.form, &mut work.next);
        }
        let (mut terms, mut maximum) = (0.0, work.constant);
        for (j, a) in work.form.iter().enumerate() {
            terms += a.abs() * self.reach[j];
            maximum += a * self.centre[j] + a.abs() * self.radius[j];
        }
        let size = terms + work.constant.abs();
        // Soundness: the constant is a sum of numbers whose sizes add up to `work.size`; the sum over a box has terms of sizes that add up to at
        // most `terms`. Everything that was added to the slack is positive, so that a factor covers its own roundings.
        let slack = (work.slack + self.error * (work.size + size)) * (1.0 + 4.0 * self.error) + TINY;
        Found { slack, size, maximum: maximum + slack }
    }

    /// How many hidden layers there are.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.layers.len()
    }

    /// The bounds of a neuron whose sign is open.
    #[must_use]
    pub fn open_range(&self, layer: usize, neuron: usize) -> Option<(f64, f64)> {
        let neurons = &self.layers[layer];
        let (l, u) = (neurons.lower[neuron], neurons.upper[neuron]);
        (neurons.relu && is_unstable(l, u)).then_some((l, u))
    }

    /// The slope of a neuron's upper line.
    #[must_use]
    pub fn slope(&self, layer: usize, neuron: usize) -> f64 {
        self.layers[layer].above[neuron]
    }
}
