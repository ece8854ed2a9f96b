//! All states that the interpreter reaches, listed, and every node of a formula decided in each of them by iteration: slow, and as near
//! to the definition as it gets.

use rustc_hash::FxHashMap;
use surefoot_model::State;
use surefoot_num::Rational;

use super::confirm::Unconfirmed;
use super::reference::Reference;
use super::search::Options;
use crate::formula::Quantifier;
use crate::formula::unfold::{Node, NodeId, Unfolded};

/// All states that the interpreter reaches, and the truths of nodes in them.
pub(super) struct Listing {
    numbers: FxHashMap<State, usize>,
    truths: Vec<Vec<bool>>,
}

impl Listing {
    /// The truth of a node in a state; none where the state is not reached.
    pub(super) fn truth(&self, node: NodeId, state: &State) -> Option<bool> {
        self.numbers.get(state).map(|number| self.truths[node.index()][*number])
    }

    pub(super) fn new(
        reference: &Reference<'_, '_>,
        formula: &Unfolded,
        last: NodeId,
        start: &State,
        options: &Options,
    ) -> Result<Self, Unconfirmed> {
        let limits = &options.limits;
        let in_time = || limits.stop_now().map_or(Ok(()), |limit| Err(Unconfirmed::Stopped(limit)));
        // A state is held twice, with its number, successors and predecessors.
        let each = 2 * start.0.len() * size_of::<Rational>() + 200;
        let mut states = vec![start.clone()];
        let mut numbers: FxHashMap<State, usize> = FxHashMap::from_iter([(start.clone(), 0)]);
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while successors.len() < states.len() {
            in_time()?;
            let number = successors.len();
            let mut targets = Vec::new();
            for target in reference.successors(&states[number])? {
                targets.push(*numbers.entry(target.clone()).or_insert_with(|| {
                    states.push(target);
                    states.len() - 1
                }));
            }
            successors.push(if targets.is_empty() { vec![number] } else { targets });
            if states.len() > options.most_states {
                return Err(Unconfirmed::TooMany(options.most_states));
            }
            let bytes = states.len() * (each + last.index() + 1);
            limits.exceeded(bytes).map_or(Ok(()), |limit| Err(Unconfirmed::Stopped(limit)))?;
        }
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
        for (state, targets) in successors.iter().enumerate() {
            targets.iter().for_each(|target| predecessors[*target].push(state));
        }
        let mut truths: Vec<Vec<bool>> = Vec::new();
        for node in &formula.nodes()[..=last.index()] {
            in_time()?;
            let next = |quantifier: Quantifier, row: &[bool], s: usize| match quantifier {
                Quantifier::All => successors[s].iter().all(|t| row[*t]),
                Quantifier::Some => successors[s].iter().any(|t| row[*t]),
            };
            // The solution reached from `first`: every state is looked at, and again when one of its successors changed.
            let iterate = |first: bool, step: &dyn Fn(&[bool], usize) -> bool| {
                let mut row = vec![first; states.len()];
                let mut work: Vec<usize> = (0..states.len()).collect();
                while let Some(state) = work.pop() {
                    if row[state] == first && step(&row, state) != first {
                        row[state] = !first;
                        work.extend(&predecessors[state]);
                    }
                }
                row
            };
            let all = |test: &dyn Fn(usize) -> bool| (0..states.len()).map(test).collect::<Vec<bool>>();
            truths.push(match node {
                Node::State(number) => {
                    let condition = &formula.conditions()[*number as usize].holds;
                    let mut row = Vec::with_capacity(states.len());
                    for state in &states {
                        in_time()?;
                        row.push(reference.holds(condition, state)?);
                    }
                    row
                }
                Node::All(parts) => all(&|s| parts.iter().all(|part| truths[part.index()][s])),
                Node::Any(parts) => all(&|s| parts.iter().any(|part| truths[part.index()][s])),
                Node::Next(quantifier, part) => all(&|s| next(*quantifier, &truths[part.index()], s)),
                Node::Until(quantifier, f, g) => {
                    let (f, g) = (&truths[f.index()], &truths[g.index()]);
                    iterate(false, &|row, s| g[s] || (f[s] && next(*quantifier, row, s)))
                }
                Node::Release(quantifier, f, g) => {
                    let (f, g) = (&truths[f.index()], &truths[g.index()]);
                    iterate(true, &|row, s| g[s] && (f[s] || next(*quantifier, row, s)))
                }
            });
        }
        Ok(Self { numbers, truths })
    }
}
