//! Bounded formulas on a piece, three-valued and only as far as needed.
//!
//! The truth of a node in a state is computed from the truths of its parts (in the same state, or in successors), each remembered.
//! Conjunctions and disjunctions are decided by one part even where others are open; otherwise the first open part says where
//! to cut. There is no recursion: a list of what is wanted, the last first.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::explore::image::Shared;
use crate::explore::{Cell, Trouble};
use crate::formula::Quantifier;
use crate::formula::unfold::{Node, NodeId};
use crate::region::{Cut, Truth};

/// Limits are looked at so often.
const BETWEEN_CHECKS: u64 = 64;

/// What is known of a node in a state, cuts by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Decided(bool),
    Open(usize),
}

/// What a look at a node says.
enum Lookup {
    Known(Known),
    Needs(NodeId, Shared),
}

/// Truths that are open on this piece.
#[derive(Debug, Default)]
struct Opened {
    cuts: Vec<Cut>,
    keys: FxHashMap<(NodeId, Shared), usize>,
}

impl Cell<'_, '_, '_> {
    /// The truth of a node in a state.
    ///
    /// # Errors
    /// Errors of the model, limits; never [`Trouble::Open`].
    pub fn evaluate(&mut self, node: NodeId, state: &Shared) -> Result<Truth, Trouble> {
        let mut opened = Opened::default();
        let mut wanted = vec![(node, Arc::clone(state))];
        let mut last = Known::Open(0);
        let mut looks = 0u64;
        while let Some(key) = wanted.last().cloned() {
            looks += 1;
            if looks.is_multiple_of(BETWEEN_CHECKS) {
                self.check_limits((wanted.len() + opened.keys.len()) * 64)?;
            }
            match self.look(&key, &mut opened)? {
                Lookup::Needs(node, state) => wanted.push((node, state)),
                Lookup::Known(known) => {
                    match known {
                        Known::Decided(value) => self.memory.set_truth(key, value),
                        Known::Open(cut) => {
                            opened.keys.insert(key, cut);
                        }
                    }
                    last = known;
                    wanted.pop();
                }
            }
        }
        Ok(match last {
            Known::Decided(value) => Truth::from(value),
            Known::Open(cut) => Truth::Open(opened.cuts.swap_remove(cut)),
        })
    }

    fn known(&self, key: &(NodeId, Shared), opened: &Opened) -> Option<Known> {
        let decided = self.memory.truth(key).map(Known::Decided);
        decided.or_else(|| opened.keys.get(key).copied().map(Known::Open))
    }

    fn look(&mut self, key: &(NodeId, Shared), opened: &mut Opened) -> Result<Lookup, Trouble> {
        if let Some(known) = self.known(key, opened) {
            return Ok(Lookup::Known(known));
        }
        let (node, state) = key;
        let formula = self.engine.formula;
        match formula.node(*node) {
            Node::State(number) => {
                let decided = self.condition(&formula.conditions()[*number as usize], state);
                opened.or_cut(decided)
            }
            Node::All(parts) => Ok(self.join(parts.iter().map(|part| (*part, state)), false, opened)),
            Node::Any(parts) => Ok(self.join(parts.iter().map(|part| (*part, state)), true, opened)),
            Node::Next(quantifier, part) => {
                let successors = match self.successors(state) {
                    Ok(successors) => successors,
                    Err(trouble) => return opened.or_cut(Err(trouble)),
                };
                let deciding = *quantifier == Quantifier::Some;
                if successors.steps.is_empty() {
                    return Ok(self.join(std::iter::once((*part, state)), deciding, opened));
                }
                let targets = successors.steps.iter().map(|step| (*part, &step.target));
                Ok(self.join(targets, deciding, opened))
            }
            Node::Until(..) | Node::Release(..) => {
                Err(Trouble::Internal("a fixpoint is no bounded formula".to_owned()))
            }
        }
    }

    /// Parts joined so that one part of truth `deciding` decides.
    fn join<'k>(&self, parts: impl Iterator<Item = (NodeId, &'k Shared)>, deciding: bool, opened: &Opened) -> Lookup {
        let mut open = None;
        for (node, state) in parts {
            let key = (node, Arc::clone(state));
            match self.known(&key, opened) {
                None => return Lookup::Needs(key.0, key.1),
                Some(Known::Decided(value)) if value == deciding => return Lookup::Known(Known::Decided(deciding)),
                Some(Known::Decided(_)) => {}
                Some(Known::Open(cut)) => {
                    open.get_or_insert(cut);
                }
            }
        }
        Lookup::Known(open.map_or(Known::Decided(!deciding), Known::Open))
    }
}

impl Opened {
    /// A decision, or the cut where there is none.
    fn or_cut(&mut self, decided: Result<bool, Trouble>) -> Result<Lookup, Trouble> {
        match decided {
            Ok(value) => Ok(Lookup::Known(Known::Decided(value))),
            Err(Trouble::Open(cut)) => {
                self.cuts.push(cut);
                Ok(Lookup::Known(Known::Open(self.cuts.len() - 1)))
            }
            Err(trouble) => Err(trouble),
        }
    }
}
