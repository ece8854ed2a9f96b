//! Assumed ranges of neurons: half-spaces that a branch adds to its region. The ranges of ReLUs are their phases.

use std::sync::Arc;

use surefoot_num::round::add_up;

use super::compiled::Compiled;
use super::region::Region;
use crate::bounds::{Bounder, LANES};
use crate::proof::Source;

/// "This neuron's sum is at least (or at most) so much", as a row that every point of the branch satisfies.
#[derive(Debug)]
pub(crate) struct Assumption {
    pub(crate) application: usize,
    pub(crate) layer: usize,
    pub(crate) neuron: usize,
    /// So much; zero for ReLUs.
    pub(crate) at: f64,
    /// At least.
    pub(crate) above: bool,
    /// `a.x + c + slack >= 0` follows, by the relaxation of the layers before.
    pub(crate) coefficients: Vec<f64>,
    pub(crate) constant: f64,
    pub(crate) slack: f64,
}

/// A value that divides the range of a neuron.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut {
    pub(crate) application: usize,
    pub(crate) layer: usize,
    pub(crate) neuron: usize,
    pub(crate) at: f64,
}

impl Assumption {
    /// The assumption that a neuron, not settled in the region bounded last, is on one side of a value.
    pub(crate) fn new(compiled: &Compiled<'_>, bounders: &[Bounder], cut: Cut, above: bool) -> Arc<Self> {
        let Cut { application, layer, neuron, at } = cut;
        let setting = &compiled.settings[application];
        let sign = if above { 1.0 } else { -1.0 };
        let (mut coefficients, constant, slack) = if layer == 0 {
            let first = &setting.folded.first;
            let mut row = vec![0.0; first.weights.columns];
            first.weights.terms(neuron).for_each(|(v, w)| row[v] = sign * w);
            (row, sign * first.bias[neuron], setting.layers[0].error[neuron])
        } else {
            let unstable = &bounders[application].unstable[layer];
            let k = unstable.neurons.iter().position(|i| *i as usize == neuron).expect("unsettled neurons have rows");
            // Soundness: the first row bounds z from above, the second -z; z >= at makes the first at least that.
            let form = 2 * k + usize::from(!above);
            let rows = &unstable.rows;
            (rows.coefficients.row(form).to_vec(), rows.constants[form], rows.slacks[form])
        };
        coefficients.resize(compiled.integral.len().next_multiple_of(LANES), 0.0);
        // Soundness: a larger constant is a weaker row.
        let constant = if at == 0.0 { constant } else { add_up(constant, -sign * at) };
        Arc::new(Self { application, layer, neuron, at, above, coefficients, constant, slack })
    }

    /// What its row bounds.
    pub(crate) fn source(&self) -> Source {
        let Self { application, layer, neuron, at, above, .. } = *self;
        Source::Range { application, layer, neuron, at, above }
    }

    /// Enters the range into a region's bounds.
    pub(crate) fn impose(self: &Arc<Self>, compiled: &Compiled<'_>, region: &mut Region) {
        let (low, high) = compiled.settings[self.application].range(self.layer);
        let bound = if self.above {
            &mut region.data[low.start + self.neuron]
        } else {
            &mut region.data[high.start + self.neuron]
        };
        *bound = self.at;
        region.assumed.push(self.clone());
    }
}
