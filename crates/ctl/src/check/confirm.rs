//! Is the evidence real? Everything goes through the reference interpreter and exact evaluation, nothing through pieces or
//! images.
//!
//! Evidence is confirmed node by node: every step is an outcome of an operator that the policy permits, or the state has no
//! successors and is its own; where all successors are claimed, all are there; and every claim follows from conditions that hold
//! in the state and from claims of the nodes after it. The graph has no cycles, so by induction from its ends all claims
//! are true.
//!
//! What evidence leaves unshown (release without a bound) is confirmed by listing all states that the interpreter reaches and
//! iterating, which is slow.

use rustc_hash::FxHashMap;
use surefoot_model::{Interpreter, ModelError, State};
use surefoot_num::Rational;
use surefoot_symbolic::Formula;

use super::evidence::{Evidence, EvidenceNode};
use crate::formula::Quantifier;
use crate::formula::unfold::{Node, NodeId, Unfolded};
use crate::system::System;

/// More states are not listed.
const MOST_STATES: usize = 200_000;

/// Confirms evidence for a claim in a start state.
///
/// # Errors
/// What is wrong with it.
pub fn confirm(
    system: &System<'_>,
    formula: &Unfolded,
    claim: NodeId,
    start: &State,
    evidence: &Evidence,
) -> Result<(), String> {
    let reference = Reference::new(system);
    let first = evidence.nodes.first().ok_or("there is no evidence")?;
    if first.state != *start || first.claims != [claim] {
        return Err("the evidence is about something else".to_owned());
    }
    if !reference.is_start(start)? {
        return Err("the first state is not in the start set".to_owned());
    }
    if has_cycle(evidence) {
        return Err("the evidence goes round in circles".to_owned());
    }
    for (i, node) in evidence.nodes.iter().enumerate() {
        let at = |reason: String| format!("node {i}, {}: {reason}", node.state.describe(system.model()));
        // What is not left is not looked at any further.
        let successors =
            if node.steps.is_empty() { Vec::new() } else { reference.successors(&node.state).map_err(at)? };
        for step in &node.steps {
            let target = &evidence.nodes[step.target].state;
            if step.by.is_none() != successors.is_empty() {
                return Err(at("whether the state has successors is not as the evidence says".to_owned()));
            }
            let fits = match &step.by {
                None => *target == node.state,
                Some((operator, destinations)) => {
                    reference.leads(&node.state, operator, destinations, target).map_err(at)?
                }
            };
            if !fits {
                return Err(at("a step cannot be taken".to_owned()));
            }
        }
        let targets: Vec<&State> = node.steps.iter().map(|step| &evidence.nodes[step.target].state).collect();
        if node.all && node.steps.is_empty() {
            return Err(at("all successors are claimed, and none is there".to_owned()));
        }
        if node.all && !successors.iter().all(|state| targets.contains(&state)) {
            return Err(at("a successor is missing".to_owned()));
        }
        for claim in &node.claims {
            if !reference.shown(formula, evidence, node, *claim)? {
                return Err(at("a claim does not follow".to_owned()));
            }
        }
    }
    Ok(())
}

fn has_cycle(evidence: &Evidence) -> bool {
    let mut entering = vec![0usize; evidence.nodes.len()];
    for step in evidence.nodes.iter().flat_map(|node| &node.steps) {
        entering[step.target] += 1;
    }
    let mut work: Vec<usize> = (0..entering.len()).filter(|i| entering[*i] == 0).collect();
    let mut removed = 0;
    while let Some(node) = work.pop() {
        removed += 1;
        for step in &evidence.nodes[node].steps {
            entering[step.target] -= 1;
            if entering[step.target] == 0 {
                work.push(step.target);
            }
        }
    }
    removed < evidence.nodes.len()
}

/// A formula where only the first symbols have values: `None` where it depends on others.
fn known_truth(formula: &Formula, values: &[Rational]) -> Option<bool> {
    let join = |parts: &[Formula], deciding: bool| {
        let mut all_known = true;
        for part in parts {
            match known_truth(part, values) {
                Some(truth) if truth == deciding => return Some(deciding),
                Some(_) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(!deciding)
    };
    match formula {
        Formula::Atom(atom) => {
            let known = atom.form.terms().iter().all(|(symbol, _)| (*symbol as usize) < values.len());
            known.then(|| atom.eval(|symbol| values[symbol as usize].clone()))
        }
        Formula::All(parts) => join(parts, false),
        Formula::Any(parts) => join(parts, true),
    }
}

/// The system by the reference interpreter.
#[derive(Debug)]
pub struct Reference<'s, 'm> {
    system: &'s System<'m>,
    interpreter: Interpreter<'m>,
}

impl<'s, 'm> Reference<'s, 'm> {
    /// The reference semantics of a system.
    #[must_use]
    pub fn new(system: &'s System<'m>) -> Self {
        Self { system, interpreter: system.interpreter() }
    }

    /// A formula over slots and outputs in a state. Outputs are worked out only if an atom that counts reads one.
    fn holds(&self, formula: &Formula, state: &State) -> Result<bool, String> {
        let mut values: Vec<Rational> = state.0.to_vec();
        let mut failed = None;
        if self.system.reads_outputs(formula)
            && let Some(policy) = self.system.policy()
        {
            let interpreter = Interpreter::new(self.system.model());
            match policy.outputs_at(&interpreter, state) {
                Ok(outputs) => values.extend(outputs),
                Err(error) => failed = Some(ModelError::evaluation(error, state.clone())),
            }
        }
        known_truth(formula, &values).ok_or_else(|| match failed {
            Some(error) => error.describe(self.system.model()),
            None => "a condition reads what is not there".to_owned(),
        })
    }

    /// Whether a state is a start state.
    ///
    /// # Errors
    /// Where a condition has no value.
    pub fn is_start(&self, state: &State) -> Result<bool, String> {
        let slots = self.system.model().slots.iter().zip(&state.0);
        if slots.into_iter().any(|(slot, value)| !slot.domain.contains(value)) {
            return Ok(false);
        }
        let start = self.system.start();
        for condition in &start.conditions {
            if self.holds(&condition.holds, state)? {
                return Ok(true);
            }
        }
        Ok(start.states.contains(state))
    }

    /// The distinct successors of a state; none where it is its own.
    ///
    /// # Errors
    /// Errors of the model.
    pub fn successors(&self, state: &State) -> Result<Vec<State>, String> {
        if let Some(terminal) = self.system.terminal()
            && self.holds(&terminal.holds, state)?
        {
            return Ok(Vec::new());
        }
        let choices = self.interpreter.permitted_choices(state, self.system.policy());
        let choices = choices.map_err(|error| error.describe(self.system.model()))?;
        let outcomes = choices.into_iter().flat_map(|choice| choice.outcomes);
        let mut found: Vec<State> = outcomes.flat_map(|outcome| outcome.successors).collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Whether an outcome of an operator that the policy permits leads to a state.
    fn leads(
        &self,
        state: &State,
        operator: &surefoot_model::model::Operator,
        destinations: &[u32],
        target: &State,
    ) -> Result<bool, String> {
        let choices = self.interpreter.permitted_choices(state, self.system.policy());
        let choices = choices.map_err(|error| error.describe(self.system.model()))?;
        let mut outcomes = choices.iter().filter(|choice| choice.operator == *operator).flat_map(|c| &c.outcomes);
        Ok(outcomes.any(|outcome| outcome.destinations == destinations && outcome.successors.contains(target)))
    }

    /// Whether a claim follows in a node of evidence from the claims of the nodes after it.
    fn shown(
        &self,
        formula: &Unfolded,
        evidence: &Evidence,
        node: &EvidenceNode,
        claim: NodeId,
    ) -> Result<bool, String> {
        let next = |quantifier: Quantifier, part: NodeId| {
            let mut claims = node.steps.iter().map(|step| evidence.nodes[step.target].claims.contains(&part));
            match quantifier {
                Quantifier::Some => claims.any(|claimed| claimed),
                Quantifier::All => node.all && claims.all(|claimed| claimed),
            }
        };
        match formula.node(claim) {
            Node::State(number) => self.holds(&formula.conditions()[*number as usize].holds, &node.state),
            Node::All(parts) => {
                for part in parts {
                    if !self.shown(formula, evidence, node, *part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Node::Any(parts) => {
                for part in parts {
                    if self.shown(formula, evidence, node, *part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Next(quantifier, part) => Ok(next(*quantifier, *part)),
            Node::Until(quantifier, f, g) => Ok(self.shown(formula, evidence, node, *g)?
                || (self.shown(formula, evidence, node, *f)? && next(*quantifier, claim))),
            Node::Release(..) => self.by_iteration(formula, claim, &node.state),
        }
    }

    /// The truth of a node in a state, from all states that the interpreter reaches.
    ///
    /// # Errors
    /// Errors of the model; too many states.
    pub fn by_iteration(&self, formula: &Unfolded, node: NodeId, state: &State) -> Result<bool, String> {
        let mut states = vec![state.clone()];
        let mut numbers: FxHashMap<State, usize> = FxHashMap::from_iter([(state.clone(), 0)]);
        let mut successors: Vec<Vec<usize>> = Vec::new();
        while successors.len() < states.len() {
            let number = successors.len();
            let mut targets = Vec::new();
            for target in self.successors(&states[number].clone())? {
                targets.push(*numbers.entry(target.clone()).or_insert_with(|| {
                    states.push(target);
                    states.len() - 1
                }));
            }
            successors.push(if targets.is_empty() { vec![number] } else { targets });
            if states.len() > MOST_STATES {
                return Err(format!("more than {MOST_STATES} states are reachable"));
            }
        }
        let mut truths: Vec<Vec<bool>> = Vec::new();
        for node in &formula.nodes()[..=node.index()] {
            let next = |quantifier: Quantifier, row: &[bool], s: usize| match quantifier {
                Quantifier::All => successors[s].iter().all(|t| row[*t]),
                Quantifier::Some => successors[s].iter().any(|t| row[*t]),
            };
            let iterate = |start: bool, step: &dyn Fn(&[bool], usize) -> bool| {
                let mut row = vec![start; states.len()];
                loop {
                    let new: Vec<bool> = (0..states.len()).map(|s| step(&row, s)).collect();
                    if new == row {
                        return row;
                    }
                    row = new;
                }
            };
            let all = |test: &dyn Fn(usize) -> bool| (0..states.len()).map(test).collect::<Vec<bool>>();
            truths.push(match node {
                Node::State(number) => {
                    let condition = &formula.conditions()[*number as usize].holds;
                    states.iter().map(|state| self.holds(condition, state)).collect::<Result<_, _>>()?
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
        Ok(truths[node.index()][0])
    }
}
