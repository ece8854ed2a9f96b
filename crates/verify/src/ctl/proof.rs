//! Trees of runs on explored graphs, replayed before they count.
//!
//! A tree is proposed from the labels ([`surefoot_temporal::graph::proof`]). Then, by the reference interpreter and without a label: its first state is a start
//! state; every step is one that the policy permits; where all successors are claimed, all are there; and the formula follows from the tree
//! ([`surefoot_temporal::tree`]), conditions being evaluated anew.
//!
//! What a node rests on, because it speaks of all that can happen, no tree shows. There the labels of all states that can follow are checked by a second
//! pass, equation by equation ([`Measures::check`]). That rests on which states follow which and on where conditions hold: among few states both are asked of the
//! reference interpreter again, state by state; among many they are what the exploration found.

use std::collections::BTreeMap;

use surefoot_explicit::graph::Graph;
use surefoot_model::{State, TermId};
use surefoot_temporal::Ctl;
use surefoot_temporal::graph::proof::{Claim, ProofNode};
use surefoot_temporal::graph::{Graph as Transitions, Measures, Proof};

use super::explicit::satisfying;
use super::formula::CtlFormula;
use super::witness::{Basis, CtlWitness, RestsOn, WitnessNode, WitnessStep};
use crate::problem::{Failure, Problem};
use crate::replay;

/// Among more states the interpreter is not asked again.
const MOST_STEPPED: usize = 4_000;

/// Conditions with their signs.
type Signed = Ctl<(TermId, bool)>;

/// The tree of runs that shows a formula in a start state, where it holds: a negation, in normal form.
///
/// # Errors
/// [`Failure::Internal`] where something is not confirmed.
pub(super) fn shown(
    problem: &Problem,
    graph: &mut Graph<'_>,
    transitions: &Transitions,
    asked: &CtlFormula,
    formula: &Signed,
    start: u32,
) -> Result<CtlWitness, Failure> {
    let formula = formula.stepwise();
    let measures = Measures::new(transitions, &formula, &mut |(term, sign)| satisfying(problem, graph, *term, *sign))?;
    let Some(measures) = measures else {
        // Too many numbers for a second pass: what was found rests on the first.
        let claims = vec![Claim { part: 0, left: None }];
        let node = ProofNode { state: start, claims, steps: Vec::new(), all: false, rests: vec![0] };
        let states = transitions.reachable([start]).len() as u64;
        let tree = Confirming { problem, graph, transitions, formula: &formula, proof: &Proof { nodes: vec![node] } };
        return tree.witness(asked, Some(RestsOn { states, basis: Basis::Labels }));
    };
    let proof = transitions.prove(&formula, &measures, start);
    let tree = Confirming { problem, graph, transitions, formula: &formula, proof: &proof };
    let rests = tree.check_rests(&measures)?;
    let witness = tree.witness(asked, rests)?;
    if !tree.follows(&measures) {
        return Err(rejected("the formula does not follow from it"));
    }
    Ok(witness)
}

fn rejected(reason: &str) -> Failure {
    Failure::Internal(format!("the tree of runs is one that the replay rejects ({reason})"))
}

struct Confirming<'c, 'm> {
    problem: &'c Problem,
    graph: &'c Graph<'m>,
    transitions: &'c Transitions,
    formula: &'c Signed,
    proof: &'c Proof,
}

impl Confirming<'_, '_> {
    fn evaluates(&self, (term, sign): (TermId, bool), state: &State) -> bool {
        // A condition without value shows nothing, neither it nor its negation.
        self.problem.interpreter().holds(term, state).is_ok_and(|value| value == sign)
    }

    /// Checks what nodes rest on, in all states that can follow them.
    fn check_rests(&self, measures: &Measures) -> Result<Option<RestsOn>, Failure> {
        let resting = || self.proof.nodes.iter().filter(|node| !node.rests.is_empty());
        if resting().next().is_none() {
            return Ok(None);
        }
        let states = self.transitions.reachable(resting().map(|node| node.state));
        let stepped = states.len() <= MOST_STEPPED;
        let known: BTreeMap<u32, State> = match stepped {
            true => states.iter().map(|number| (*number, self.graph.state(*number))).collect(),
            false => BTreeMap::new(),
        };
        for (number, state) in &known {
            let mut found = self.transitions.successors(*number).iter().map(|next| &known[next]).collect::<Vec<_>>();
            found.sort_unstable();
            let mut expected = replay::successors(self.problem, state).map_err(|reason| rejected(&reason))?;
            if expected.is_empty() {
                expected.push(state.clone());
            }
            if !expected.iter().eq(found) {
                return Err(rejected("a state has other successors than were explored"));
            }
        }
        let parts = self.formula.numbered();
        let mut leaf = |condition: &(TermId, bool), number: u32| {
            Ok::<bool, Failure>(known.get(&number).is_none_or(|state| self.evaluates(*condition, state)))
        };
        let mut rests: Vec<usize> = resting().flat_map(|node| node.rests.iter().copied()).collect();
        rests.sort_unstable();
        rests.dedup();
        for part in rests {
            let successors = |number: u32| self.transitions.successors(number);
            if let Some((part, _)) = measures.check(self.formula, part, &states, &successors, &mut leaf)? {
                return Err(rejected(&format!(
                    "the equation of a label does not hold: part {part} of {}",
                    parts.len()
                )));
            }
        }
        let basis = if stepped { Basis::Stepped } else { Basis::Equations };
        Ok(Some(RestsOn { states: states.len() as u64, basis }))
    }

    /// Whether the formula follows from the tree, and from what its nodes rest on.
    fn follows(&self, measures: &Measures) -> bool {
        let (nodes, parts) = (&self.proof.nodes, self.formula.numbered());
        let states: Vec<State> = nodes.iter().map(|node| self.graph.state(node.state)).collect();
        let mut leaf = |condition: &(TermId, bool), node: usize| self.evaluates(*condition, &states[node]);
        let mut known = |part: usize, node: usize| {
            let node: &ProofNode = &nodes[node];
            node.rests.contains(&part) && measures.holds(parts[part], part, node.state as usize)
        };
        self.proof.tree().shows_with(self.formula, &mut leaf, &mut known)[0]
    }

    /// The tree, replayed step by step, with words for what it shows.
    fn witness(&self, asked: &CtlFormula, rests: Option<RestsOn>) -> Result<CtlWitness, Failure> {
        let wrong = |reason: String| rejected(&reason);
        let states: Vec<State> = self.proof.nodes.iter().map(|node| self.graph.state(node.state)).collect();
        let words = asked.parts_of_negation(self.problem);
        let mut nodes = Vec::with_capacity(states.len());
        for (node, state) in self.proof.nodes.iter().zip(&states) {
            let successors = match node.steps.is_empty() {
                true => Vec::new(),
                false => replay::successors(self.problem, state).map_err(wrong)?,
            };
            let mut steps = Vec::with_capacity(node.steps.len());
            for target in &node.steps {
                let step = match successors.is_empty() {
                    // Nothing is possible: it stays.
                    true if states[*target] == *state => None,
                    true => return Err(rejected("a state without successors is left")),
                    false => Some(replay::step(self.problem, state, &states[*target]).map_err(wrong)?),
                };
                steps.push(WitnessStep { step, target: *target });
            }
            let reached = |next: &State| node.steps.iter().any(|target| states[*target] == *next);
            if node.all && !successors.iter().all(reached) {
                return Err(rejected("a successor is missing"));
            }
            nodes.push(WitnessNode {
                state: state.clone(),
                steps,
                all: node.all,
                unshown: !node.rests.is_empty(),
                shows: words.claims(&node.claims),
                rests: words.parts(&node.rests),
            });
        }
        let stuck = rests.is_some() && self.rests_stutter();
        let witness = CtlWitness::of_nodes(self.problem, nodes, rests).map_err(wrong)?;
        Ok(CtlWitness { stutters: witness.stutters || stuck, ..witness })
    }

    /// Whether states without successors are among those that nodes rest on.
    fn rests_stutter(&self) -> bool {
        let resting = self.proof.nodes.iter().filter(|node| !node.rests.is_empty());
        let states = self.transitions.reachable(resting.map(|node| node.state));
        states.into_iter().any(|state| self.transitions.is_stuck(state))
    }
}
