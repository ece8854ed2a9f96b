//! A question without networks: every neuron is a definition over what comes before it.
//!
//! Symbols of the variables stay; neuron `i` is the symbol after them at position `i`, and stands for the value *after* the ReLU. Outputs
//! are forms over neurons, which the formula has in place of output symbols. Neurons that are never positive are left out.
//!
//! Soundness: ranges are exact interval arithmetic, rounded outward to floats now and then to keep numbers short. So what they decide of a
//! neuron's phase is so for every point within the variables' bounds.

use surefoot_linear::{Formula, Interval, Linear, Symbol};
use surefoot_network::{Activation, Network};
use surefoot_num::Rational;
use surefoot_oracle::{Kind, Question};

/// A neuron whose value may be positive.
#[derive(Debug)]
pub(crate) struct Neuron {
    /// Its value before the ReLU.
    pub(crate) before: Linear,
    /// Values of that.
    pub(crate) range: Interval,
    /// Whether the ReLU does nothing: it is never negative.
    pub(crate) is_active: bool,
}

/// A question whose networks are unrolled.
#[derive(Debug)]
pub(crate) struct Unrolled {
    /// How many variables there are.
    pub(crate) variables: usize,
    /// The neurons.
    pub(crate) neurons: Vec<Neuron>,
    /// The range of every symbol: variables, then neurons after their ReLU.
    pub(crate) ranges: Vec<Interval>,
    /// The formula, over variables and neurons.
    pub(crate) formula: Formula,
}

impl Unrolled {
    /// The question unrolled; `None` if a network is not piecewise linear over the reals. Variables have values.
    pub(crate) fn of(question: &Question) -> Option<Self> {
        if question.applications.iter().any(|application| !application.network.is_exact()) {
            return None;
        }
        let ranges = question.variables.iter().map(|variable| match variable.kind {
            Kind::Integer => Interval::new(variable.lower.ceil(), variable.upper.floor()),
            Kind::Real => Interval::new(variable.lower.clone(), variable.upper.clone()),
        });
        let variables = question.variables.len();
        let mut unrolled = Self { variables, neurons: Vec::new(), ranges: ranges.collect(), formula: Formula::truth() };
        let mut outputs = Vec::new();
        for application in &question.applications {
            outputs.extend(unrolled.apply(&application.network, &application.inputs));
        }
        unrolled.formula = question
            .formula
            .substitute(&|symbol| symbol.index().checked_sub(variables).map(|output| outputs[output].clone()));
        Some(unrolled)
    }

    /// Values that a form may have.
    pub(crate) fn range(&self, form: &Linear) -> Interval {
        form.range(|symbol| &self.ranges[symbol.index()])
    }

    /// The symbol of a neuron.
    pub(crate) fn symbol(&self, neuron: usize) -> Symbol {
        Symbol::at(self.variables + neuron)
    }

    fn apply(&mut self, network: &Network, inputs: &[Linear]) -> Vec<Linear> {
        let mut values = match network.input_normalisation() {
            Some(normalisation) => normalisation.apply_to_forms(inputs),
            None => inputs.to_vec(),
        };
        for layer in network.layers() {
            let sum = |(output, bias): (usize, &f64)| {
                let weights: Vec<(usize, Rational)> =
                    layer.terms(output).map(|(input, weight)| (input, parameter(weight))).collect();
                let sum = Linear::combination(weights.iter().map(|(input, weight)| (&values[*input], weight)));
                &sum + &Linear::constant_form(parameter(*bias))
            };
            let sums: Vec<Linear> = layer.bias().iter().enumerate().map(sum).collect();
            values = match layer.activation() {
                Activation::Relu => sums.into_iter().map(|sum| self.relu(sum)).collect(),
                _ => sums,
            };
        }
        match network.output_normalisation() {
            Some(normalisation) => normalisation.apply_to_forms(&values),
            None => values,
        }
    }

    /// The value of a neuron after its ReLU.
    fn relu(&mut self, before: Linear) -> Linear {
        let range = outward(&self.range(&before));
        let Some((lower, upper)) = range.ends() else { return Linear::default() };
        if upper.signum() <= 0 {
            return Linear::default();
        }
        let after = Interval::new(lower.clone().max(Rational::ZERO), upper.clone());
        let symbol = self.symbol(self.neurons.len());
        self.neurons.push(Neuron { before, is_active: lower.signum() >= 0, range });
        self.ranges.push(after);
        Linear::symbol(symbol)
    }
}

/// The exact rational behind a parameter, which is finite.
fn parameter(value: f64) -> Rational {
    Rational::from_f64(value).unwrap_or(Rational::ZERO)
}

/// A range of floats around a range, where there is one.
fn outward(range: &Interval) -> Interval {
    let fits = |float: f64, fits: &dyn Fn(&Rational) -> bool| Rational::from_f64(float).filter(fits);
    let below = |value: &Rational| {
        let float = value.to_f64();
        fits(float, &|f| f <= value).or_else(|| fits(float.next_down(), &|f| f <= value))
    };
    let above = |value: &Rational| {
        let float = value.to_f64();
        fits(float, &|f| f >= value).or_else(|| fits(float.next_up(), &|f| f >= value))
    };
    match range.ends() {
        Some((lower, upper)) => {
            Interval::new(below(lower).unwrap_or_else(|| lower.clone()), above(upper).unwrap_or_else(|| upper.clone()))
        }
        None => range.clone(),
    }
}
