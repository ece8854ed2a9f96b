//! Evidence with everything that people want to see: states, steps, scores; replayed in the reference interpreter.
//!
//! Nodes are states with the steps that matter. A path is evidence in which every node has at most one step. A step of a state without
//! successors leads back to it.

use surefoot_certificate::Witness;
use surefoot_ctl::Evidence;
use surefoot_model::State;

use crate::problem::Problem;
use crate::replay::{self, ReplayedStep};
use crate::result::evidence::{Tree, TreeKind, TreeNode, TreeStep};
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
}

/// Why a formula fails in a start state, which is node 0.
#[derive(Debug, Clone)]
pub struct CtlWitness {
    /// The nodes.
    pub nodes: Vec<WitnessNode>,
    /// Whether a state without successors, which is its own, is among the steps.
    pub stutters: bool,
    /// The run, if the evidence is a path on which no state is its own successor.
    pub run: Option<Witness>,
}

impl CtlWitness {
    /// A run whose steps were replayed: node by node, the last one going back or nowhere.
    ///
    /// # Errors
    /// If it does not begin in a start state.
    pub(super) fn of_run(problem: &Problem, nodes: Vec<WitnessNode>) -> Result<Self, String> {
        replay::start(problem, &nodes[0].state)?;
        let stutters = nodes.iter().flat_map(|node| &node.steps).any(|step| step.step.is_none());
        Ok(Self { nodes, stutters, run: None }.written(problem))
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
            let unshown = !node.unshown.is_empty();
            nodes.push(WitnessNode { state: node.state.clone(), steps, all: node.all, unshown });
        }
        Ok(Self { nodes, stutters: evidence.stutters(), run: None }.written(problem))
    }

    /// With the run to be written down, if it is one.
    fn written(self, problem: &Problem) -> Self {
        let mut witness = self;
        witness.run = witness.path().and_then(|path| {
            let states: Vec<State> = path.iter().map(|node| witness.nodes[*node].state.clone()).collect();
            let steps = path[..path.len() - 1].iter().map(|node| witness.nodes[*node].steps[0].step.clone());
            Some(replay::written(problem, &states, &steps.collect::<Option<Vec<_>>>()?))
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
        };
        result::Evidence::Tree(Tree { kind: TreeKind::Tree, nodes: self.nodes.iter().map(node).collect() })
    }
}
