//! Why a formula fails in a start state: a path, or a tree where all successors matter, as a graph without repetitions.
//!
//! The negated formula, in negation normal form, holds in the start state. Every node of the evidence is a state with claims:
//! nodes of the formula that hold there. Conditions speak for themselves; of a conjunction all parts are claimed, of a disjunction
//! one that holds; `EX f` is shown by one successor that claims `f`, `AX f` by all of them. Where no claim asks for all
//! successors anywhere, the evidence is a path (or several, for several `EX`).
//!
//! Until without a bound is shown step by step too: the way to where it ends is finite, and of several the shortest is taken. Release
//! on some path is shown by a path that ends or comes back to where it was: the graph has cycles then, along which nothing
//! but such releases is claimed again. Release on all paths stays a claim: [`EvidenceNode::unshown`].

use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_model::model::Operator;
use surefoot_model::{LabelId, State};

use super::closed::Closure;
use crate::explore::image::Shared;
use crate::explore::{Cell, Engine, Image, Memory, Successors, Trouble};
use crate::formula::Quantifier;
use crate::formula::unfold::{Node, NodeId};
use crate::region::{Piece, Truth};

/// One step of evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceStep {
    /// The operator and the destinations taken; `None` where the state has no successors and is its own.
    pub by: Option<(Operator, Vec<u32>)>,
    /// The label; `None` = silent, or no step.
    pub label: Option<LabelId>,
    /// The node after it.
    pub target: usize,
}

/// A state and what is shown of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceNode {
    /// The state.
    pub state: State,
    /// What is claimed of it.
    pub claims: Vec<NodeId>,
    /// Steps that show it.
    pub steps: Vec<EvidenceStep>,
    /// Whether the steps are all there are.
    pub all: bool,
    /// Claims that are not shown: unbounded operators without finite evidence.
    pub unshown: Vec<NodeId>,
}

/// Why a formula fails. Node 0 is the start state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The nodes.
    pub nodes: Vec<EvidenceNode>,
    /// Whether a state without successors, which is its own, is reachable from where something is not shown.
    pub unshown_stutters: bool,
}

/// All reachable states, their numbers, and the truths of all nodes in them.
type Listed = (Closure, FxHashMap<Shared, usize>, Vec<Vec<bool>>);

/// States are concrete here: no parameter is left.
struct Explainer<'c, 'e, 's, 'm> {
    cell: &'c mut Cell<'e, 's, 'm>,
    closure: Option<Listed>,
    distances: FxHashMap<NodeId, Vec<usize>>,
    evidence: Evidence,
    numbers: FxHashMap<(Shared, Vec<NodeId>), usize>,
    work: Vec<(usize, Shared, Vec<NodeId>)>,
}

/// What a state has to show.
#[derive(Default)]
struct Duties {
    some: Vec<NodeId>,
    all: Vec<NodeId>,
    unshown: Vec<NodeId>,
}

impl Evidence {
    /// The evidence for a node of the engine's formula in a state.
    ///
    /// # Errors
    /// Limits; [`Trouble::Internal`] if the node does not hold there.
    pub fn new(engine: &Engine<'_, '_>, claim: NodeId, start: &State) -> Result<Self, Trouble> {
        let piece = Piece::new(Vec::new(), Arc::new([])).expect("a box without parameters has a point");
        let mut cell = Cell::new(engine, piece, Memory::default());
        let state = cell.memory.share(Arc::new(Image::of(start)));
        let mut closure = None;
        if !engine.formula.is_bounded() {
            let Ok(found) = cell.closure(&state)? else {
                return Err(Trouble::Internal("the states of a start state close only on its piece".to_owned()));
            };
            let truths = cell.truths(claim, &found)?;
            let numbers = found.states.iter().cloned().enumerate().map(|(i, s)| (s, i)).collect();
            closure = Some((found, numbers, truths));
        }
        let mut explainer = Explainer {
            cell: &mut cell,
            closure,
            distances: FxHashMap::default(),
            evidence: Self::default(),
            numbers: FxHashMap::default(),
            work: Vec::new(),
        };
        if !explainer.holds(claim, &state)? {
            return Err(Trouble::Internal("what fails on a piece does not fail at its point".to_owned()));
        }
        explainer.node(&state, vec![claim]);
        while let Some((number, state, claims)) = explainer.work.pop() {
            let nodes = explainer.evidence.nodes.len();
            let listed = explainer
                .closure
                .as_ref()
                .map_or(0, |(closure, _, truths)| closure.states.len() * (200 + truths.len()));
            explainer.cell.check_limits(listed + nodes * (200 + 2 * state.bytes()))?;
            explainer.explain(number, &state, &claims)?;
        }
        explainer.look_beyond();
        Ok(explainer.evidence)
    }

    /// Whether some state of it has no successors and is its own.
    #[must_use]
    pub fn stutters(&self) -> bool {
        self.unshown_stutters || self.nodes.iter().flat_map(|node| &node.steps).any(|step| step.by.is_none())
    }
}

impl Explainer<'_, '_, '_, '_> {
    /// Whether states without successors matter for what is not shown.
    fn look_beyond(&mut self) {
        let Some((closure, numbers, _)) = &self.closure else { return };
        let unshown = |number: &usize| !self.evidence.nodes[*number].unshown.is_empty();
        let of_nodes = self.numbers.iter().filter(|(_, number)| unshown(number));
        let mut work: Vec<usize> = of_nodes.map(|((state, _), _)| numbers[state]).collect();
        let mut seen = vec![false; closure.states.len()];
        while let Some(state) = work.pop() {
            if !std::mem::replace(&mut seen[state], true) {
                let steps = self.cell.memory.successors(&closure.states[state]);
                self.evidence.unshown_stutters |= steps.is_some_and(|successors| successors.steps.is_empty());
                work.extend(&closure.successors[state]);
            }
        }
    }

    fn holds(&mut self, node: NodeId, state: &Shared) -> Result<bool, Trouble> {
        if let Some((_, numbers, truths)) = &self.closure {
            return Ok(truths[node.index()][numbers[state]]);
        }
        match self.cell.evaluate(node, state)? {
            Truth::Holds => Ok(true),
            Truth::Fails => Ok(false),
            Truth::Open(_) => Err(Trouble::Internal("a single state leaves something open".to_owned())),
        }
    }

    /// The number of a node, made if it is new.
    fn node(&mut self, state: &Shared, mut claims: Vec<NodeId>) -> usize {
        claims.sort_unstable();
        claims.dedup();
        if let Some(number) = self.numbers.get(&(Arc::clone(state), claims.clone())) {
            return *number;
        }
        let number = self.evidence.nodes.len();
        self.numbers.insert((Arc::clone(state), claims.clone()), number);
        self.evidence.nodes.push(EvidenceNode {
            state: state.at(&[]),
            claims: claims.clone(),
            steps: Vec::new(),
            all: false,
            unshown: Vec::new(),
        });
        self.work.push((number, Arc::clone(state), claims));
        number
    }

    fn explain(&mut self, number: usize, state: &Shared, claims: &[NodeId]) -> Result<(), Trouble> {
        let duties = self.duties(state, claims)?;
        self.evidence.nodes[number].unshown.clone_from(&duties.unshown);
        if duties.some.is_empty() && duties.all.is_empty() {
            return Ok(());
        }
        let successors: Arc<Successors> = self.cell.successors(state)?;
        let steps: Vec<(EvidenceStep, Shared)> = if successors.steps.is_empty() {
            vec![(EvidenceStep { by: None, label: None, target: 0 }, Arc::clone(state))]
        } else {
            let step = |step: &crate::explore::Step| {
                let by = Some((step.operator.clone(), step.destinations.clone()));
                (EvidenceStep { by, label: step.label, target: 0 }, Arc::clone(&step.target))
            };
            successors.steps.iter().map(step).collect()
        };
        let mut claimed: Vec<Vec<NodeId>> = vec![duties.all.clone(); steps.len()];
        let targets: Vec<&Shared> = steps.iter().map(|(_, target)| target).collect();
        for wanted in &duties.some {
            claimed[self.showing(*wanted, &targets)?].push(*wanted);
        }
        let all = !duties.all.is_empty();
        for ((step, target), claims) in steps.into_iter().zip(claimed) {
            if all || !claims.is_empty() {
                let target = self.node(&target, claims);
                self.evidence.nodes[number].steps.push(EvidenceStep { target, ..step });
            }
        }
        self.evidence.nodes[number].all = all;
        Ok(())
    }

    /// What claims ask of successors: conjunctions and disjunctions taken apart.
    fn duties(&mut self, state: &Shared, claims: &[NodeId]) -> Result<Duties, Trouble> {
        let formula = self.cell.engine.formula;
        let mut duties = Duties::default();
        let mut work = claims.to_vec();
        while let Some(claim) = work.pop() {
            match formula.node(claim) {
                Node::State(_) => {}
                Node::All(parts) => work.extend(parts),
                Node::Any(parts) => {
                    let mut shown = None;
                    for part in parts {
                        if self.holds(*part, state)? {
                            shown = Some(*part);
                            break;
                        }
                    }
                    work.push(shown.ok_or_else(|| Trouble::Internal("no part is as claimed".to_owned()))?);
                }
                Node::Next(Quantifier::Some, part) => duties.some.push(*part),
                Node::Next(Quantifier::All, part) => duties.all.push(*part),
                Node::Until(quantifier, f, g) => {
                    if self.holds(*g, state)? {
                        work.push(*g);
                    } else {
                        work.push(*f);
                        let duties = if *quantifier == Quantifier::Some { &mut duties.some } else { &mut duties.all };
                        duties.push(claim);
                    }
                }
                Node::Release(Quantifier::Some, f, g) => {
                    work.push(*g);
                    if self.holds(*f, state)? {
                        work.push(*f);
                    } else {
                        duties.some.push(claim);
                    }
                }
                Node::Release(Quantifier::All, ..) => duties.unshown.push(claim),
            }
        }
        Ok(duties)
    }

    /// The successor that shows a claim: the first that satisfies it, or for until without a bound the one nearest to its end, for
    /// release one that was there before.
    fn showing(&mut self, claim: NodeId, targets: &[&Shared]) -> Result<usize, Trouble> {
        let mut best: Option<(usize, usize)> = None;
        for (i, target) in targets.iter().enumerate() {
            if self.holds(claim, target)? {
                let distance = self.distance(claim, target);
                if best.is_none_or(|(known, _)| distance < known) {
                    best = Some((distance, i));
                }
            }
        }
        best.map(|(_, i)| i).ok_or_else(|| Trouble::Internal("no successor is as claimed".to_owned()))
    }

    /// In how many steps `E[f U g]` can end; for release whether the state is new; zero for other claims.
    fn distance(&mut self, claim: NodeId, state: &Shared) -> usize {
        if matches!(self.cell.engine.formula.node(claim), Node::Release(..)) {
            return usize::from(!self.numbers.contains_key(&(Arc::clone(state), vec![claim])));
        }
        let Node::Until(Quantifier::Some, f, g) = self.cell.engine.formula.node(claim) else { return 0 };
        let Some((closure, numbers, truths)) = &self.closure else { return 0 };
        let distances =
            self.distances.entry(claim).or_insert_with(|| closure.distances(&truths[f.index()], &truths[g.index()]));
        distances[numbers[state]]
    }
}
