//! Networks as affine maps, exactly: the walk over the layers with linear forms in place of numbers.
//!
//! On a set where no neuron changes its sign a network is an affine map. [`ExactNetwork::walk`] takes the inputs as linear
//! forms and asks, neuron by neuron in the order of evaluation, what becomes of each: it is *active* and yields its
//! pre-activation, *inactive* and yields zero, or something else *stands for* it, such as a variable of a program whose rows
//! define it. Who answers (bounds, linear programs, the signs at a point, an encoder) is not the walk's business, and
//! neither is whether the answer is true: the outputs are right where it is.
//!
//! Inside, everything is integers over one positive scale per layer, as in [`exact`](super::exact). Forms are kept sparse;
//! a sum is formed in a dense row over the symbols that occur.

use surefoot_linear::{Linear, Symbol};
use surefoot_num::{IBig, Rational, UBig, common_denominator};

use super::exact::ExactNetwork;
use super::integer::IntegerLayer;

/// What becomes of a neuron.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Neuron {
    /// It yields its pre-activation: it is nowhere negative, or it has no activation.
    Active,
    /// It yields zero: it is nowhere positive.
    Inactive,
    /// It yields this form, over any symbols.
    Instead(Linear),
}

/// A neuron whose fate is asked for, with its pre-activation.
#[derive(Debug)]
pub struct PreActivation<'w> {
    /// The layer.
    pub layer: usize,
    /// The neuron in its layer.
    pub neuron: usize,
    /// Whether ReLU follows.
    pub relu: bool,
    symbols: &'w [Symbol],
    /// The coefficients of the symbols, then the constant; over the scale.
    row: &'w [IBig],
    scale: &'w UBig,
}

impl PreActivation<'_> {
    /// The pre-activation.
    #[must_use]
    pub fn form(&self) -> Linear {
        linear(self.symbols, self.row, self.scale)
    }

    /// The pre-activation times a positive number, so that all coefficients are integers: the same signs and zeros for less work.
    #[must_use]
    pub fn multiple(&self) -> Linear {
        let terms = self.symbols.iter().zip(self.row).filter(|(_, a)| !a.is_zero());
        Linear::new(
            terms.map(|(symbol, a)| (*symbol, Rational::from(a.clone()))).collect(),
            Rational::from(self.row[self.symbols.len()].clone()),
        )
    }

    /// The slope and the constant of that multiple, if no other symbol than one occurs at all.
    ///
    /// # Panics
    /// When another one does.
    #[must_use]
    pub fn along(&self, symbol: Symbol) -> (&IBig, &IBig) {
        static ZERO: IBig = IBig::ZERO;
        match (self.symbols, self.row) {
            ([], [constant]) => (&ZERO, constant),
            ([only], [slope, constant]) if *only == symbol => (slope, constant),
            _ => panic!("the inputs are forms of one symbol"),
        }
    }
}

/// The values of a layer: sparse forms over common symbols and a common scale.
#[derive(Debug)]
struct Forms {
    symbols: Vec<Symbol>,
    /// Positions among the symbols and coefficients, none zero; the constant has the position after the last symbol.
    rows: Vec<Vec<(usize, IBig)>>,
    /// Positive.
    scale: UBig,
}

impl Forms {
    fn new(forms: &[Linear]) -> Self {
        let mut symbols: Vec<Symbol> = forms.iter().flat_map(Linear::terms).map(|(symbol, _)| *symbol).collect();
        symbols.sort_unstable();
        symbols.dedup();
        let numbers = forms.iter().flat_map(|form| form.terms().iter().map(|(_, a)| a).chain([form.constant()]));
        let scale = common_denominator(numbers);
        let row = |form: &Linear| {
            let position = |symbol: &Symbol| symbols.binary_search(symbol).expect("all symbols were collected");
            let terms = form.terms().iter().map(|(symbol, a)| (position(symbol), a.numerator_over(&scale)));
            let constant = Some(form.constant()).filter(|c| !c.is_zero());
            terms.chain(constant.map(|c| (symbols.len(), c.numerator_over(&scale)))).collect()
        };
        let rows = forms.iter().map(row).collect();
        Self { symbols, rows, scale }
    }

    fn linear(&self, row: usize) -> Linear {
        let mut dense = vec![IBig::ZERO; self.symbols.len() + 1];
        for (position, a) in &self.rows[row] {
            dense[*position] = a.clone();
        }
        linear(&self.symbols, &dense, &self.scale)
    }

    /// The pre-activation of a neuron over the symbols, then its constant, over the scale times that of the layer's numbers.
    fn sum(&self, weights: &[(usize, IBig)], bias: &IBig, scale: &IBig, sum: &mut [IBig]) {
        sum.fill(IBig::ZERO);
        sum[self.symbols.len()] = bias * scale;
        for (input, w) in weights {
            for (position, a) in &self.rows[*input] {
                sum[*position] += w * a;
            }
        }
    }

    /// The values of the next layer, numbered `index`.
    fn through<E>(
        &self,
        index: usize,
        layer: &IntegerLayer,
        fate: &mut impl FnMut(&PreActivation<'_>) -> Result<Neuron, E>,
    ) -> Result<Self, E> {
        let (bias_scale, scale) = (IBig::from(self.scale.clone()), &self.scale << layer.shift);
        let mut sum = vec![IBig::ZERO; self.symbols.len() + 1];
        let mut next = Self { symbols: self.symbols.clone(), rows: Vec::with_capacity(layer.rows().len()), scale };
        let mut instead: Vec<(usize, Linear)> = Vec::new();
        for (neuron, (weights, bias)) in layer.rows().enumerate() {
            self.sum(weights, bias, &bias_scale, &mut sum);
            let (symbols, scale) = (&self.symbols, &next.scale);
            let asked = PreActivation { layer: index, neuron, relu: layer.relu, symbols, row: &sum, scale };
            let mut row = Vec::new();
            match fate(&asked)? {
                Neuron::Active => {
                    let taken = sum.iter_mut().map(std::mem::take).enumerate();
                    row.extend(taken.filter(|(_, a)| !a.is_zero()));
                }
                Neuron::Inactive => {}
                Neuron::Instead(form) => instead.push((neuron, form)),
            }
            next.rows.push(row);
        }
        if instead.is_empty() {
            return Ok(next);
        }
        let mut forms: Vec<Linear> = (0..next.rows.len()).map(|row| next.linear(row)).collect();
        instead.into_iter().for_each(|(neuron, form)| forms[neuron] = form);
        Ok(Self::new(&forms))
    }
}

/// A dense row, its constant last, over a scale.
fn linear(symbols: &[Symbol], row: &[IBig], scale: &UBig) -> Linear {
    let over = |a: &IBig| Rational::from_big_parts(a.clone(), scale.clone()).expect("scales are positive");
    let terms = symbols.iter().zip(row).filter(|(_, a)| !a.is_zero());
    Linear::new(terms.map(|(symbol, a)| (*symbol, over(a))).collect(), over(&row[symbols.len()]))
}

impl ExactNetwork {
    /// The outputs as forms, given those of the inputs. `fate` is asked for every neuron of every layer, in the order of evaluation;
    /// a layer is computed from what was answered for the one before.
    ///
    /// # Errors
    /// Those of `fate`, at once.
    ///
    /// # Panics
    /// When `inputs` has the wrong length.
    pub fn walk<E>(
        &self,
        inputs: &[Linear],
        mut fate: impl FnMut(&PreActivation<'_>) -> Result<Neuron, E>,
    ) -> Result<Vec<Linear>, E> {
        assert_eq!(inputs.len(), self.input_len, "one form per network input");
        let mut values = match &self.input {
            None => Forms::new(inputs),
            Some(normalisation) => Forms::new(&normalisation.exact.apply_to_forms(inputs)),
        };
        for (index, layer) in self.layers.iter().enumerate() {
            values = values.through(index, layer, &mut fate)?;
        }
        let outputs: Vec<Linear> = (0..values.rows.len()).map(|row| values.linear(row)).collect();
        Ok(match &self.output {
            None => outputs,
            Some(normalisation) => normalisation.exact.apply_to_forms(&outputs),
        })
    }

    /// The outputs around a point as forms, neurons of the sign that they have there; on the border they count as inactive.
    ///
    /// # Panics
    /// When `inputs` has the wrong length.
    #[must_use]
    pub fn walk_around(&self, inputs: &[Linear], point: impl Fn(Symbol) -> Rational) -> Vec<Linear> {
        let sign = |z: &PreActivation<'_>| -> Result<Neuron, std::convert::Infallible> {
            let inactive = z.relu && z.multiple().eval(&point).signum() <= 0;
            Ok(if inactive { Neuron::Inactive } else { Neuron::Active })
        };
        let Ok(outputs) = self.walk(inputs, sign);
        outputs
    }
}
