//! Networks as affine maps, exactly.
//!
//! On a set where no neuron changes its sign a network is an affine map. Given the inputs as affine forms and someone who tells the
//! sign of each neuron, the outputs are affine forms.
//!
//! Weights are dyadic, so everything inside is done in integers: forms are multiplied by a positive number that makes all coefficients
//! whole, which changes no sign and no zero.

use surefoot_linear::{Linear, Symbol};
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::{IBig, Rational, UBig};

/// `sum a_i x_i + c`: the coefficients, then the constant.
pub type Affine = Vec<Rational>;

/// A linear form over symbols `0..dimension` as a dense one.
#[must_use]
pub fn dense(form: &Linear, dimension: usize) -> Affine {
    let mut affine = vec![Rational::ZERO; dimension + 1];
    for (symbol, a) in form.terms() {
        affine[symbol.index()] = a.clone();
    }
    affine[dimension] = form.constant().clone();
    affine
}

/// A dense form as a linear one.
#[must_use]
pub fn linear(affine: &[Rational]) -> Linear {
    let dimension = affine.len() - 1;
    let terms = affine[..dimension].iter().enumerate().map(|(i, a)| (Symbol::at(i), a.clone())).collect();
    Linear::new(terms, affine[dimension].clone())
}

/// A network whose weights are integers, layer by layer over a power of two.
#[derive(Debug, Clone)]
pub struct IntegerLayers {
    layers: Vec<IntegerLayer>,
}

#[derive(Debug, Clone)]
struct IntegerLayer {
    /// Weights per output, then the bias, times the factor.
    rows: Vec<(Vec<IBig>, IBig)>,
    factor: IBig,
    relu: bool,
}

impl IntegerLayer {
    fn new(layer: &Layer) -> Self {
        let exact = |value: f64| Rational::from_f64(value).expect("layers hold finite numbers only");
        let all = layer.weights().iter().chain(layer.bias());
        // Denominators are powers of two: the largest is a multiple of all.
        let factor = all.map(|value| exact(*value).denominator()).max().unwrap_or(UBig::ONE);
        let whole = |value: f64| {
            let value = exact(value);
            value.numerator() * IBig::from(&factor / value.denominator())
        };
        let rows = layer.rows().map(|(row, bias)| (row.iter().map(|w| whole(*w)).collect(), whole(bias))).collect();
        Self { rows, factor: IBig::from(factor), relu: layer.activation() == Activation::Relu }
    }
}

impl IntegerLayers {
    /// Lays out a network.
    #[must_use]
    pub fn new(network: &Network) -> Self {
        Self { layers: network.layers().iter().map(IntegerLayer::new).collect() }
    }

    /// The outputs of the network over the same variables as its inputs. `active` tells whether a neuron's pre-activation, which it
    /// is given up to a positive factor, counts as positive; it is asked layer by layer, in order.
    ///
    /// # Errors
    /// Those of `active`.
    pub fn propagate<E>(
        &self,
        network: &Network,
        mut inputs: Vec<Affine>,
        mut active: impl FnMut(&[IBig]) -> Result<bool, E>,
    ) -> Result<Vec<Affine>, E> {
        if let Some(normalisation) = network.input_normalisation() {
            scale(&mut inputs, normalisation.scale(), normalisation.offset());
        }
        let length = inputs.first().map_or(1, Vec::len);
        let common =
            inputs.iter().flatten().fold(UBig::ONE, |common, x| least_common_multiple(common, x.denominator()));
        let whole = |x: &Rational| x.numerator() * IBig::from(&common / x.denominator());
        let mut values: Vec<Vec<IBig>> = inputs.iter().map(|form| form.iter().map(whole).collect()).collect();
        let mut factor = IBig::from(common);
        for layer in &self.layers {
            let mut next = Vec::with_capacity(layer.rows.len());
            for (row, bias) in &layer.rows {
                let mut sum = vec![IBig::ZERO; length];
                sum[length - 1] = bias * &factor;
                for (w, value) in row.iter().zip(&values).filter(|(w, _)| !w.is_zero()) {
                    for (sum, x) in sum.iter_mut().zip(value).filter(|(_, x)| !x.is_zero()) {
                        *sum += w * x;
                    }
                }
                if layer.relu && !active(&sum)? {
                    sum.fill(IBig::ZERO);
                }
                next.push(sum);
            }
            values = next;
            factor *= &layer.factor;
        }
        let factor = factor.into_parts().1;
        let over = |x: IBig| Rational::from_big_parts(x, factor.clone()).expect("factors are positive");
        let mut outputs: Vec<Affine> = values.into_iter().map(|form| form.into_iter().map(over).collect()).collect();
        if let Some(normalisation) = network.output_normalisation() {
            scale(&mut outputs, normalisation.scale(), normalisation.offset());
        }
        Ok(outputs)
    }
}

fn least_common_multiple(a: UBig, b: UBig) -> UBig {
    let (mut x, mut y) = (a.clone(), b.clone());
    while !y.is_zero() {
        (x, y) = (y.clone(), x % y);
    }
    a / x * b
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
