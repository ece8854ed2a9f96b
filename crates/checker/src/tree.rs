//! Trees of proofs, token by token.

use surefoot_certificate::token::{Place, Token};

use crate::network::Phase;
use crate::node::Node;
use crate::rules::{Rules, Workspace};

/// Trees that are deeper are refused.
pub const MOST_DEEP: usize = 4096;

/// With more formulas told in a node, no other is asked about.
const MOST_TOLD: usize = 1000;

/// Why a tree proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("token {token}: {why}")]
pub struct Unproved {
    /// Which token, from 1.
    pub token: usize,
    /// Why.
    pub why: String,
}

impl Rules<'_> {
    /// Checks a tree about a node. Every token is used, and every node ends in a leaf. How many tokens there are.
    ///
    /// # Errors
    /// The first token that is not right.
    pub fn check_tree(&self, node: Node, tree: &str, ws: &mut Workspace) -> Result<usize, Unproved> {
        let mut open = vec![node];
        let mut number = 0;
        for text in tree.split(' ') {
            number += 1;
            let unproved = |why: String| Unproved { token: number, why };
            let Some(mut node) = open.pop() else {
                return Err(unproved("the proof is complete already".to_owned()));
            };
            let token: Token = text.parse().map_err(unproved)?;
            self.settle(&mut node, ws);
            self.take(node, &token, ws, &mut open).map_err(unproved)?;
            if open.len() > MOST_DEEP {
                return Err(unproved(format!("the tree is deeper than {MOST_DEEP}")));
            }
        }
        if open.is_empty() {
            return Ok(number);
        }
        Err(Unproved { token: number, why: format!("the tree ends, but {} of its parts are open", open.len()) })
    }

    /// Takes a token. What it leaves open is pushed: the node itself after a step, the parts of a split with the first one last, nothing
    /// after a leaf.
    fn take(&self, mut node: Node, token: &Token, ws: &mut Workspace, open: &mut Vec<Node>) -> Result<(), String> {
        match token {
            Token::Bounds { output, slopes } => self.bound(&mut node, *output, slopes, ws)?,
            Token::Evaluate => self.evaluate(&mut node, ws)?,
            Token::Exclude { output, sum } => self.exclude(&mut node, *output, sum, ws)?,
            Token::Leads { operator, targets } => self.leads(&mut node, *operator, targets.as_deref(), ws)?,
            Token::Done => return if node.is_settled() { Ok(()) } else { Err(self.pending(&node)) },
            Token::Empty(sum) => return self.refute(&mut node, sum, ws),
            Token::Points(places) => return self.try_points(&mut node, places, ws),
            Token::Inside(place) => return self.covers(&node, *place, ws),
            Token::Split { slot, at } => {
                let (low, high) = self.split(&node, *slot, *at)?;
                open.extend([high, low]);
                return Ok(());
            }
            Token::Ask(formula) => {
                ws.formulas.atom(*formula)?;
                if node.told.iter().any(|(told, _)| told == formula) || node.told.len() > MOST_TOLD {
                    return Err(format!("formula {formula} was told before, or more than {MOST_TOLD} others were"));
                }
                for truth in [false, true] {
                    let mut part = node.clone();
                    part.tell(*formula, truth, ws)?;
                    open.push(part);
                }
                return Ok(());
            }
            Token::Phase { layer, neuron } => {
                let phase = |active| Phase { layer: *layer as usize, neuron: *neuron as usize, active };
                if !self.has_neuron(&node, phase(true)) {
                    return Err(format!("no network is decided, or it has no neuron {neuron} in hidden layer {layer}"));
                }
                for active in [false, true] {
                    let mut part = node.clone();
                    part.phases.push(phase(active));
                    open.push(part);
                }
                return Ok(());
            }
        }
        open.push(node);
        Ok(())
    }

    /// The two parts of a split.
    ///
    /// # Errors
    /// Where one of them would be empty, or there is no such slot.
    pub fn split(&self, node: &Node, slot: u32, at: i64) -> Result<(Node, Node), String> {
        let Some((lower, upper)) = node.bounds.get(slot as usize).copied() else {
            return Err(format!("there is no slot {slot}"));
        };
        if at < lower || at >= upper {
            return Err(format!("slot {slot} is split at {at}, but it is between {lower} and {upper}"));
        }
        let (mut low, mut high) = (node.clone(), node.clone());
        low.bounds[slot as usize].1 = at;
        high.bounds[slot as usize].0 = at + 1;
        Ok((low, high))
    }

    /// Leaf `=`: all start states of the node are in a place.
    fn covers(&self, node: &Node, place: Place, ws: &Workspace) -> Result<(), String> {
        let Some(start) = &node.covered else {
            return if node.is_settled() { Ok(()) } else { Err("only start states are shown to be inside".to_owned()) };
        };
        let values = self.values(node);
        if start.may_fail(&values) {
            return Err("the start condition may be in error".to_owned());
        }
        self.is_inside(&values, place, &ws.formulas)
    }

    fn has_neuron(&self, node: &Node, phase: Phase) -> bool {
        let network = node.network.and_then(|network| Some(&self.asked.policy?.networks[network].network));
        network.is_some_and(|network| {
            let layers = network.layers();
            phase.layer + 1 < layers.len() && phase.neuron < layers[phase.layer].output_len()
        })
    }

    /// What is pending, in words.
    fn pending(&self, node: &Node) -> String {
        if node.covered.is_some() {
            return "start states of the node are not shown to be covered".to_owned();
        }
        if node.target {
            return "the target may hold in the node, or have no value".to_owned();
        }
        let Some(pending) = node.operators.first() else { return "nothing".to_owned() };
        let op = &self.operators_at(node)[pending.index as usize];
        let guard = if pending.defined { "" } else { " (a guard may have no value)" };
        format!("{} is not settled{guard}", self.asked.model.describe_operator(&op.operator))
    }
}
