//! Bounds on every neuron over a box, layer by layer: the better of backward relaxation, what is known from a larger box, and
//! interval arithmetic, the last one in the first layer and where nothing is known.
//!
//! Layers that nothing follows have no bounds; their entries stay zero, which makes [`super::relax`] pass forms through
//! unchanged.

#![expect(
    clippy::cast_possible_truncation,
    reason = "layers have far fewer than 2^32 neurons, and these are inner loops"
)]

use pulp::{Simd, WithSimd};
use surefoot_num::FloatInterval;
use surefoot_num::round::{add_down, add_up};

use super::activation;
use super::half_space::{Clip, HalfSpace};
use super::kernel::{Kernel, LANES, Matrix, sum, vectors, vectors_mut};
use super::relax::Backward;
use super::rows::UpperRows;
use super::setting::Setting;

/// The region of a node turned out to be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Empty;

/// Rows over the variables for the neurons of a layer that are unstable, or not ReLUs and not settled: an upper one and, negated, a lower one for each.
#[derive(Debug, Default)]
pub(crate) struct UnstableRows {
    /// The neurons.
    pub(crate) neurons: Vec<u32>,
    /// Two rows per neuron.
    pub(crate) rows: UpperRows,
}

/// Computes bounds of one application; holds scratch space.
#[derive(Debug)]
pub(crate) struct Bounder {
    pub(crate) kernel: Kernel,
    pub(crate) backward: Backward,
    /// Per layer, the rows of its unstable neurons in the region bounded last; none for the first layer.
    pub(crate) unstable: Vec<UnstableRows>,
    /// Rows of the scores bounded last.
    pub(crate) sums: UpperRows,
    centre: Matrix,
    radius: Matrix,
    centres: Matrix,
    radii: Matrix,
    clip: Clip,
}

/// `max over the box of row x + c`, up to the slack, which covers the error of this sum as well.
#[inline(always)]
pub(crate) fn concretise(row: &[f64], lower: &[f64], upper: &[f64], constant: f64, slack: f64) -> f64 {
    let n = row.len();
    let (lower, upper) = (&lower[..n], &upper[..n]);
    let mut sum = 0.0;
    for v in 0..n {
        let a = row[v];
        sum += if a > 0.0 { a * upper[v] } else { a * lower[v] };
    }
    (sum + constant) + slack
}

/// [`concretise`] of a row, for callers that a kernel runs.
#[inline(always)]
fn row_maximum<S: Simd>(simd: S, rows: &UpperRows, form: usize, lower: &[f64], upper: &[f64]) -> f64 {
    let n = lower.len();
    let row = &rows.coefficients.row(form)[..n];
    let whole = n / LANES * LANES;
    let (a, l, u) = (vectors(simd, &row[..whole]), vectors(simd, &lower[..whole]), vectors(simd, &upper[..whole]));
    let mut lanes = [0.0f64; LANES];
    let width = LANES / S::F64_LANES;
    let zero = simd.splat_f64s(0.0);
    for part in 0..width {
        let mut sums = zero;
        let mut block = part;
        while block < a.len() {
            let end = simd.select_f64s(simd.greater_than_f64s(a[block], zero), u[block], l[block]);
            sums = simd.add_f64s(sums, simd.mul_f64s(a[block], end));
            block += width;
        }
        vectors_mut(simd, &mut lanes)[part] = sums;
    }
    let constant = rows.constants[form] + sum(&lanes);
    concretise(&row[whole..], &lower[whole..], &upper[whole..], constant, rows.slacks[form])
}

impl Bounder {
    pub(crate) fn new(kernel: Kernel) -> Self {
        Self {
            kernel,
            backward: Backward::default(),
            centre: Matrix::default(),
            radius: Matrix::default(),
            centres: Matrix::default(),
            radii: Matrix::default(),
            unstable: Vec::new(),
            sums: UpperRows::default(),
            clip: Clip::default(),
        }
    }

    /// Tightens the bounds in `data` of so many layers to the box of the variables, and to a half-space if there is one, and sets slopes
    /// for all layers.
    ///
    /// # Errors
    /// [`Empty`] when a neuron has no value left, which happens when an assumed phase contradicts the box.
    pub(crate) fn tighten(
        &mut self,
        setting: &Setting,
        bounds: (&[f64], &[f64]),
        data: &mut [f64],
        half_space: Option<&HalfSpace>,
        layers: usize,
    ) -> Result<(), Empty> {
        struct Tighten<'a>(&'a mut Bounder, &'a Setting, (&'a [f64], &'a [f64]), &'a mut [f64], bool, usize);
        impl WithSimd for Tighten<'_> {
            type Output = Result<(), Empty>;
            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> Result<(), Empty> {
                self.0.tighten_layers(simd, self.1, self.2, self.3, self.4, self.5)
            }
        }
        if let Some(half_space) = half_space {
            self.clip.set(half_space, bounds.0, bounds.1);
        }
        self.kernel.run(Tighten(self, setting, bounds, data, half_space.is_some(), layers))
    }

    #[inline(always)]
    fn tighten_layers<S: Simd>(
        &mut self,
        simd: S,
        setting: &Setting,
        (lower, upper): (&[f64], &[f64]),
        data: &mut [f64],
        clipped: bool,
        layers: usize,
    ) -> Result<(), Empty> {
        self.unstable.resize_with(setting.folded.depth(), UnstableRows::default);
        for layer in 0..setting.folded.depth() {
            if layer < layers && setting.folded.layer(layer).is_bounded() {
                // Further down, what is inherited is mostly as good as intervals, and the relaxation better than both.
                if layer == 0 || data[setting.range(layer).0.start] == f64::NEG_INFINITY {
                    self.by_intervals(simd, setting, layer, lower, upper, data)?;
                }
                if layer == 0 && clipped {
                    self.clip_first(setting, data)?;
                }
                if layer > 0 {
                    self.by_relaxation(simd, setting, layer, lower, upper, data)?;
                    if clipped {
                        self.clip_rows(setting, layer, data)?;
                    }
                }
            }
            self.backward.set_slopes(simd, setting, layer, data);
        }
        Ok(())
    }

    /// What the half-space leaves of the unsettled neurons of the first layer.
    #[inline(always)]
    fn clip_first(&self, setting: &Setting, data: &mut [f64]) -> Result<(), Empty> {
        let matrices = setting.folded.layer(0);
        let (low, high) = setting.range(0);
        for i in 0..matrices.len() {
            let (low, high) = (low.start + i, high.start + i);
            let Some(row) = matrices.weights.row(i) else { continue };
            if activation::is_settled(matrices.activation, data[low], data[high]) {
                continue;
            }
            let (bias, error) = (matrices.bias[i], setting.layers[0].error[i]);
            reduce(&mut data[high], self.clip.maximum(row, 1.0, bias, error));
            raise(&mut data[low], -self.clip.maximum(row, -1.0, -bias, error));
            if data[low] > data[high] {
                return Err(Empty);
            }
        }
        Ok(())
    }

    /// What the half-space leaves of the neurons of a layer whose rows do not settle them.
    #[inline(always)]
    fn clip_rows(&self, setting: &Setting, layer: usize, data: &mut [f64]) -> Result<(), Empty> {
        let activation = setting.folded.layer(layer).activation;
        let (low, high) = setting.range(layer);
        let UnstableRows { neurons, rows } = &self.unstable[layer];
        for (k, i) in neurons.iter().map(|i| *i as usize).enumerate() {
            let (low, high) = (low.start + i, high.start + i);
            if activation::is_settled(activation, data[low], data[high]) {
                continue;
            }
            reduce(&mut data[high], self.clip.of_row(rows, 2 * k));
            raise(&mut data[low], -self.clip.of_row(rows, 2 * k + 1));
            if data[low] > data[high] {
                return Err(Empty);
            }
        }
        Ok(())
    }

    /// `z = W y + b` with `y` in an interval: centre and radius.
    #[inline(always)]
    fn by_intervals<S: Simd>(
        &mut self,
        simd: S,
        setting: &Setting,
        layer: usize,
        lower: &[f64],
        upper: &[f64],
        data: &mut [f64],
    ) -> Result<(), Empty> {
        let matrices = setting.folded.layer(layer);
        let inputs = matrices.weights.columns;
        self.centre.reshape(1, inputs);
        self.radius.reshape(1, inputs);
        let mut set = |i: usize, l: f64, u: f64| {
            let centre = 0.5 * l + 0.5 * u;
            self.centre.row_mut(0)[i] = centre;
            // Rounded up; the error of the centre itself is covered because the radius is taken from it. Floats have no difference
            // only where they are equal.
            let radius = (u - centre).max(centre - l);
            self.radius.row_mut(0)[i] = if radius == 0.0 { 0.0 } else { radius.next_up() };
        };
        if layer == 0 {
            for (i, (&l, &u)) in lower.iter().zip(upper).enumerate().take(inputs) {
                set(i, l, u);
            }
        } else {
            let before = setting.folded.layer(layer - 1);
            if !before.is_bounded() {
                // Inputs without bounds of their own: the relaxation does the work.
                return Ok(());
            }
            let (low, high) = setting.range(layer - 1);
            let rounded = setting.layers[layer - 1].rounded.as_ref();
            for i in 0..inputs {
                let over = FloatInterval { lower: data[low.start + i], upper: data[high.start + i] };
                let FloatInterval { lower, upper } = activation::values(before.activation, inputs, over);
                match rounded.map_or(0.0, |rounded| rounded.results[i]) {
                    0.0 => set(i, lower, upper),
                    rounding => set(i, add_down(lower, -rounding), add_up(upper, rounding)),
                }
            }
        }
        matrices.weights.forward(simd, &self.centre, &matrices.inputs, &mut self.centres);
        matrices.weights.forward_magnitudes(simd, &self.radius, &matrices.inputs, &mut self.radii);
        let (low, high) = setting.range(layer);
        let error = &setting.layers[layer].error;
        let (centres, radii) = (self.centres.row(0), self.radii.row(0));
        for i in 0..matrices.len() {
            let centre = centres[i] + matrices.bias[i];
            let radius = radii[i] + error[i];
            raise(&mut data[low.start + i], centre - radius);
            reduce(&mut data[high.start + i], centre + radius);
            if data[low.start + i] > data[high.start + i] {
                return Err(Empty);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn by_relaxation<S: Simd>(
        &mut self,
        simd: S,
        setting: &Setting,
        layer: usize,
        lower: &[f64],
        upper: &[f64],
        data: &mut [f64],
    ) -> Result<(), Empty> {
        let (low, high) = setting.range(layer);
        let matrices = setting.folded.layer(layer);
        let UnstableRows { neurons, rows } = &mut self.unstable[layer];
        neurons.clear();
        for i in 0..matrices.len() {
            if !activation::is_settled(matrices.activation, data[low.start + i], data[high.start + i]) {
                neurons.push(i as u32);
            }
        }
        if neurons.is_empty() {
            return Ok(());
        }
        self.backward.neurons(simd, setting, layer, neurons, data, rows);
        for (k, &i) in neurons.iter().enumerate() {
            let (high, low) = (high.start + i as usize, low.start + i as usize);
            let above = row_maximum(simd, rows, 2 * k, lower, upper);
            let below = -row_maximum(simd, rows, 2 * k + 1, lower, upper);
            reduce(&mut data[high], above);
            raise(&mut data[low], below);
            if data[low] > data[high] {
                return Err(Empty);
            }
        }
        Ok(())
    }
}

/// Takes a better lower bound; what is not a number is no bound.
#[inline(always)]
fn raise(bound: &mut f64, to: f64) {
    if to > *bound {
        *bound = to;
    }
}

/// Takes a better upper bound.
#[inline(always)]
fn reduce(bound: &mut f64, to: f64) {
    if to < *bound {
        *bound = to;
    }
}
