//! What the policy does not choose in a node: by rows over a box, by exact evaluation at constant inputs, by a row and known formulas.

use std::sync::Arc;

use surefoot_certificate::token::Multiple;
use surefoot_linear::Linear;
use surefoot_model::policy::{Policy, Ties};
use surefoot_network::Undecided;
use surefoot_num::Rational;

use crate::enclosure::Enclosure;
use crate::network::prepared::EXACT;
use crate::network::rows::Bounding;
use crate::network::{Row, Slopes};
use crate::node::{Node, Rows};
use crate::operator::Op;
use crate::rules::{Rules, Workspace};
use crate::values::Values;

impl<'p> Rules<'p> {
    /// The outputs that the node's rows exclude.
    pub(crate) fn excluded(&self, node: &Node, all: &[Op<'p>], ws: &Workspace) -> Vec<usize> {
        let Some(rows) = &node.rows else { return Vec::new() };
        if !self.counts(node, all, rows.reference) {
            return Vec::new();
        }
        let below = |(output, row): (usize, &Option<Row>)| {
            let row = row.as_ref()?;
            let most = row.maximum(&rows.folded.slots, &node.bounds);
            let decided = if ws.margin > 0.0 {
                most < -ws.margin * row.size
            } else {
                most < 0.0 || (most <= 0.0 && self.yields(output, rows.reference))
            };
            decided.then_some(output)
        };
        rows.rows.iter().enumerate().filter_map(below).collect()
    }

    /// Whether an output that is as large as another is not chosen because of it.
    fn yields(&self, output: usize, to: usize) -> bool {
        to < output && self.asked.policy.is_some_and(|policy| policy.ties == Ties::First)
    }

    /// Whether an output is among those that the policy chooses from, in all of the node.
    fn counts(&self, node: &Node, all: &[Op<'p>], output: usize) -> bool {
        self.asked.policy.is_some_and(|policy| !policy.filter)
            || self.applicable(&self.values(node), all, output) == Some(true)
    }

    /// Whether the label of an output is applicable in the node; `None` where that is not decided.
    fn applicable(&self, values: &Values<'_>, all: &[Op<'p>], output: usize) -> Option<bool> {
        let mut open = false;
        for op in all.iter().filter(|op| op.output == Some(output)) {
            let mut enabled = Some(true);
            for guard in &op.guards {
                let guard = values.truth(*guard);
                if guard.error {
                    return None;
                }
                match guard.value {
                    Some(true) => {}
                    Some(false) => {
                        enabled = Some(false);
                        break;
                    }
                    None => enabled = None,
                }
            }
            match enabled {
                Some(true) => return Some(true),
                Some(false) => {}
                None => open = true,
            }
        }
        if open { None } else { Some(false) }
    }

    /// Step `b`: rows of all outputs that are pending, relative to one.
    ///
    /// # Errors
    /// Where there is no network to bound, or no such output.
    pub fn bound(&self, node: &mut Node, output: u32, slopes: &Slopes, ws: &mut Workspace) -> Result<(), String> {
        let reference = output as usize;
        if reference >= self.outputs() {
            return Err(format!("the policy has no output {output}"));
        }
        let Some(network) = node.network else {
            return if node.operators.is_empty() {
                Ok(())
            } else {
                Err("it is not decided which network is asked".to_owned())
            };
        };
        let prepared = self.networks[network].as_ref().map_err(Clone::clone)?;
        let folded = node.root.folded(network, prepared)?;
        let all = self.operators_at(node);
        let governed = |pending: &crate::node::Pending| all[pending.index as usize].output;
        let found = ws.bounded.bound(prepared, &folded, &node.bounds, &node.phases, slopes);
        match found {
            Bounding::Bounded => {
                let mut rows: Vec<Option<Row>> = vec![None; prepared.outputs()];
                for output in node.operators.iter().filter_map(governed).filter(|output| *output != reference) {
                    if rows[output].is_none() {
                        let key = (output_number(output), output_number(reference));
                        let score = ws.scores[network].entry(key).or_insert_with(|| prepared.score(output, reference));
                        rows[output] = Some(ws.bounded.row(prepared, &folded, score));
                    }
                }
                node.rows = Some(Arc::new(Rows { reference, rows, folded }));
                self.settle(node, ws);
            }
            // Soundness: no state of the node has all phases that are known.
            Bounding::Empty => node.operators.retain(|pending| !(pending.defined && governed(pending).is_some())),
            Bounding::Unbounded => {}
        }
        Ok(())
    }

    /// Step `e`: the exact choice, where all inputs are constant.
    ///
    /// # Errors
    /// Where they are not, or it is not decided what the policy chooses from.
    pub fn evaluate(&self, node: &mut Node, ws: &mut Workspace) -> Result<(), String> {
        let (Some(policy), Some(network)) = (self.asked.policy, node.network) else {
            return if node.operators.is_empty() {
                Ok(())
            } else {
                Err("it is not decided which network is asked".to_owned())
            };
        };
        let all = self.operators_at(node);
        let chosen = self.chosen(policy, network, node, all, ws)?;
        node.operators.retain(|pending| {
            let output = all[pending.index as usize].output;
            !(pending.defined && output.is_some_and(|output| !chosen.contains(&output)))
        });
        Ok(())
    }

    /// The outputs that are chosen, where all inputs are constant.
    fn chosen(
        &self,
        policy: &Policy,
        network: usize,
        node: &Node,
        all: &[Op<'p>],
        ws: &mut Workspace,
    ) -> Result<Vec<usize>, String> {
        let fixed = |form: &Linear| {
            form.terms().iter().all(|(slot, _)| node.bounds[slot.index()].0 == node.bounds[slot.index()].1)
        };
        let forms = &policy.networks[network].inputs;
        if !forms.iter().all(fixed) {
            return Err("the inputs of the network are not constant".to_owned());
        }
        let mut allowed = vec![true; self.outputs()];
        if policy.filter {
            let values = self.values(node);
            for (output, allowed) in allowed.iter_mut().enumerate() {
                *allowed = self
                    .applicable(&values, all, output)
                    .ok_or_else(|| format!("it is not decided whether the label of output {output} is applicable"))?;
            }
        }
        let point: Vec<i64> = node.bounds.iter().map(|(lower, _)| *lower).collect();
        chosen_at(policy, network, &point, &allowed, ws).map_err(|undecided| undecided.to_string())
    }

    /// The output that the policy chooses at a point of a node, of those that it may choose in all of the node. Of a question about a network: of those
    /// that are not asked about.
    #[must_use]
    pub fn preferred(&self, node: &Node, point: &[i64], ws: &mut Workspace) -> Option<usize> {
        let (policy, network) = (self.asked.policy?, node.network?);
        let all = self.operators_at(node);
        let mut allowed = vec![true; self.outputs()];
        if node.question {
            let asked = node.operators.iter().filter_map(|pending| all[pending.index as usize].output);
            asked.for_each(|output| allowed[output] = false);
        }
        if policy.filter {
            let values = self.values(node);
            for (output, allowed) in allowed.iter_mut().enumerate() {
                *allowed = self.applicable(&values, all, output) == Some(true);
            }
        }
        chosen_at(policy, network, point, &allowed, ws).ok()?.first().copied()
    }

    /// The sum of known formulas times numbers.
    fn sum(node: &Node, sum: &[Multiple], ws: &Workspace) -> Result<Enclosure, String> {
        let mut total = Enclosure::constant(Rational::ZERO);
        for (formula, factor) in sum {
            if !node.knows(*formula, ws) {
                return Err(format!("formula {formula} is not known here"));
            }
            let atom = ws.formulas.atom(*formula)?;
            total = total.plus_scaled(&Enclosure::constant(atom.constant.into()), factor);
            for (slot, a) in &atom.terms {
                let slot = Enclosure::symbol(surefoot_linear::Symbol(*slot));
                total = total.plus_scaled(&slot, &(factor * &Rational::from(*a)));
            }
        }
        Ok(total)
    }

    /// Leaf `f`: a sum of known formulas is negative all over the box.
    ///
    /// # Errors
    /// Where it is not.
    pub fn refute(&self, node: &mut Node, sum: &[Multiple], ws: &Workspace) -> Result<(), String> {
        let total = Self::sum(node, sum, ws)?;
        // Soundness: all that is summed up is at least zero in every state of the node, and the factors are positive.
        let (_, most) = self.values(node).range(&total);
        if sum.is_empty() || most.signum() >= 0 {
            return Err(format!("the sum of the formulas is at most {most}, which is not negative"));
        }
        node.covered = None;
        node.target = false;
        node.operators.clear();
        Ok(())
    }

    /// Step `g`: the row of an output and known formulas add up to something negative all over the box.
    ///
    /// # Errors
    /// Where they do not.
    pub fn exclude(&self, node: &mut Node, output: u32, sum: &[Multiple], ws: &Workspace) -> Result<(), String> {
        let output = output as usize;
        let all = self.operators_at(node);
        let Some(rows) = node.rows.clone() else { return Err("there are no bounds here".to_owned()) };
        let Some(row) = rows.rows.get(output).and_then(Option::as_ref) else { return Ok(()) };
        if !self.counts(node, all, rows.reference) {
            return Err("the output that bounds are relative to may be one that is not applicable".to_owned());
        }
        let exact = |value: f64| Rational::from_f64(value).ok_or_else(|| "a row is not finite".to_owned());
        let mut total = Self::sum(node, sum, ws)?;
        total = total.plus_scaled(&Enclosure::constant(&exact(row.constant)? + &exact(row.slack)?), &Rational::ONE);
        for (a, slot) in row.coefficients.iter().zip(&rows.folded.slots) {
            total = total.plus_scaled(&Enclosure::symbol(surefoot_linear::Symbol(*slot)), &exact(*a)?);
        }
        let (_, most) = self.values(node).range(&total);
        if most.signum() < 0 || (most.is_zero() && self.yields(output, rows.reference)) {
            node.operators.retain(|p| !(p.defined && all[p.index as usize].output == Some(output)));
            return Ok(());
        }
        Err(format!(
            "the row of output {output} and the formulas add up to at most {}, which is not negative",
            most.to_f64()
        ))
    }
}

/// The outputs that are chosen at a point, of those that are allowed.
fn chosen_at(
    policy: &Policy,
    network: usize,
    point: &[i64],
    allowed: &[bool],
    ws: &mut Workspace,
) -> Result<Vec<usize>, Undecided> {
    let forms = &policy.networks[network].inputs;
    let exact = |form: &Linear| form.eval(|slot| Rational::from(point[slot.index()]));
    let near = |form: &Linear| match form.as_symbol().map(|slot| point[slot.index()]) {
        #[expect(clippy::cast_precision_loss, reason = "at most 2^51")]
        Some(value) if value.abs() <= EXACT => (value as f64, 0.0),
        _ => exact(form).to_f64_within(),
    };
    let (floats, distances): (Vec<f64>, Vec<f64>) = forms.iter().map(near).unzip();
    let error = distances.into_iter().fold(0.0f64, f64::max);
    let inputs = || forms.iter().map(exact).collect();
    let evaluator = &mut ws.evaluators[network];
    match policy.ties {
        Ties::First => {
            let first = evaluator.argmax(&floats, error, |output| allowed[output], inputs)?;
            Ok(first.into_iter().collect())
        }
        Ties::Any | Ties::Plaja => evaluator.all_argmax(&floats, error, |output| allowed[output], inputs),
    }
}

fn output_number(output: usize) -> u32 {
    u32::try_from(output).expect("a network has fewer than 2^32 outputs")
}
