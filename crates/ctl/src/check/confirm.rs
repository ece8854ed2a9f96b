//! Is the evidence real? Everything goes through the reference interpreter and exact evaluation, nothing through pieces or
//! images.
//!
//! Evidence is confirmed node by node: every step is an outcome of an operator that the policy permits, or the state has no
//! successors and is its own; where all successors are claimed, all are there; and every claim follows from conditions that hold
//! in the state and from claims of the nodes after it. No until without a bound follows from itself, round in circles; so by
//! induction on formulas and along the graph all claims are true. Releases on some path may go round: they are greatest
//! solutions, and whatever set of states satisfies the equation is within these.
//!
//! What evidence leaves unshown (release on all paths without a bound) is confirmed by listing all states that the interpreter reaches (`listing`),
//! within the same limits as the search.

use std::cell::OnceCell;

use surefoot_limits::Stop;
use surefoot_model::State;
use surefoot_oracle::Limits;

use super::evidence::{Evidence, EvidenceNode};
use super::listing::Listing;
use super::reference::Reference;
use super::search::Options;
use crate::formula::Quantifier;
use crate::formula::unfold::{Node, NodeId, Unfolded};
use crate::system::System;

/// Why evidence is not confirmed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unconfirmed {
    /// It is wrong.
    #[error("{0}")]
    Wrong(String),
    /// A limit was reached first.
    #[error("{0}")]
    Stopped(Stop),
    /// More states than this are reachable.
    #[error("more than {0} states are reachable")]
    TooMany(usize),
}

impl From<String> for Unconfirmed {
    fn from(reason: String) -> Self {
        Self::Wrong(reason)
    }
}

impl From<&str> for Unconfirmed {
    fn from(reason: &str) -> Self {
        Self::Wrong(reason.to_owned())
    }
}

/// Confirms evidence for a claim in a start state, whatever it takes.
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
    let options = Options { limits: Limits::default(), most_states: usize::MAX };
    confirm_within(system, formula, claim, start, evidence, &options).map_err(|reason| reason.to_string())
}

/// Confirms evidence for a claim in a start state, within limits.
///
/// # Errors
/// What is wrong with it, or which limit was reached.
pub fn confirm_within(
    system: &System<'_>,
    formula: &Unfolded,
    claim: NodeId,
    start: &State,
    evidence: &Evidence,
    options: &Options,
) -> Result<(), Unconfirmed> {
    let reference = &Reference::new(system);
    let confirmer = Confirmer { reference, formula, claim, start, options, listing: OnceCell::new() };
    let first = evidence.nodes.first().ok_or("there is no evidence")?;
    if first.state != *start || first.claims != [claim] {
        return Err("the evidence is about something else".into());
    }
    if !reference.is_start(start)? {
        return Err("the first state is not in the start set".into());
    }
    if confirmer.circular(evidence)? {
        return Err("the evidence goes round in circles".into());
    }
    for (i, node) in evidence.nodes.iter().enumerate() {
        options.limits.stop_now().map_or(Ok(()), |limit| Err(Unconfirmed::Stopped(limit)))?;
        let at = |reason: String| format!("node {i}, {}: {reason}", node.state.describe(system.model()));
        // What is not left is not looked at any further.
        let successors =
            if node.steps.is_empty() { Vec::new() } else { reference.successors(&node.state).map_err(at)? };
        for step in &node.steps {
            let target = &evidence.nodes[step.target].state;
            if step.by.is_none() != successors.is_empty() {
                return Err(at("whether the state has successors is not as the evidence says".to_owned()).into());
            }
            let fits = match &step.by {
                None => *target == node.state,
                Some((operator, destinations)) => {
                    reference.leads(&node.state, operator, destinations, target).map_err(at)?
                }
            };
            if !fits {
                return Err(at("a step cannot be taken".to_owned()).into());
            }
        }
        let targets: Vec<&State> = node.steps.iter().map(|step| &evidence.nodes[step.target].state).collect();
        if node.all && node.steps.is_empty() {
            return Err(at("all successors are claimed, and none is there".to_owned()).into());
        }
        if node.all && !successors.iter().all(|state| targets.contains(&state)) {
            return Err(at("a successor is missing".to_owned()).into());
        }
        for claim in &node.claims {
            if !confirmer.shown(evidence, node, *claim)? {
                return Err(at("a claim does not follow".to_owned()).into());
            }
        }
    }
    Ok(())
}

/// Whether a graph has a cycle.
fn has_cycle(edges: &[Vec<usize>]) -> bool {
    let mut entering = vec![0usize; edges.len()];
    edges.iter().flatten().for_each(|target| entering[*target] += 1);
    let mut work: Vec<usize> = (0..edges.len()).filter(|i| entering[*i] == 0).collect();
    let mut removed = 0;
    while let Some(node) = work.pop() {
        removed += 1;
        for target in &edges[node] {
            entering[*target] -= 1;
            if entering[*target] == 0 {
                work.push(*target);
            }
        }
    }
    removed < edges.len()
}

/// Evidence being confirmed.
struct Confirmer<'c, 's, 'm> {
    reference: &'c Reference<'s, 'm>,
    formula: &'c Unfolded,
    claim: NodeId,
    start: &'c State,
    options: &'c Options,
    /// All states that are reachable from the start state, where they are needed.
    listing: OnceCell<Listing>,
}

impl Confirmer<'_, '_, '_> {
    /// Whether a claim follows in a node of evidence from the claims of the nodes after it.
    fn shown(&self, evidence: &Evidence, node: &EvidenceNode, claim: NodeId) -> Result<bool, Unconfirmed> {
        let next = |quantifier: Quantifier, part: NodeId| {
            let mut claims = node.steps.iter().map(|step| evidence.nodes[step.target].claims.contains(&part));
            match quantifier {
                Quantifier::Some => claims.any(|claimed| claimed),
                Quantifier::All => node.all && claims.all(|claimed| claimed),
            }
        };
        match self.formula.node(claim) {
            Node::State(number) => {
                Ok(self.reference.holds(&self.formula.conditions()[*number as usize].holds, &node.state)?)
            }
            Node::All(parts) => {
                for part in parts {
                    if !self.shown(evidence, node, *part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Node::Any(parts) => {
                for part in parts {
                    if self.shown(evidence, node, *part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Next(quantifier, part) => Ok(next(*quantifier, *part)),
            Node::Until(quantifier, f, g) => {
                Ok(self.shown(evidence, node, *g)? || (self.shown(evidence, node, *f)? && next(*quantifier, claim)))
            }
            Node::Release(Quantifier::Some, f, g) => {
                Ok(self.shown(evidence, node, *g)?
                    && (self.shown(evidence, node, *f)? || next(Quantifier::Some, claim)))
            }
            Node::Release(Quantifier::All, ..) => self.listed(claim, &node.state),
        }
    }

    /// Whether an until is claimed for no better reason than itself.
    fn circular(&self, evidence: &Evidence) -> Result<bool, Unconfirmed> {
        let all: Vec<Vec<usize>> =
            evidence.nodes.iter().map(|node| node.steps.iter().map(|step| step.target).collect()).collect();
        if !has_cycle(&all) {
            return Ok(false);
        }
        let mut claims: Vec<NodeId> = evidence.nodes.iter().flat_map(|node| node.claims.iter().copied()).collect();
        claims.sort_unstable();
        claims.dedup();
        for claim in claims {
            let Node::Until(_, _, end) = self.formula.node(claim) else { continue };
            let mut edges = vec![Vec::new(); evidence.nodes.len()];
            for (number, node) in evidence.nodes.iter().enumerate() {
                // Where it ends it needs nothing of the nodes after it.
                if node.claims.contains(&claim) && !self.shown(evidence, node, *end)? {
                    let claimed = |target: &usize| evidence.nodes[*target].claims.contains(&claim);
                    edges[number] = all[number].iter().copied().filter(claimed).collect();
                }
            }
            if has_cycle(&edges) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The truth of a node in a state that is reachable from the start state.
    fn listed(&self, node: NodeId, state: &State) -> Result<bool, Unconfirmed> {
        let listing = match self.listing.get() {
            Some(listing) => listing,
            None => {
                let new = Listing::new(self.reference, self.formula, self.claim, self.start, self.options)?;
                self.listing.get_or_init(|| new)
            }
        };
        Ok(listing.truth(node, state).ok_or("a state of the evidence cannot be reached")?)
    }
}
