//! What was written, in figures and in words.

use surefoot_model::ScalarType;
use surefoot_num::Rational;

use crate::compose::Composed;
use crate::discrete::Computed;
use crate::options::Target;

/// What a text has in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// Networks of the policy.
    pub networks: usize,
    /// Neurons, scores included, over all networks.
    pub neurons: usize,
    /// Variables that hold them: networks share these. None where they are definitions.
    pub variables: usize,
    /// The smallest and the largest value of any of these variables; integers only.
    pub range: Option<(Rational, Rational)>,
    /// Bits that these variables take together; integers only.
    pub bits: Option<u64>,
    /// Locations of the automaton that computes them: one to wait in, one per hidden layer, one to decide in.
    pub phases: usize,
    /// Bits after the point that weights and neurons were allowed; none where nothing was rounded.
    pub precision: Option<u32>,
    /// Whether the scores are those of the networks, or multiples of them, exactly.
    pub exact: bool,
    /// The integer that stands for a score of 1, per network: 1 where neurons are reals. A fraction where neurons were divided.
    pub scales: Vec<Rational>,
    /// What a score may differ by from that of the network.
    pub error: Rational,
}

impl Figures {
    /// Of a text without variables for neurons.
    pub(crate) fn of_networks(networks: &[Computed]) -> Self {
        let error = networks.iter().map(|network| network.error.clone()).fold(Rational::ZERO, Rational::max);
        let exact = networks.iter().all(Computed::is_exact);
        Self {
            networks: networks.len(),
            neurons: networks.iter().flat_map(|network| &network.steps).map(|step| step.rows.len()).sum(),
            variables: 0,
            range: None,
            bits: None,
            phases: 0,
            precision: networks.iter().filter_map(|network| network.bits).min().filter(|_| !exact),
            exact,
            scales: networks.iter().map(|network| network.scale.clone()).collect(),
            error,
        }
    }

    /// Of a composed system.
    pub(crate) fn of(composed: &Composed) -> Self {
        let ranges = || composed.neurons.iter().filter_map(|neuron| neuron.range.ends());
        let integers = composed.ty == ScalarType::Int && !composed.neurons.is_empty();
        let lower = ranges().map(|(lower, _)| lower.clone()).reduce(Rational::min);
        let upper = ranges().map(|(_, upper)| upper.clone()).reduce(Rational::max);
        let bits = ranges().map(|(lower, upper)| bits(&(upper - lower))).sum();
        Self {
            variables: composed.neurons.len(),
            range: lower.zip(upper).filter(|_| integers),
            bits: integers.then_some(bits),
            phases: composed.locations.len(),
            ..Self::of_networks(&composed.networks)
        }
    }

    /// What the text says about the policy, in a sentence.
    #[must_use]
    pub fn describe(&self, target: Target) -> String {
        if self.networks == 0 {
            return "there is no policy: the text is the system alone".to_owned();
        }
        match (target, self.exact) {
            (Target::JaniReal, _) => "the neurons of the text are the network's, over the reals".to_owned(),
            (_, true) => "the text is faithful to the policy: no weight and no neuron was rounded".to_owned(),
            (_, false) => {
                let bits = self.precision.unwrap_or_default();
                format!(
                    "the text is another policy: weights and neurons are rounded to {bits} bits after the point, and a score may differ by up to {} from the \
                     network's; where the best leads by more than twice that, the choice is the policy's",
                    shown(&self.error)
                )
            }
        }
    }
}

/// Bits that hold the values from 0 to `span`.
fn bits(span: &Rational) -> u64 {
    let mut bits = 0;
    let mut power = Rational::ONE;
    while power <= *span {
        power = &power * &Rational::from(2);
        bits += 1;
    }
    bits
}

/// A bound in a few digits, rounded up.
fn shown(bound: &Rational) -> String {
    let near = bound.to_f64();
    // Three digits, then up by one in the last: more than the bound, whatever was rounded on the way.
    let scale = 10f64.powf(near.log10().floor() - 2.0);
    format!("{:.2e}", ((near / scale).floor() + 1.0) * scale)
}
