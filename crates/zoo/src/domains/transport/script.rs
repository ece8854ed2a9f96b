//! Policies for one truck that are written down: `single` carries one package at a time, `greedy` loads whatever lies in its
//! way.
//!
//! Two hidden layers of ReLU compute truth values exactly, because all quantities are integers:
//! `relu(x - c + 1)` is 1 where `x = c` is the largest value of `x`, and `relu(1 - a - b)` is 1 if and only if `a` and `b` are
//! 0 for natural numbers `a` and `b`. Scores rank the rules: unload at the last position, load what lies here, drive right with
//! something on the truck or something to fetch there, drive left to fetch what is behind.

use super::World;
use crate::ParameterError;
use crate::policy::{Attached, Interface, scripted};

/// The policy of a name; `None` for no policy.
///
/// # Errors
/// When there is more than one truck.
pub(super) fn script(world: &World, interface: &Interface, name: &str) -> Result<Option<Attached>, ParameterError> {
    let (single, comment) = match name {
        "single" => (true, "Carries one package at a time to the last position."),
        "greedy" => (false, "Loads whatever lies in its way, and unloads at the last position."),
        _ => return Ok(None),
    };
    if world.trucks != 1 {
        return Err(ParameterError::new(format!("policy={name} drives one truck, but trucks={}", world.trucks)));
    }
    Ok(Some(scripted(interface, comment, layers(world, single))))
}

/// Neurons of a layer: a bias, and weights of what it reads.
#[derive(Default)]
struct Neurons {
    rows: Vec<(f64, Vec<(usize, f64)>)>,
}

impl Neurons {
    /// Adds one and says which it is.
    fn push(&mut self, bias: f64, weights: &[(usize, f64)]) -> usize {
        self.rows.push((bias, weights.to_vec()));
        self.rows.len() - 1
    }

    fn layer(self, inputs: usize) -> (Vec<f64>, Vec<f64>) {
        let mut dense = vec![0.0; inputs * self.rows.len()];
        for (row, (_, weights)) in dense.chunks_mut(inputs).zip(&self.rows) {
            for (input, weight) in weights {
                row[*input] += weight;
            }
        }
        (dense, self.rows.into_iter().map(|(bias, _)| bias).collect())
    }
}

/// The inputs are the truck's position, the packages' and the load.
#[expect(clippy::cast_precision_loss, reason = "numbers of places and packages are exact")]
fn layers(world: &World, single: bool) -> Vec<(Vec<f64>, Vec<f64>)> {
    let packages = usize::try_from(world.packages).expect("a handful of packages");
    let length = world.length as f64;
    let (truck, load) = (0, packages + 1);
    let (mut first, mut second, mut last) = (Neurons::default(), Neurons::default(), Neurons::default());

    let at_end = first.push(2.0 - length, &[(truck, 1.0)]);
    let carried = first.push(0.0, &[(load, 1.0)]);
    let carried = (carried, second.push(0.0, &[(carried, 1.0)]));
    let mut rules = Vec::new();
    for package in 1..=packages {
        let behind = first.push(0.0, &[(truck, 1.0), (package, -1.0)]);
        let ahead = first.push(0.0, &[(truck, -1.0), (package, 1.0)]);
        let not_behind = first.push(1.0, &[(truck, -1.0), (package, 1.0)]);
        let not_ahead = first.push(1.0, &[(truck, 1.0), (package, -1.0)]);
        // Nothing is to be fetched from the last position or from the truck.
        let delivered = first.push(2.0 - length, &[(package, 1.0)]);
        let on_truck = first.push(1.0 - length, &[(package, 1.0)]);
        let unload = second.push(-1.0, &[(on_truck, 1.0), (at_end, 1.0)]);
        let mut here = vec![(behind, -1.0), (ahead, -1.0), (at_end, -1.0)];
        if single {
            here.push((carried.0, -1.0));
        }
        let here = second.push(1.0, &here);
        let right = second.push(1.0, &[(not_ahead, -1.0), (delivered, -1.0)]);
        let left = second.push(1.0, &[(not_behind, -1.0)]);
        rules.push((unload, here, left, right));
    }
    // Ranks are powers of a number that no sum of the rules below reaches.
    let base = (packages + 2) as f64;
    let weigh = |rank: i32| base.powi(rank);
    let left: Vec<(usize, f64)> = rules.iter().map(|rule| (rule.2, weigh(0))).collect();
    let right: Vec<(usize, f64)> = rules.iter().map(|rule| (rule.3, weigh(1))).chain([(carried.1, weigh(2))]).collect();
    last.push(0.0, &left);
    last.push(0.0, &right);
    rules.iter().for_each(|rule| _ = last.push(0.0, &[(rule.1, weigh(4))]));
    rules.iter().for_each(|rule| _ = last.push(0.0, &[(rule.0, weigh(5))]));
    let widths = [packages + 2, first.rows.len(), second.rows.len()];
    vec![first.layer(widths[0]), second.layer(widths[1]), last.layer(widths[2])]
}
