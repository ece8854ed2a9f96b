//! Assumed phases of neurons: half-spaces that a branch adds to its region.

use std::sync::Arc;

use super::compiled::Compiled;
use super::region::Region;
use crate::bounds::{Bounder, LANES};
use crate::proof::Source;

/// "This neuron is active" (or inactive), as a row that every point of the branch satisfies.
#[derive(Debug)]
pub(crate) struct Assumption {
    pub(crate) application: usize,
    pub(crate) layer: usize,
    pub(crate) neuron: usize,
    pub(crate) active: bool,
    /// `a.x + c + slack >= 0` follows from the phase, by the relaxation of the layers before.
    pub(crate) coefficients: Vec<f64>,
    pub(crate) constant: f64,
    pub(crate) slack: f64,
}

impl Assumption {
    /// The assumption that a neuron, unstable in the region bounded last, is active or inactive.
    pub(crate) fn new(
        compiled: &Compiled<'_>,
        bounders: &[Bounder],
        application: usize,
        layer: usize,
        neuron: usize,
        active: bool,
    ) -> Arc<Self> {
        let setting = &compiled.settings[application];
        let (mut coefficients, constant, slack) = if layer == 0 {
            let first = &setting.folded.first;
            let sign = if active { 1.0 } else { -1.0 };
            let row = first.weights.row(neuron).iter().map(|w| sign * w).collect::<Vec<_>>();
            (row, sign * first.bias[neuron], setting.layers[0].error[neuron])
        } else {
            let unstable = &bounders[application].unstable[layer];
            let k = unstable.neurons.iter().position(|i| *i as usize == neuron).expect("unstable neurons have rows");
            // Soundness: the first row bounds z from above, the second -z; z >= 0 makes the first at least zero.
            let form = 2 * k + usize::from(!active);
            let rows = &unstable.rows;
            (rows.coefficients.row(form).to_vec(), rows.constants[form], rows.slacks[form])
        };
        coefficients.resize(compiled.integral.len().next_multiple_of(LANES), 0.0);
        Arc::new(Self { application, layer, neuron, active, coefficients, constant, slack })
    }

    /// What its row bounds.
    pub(crate) fn source(&self) -> Source {
        let Self { application, layer, neuron, active, .. } = *self;
        Source::Phase { application, layer, neuron, active }
    }

    /// Enters the phase into a region's bounds.
    pub(crate) fn impose(self: &Arc<Self>, compiled: &Compiled<'_>, region: &mut Region) {
        let (low, high) = compiled.settings[self.application].range(self.layer);
        let bound = if self.active {
            &mut region.data[low.start + self.neuron]
        } else {
            &mut region.data[high.start + self.neuron]
        };
        *bound = 0.0;
        region.assumed.push(self.clone());
    }
}
