//! Integers that depend on the inputs: comparisons as exact ReLU units.
//!
//! For an integer `d` the *hat* `max(d + 1, 0) - 2 max(d, 0) + max(d - 1, 0)` is 1 where `d = 0` and 0 elsewhere, and
//! `max(d, 0) - max(d - 1, 0)` is 1 where `d >= 1` and 0 below. So `x = 0`, ..., `x = n - 1` together take the `n + 2` neurons
//! `max(x + 1, 0)`, ..., `max(x - n, 0)`, which their hats share.
//!
//! Soundness: between integers these are other functions than the comparison. An element counts as an integer only where it is an
//! integer combination of inputs and of neurons that are; every input that it reads is then marked, and whoever feeds the
//! network must give it integers ([`crate::InputDomain`]).

use std::collections::BTreeSet;

use surefoot_num::Rational;

use super::error::Fault;
use super::signal::{Base, Builder, Element, VarId};
use super::value::Value;
use crate::layer::Activation;

fn is_whole(value: f64) -> bool {
    value.fract() == 0.0
}

impl Builder {
    /// The inputs that must be integers for the element to be one; none if it need not be one even then.
    fn integer_inputs(&self, element: &Element) -> Option<BTreeSet<usize>> {
        let mut inputs = BTreeSet::new();
        let (scale, offset, base) = match element {
            Element::Const(value) => return value.is_integer().then_some(inputs),
            Element::Term { scale, offset, base } => (scale, offset, base),
        };
        if !scale.is_integer() || !offset.is_integer() {
            return None;
        }
        let mut open: Vec<VarId> = match base {
            Base::Var(var) => vec![*var],
            Base::Row(row, bias) => {
                if !row.terms().all(|(_, c)| is_whole(c)) || !is_whole(bias.unwrap_or(0.0)) {
                    return None;
                }
                row.terms().map(|(var, _)| var).collect()
            }
        };
        let mut seen = BTreeSet::new();
        while let Some(var) = open.pop() {
            let Some(index) = var.0.checked_sub(self.inputs.len()) else {
                inputs.insert(var.0);
                continue;
            };
            if !seen.insert(index) {
                continue;
            }
            let neuron = &self.neurons[index];
            let whole = matches!(neuron.activation, Activation::Relu | Activation::Identity)
                && is_whole(neuron.bias)
                && neuron.row.terms().all(|(_, c)| is_whole(c));
            if !whole {
                return None;
            }
            open.extend(neuron.row.terms().map(|(var, _)| var));
        }
        // A scaled input is another number than the one that is fed.
        let plain = |input: &usize| match &self.inputs[*input] {
            Some((scale, offset)) => *scale == Rational::ONE && offset.is_zero(),
            None => true,
        };
        inputs.iter().all(plain).then_some(inputs)
    }

    /// Makes sure that the element is an integer, by asking for integer inputs where it takes that.
    pub(crate) fn integer(&mut self, element: &Element) -> Result<(), Fault> {
        let Some(inputs) = self.integer_inputs(element) else {
            return Err(Fault::Unsupported(
                "compares or rounds numbers that need not be integers, so the result jumps; this is exact only for \
                 integer inputs and sums of them: do it in the model, or before the network"
                    .to_owned(),
            ));
        };
        for input in inputs {
            self.inputs[input].get_or_insert((Rational::ONE, Rational::ZERO));
            self.domains[input].integral = true;
        }
        Ok(())
    }

    /// 1 where the integer is zero, else 0.
    pub(crate) fn is_zero(&mut self, element: &Element) -> Result<Element, Fault> {
        self.integer(element)?;
        let mut parts = Vec::new();
        for (shift, factor) in [(1, 1), (0, -2), (-1, 1)] {
            let shifted = self.shifted(element, shift)?;
            let part = self.relu(&shifted)?;
            parts.push(self.multiply(&part, &Rational::from(factor))?);
        }
        self.sum(&parts)
    }

    /// 1 where the integer is at least 1, else 0.
    pub(crate) fn is_positive(&mut self, element: &Element) -> Result<Element, Fault> {
        self.integer(element)?;
        let less = self.shifted(element, -1)?;
        let (here, before) = (self.relu(element)?, self.relu(&less)?);
        self.add(&here, -1, &before)
    }

    /// Shifted by an integer. A row is named first, so that all its shifts are functions of one variable.
    fn shifted(&mut self, element: &Element, by: i64) -> Result<Element, Fault> {
        let element = self.single_variable(element)?;
        self.shift(&element, &Rational::from(by))
    }

    /// Refuses arithmetic on integers of fewer than 64 bits.
    ///
    /// Soundness: results beyond such a type wrap around; those of 64 bits are taken not to.
    pub(super) fn refuse_narrow(&self, operands: &[&Value]) -> Result<(), Fault> {
        if self.narrow && operands.iter().any(|operand| matches!(operand, Value::Whole(_))) {
            return Err(Fault::Unsupported(
                "calculates with integers of fewer than 64 bits, which wrap around; cast them to float or int64 first, \
                 or export with int64 inputs"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Asks that an integer be within bounds: only there a table has entries.
    pub(crate) fn within(&mut self, element: &Element, lower: Option<i64>, upper: Option<i64>) -> Result<(), Fault> {
        self.integer(element)?;
        let (input, offset) = match element {
            Element::Term { scale, offset, base: Base::Var(var) }
                if *scale == Rational::ONE && var.0 < self.inputs.len() =>
            {
                (var.0, offset.to_i64())
            }
            _ => (0, None),
        };
        let Some(offset) = offset else {
            return Err(Fault::Unsupported(
                "looks up a place that is computed from the inputs; only an input itself, or one with a constant added, \
                 can be an index"
                    .to_owned(),
            ));
        };
        let domain = &mut self.domains[input];
        if let Some(lower) = lower.map(|lower| lower.saturating_sub(offset)) {
            domain.lower = Some(domain.lower.map_or(lower, |known| known.max(lower)));
        }
        if let Some(upper) = upper.map(|upper| upper.saturating_sub(offset)) {
            domain.upper = Some(domain.upper.map_or(upper, |known| known.min(upper)));
        }
        Ok(())
    }
}
