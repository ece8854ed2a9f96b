//! What a single run shows about a formula.
//!
//! A run is a finite sequence of states, each a successor of the one before. Where its last state was on it before, it goes round from
//! there for ever; where that has no successors it stays. Everything goes through the reference interpreter.
//!
//! A node of a formula is *shown* at a position of the run when the run proves that it holds in the state there: conditions by
//! evaluation; `EX f` by the next position; `AX f` by the next position where its state is the only successor; until as the least, release as the
//! greatest solution of their equations along the run. By induction what is shown is true. So a run refutes every formula
//! whose negation speaks of some path (`AG`, `AF`, `A[f U g]` and combinations of these that one path decides), and others where nothing else can happen
//! on the way. What depends on several paths no single run can show: that is [`RunShows::Neither`].

use surefoot_linear::Formula;
use surefoot_model::State;

use super::reference::Reference;
use crate::formula::unfold::{Node, NodeId, TooLarge, Unfolded};
use crate::formula::{Ctl, Quantifier};
use crate::system::System;

/// What a run says about a formula in its first state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunShows {
    /// The formula does not hold.
    Fails,
    /// It does hold.
    Holds,
    /// Neither is shown.
    Neither {
        /// Whether that it fails may depend on several paths; otherwise another run might show it, and this one does not.
        several_paths: bool,
    },
}

/// What a run shows about a formula. That the states are those of a run is for the caller to know.
///
/// # Errors
/// Where the formula is too large.
pub fn run_shows(system: &System<'_>, formula: &Ctl, states: &[State]) -> Result<RunShows, TooLarge> {
    let mut unfolded = Unfolded::new(formula)?;
    let negation = unfolded.add(&formula.clone().negated())?;
    let run = Run::new(system, &unfolded, states);
    Ok(if run.shown[negation.index()][0] {
        RunShows::Fails
    } else if run.shown[unfolded.root().index()][0] {
        RunShows::Holds
    } else {
        RunShows::Neither { several_paths: reads_all_paths(&unfolded, negation) }
    })
}

/// Whether a node or one below it speaks of all successors.
fn reads_all_paths(formula: &Unfolded, node: NodeId) -> bool {
    let mut seen = vec![false; formula.nodes().len()];
    let mut work = vec![node];
    while let Some(node) = work.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        match formula.node(node) {
            Node::State(_) => {}
            Node::All(parts) | Node::Any(parts) => work.extend(parts),
            Node::Next(Quantifier::All, _) | Node::Until(Quantifier::All, ..) | Node::Release(Quantifier::All, ..) => {
                return true;
            }
            Node::Next(Quantifier::Some, part) => work.push(*part),
            Node::Until(Quantifier::Some, f, g) | Node::Release(Quantifier::Some, f, g) => work.extend([f, g]),
        }
    }
    false
}

/// A run, and what it shows.
struct Run {
    /// Per node and position, whether it is shown.
    shown: Vec<Vec<bool>>,
}

impl Run {
    fn new(system: &System<'_>, formula: &Unfolded, states: &[State]) -> Self {
        let reference = Reference::new(system);
        let last = states.len().saturating_sub(1);
        // The position after each, and whether its state is the only successor.
        let mut after: Vec<Option<usize>> = (1..states.len()).map(Some).collect();
        let mut only = Vec::with_capacity(states.len());
        for (position, state) in states.iter().enumerate() {
            // Where the model is in error nothing is known of what else can happen, and nothing rests on it.
            let successors = reference.successors(state).ok();
            if position == last {
                after.push(match states[..last].iter().position(|earlier| earlier == state) {
                    Some(earlier) => Some(earlier + 1),
                    // Its own successor.
                    None if successors.as_ref().is_some_and(Vec::is_empty) => Some(last),
                    None => None,
                });
            }
            only.push(successors.is_some_and(|successors| successors.len() <= 1));
        }
        let mut shown: Vec<Vec<bool>> = Vec::with_capacity(formula.nodes().len());
        for node in formula.nodes() {
            let next = |quantifier: Quantifier, row: &[bool], position: usize| {
                let single = quantifier == Quantifier::Some || only[position];
                single && after[position].is_some_and(|next| row[next])
            };
            let all = |test: &dyn Fn(usize) -> bool| (0..states.len()).map(test).collect::<Vec<bool>>();
            // The solution reached from `first`; going backwards twice around settles a cycle, and more rounds change nothing.
            let iterate = |first: bool, step: &dyn Fn(&[bool], usize) -> bool| {
                let mut row = vec![first; states.len()];
                loop {
                    let mut changed = false;
                    for position in (0..states.len()).rev() {
                        if row[position] == first && step(&row, position) != first {
                            row[position] = !first;
                            changed = true;
                        }
                    }
                    if !changed {
                        return row;
                    }
                }
            };
            let row = match node {
                Node::State(number) => {
                    let condition = &formula.conditions()[*number as usize];
                    // A condition without value shows nothing, neither it nor its negation.
                    let value = |formula: &Formula, i: usize| reference.holds(formula, &states[i]).unwrap_or(false);
                    all(&|i| value(&condition.defined, i) && value(&condition.holds, i))
                }
                Node::All(parts) => all(&|i| parts.iter().all(|part| shown[part.index()][i])),
                Node::Any(parts) => all(&|i| parts.iter().any(|part| shown[part.index()][i])),
                Node::Next(quantifier, part) => all(&|i| next(*quantifier, &shown[part.index()], i)),
                Node::Until(quantifier, f, g) => {
                    let (f, g) = (&shown[f.index()], &shown[g.index()]);
                    iterate(false, &|row, i| g[i] || (f[i] && next(*quantifier, row, i)))
                }
                Node::Release(quantifier, f, g) => {
                    let (f, g) = (&shown[f.index()], &shown[g.index()]);
                    iterate(true, &|row, i| g[i] && (f[i] || next(*quantifier, row, i)))
                }
            };
            shown.push(row);
        }
        Self { shown }
    }
}
