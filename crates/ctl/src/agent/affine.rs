//! Networks as affine maps, exactly.
//!
//! On a set where no neuron changes its sign a network is an affine map. Given the inputs as affine forms and someone who tells the
//! sign of each neuron, the outputs are affine forms.

use surefoot_network::{Activation, Network};
use surefoot_num::Rational;
use surefoot_symbolic::{Linear, Symbol};

/// `sum a_i x_i + c`: the coefficients, then the constant.
pub type Affine = Vec<Rational>;

/// A linear form over symbols `0..dimension` as a dense one.
#[must_use]
pub fn dense(form: &Linear, dimension: usize) -> Affine {
    let mut affine = vec![Rational::ZERO; dimension + 1];
    for (symbol, a) in form.terms() {
        affine[*symbol as usize] = a.clone();
    }
    affine[dimension] = form.constant().clone();
    affine
}

/// A dense form as a linear one.
#[must_use]
pub fn linear(affine: &[Rational]) -> Linear {
    let dimension = affine.len() - 1;
    let terms = affine[..dimension].iter().enumerate().map(|(i, a)| (i as Symbol, a.clone())).collect();
    Linear::new(terms, affine[dimension].clone())
}

/// The outputs of a network over the same variables as its inputs. `active` tells whether a neuron's pre-activation counts as
/// positive; it is asked layer by layer, in order.
///
/// # Errors
/// Those of `active`.
pub fn propagate<E>(
    network: &Network,
    inputs: Vec<Affine>,
    mut active: impl FnMut(&Affine) -> Result<bool, E>,
) -> Result<Vec<Affine>, E> {
    let parameter = |value: f64| Rational::from_f64(value).expect("layers hold finite numbers only");
    let length = inputs.first().map_or(1, Vec::len);
    let mut values = inputs;
    if let Some(normalisation) = network.input_normalisation() {
        scale(&mut values, normalisation.scale(), normalisation.offset());
    }
    for layer in network.layers() {
        let mut next = Vec::with_capacity(layer.output_len());
        for (row, bias) in layer.rows() {
            let mut sum = vec![Rational::ZERO; length];
            sum[length - 1] = parameter(bias);
            for (w, value) in row.iter().zip(&values).filter(|(w, _)| **w != 0.0) {
                let w = parameter(*w);
                for (sum, x) in sum.iter_mut().zip(value).filter(|(_, x)| !x.is_zero()) {
                    *sum = &*sum + &(&w * x);
                }
            }
            if layer.activation() == Activation::Relu && !active(&sum)? {
                sum.fill(Rational::ZERO);
            }
            next.push(sum);
        }
        values = next;
    }
    if let Some(normalisation) = network.output_normalisation() {
        scale(&mut values, normalisation.scale(), normalisation.offset());
    }
    Ok(values)
}

fn scale(values: &mut [Affine], scales: &[Rational], offsets: &[Rational]) {
    for ((value, scale), offset) in values.iter_mut().zip(scales).zip(offsets) {
        for x in value.iter_mut() {
            *x = &*x * scale;
        }
        let last = value.len() - 1;
        value[last] = &value[last] + offset;
    }
}
