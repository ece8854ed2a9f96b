//! The linear program over the neurons of a region: the triangle relaxation of all of them at once.
//!
//! **Definition** (Ehlers, *Formal Verification of Piece-Wise Linear Feed-Forward Neural Networks*, ATVA 2017). Beside the variables there is
//! `y_j` for every unstable neuron `j`, with sum `z_j`, which is affine in the variables and in the neurons before it; neurons that are stable are
//! replaced by what they are. With `r_j = y_j - z_j` a ReLU is `y_j >= 0`, `r_j >= 0` and one of them zero; relaxed, with
//! `l_j <= z_j <= u_j`, it is the triangle `y_j / u_j + r_j / -l_j <= 1`. So a phase is nothing but a bound on a variable of the program: *active* is
//! `r_j <= 0`, *inactive* is `y_j <= 0`.
//!
//! Every score that must hold is a row `score / unit - t >= 0`, and `t` is maximised: if it is negative the region is refuted. What it
//! says is a hint; [`super::refutation`] adds it up again.

use surefoot_lp::{DualSimplex, Ended};

use crate::bounds::priced::{Phase, Prices, as_good_as};
use crate::bounds::{Kernel, Matrix, Setting};
use crate::search::compiled::{Compiled, Part};
use crate::search::region::Region;
use crate::search::sum::Multiple;

/// `t` is no larger than this: a program that is that far from being refuted need not be solved to its end.
const ENOUGH: f64 = 0.02;

/// Below this much less than nothing a program is refuted clearly, and need not be solved any further: sums that are nothing but for rounding are met on the
/// way, where scores depend on the same neurons.
const CLEAR: f64 = 1e-6;

/// A neuron with a phase to be chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unstable {
    pub(crate) application: usize,
    pub(crate) layer: usize,
    pub(crate) neuron: usize,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// The variables of the program: `y`, `r`, and the triangle's.
    pub(crate) above: usize,
    pub(crate) below: usize,
    pub(crate) triangle: usize,
    /// Its phase as far as the program is concerned, which then has none of these variables.
    pub(crate) as_good_as: Phase,
}

/// A neuron whose phase the region takes for granted: a half-space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settled {
    pub(crate) application: usize,
    pub(crate) layer: usize,
    pub(crate) neuron: usize,
    /// The variable of the program that its sum is.
    pub(crate) sum: usize,
}

/// A row of the program that a part of the formula is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Required {
    pub(crate) part: u32,
    pub(crate) slack: usize,
    /// What it was divided by.
    pub(crate) unit: f64,
}

/// The program of a region.
#[derive(Debug, Default)]
pub(crate) struct NeuronProgram {
    pub(crate) simplex: DualSimplex,
    pub(crate) neurons: Vec<Unstable>,
    pub(crate) required: Vec<Required>,
    pub(crate) settled: Vec<Settled>,
    /// The variable that is maximised.
    objective: usize,
    /// Multiplications that it took to make it.
    pub(crate) built: u64,
    /// Multiplications of carrying a form through all networks.
    pub(crate) network: u64,
}

/// Affine functions of the program's columns, one per row; the last entry is the constant.
struct Functions {
    post: Matrix,
    sums: Matrix,
}

impl NeuronProgram {
    /// The program of a region whose scores were bounded, for the atoms that must hold in it. `live` says which applications these depend on.
    pub(crate) fn new(
        kernel: Kernel,
        compiled: &Compiled<'_>,
        region: &Region,
        atoms: &[u32],
        live: &dyn Fn(usize) -> bool,
    ) -> Self {
        let n = compiled.integral.len();
        let mut program = Self::default();
        let mut columns = n;
        for (application, setting) in compiled.settings.iter().enumerate().filter(|(a, _)| live(*a)) {
            for layer in (0..=setting.folded.start()).filter(|l| setting.folded.layer(*l).is_relu()) {
                let (low, high) = setting.range(layer);
                for neuron in 0..setting.folded.layer(layer).len() {
                    let (lower, upper) = (region.data[low.start + neuron], region.data[high.start + neuron]);
                    if lower < 0.0 && upper > 0.0 {
                        let as_good_as = as_good_as(lower, upper, setting.layers[layer].error[neuron]);
                        let above = columns;
                        columns += usize::from(as_good_as == Phase::Free);
                        let unstable = Unstable {
                            application,
                            layer,
                            neuron,
                            lower,
                            upper,
                            above,
                            below: 0,
                            triangle: 0,
                            as_good_as,
                        };
                        program.neurons.push(unstable);
                    }
                }
            }
        }
        program.objective = columns;
        let columns = columns + 1;
        let settings = compiled.settings.iter().enumerate().filter(|(application, _)| live(*application));
        program.network = settings.map(|(_, setting)| multiplications(setting)).sum();
        program.built = program.network * columns as u64;
        let functions: Vec<Option<(Matrix, Vec<Matrix>)>> = (0..compiled.settings.len())
            .map(|application| live(application).then(|| program.functions(kernel, compiled, region, application)))
            .collect();
        let (mut lower, mut upper) = (region.data[..n].to_vec(), region.data[n..2 * n].to_vec());
        lower.resize(program.objective, 0.0);
        upper.extend(program.neurons.iter().filter(|j| j.as_good_as == Phase::Free).map(|j| j.upper));
        let rows = program.score_rows(compiled, &functions, atoms, (&lower, &upper));
        let least = rows.iter().filter(|row| row.2).map(|row| row.3).fold(0.0, f64::min);
        lower.push(least - 1.0);
        upper.push(ENOUGH);
        let Self { simplex, neurons, required, settled, objective, .. } = &mut program;
        simplex.reset(&lower, &upper);
        let mut row = vec![0.0; columns];
        for neuron in neurons.iter_mut().filter(|j| j.as_good_as == Phase::Free) {
            let (_, sums) = functions[neuron.application].as_ref().expect("its application is live");
            let z = sums[neuron.layer].row(neuron.neuron);
            row.iter_mut().zip(z).for_each(|(a, z)| *a = -z);
            row[columns - 1] = 0.0;
            row[neuron.above] += 1.0;
            neuron.below = simplex.add_row(&row, -z[columns - 1], 0.0, -neuron.lower);
            // The triangle.
            let (s, t) = (1.0 / neuron.upper, -1.0 / neuron.lower);
            row.iter_mut().for_each(|a| *a *= t);
            row[neuron.above] += s;
            neuron.triangle = simplex.add_row(&row, -z[columns - 1] * t, 0.0, 1.0);
        }
        for assumed in region.assumed.iter().filter(|assumed| live(assumed.application)) {
            let (application, layer, neuron) = (assumed.application, assumed.layer, assumed.neuron);
            let (_, sums) = functions[application].as_ref().expect("its application is live");
            let z = sums[layer].row(neuron);
            row.copy_from_slice(&z[..columns]);
            row[columns - 1] = 0.0;
            let (low, high) = compiled.settings[application].range(layer);
            let (l, u) = (region.data[low.start + neuron], region.data[high.start + neuron]);
            let sum = simplex.add_row(&row, z[columns - 1], l, u);
            settled.push(Settled { application, layer, neuron, sum });
        }
        for (part, mut coefficients, is_score, min, max, constant, unit) in rows {
            coefficients.push(if is_score { -1.0 } else { 0.0 });
            let (least, most) = if is_score { (0.0, max - least + 1.0) } else { (0.0, max.max(0.0)) };
            debug_assert!(min <= max || max.is_nan(), "rows have ranges");
            let slack = simplex.add_row(&coefficients, constant, least, most);
            required.push(Required { part, slack, unit });
        }
        simplex.maximise(*objective);
        program
    }

    /// What the last relevant layer of an application puts out, and the sums of all layers, as functions of the columns.
    fn functions(
        &self,
        kernel: Kernel,
        compiled: &Compiled<'_>,
        region: &Region,
        application: usize,
    ) -> (Matrix, Vec<Matrix>) {
        let n = compiled.integral.len();
        let columns = self.objective + 1;
        let setting = &compiled.settings[application];
        let mut functions = Functions { post: Matrix::zeros(n, columns), sums: Matrix::default() };
        (0..n).for_each(|v| functions.post.row_mut(v)[v] = 1.0);
        let mut all = Vec::new();
        for index in 0..=setting.folded.start() {
            let layer = setting.folded.layer(index);
            let Functions { post, sums } = &mut functions;
            layer.weights.compose(kernel, post, &layer.inputs, sums);
            (0..layer.len()).for_each(|i| sums.row_mut(i)[columns - 1] += layer.bias[i]);
            post.copy(sums);
            if layer.is_relu() {
                let (low, high) = setting.range(index);
                for i in 0..layer.len() {
                    let (l, u) = (region.data[low.start + i], region.data[high.start + i]);
                    if as_good_as(l, u, setting.layers[index].error[i]) != Phase::Active {
                        post.row_mut(i).fill(0.0);
                    }
                }
                let here =
                    |j: &&Unstable| j.application == application && j.layer == index && j.as_good_as == Phase::Free;
                for neuron in self.neurons.iter().filter(here) {
                    post.row_mut(neuron.neuron)[neuron.above] = 1.0;
                }
            }
            all.push(sums.clone());
        }
        (functions.post, all)
    }

    /// Rows of the atoms that must hold: part, coefficients, whether it is a score, smallest and largest value, constant, unit.
    #[expect(clippy::type_complexity, reason = "used once, next to where it is made")]
    fn score_rows(
        &self,
        compiled: &Compiled<'_>,
        functions: &[Option<(Matrix, Vec<Matrix>)>],
        atoms: &[u32],
        (lower, upper): (&[f64], &[f64]),
    ) -> Vec<(u32, Vec<f64>, bool, f64, f64, f64, f64)> {
        let columns = self.objective;
        let mut rows = Vec::new();
        for &part in atoms {
            let mut row = vec![0.0; columns];
            let (mut constant, slack, is_score) = match &compiled.parts[part as usize] {
                Part::Row(index) => {
                    let given = &compiled.rows[*index as usize];
                    given.terms.iter().for_each(|(v, a)| row[*v as usize] = *a);
                    (given.constant, given.slack, false)
                }
                Part::Score(index) => {
                    let score = &compiled.scores[*index as usize];
                    let mut constant = score.form_constant;
                    score.write_linear(&mut row);
                    for (application, functions) in functions.iter().enumerate() {
                        let form = score.form(application);
                        let Some((post, _)) = functions.as_ref().filter(|_| !form.is_empty()) else { continue };
                        for (i, multiplier) in form.iter().enumerate().take(post.rows).filter(|(_, m)| **m != 0.0) {
                            let function = post.row(i);
                            row.iter_mut().zip(function).for_each(|(sum, a)| *sum += multiplier * a);
                            constant += multiplier * function[columns];
                        }
                    }
                    (constant, score.slack, true)
                }
                Part::All(_) | Part::Any(_) => unreachable!("only atoms are required"),
            };
            constant += slack;
            let ends = row.iter().zip(lower).zip(upper);
            let spread: f64 = ends.clone().map(|((a, l), u)| a.abs() * (u - l)).sum();
            let unit = if spread > 0.0 && spread.is_finite() { spread } else { 1.0 };
            let (mut min, mut max) = (constant, constant);
            for ((a, l), u) in ends {
                min += (a * l).min(a * u);
                max += (a * l).max(a * u);
            }
            row.iter_mut().for_each(|a| *a /= unit);
            rows.push((part, row, is_score, min / unit, max / unit, constant / unit, unit));
        }
        rows
    }

    /// Solves it with at most so many exchanges.
    pub(crate) fn solve(&mut self, limit: usize) -> Ended {
        self.simplex.solve(-CLEAR, limit)
    }

    /// Gives a neuron a phase, or none.
    pub(crate) fn set(&mut self, neuron: usize, phase: Option<bool>) {
        let Unstable { above, below, lower, upper, as_good_as, .. } = self.neurons[neuron];
        if as_good_as != Phase::Free {
            return;
        }
        let (most_above, most_below) = match phase {
            None => (upper, -lower),
            Some(true) => (upper, 0.0),
            Some(false) => (0.0, -lower),
        };
        if self.simplex.bounds(above).1 != most_above {
            self.simplex.set_bounds(above, 0.0, most_above);
        }
        if self.simplex.bounds(below).1 != most_below {
            self.simplex.set_bounds(below, 0.0, most_below);
        }
    }

    /// The slopes that the prices of the last search come to; phases as they are.
    pub(crate) fn write_slopes(&self, prices: &mut [Prices]) {
        for j in self.neurons.iter().filter(|j| j.as_good_as == Phase::Free) {
            // Of the sum of rows times prices, what is a multiple of `z`.
            let slope = self.simplex.price(j.triangle) / j.lower - self.simplex.price(j.below);
            prices[j.application].layers[j.layer].slopes[j.neuron] = slope;
        }
        for j in &self.settled {
            prices[j.application].layers[j.layer].slopes[j.neuron] = self.simplex.price(j.sum);
        }
    }

    /// The multipliers that the prices of the last search come to.
    pub(crate) fn write_multiples(&self, multiples: &mut Vec<Multiple>) {
        multiples.clear();
        multiples.extend(self.required.iter().filter_map(|required| {
            let price = self.simplex.price(required.slack) / required.unit;
            (price > 0.0).then_some((required.part, price))
        }));
    }

    /// How far a neuron is from being a ReLU at the point of the program, and whether its sum is above zero there.
    pub(crate) fn violation(&self, neuron: usize) -> (f64, bool) {
        let Unstable { above, below, as_good_as, .. } = self.neurons[neuron];
        if as_good_as != Phase::Free {
            return (f64::NEG_INFINITY, as_good_as == Phase::Active);
        }
        let (y, r) = (self.simplex.value(above), self.simplex.value(below));
        (y.min(r), y > r)
    }

    /// How much a neuron's sum can vary.
    pub(crate) fn range(&self, neuron: usize) -> f64 {
        self.neurons[neuron].upper - self.neurons[neuron].lower
    }

    /// The value of a variable at the point of the program.
    pub(crate) fn value(&self, variable: usize) -> f64 {
        self.simplex.value(variable)
    }
}

/// Multiplications of carrying a form through a network.
pub(crate) fn multiplications(setting: &Setting) -> u64 {
    let layers = (0..=setting.folded.start()).map(|index| &setting.folded.layer(index).weights);
    layers.map(|weights| weights.work() as u64).sum()
}
