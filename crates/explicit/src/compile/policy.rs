//! Policies on machine integers: inputs as floats with a proved error, decisions exact.

use surefoot_linear::Linear;
use surefoot_model::interpret::EvalErrorKind;
use surefoot_model::policy::{Outputs, Policy, Ties, plaja_tolerance};
use surefoot_model::{EvalError, LabelId};
use surefoot_network::Evaluator;
use surefoot_num::{IBig, Rational, round};

use super::Terms;
use super::condition::Condition;
use super::value::sum;
use crate::number::number;

/// Integers up to this convert to `f64` without rounding.
const EXACT: u64 = 1 << 53;

/// One network input: `(sum of coefficient * slot + constant) / denominator`.
#[derive(Debug, Clone)]
enum Input {
    Slot(u32),
    Fraction {
        coefficients: Box<[(u32, i64)]>,
        constant: i64,
        denominator: i64,
    },
    /// Numbers beyond machine integers.
    Exact,
}

#[derive(Debug)]
struct CompiledNetwork {
    when: Option<Condition>,
    inputs: Box<[Input]>,
    forms: Vec<Linear>,
    evaluator: Evaluator,
}

/// A compiled policy over action labels.
#[derive(Debug)]
pub(super) struct CompiledPolicy {
    networks: Vec<CompiledNetwork>,
    /// Output position per label of the model.
    output_of_label: Vec<Option<u32>>,
    labels: Vec<LabelId>,
    pub(super) filter: bool,
    ties: Ties,
    tolerance: Rational,
}

/// A worker's own state for evaluating a policy.
#[derive(Debug, Clone)]
pub(super) struct PolicyScratch {
    evaluators: Vec<Evaluator>,
    inputs: Vec<f64>,
    /// Per output: whether its label may be chosen (under the filter) and whether it is.
    pub(super) applicable: Vec<bool>,
    pub(super) chosen: Vec<bool>,
}

impl PolicyScratch {
    pub(super) fn exact_evaluations(&self) -> u64 {
        self.evaluators.iter().map(|e| e.statistics().exact).sum()
    }
}

impl CompiledPolicy {
    /// Compiles a policy that chooses labels; regression policies have no choices to make.
    pub(super) fn compile(terms: &mut Terms<'_>, policy: &Policy) -> Option<Self> {
        let Outputs::Labels(labels) = &policy.outputs else { return None };
        let mut output_of_label = vec![None; terms.model.labels.len()];
        for (output, label) in labels.iter().enumerate() {
            output_of_label[label.0 as usize] = Some(number(output));
        }
        let networks = policy
            .networks
            .iter()
            .map(|network| CompiledNetwork {
                when: network.when.map(|when| Condition::compile(terms, when, 0)),
                inputs: network.inputs.iter().map(|form| input(form).unwrap_or(Input::Exact)).collect(),
                forms: network.inputs.clone(),
                evaluator: Evaluator::new(&network.network),
            })
            .collect();
        Some(Self {
            networks,
            output_of_label,
            labels: labels.clone(),
            filter: policy.filter,
            ties: policy.ties,
            tolerance: plaja_tolerance(),
        })
    }

    pub(super) fn scratch(&self) -> PolicyScratch {
        PolicyScratch {
            evaluators: self.networks.iter().map(|n| n.evaluator.clone()).collect(),
            inputs: Vec::new(),
            applicable: vec![false; self.labels.len()],
            chosen: vec![false; self.labels.len()],
        }
    }

    /// The output of a label; `None` for moves of the environment.
    #[inline]
    pub(super) fn output_of(&self, label: Option<LabelId>) -> Option<usize> {
        label.and_then(|l| self.output_of_label[l.0 as usize]).map(|o| o as usize)
    }

    /// Decides which outputs are chosen, into `scratch.chosen`; under the filter among `scratch.applicable`.
    /// `Ok(false)` when no network is for this state.
    pub(super) fn decide(
        &self,
        terms: &Terms<'_>,
        values: &[i64],
        scratch: &mut PolicyScratch,
    ) -> Result<bool, EvalError> {
        let mut asked = None;
        for (i, network) in self.networks.iter().enumerate() {
            if network.when.as_ref().map_or(Ok(true), |when| when.eval(terms, values))? {
                asked = Some(i);
                break;
            }
        }
        let Some(asked) = asked else { return Ok(false) };
        let network = &self.networks[asked];
        let error = fill_inputs(&network.inputs, &network.forms, values, &mut scratch.inputs);
        let exact_inputs = || -> Vec<Rational> {
            network.forms.iter().map(|form| form.eval(|slot| Rational::from(values[slot.index()]))).collect()
        };
        let (filter, applicable) = (self.filter, &scratch.applicable);
        let allowed = |output: usize| !filter || applicable[output];
        scratch.chosen.fill(false);
        let undecided = |undecided| EvalError { kind: EvalErrorKind::Undecided(undecided), span: None };
        let evaluator = &mut scratch.evaluators[asked];
        match self.ties {
            Ties::First => {
                let chosen = evaluator.argmax(&scratch.inputs, error, allowed, exact_inputs).map_err(undecided)?;
                if let Some(output) = chosen {
                    scratch.chosen[output] = true;
                }
            }
            Ties::Any => {
                let chosen = evaluator.all_argmax(&scratch.inputs, error, allowed, exact_inputs);
                for output in chosen.map_err(undecided)? {
                    scratch.chosen[output] = true;
                }
            }
            Ties::Plaja => {
                let chosen = evaluator.within(&scratch.inputs, error, allowed, &self.tolerance, exact_inputs);
                for output in chosen.map_err(undecided)? {
                    scratch.chosen[output] = true;
                }
            }
        }
        Ok(true)
    }
}

/// A linear form over a common denominator, when everything fits machine integers.
fn input(form: &Linear) -> Option<Input> {
    if let Some(slot) = form.as_symbol() {
        return Some(Input::Slot(slot.0));
    }
    let (numerators, denominator) = form.over_integers();
    let coefficients: Option<Box<[(u32, i64)]>> =
        numerators.terms().iter().map(|(slot, a)| Some((slot.0, a.to_i64()?))).collect();
    let denominator = Rational::from(IBig::from(denominator)).to_i64().filter(|d| d.unsigned_abs() <= EXACT)?;
    Some(Input::Fraction { coefficients: coefficients?, constant: numerators.constant().to_i64()?, denominator })
}

/// Fills the inputs and returns a bound on their distance from the exact ones.
///
/// Soundness: an integer up to 2^53 converts exactly, and the quotient of two such is correctly rounded, so it is off by at
/// most one unit roundoff of its own size (`next_up` covers that product's rounding, and the smallest positive float covers underflow).
/// Everything else goes through the nearest float of the exact rational, whose error has the same bound.
#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53, and otherwise its error is counted")]
fn fill_inputs(inputs: &[Input], forms: &[Linear], values: &[i64], out: &mut Vec<f64>) -> f64 {
    out.clear();
    let mut error = 0.0f64;
    let mut rounded = |value: f64| {
        let bound = (value.abs() * round::UNIT_ROUNDOFF).next_up().max(f64::from_bits(1));
        error = error.max(bound * 2.0);
        value
    };
    for (input, form) in inputs.iter().zip(forms) {
        let value = match input {
            Input::Slot(slot) => {
                let value = values[*slot as usize];
                if value.unsigned_abs() <= EXACT { value as f64 } else { rounded(value as f64) }
            }
            Input::Fraction { coefficients, constant, denominator } => match sum(coefficients, *constant, values) {
                Some(numerator) if numerator.unsigned_abs() <= EXACT => {
                    if *denominator == 1 {
                        numerator as f64
                    } else {
                        rounded(numerator as f64 / *denominator as f64)
                    }
                }
                _ => rounded(exact_input(form, values)),
            },
            Input::Exact => rounded(exact_input(form, values)),
        };
        out.push(value);
    }
    error
}

fn exact_input(form: &Linear, values: &[i64]) -> f64 {
    form.eval(|slot| Rational::from(values[slot.index()])).to_f64()
}
