//! Nodes of a proof: some states, what is known of them, and what is still to be shown.
//!
//! [`Rules::settle`] takes away what is settled, as the format's page lists it (*Nodes*). It is called for every node and after every step.
//!
//! Soundness: a node stands for the states of its box in which the known atoms and formulas are true and neurons have the known phases. Something is
//! taken away only if it holds in all of these; nothing is ever added, and the parts of a split together stand for all states of the
//! whole.

use std::sync::{Arc, OnceLock};

use surefoot_model::TermId;

use crate::formula::Atom;
use crate::network::{Folded, Phase, Prepared, Row};
use crate::operator::Op;
use crate::rules::{Region, Rules, Workspace};
use crate::values::{Bounds, Values};

/// An operator that is pending.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    /// Which of those at the node's locations.
    pub index: u32,
    /// Whether its guards are all true in the node.
    pub enabled: bool,
    /// Whether its guards cannot be in error in the node.
    pub defined: bool,
}

/// Rows of outputs relative to one of them.
#[derive(Debug)]
pub struct Rows {
    /// That one.
    pub reference: usize,
    /// By output; `None` where none was needed.
    pub rows: Vec<Option<Row>>,
    /// The first layer that they are over.
    pub folded: Arc<Folded>,
}

/// The box of a proof's root, and what the first layer of a network is there, which all nodes below share.
#[derive(Debug)]
pub struct Root {
    bounds: Vec<Bounds>,
    folded: OnceLock<(usize, Result<Arc<Folded>, String>)>,
}

impl Root {
    /// What the first layer of a network is in the box.
    ///
    /// # Errors
    /// Where numbers are too large.
    pub(crate) fn folded(&self, number: usize, network: &Prepared) -> Result<Arc<Folded>, String> {
        let fold = || network.folded(&self.bounds).map(Arc::new);
        let (first, folded) = self.folded.get_or_init(|| (number, fold()));
        if *first == number { folded.clone() } else { fold() }
    }
}

/// A start condition whose states are to be covered.
#[derive(Debug, Clone)]
pub struct Start {
    /// The condition.
    pub condition: TermId,
    /// Its conjuncts, in order, without those that are true in the node.
    pub open: Vec<TermId>,
}

impl Start {
    /// Drops what is true, and says whether the condition is false, in all of the node; neither counts where something before it may be in error.
    fn settle(&mut self, values: &Values<'_>) -> bool {
        let (mut error, mut fails) = (false, false);
        self.open.retain(|part| {
            if fails {
                return true;
            }
            let part = values.truth(*part);
            error |= part.error;
            fails = part.value == Some(false) && !error;
            !part.is(true)
        });
        fails
    }

    /// Whether the condition can be in error.
    #[must_use]
    pub fn may_fail(&self, values: &Values<'_>) -> bool {
        self.open.iter().any(|part| values.truth(*part).error)
    }
}

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// Bounds of the slots.
    pub bounds: Vec<Bounds>,
    /// Formulas that are known to be true, or false.
    pub told: Vec<(u32, bool)>,
    /// Those that are inequalities, negated where they are false.
    pub atoms: Vec<Atom>,
    /// Phases that are known.
    pub phases: Vec<Phase>,
    /// Which network is asked; `None` where that is not decided.
    pub network: Option<usize>,
    /// The box of the root, and what the first layer of a network is in it.
    pub root: Arc<Root>,
    /// Rows of the last bounds.
    pub rows: Option<Arc<Rows>>,
    /// The start condition, while it is pending that its states are covered.
    pub covered: Option<Start>,
    /// Whether the target is pending.
    pub target: bool,
    /// Operators that are pending.
    pub operators: Vec<Pending>,
    /// The number of the locations that these leave.
    pub place: u32,
    /// Whether an operator is settled only by not being chosen: where it leads does not matter.
    pub question: bool,
}

impl Node {
    /// Whether nothing is pending.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.covered.is_none() && !self.target && self.operators.is_empty()
    }

    fn settle_all(&mut self) {
        (self.covered, self.target) = (None, false);
        self.operators.clear();
    }

    /// Whether a formula is known to hold.
    #[must_use]
    pub fn knows(&self, formula: u32, ws: &Workspace) -> bool {
        use crate::formula::Formula;
        self.told.iter().any(|(told, truth)| match ws.formulas.get(formula) {
            Ok(_) if *told == formula && *truth => true,
            Ok(Formula::Not(part)) => *told == *part && !*truth,
            _ => false,
        })
    }

    /// The node in which a formula is known to be true or false.
    ///
    /// # Errors
    /// Where there is no such formula.
    pub fn tell(&mut self, formula: u32, truth: bool, ws: &Workspace) -> Result<(), String> {
        ws.formulas.get(formula)?;
        self.told.push((formula, truth));
        if let Ok(atom) = ws.formulas.atom(formula) {
            self.atoms.extend(if truth { Some(atom) } else { atom.negated() });
        }
        Ok(())
    }
}

impl<'p> Rules<'p> {
    /// All states, of which those that satisfy a condition are to be covered.
    #[must_use]
    pub fn start_node(&self, condition: TermId) -> Node {
        let start = Start { condition, open: self.asked.model.terms.conjuncts(condition) };
        Node { covered: Some(start), ..self.bare(self.asked.everything()) }
    }

    fn bare(&self, bounds: Vec<Bounds>) -> Node {
        let root = Arc::new(Root { bounds: bounds.clone(), folded: OnceLock::new() });
        Node {
            bounds,
            root,
            told: Vec::new(),
            atoms: Vec::new(),
            phases: Vec::new(),
            network: None,
            rows: None,
            covered: None,
            target: false,
            operators: Vec::new(),
            place: 0,
            question: false,
        }
    }

    /// The states in some bounds, of which everything is to be shown. Locations are fixed, and their operators prepared.
    #[must_use]
    pub fn box_node(&self, bounds: Vec<Bounds>) -> Node {
        let locations: Vec<i64> = bounds[..self.asked.locations()].iter().map(|(lower, _)| *lower).collect();
        let place = self.operators.place(&locations);
        let count = if self.asked.initial_only { 0 } else { self.operators.at(place).len() };
        let pending = |index: usize| Pending {
            index: u32::try_from(index).expect("operators are limited"),
            enabled: false,
            defined: false,
        };
        Node { target: true, operators: (0..count).map(pending).collect(), place, ..self.bare(bounds) }
    }

    /// The states in some bounds, of which it is to be shown that an output is chosen in none.
    ///
    /// # Errors
    /// Where there is not one operator of the output's label.
    pub fn question_node(&self, bounds: Vec<Bounds>, output: usize) -> Result<Node, String> {
        let mut node = Node { target: false, question: true, ..self.box_node(bounds) };
        let all = self.operators_at(&node);
        let mut asked = std::mem::take(&mut node.operators);
        asked.retain(|pending| all[pending.index as usize].output == Some(output));
        // Soundness: with nothing pending, everything would be shown.
        if asked.len() != 1 {
            return Err(format!("there is no output {output}"));
        }
        Ok(Node { operators: asked, ..node })
    }

    /// The states of a region, of which everything is to be shown.
    ///
    /// # Errors
    /// Where a formula is not there.
    pub fn region_node(&self, region: &Region, ws: &Workspace) -> Result<Node, String> {
        let mut bounds = self.asked.everything();
        for (slot, lower, upper) in &region.bounds {
            bounds[*slot as usize] = (*lower, *upper);
        }
        let mut node = self.box_node(bounds);
        for formula in &region.formulas {
            node.tell(*formula, true, ws)?;
        }
        Ok(node)
    }

    /// The operators that leave a node's locations.
    #[must_use]
    pub fn operators_at(&self, node: &Node) -> &[Op<'p>] {
        self.operators.at(node.place)
    }

    /// The values of a node.
    #[must_use]
    pub fn values<'n>(&'n self, node: &'n Node) -> Values<'n> {
        Values::new(self.asked.model, &node.bounds, &node.atoms)
    }

    /// Takes away what is settled.
    pub fn settle(&self, node: &mut Node, ws: &mut Workspace) {
        if node.is_settled() {
            return;
        }
        if self.is_contradictory(node, ws) {
            return node.settle_all();
        }
        if let Some(mut start) = node.covered.take() {
            if !start.settle(&self.values(node)) {
                node.covered = Some(start);
            }
            return;
        }
        let values = self.values(node);
        let terminal = self.asked.terminal.map(|goal| values.truth(goal));
        let safe = node.target && values.truth(self.asked.target).is(false);
        let defined = terminal.as_ref().is_none_or(|goal| !goal.error);
        let stopped = terminal.is_some_and(|goal| goal.is(true));
        if safe && defined {
            node.target = false;
        }
        if stopped {
            node.operators.clear();
        }
        self.settle_operators(node, ws);
    }

    /// Whether what is known contradicts itself.
    ///
    /// Soundness: a range with its ends in the wrong order holds nothing, and each end of it follows from what is known.
    fn is_contradictory(&self, node: &Node, ws: &Workspace) -> bool {
        let values = self.values(node);
        let impossible = |atom: &Atom| atom.is_impossible(&values);
        let told = |(formula, truth): &(u32, bool)| ws.formulas.truth(*formula, &values) == Some(!truth);
        node.atoms.iter().any(impossible) || node.told.iter().any(told)
    }

    fn settle_operators(&self, node: &mut Node, ws: &mut Workspace) {
        if node.operators.is_empty() {
            return;
        }
        let mut operators = std::mem::take(&mut node.operators);
        let all = self.operators_at(node);
        {
            let values = self.values(node);
            operators.retain_mut(|pending| {
                pending.enabled || !is_disabled(&all[pending.index as usize].guards, &values, pending)
            });
        }
        if operators.iter().any(|pending| all[pending.index as usize].output.is_some()) {
            self.decide_network(node);
            let excluded = self.excluded(node, all, ws);
            operators.retain(|pending| {
                let output = all[pending.index as usize].output;
                !(pending.defined && output.is_some_and(|output| excluded.contains(&output)))
            });
        }
        node.operators = operators;
    }

    /// Whether the policy has a network in all of the node, and which.
    fn decide_network(&self, node: &mut Node) {
        let Some(policy) = self.asked.policy.filter(|_| node.network.is_none()) else { return };
        let values = self.values(node);
        for (i, network) in policy.networks.iter().enumerate() {
            match network.when.map(|when| values.truth(when)) {
                None => return node.network = Some(i),
                Some(when) if when.is(true) => return node.network = Some(i),
                Some(when) if when.is(false) => {}
                Some(_) => return,
            }
        }
    }
}

/// Whether an operator is disabled in all of the node; what is known of its guards is noted.
fn is_disabled(guards: &[TermId], values: &Values<'_>, pending: &mut Pending) -> bool {
    let (mut error, mut enabled) = (false, true);
    for guard in guards {
        let guard = values.truth(*guard);
        error |= guard.error;
        // Soundness: guards are looked at in order, so errors of later ones do not count where this one is false.
        if guard.value == Some(false) && !error {
            return true;
        }
        enabled &= guard.value == Some(true);
    }
    (pending.enabled, pending.defined) = (enabled && !error, !error);
    false
}
