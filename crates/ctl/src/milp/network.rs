//! Networks as rows: Definition 2 of the paper.
//!
//! Per neuron a variable with bounds by symbolic interval propagation over the box of the state ([`surefoot_network::bounds`]). A neuron
//! that is nowhere negative is its pre-activation, one that is nowhere positive is 0; the others have a binary variable:
//! `x >= z`, `x <= u d`, `x <= z - l (1 - d)`, `x >= 0`. Where all inputs are known the outputs are computed exactly, and there are
//! no rows.
//!
//! Rows are not gated: a network has outputs for every state of the box, so they rule out nothing that the box does not.

use std::convert::Infallible;

use surefoot_linear::{Atom, Linear};
use surefoot_milp::Kind;
use surefoot_network::ExactNetwork;
use surefoot_network::eval::{Neuron, PreActivation};
use surefoot_num::{FloatInterval, Rational};

use super::rows::{Rows, power_of_two};

/// A bound a little farther out. Rows imply the bounds of what they define, exactly; but coefficients are rounded when a program is
/// written, and a bound that is tight to the last digit would then rule out everything.
fn pad(bound: &Rational, upwards: bool) -> Rational {
    let margin = &bound.abs().max(Rational::ONE) * &Rational::new(1, 1 << 20).expect("not zero");
    if upwards { bound + &margin } else { bound - &margin }
}

fn exact(value: f64) -> Rational {
    Rational::from_f64(value).expect("bounds are finite")
}

impl Rows {
    /// The outputs of a network, given forms of its inputs and bounds of all pre-activations.
    pub(super) fn network(
        &mut self,
        network: &ExactNetwork,
        inputs: &[Linear],
        bounds: &[Vec<FloatInterval>],
    ) -> Vec<Linear> {
        let fate = |neuron: &PreActivation<'_>| -> Result<Neuron, Infallible> {
            let (z, bounds) = (neuron.form(), bounds[neuron.layer][neuron.neuron]);
            if z.is_constant() {
                let inactive = neuron.relu && z.constant().signum() < 0;
                return Ok(if inactive { Neuron::Inactive } else { Neuron::Active });
            }
            let (lower, upper) = (exact(bounds.lower), exact(bounds.upper));
            Ok(match neuron.relu {
                true if upper.signum() <= 0 => Neuron::Inactive,
                true if lower.signum() < 0 => Neuron::Instead(self.unstable(&z, &lower, &upper)),
                _ => Neuron::Instead(self.equal(&z, &lower, &upper)),
            })
        };
        let Ok(outputs) = network.walk(inputs, fate);
        outputs
    }

    /// A multiple of a new variable that rows define, with bounds that they imply. The variable itself is of moderate size.
    pub(super) fn padded(&mut self, lower: &Rational, upper: &Rational) -> Linear {
        let (lower, upper) = (pad(lower, false), pad(upper, true));
        let scale = power_of_two(&lower.abs().max(upper.abs()));
        let over = |bound: &Rational| bound.checked_div(&scale).expect("powers of two are not zero");
        &self.program.variable(Kind::Continuous, over(&lower), over(&upper)).form() * &scale
    }

    /// A multiple of a new variable that is a form.
    fn equal(&mut self, form: &Linear, lower: &Rational, upper: &Rational) -> Linear {
        let value = self.padded(lower, upper);
        self.row(&Atom::zero(form - &value), None);
        value
    }

    fn unstable(&mut self, z: &Linear, lower: &Rational, upper: &Rational) -> Linear {
        let x = self.padded(&Rational::ZERO, upper);
        let z = self.equal(z, lower, upper);
        let (lower, upper) = (&pad(lower, false), &pad(upper, true));
        let active = self.program.binary().form();
        let inactive = &Linear::constant_form(Rational::ONE) - &active;
        self.row(&Atom::at_least_zero(x.clone()), None);
        self.row(&Atom::at_least_zero(&x - &z), None);
        self.row(&Atom::at_least_zero(&(&active * upper) - &x), None);
        self.row(&Atom::at_least_zero((&z - &x).plus_scaled(&inactive, &-lower)), None);
        x
    }
}
