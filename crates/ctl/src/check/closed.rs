//! Formulas without bounds, where finitely many states are reachable from a piece.
//!
//! All states that are reachable on the piece are listed, which ends if they close, that is, if all successors are images that
//! are listed already. Then every node is evaluated in all of them, fixpoints by iteration (Clarke and Emerson). In general
//! nothing need close, and reachability is undecidable (Theorem 1 of the paper): there is a limit on states.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::explore::image::Shared;
use crate::explore::{Cell, Trouble};
use crate::formula::Quantifier;
use crate::formula::unfold::{Node, NodeId};
use crate::region::Truth;

/// All states that are reachable on a piece.
#[derive(Debug, Default)]
pub struct Closure {
    /// The states, the first one first.
    pub states: Vec<Shared>,
    /// Successors by number; a state without any is its own.
    pub successors: Vec<Vec<usize>>,
}

/// Roughly what a closure takes per state, with the table of numbers and what fixpoints need.
const BYTES_PER_STATE: usize = 200;

/// The states do not close within the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotClosed(pub usize);

impl Cell<'_, '_, '_> {
    /// The truth of a node in a state; or that the states do not close.
    ///
    /// # Errors
    /// Errors of the model, limits; never [`Trouble::Open`].
    pub fn evaluate_closed(&mut self, node: NodeId, state: &Shared) -> Result<Result<Truth, NotClosed>, Trouble> {
        let closure = match self.closure(state) {
            Ok(Ok(closure)) => closure,
            Ok(Err(open)) => return Ok(Err(open)),
            Err(Trouble::Open(cut)) => return Ok(Ok(Truth::Open(cut))),
            Err(trouble) => return Err(trouble),
        };
        match self.truths(node, &closure) {
            Ok(truths) => Ok(Ok(Truth::from(truths[node.index()][0]))),
            Err(Trouble::Open(cut)) => Ok(Ok(Truth::Open(cut))),
            Err(trouble) => Err(trouble),
        }
    }

    /// All reachable states.
    ///
    /// # Errors
    /// [`Trouble`], a cut among it.
    pub fn closure(&mut self, state: &Shared) -> Result<Result<Closure, NotClosed>, Trouble> {
        let mut closure = Closure { states: vec![Arc::clone(state)], successors: Vec::new() };
        let mut numbers: FxHashMap<Shared, usize> = FxHashMap::from_iter([(Arc::clone(state), 0)]);
        while closure.successors.len() < closure.states.len() {
            let number = closure.successors.len();
            self.check_limits(closure.states.len() * BYTES_PER_STATE)?;
            let successors = self.successors(&Arc::clone(&closure.states[number]))?;
            let mut targets = Vec::with_capacity(successors.steps.len().max(1));
            for step in &successors.steps {
                let target = *numbers.entry(Arc::clone(&step.target)).or_insert_with(|| {
                    closure.states.push(Arc::clone(&step.target));
                    closure.states.len() - 1
                });
                targets.push(target);
            }
            if targets.is_empty() {
                targets.push(number);
            }
            closure.successors.push(targets);
            if closure.states.len() > self.engine.most_states {
                return Ok(Err(NotClosed(self.engine.most_states)));
            }
        }
        Ok(Ok(closure))
    }

    /// The truths of all nodes up to one, in all states of a closure.
    ///
    /// # Errors
    /// [`Trouble`], a cut among it.
    pub fn truths(&mut self, last: NodeId, closure: &Closure) -> Result<Vec<Vec<bool>>, Trouble> {
        let formula = self.engine.formula;
        let states = closure.states.len();
        let mut truths: Vec<Vec<bool>> = Vec::with_capacity(last.index() + 1);
        for node in &formula.nodes()[..=last.index()] {
            let working = states * (BYTES_PER_STATE + truths.len() + 1);
            self.check_limits(working)?;
            let all = |test: &dyn Fn(usize) -> bool| (0..states).map(test).collect::<Vec<bool>>();
            let row = match node {
                Node::State(number) => {
                    let condition = &formula.conditions()[*number as usize];
                    let mut row = Vec::with_capacity(states);
                    for state in &closure.states {
                        self.decider.check_limits()?;
                        row.push(self.condition(condition, state)?);
                    }
                    row
                }
                Node::All(parts) => all(&|s| parts.iter().all(|part| truths[part.index()][s])),
                Node::Any(parts) => all(&|s| parts.iter().any(|part| truths[part.index()][s])),
                Node::Next(quantifier, part) => all(&|s| closure.next(*quantifier, &truths[part.index()], s)),
                Node::Until(quantifier, f, g) => closure.until(*quantifier, &truths[f.index()], &truths[g.index()]),
                Node::Release(quantifier, f, g) => {
                    // The dual: what is not kept up is until, negated all the way.
                    let not = |row: &[bool]| row.iter().map(|value| !value).collect::<Vec<bool>>();
                    not(&closure.until(quantifier.dual(), &not(&truths[f.index()]), &not(&truths[g.index()])))
                }
            };
            truths.push(row);
        }
        Ok(truths)
    }
}

impl Closure {
    fn next(&self, quantifier: Quantifier, values: &[bool], state: usize) -> bool {
        match quantifier {
            Quantifier::All => self.successors[state].iter().all(|s| values[*s]),
            Quantifier::Some => self.successors[state].iter().any(|s| values[*s]),
        }
    }

    /// The least solution of `x = g | (f & QX x)`: backwards from where `g` holds, counting for `A` the successors left.
    fn until(&self, quantifier: Quantifier, f: &[bool], g: &[bool]) -> Vec<bool> {
        let mut holds = g.to_vec();
        let predecessors = self.predecessors();
        let mut left: Vec<usize> = self.successors.iter().map(Vec::len).collect();
        let mut work: Vec<usize> = (0..g.len()).filter(|s| g[*s]).collect();
        while let Some(state) = work.pop() {
            for before in &predecessors[state] {
                left[*before] -= 1;
                let next = quantifier == Quantifier::Some || left[*before] == 0;
                if next && f[*before] && !holds[*before] {
                    holds[*before] = true;
                    work.push(*before);
                }
            }
        }
        holds
    }

    fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (state, successors) in self.successors.iter().enumerate() {
            for successor in successors {
                predecessors[*successor].push(state);
            }
        }
        predecessors
    }

    /// Per state, in how many steps a state of `g` can be reached through states of `f`: breadth first, backwards.
    pub(super) fn distances(&self, f: &[bool], g: &[bool]) -> Vec<usize> {
        let mut distances: Vec<usize> = g.iter().map(|end| if *end { 0 } else { usize::MAX }).collect();
        let predecessors = self.predecessors();
        let mut work: VecDeque<usize> = (0..g.len()).filter(|state| g[*state]).collect();
        while let Some(state) = work.pop_front() {
            for before in &predecessors[state] {
                if f[*before] && distances[*before] == usize::MAX {
                    distances[*before] = distances[state] + 1;
                    work.push_back(*before);
                }
            }
        }
        distances
    }
}
