//! Evidence with everything that people want to see: states, steps, scores; replayed in the reference interpreter.
//!
//! Nodes are states with the steps that matter. A path is evidence in which every node has at most one step. A step of a state without
//! successors leads back to it.

use surefoot_certificate::Witness;
use surefoot_ctl::Evidence;
use surefoot_model::State;

use crate::problem::Problem;
use crate::replay::{self, ReplayedStep};
use crate::result::evidence::{Tree, TreeCheck, TreeKind, TreeNode, TreeRests, TreeStep};
use crate::result::{self};
use crate::states::StateNames;

/// One step.
#[derive(Debug, Clone)]
pub struct WitnessStep {
    /// What happens; `None` where the state has no successors.
    pub step: Option<ReplayedStep>,
    /// The node after it.
    pub target: usize,
}

/// A state.
#[derive(Debug, Clone)]
pub struct WitnessNode {
    /// The state.
    pub state: State,
    /// The steps that matter.
    pub steps: Vec<WitnessStep>,
    /// Whether these are all there are: the formula fails whatever happens here.
    pub all: bool,
    /// Whether the formula fails here because of what never changes, whatever happens from here on; that is not shown.
    pub unshown: bool,
    /// What is shown of the state, where there are words for it.
    pub shows: Vec<String>,
    /// What holds here whatever happens, and is followed no further.
    pub rests: Vec<String>,
}

impl WitnessNode {
    /// A state on a run.
    pub(super) fn of_run(state: State, steps: Vec<WitnessStep>) -> Self {
        Self { state, steps, all: false, unshown: false, shows: Vec::new(), rests: Vec::new() }
    }
}

/// What a tree rests on where it speaks of all that can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestsOn {
    /// How many states can follow those that rest on something, these included.
    pub states: u64,
    /// How that was checked.
    pub basis: Basis,
}

/// How it was checked that something holds whatever happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The equations of labels hold in all these states, with successors and conditions by the reference interpreter.
    Stepped,
    /// They hold, with successors and conditions as they were explored.
    Equations,
    /// There were too many numbers to check: the labels of the exploration say so.
    Labels,
}

/// Why a formula fails in a start state, which is node 0.
#[derive(Debug, Clone)]
pub struct CtlWitness {
    /// The nodes.
    pub nodes: Vec<WitnessNode>,
    /// Whether a state without successors, which is its own, is among the steps.
    pub stutters: bool,
    /// The run, if the evidence is a path. Where it comes to a state without successors it ends, and stays there.
    pub run: Option<Witness>,
    /// What the tree rests on, where something holds whatever happens.
    pub rests: Option<RestsOn>,
}

impl CtlWitness {
    /// A run or a tree whose steps were replayed.
    ///
    /// # Errors
    /// If it does not begin in a start state.
    pub(super) fn of_nodes(problem: &Problem, nodes: Vec<WitnessNode>, rests: Option<RestsOn>) -> Result<Self, String> {
        replay::start(problem, &nodes[0].state)?;
        let stutters = nodes.iter().flat_map(|node| &node.steps).any(|step| step.step.is_none());
        Ok(Self { nodes, stutters, run: None, rests }.written(problem))
    }

    /// Replays evidence.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn new(problem: &Problem, evidence: &Evidence) -> Result<Self, String> {
        let mut nodes = Vec::with_capacity(evidence.nodes.len());
        replay::start(problem, &evidence.nodes[0].state)?;
        for node in &evidence.nodes {
            let mut steps = Vec::with_capacity(node.steps.len());
            for step in &node.steps {
                let target = &evidence.nodes[step.target].state;
                let replayed = match &step.by {
                    Some(_) => Some(replay::step(problem, &node.state, target)?),
                    None => None,
                };
                steps.push(WitnessStep { step: replayed, target: step.target });
            }
            let (unshown, of_run) = (!node.unshown.is_empty(), WitnessNode::of_run(node.state.clone(), steps));
            nodes.push(WitnessNode { all: node.all, unshown, ..of_run });
        }
        Ok(Self { nodes, stutters: evidence.stutters(), run: None, rests: None }.written(problem))
    }

    /// With the run to be written down, if it is one.
    fn written(self, problem: &Problem) -> Self {
        let mut witness = self;
        // A run alone would not say what the rest rests on.
        let path = witness.path().filter(|_| witness.rests.is_none());
        witness.run = path.map(|path| {
            // A run that ends where nothing is possible stays there: that is no step.
            let taken = path[..path.len() - 1].iter().map_while(|node| witness.nodes[*node].steps[0].step.clone());
            let steps: Vec<ReplayedStep> = taken.collect();
            let states: Vec<State> = path[..=steps.len()].iter().map(|n| witness.nodes[*n].state.clone()).collect();
            replay::written(problem, &states, &steps)
        });
        witness
    }

    /// The nodes in order, if the evidence is a path. Where it comes back to a node, that is the last one, and it goes round from
    /// there for ever.
    #[must_use]
    pub fn path(&self) -> Option<Vec<usize>> {
        let mut path = vec![0];
        let mut seen = vec![false; self.nodes.len()];
        loop {
            let last = *path.last().expect("paths are not empty");
            let node = &self.nodes[last];
            seen[last] = true;
            match node.steps.as_slice() {
                [] => return Some(path),
                [step] if seen[step.target] => {
                    path.push(step.target);
                    return Some(path);
                }
                [step] => path.push(step.target),
                _ => return None,
            }
        }
    }

    /// The witness for a result: a run as other commands have it, or a graph of states.
    #[must_use]
    pub fn record(&self, problem: &Problem) -> result::Evidence {
        if let Some(run) = &self.run {
            return result::Evidence::Run(Box::new(run.clone()));
        }
        let (names, model) = (StateNames::new(problem.model()), problem.model());
        let step = |step: &WitnessStep| match &step.step {
            Some(taken) => TreeStep {
                operator: Some(model.describe_operator(&taken.operator)),
                label: taken.label.map(|label| model.labels[label.0 as usize].to_string()),
                outcome: Some(taken.outcome.clone()),
                target: step.target,
            },
            None => TreeStep { operator: None, label: None, outcome: None, target: step.target },
        };
        let node = |node: &WitnessNode| TreeNode {
            state: names.record(model, &node.state),
            steps: node.steps.iter().map(step).collect(),
            all_successors: node.all,
            for_ever: node.unshown,
            shows: node.shows.clone(),
            rests: node.rests.clone(),
        };
        let rests_on = self.rests.map(|rests| TreeRests {
            states: rests.states,
            checked: match rests.basis {
                Basis::Stepped => TreeCheck::Replay,
                Basis::Equations => TreeCheck::Equations,
                Basis::Labels => TreeCheck::None,
            },
        });
        let nodes = self.nodes.iter().map(node).collect();
        result::Evidence::Tree(Tree { kind: TreeKind::Tree, nodes, rests_on })
    }
}
