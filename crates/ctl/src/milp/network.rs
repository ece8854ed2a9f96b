//! Networks as rows: Definition 2 of the paper.
//!
//! Per neuron a variable with bounds by symbolic interval propagation over the box of the state ([`surefoot_network::bounds`]). A neuron
//! that is nowhere negative is its pre-activation, one that is nowhere positive is 0; the others have a binary variable:
//! `x >= z`, `x <= u d`, `x <= z - l (1 - d)`, `x >= 0`. Where all inputs are known the outputs are computed exactly, and there are
//! no rows.
//!
//! Rows are not gated: a network has outputs for every state of the box, so they rule out nothing that the box does not.

use std::convert::Infallible;
use std::sync::Arc;

use surefoot_linear::{Atom, Interval, Linear, Symbol, SymbolRange};
use surefoot_milp::Kind;
use surefoot_network::ExactNetwork;
use surefoot_network::eval::{Neuron, PreActivation};
use surefoot_num::{FloatInterval, Rational};

use super::encoder::{Encoder, unbounded};
use super::rows::{Rows, power_of_two};
use super::state::{StateId, Symbolic, View};
use crate::explore::Trouble;

impl Encoder<'_, '_, '_> {
    /// Adds the networks that may be asked in a state: those whose condition the bounds do not rule out.
    pub(super) fn ask_networks(&mut self, state: StateId) -> Result<(), Trouble> {
        if self.states[state.0].views.is_some() {
            return Ok(());
        }
        let mut known = (*self.states[state.0]).clone();
        let mut views = Vec::new();
        let networks = self.engine.system.symbolic_policy().map_or(&[][..], |policy| &policy.networks);
        for (network, prepared) in networks.iter().zip(&self.engine.networks) {
            let asked = {
                let region = known.region();
                if !region.clone().assume(&network.asked) {
                    continue;
                }
                region.simplify(&network.asked)
            };
            let first = Symbol::at(known.space.len());
            let forms: Vec<Linear> = network.inputs.iter().map(|form| known.form_over_variables(form)).collect();
            let (outputs, ranges, ahead) = if forms.iter().all(Linear::is_constant) {
                let inputs: Vec<Rational> = forms.iter().map(|form| form.constant().clone()).collect();
                let outputs = prepared.affine().eval(&inputs);
                let ranges = outputs.iter().map(|value| Interval::point(value.clone())).collect::<Vec<_>>();
                let ahead = outputs.iter().map(|a| outputs.iter().map(|b| a > b).collect()).collect::<Vec<_>>();
                (outputs.into_iter().map(Linear::constant_form).collect(), ranges, ahead)
            } else {
                let bounds = float_bounds(&known, self.slots()).ok_or_else(unbounded)?;
                let exact = prepared.exact.as_ref().ok_or_else(unbounded)?;
                let enclosed = exact.bounds.enclose(&network.inputs, &bounds).ok_or_else(unbounded)?;
                let outputs = self.rows.network(prepared.affine(), &forms, enclosed.neurons());
                let count = outputs.len();
                let range = |range: FloatInterval| Interval {
                    lower: Rational::from_f64(range.lower),
                    upper: Rational::from_f64(range.upper),
                };
                let ahead = (0..count).map(|a| (0..count).map(|b| a != b && enclosed.is_ahead(a, b)).collect());
                (outputs, (0..count).map(|i| range(enclosed.output(i))).collect(), ahead.collect())
            };
            for (form, bounds) in outputs.into_iter().zip(ranges) {
                known.space.push(SymbolRange { integer: false, bounds });
                known.forms.push(form);
            }
            views.push(View { asked, first, ahead });
        }
        if let (true, Some(policy)) = (self.engine.system.computes_values(), self.engine.system.symbolic_policy()) {
            // Where no network is asked there are no values; whatever reads one is undefined there.
            let asked = known.space.negated(&policy.covered);
            if known.region().assume(&asked) {
                let first = Symbol::at(known.space.len());
                let count = self.engine.system.space().len() - self.slots();
                for _ in 0..count {
                    known.space.push(SymbolRange { integer: false, bounds: Interval::point(Rational::ZERO) });
                    known.forms.push(Linear::default());
                }
                views.push(View { asked, first, ahead: Vec::new() });
            }
        }
        known.views = Some(views);
        self.states[state.0] = Arc::new(known);
        Ok(())
    }
}

/// The bounds of the slots in floats, rounded outwards.
fn float_bounds(state: &Symbolic, slots: usize) -> Option<Vec<FloatInterval>> {
    Symbol::first(slots)
        .map(|slot| {
            let (lower, upper) = state.space.symbol(slot).bounds.ends()?;
            Some(FloatInterval::around(lower, upper))
        })
        .collect()
}

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
