//! The monolithic encoding: one program that has a solution iff the formula holds in a start state (Definition 11, Figure 6).
//!
//! Disjunctions and `EX` are alternatives with gates, at least one of which is taken; the state after `EX` is the same variables
//! whatever the move, within the hull of all successors. `AX` has a copy of everything per move: impossible, or possible and `f` after
//! it. All of it is about the state it is given, so what stands beside an `AX` is about the state before it.

use std::sync::Arc;

use surefoot_linear::{Formula, Interval, Linear, Symbol};
use surefoot_milp::VarId;

use super::encoder::Encoder;
use super::moves::Moves;
use super::state::StateId;
use crate::explore::Trouble;
use crate::formula::Quantifier;
use crate::formula::unfold::{Node, NodeId};

impl Encoder<'_, '_, '_> {
    /// Says that a node holds in a state, where the gate is 1 if there is one.
    pub(super) fn encode(&mut self, node: NodeId, state: StateId, gate: Option<VarId>) -> Result<(), Trouble> {
        self.check_limits()?;
        if let Some(formula) = self.boolean(node).cloned() {
            let formula = self.local(state, &formula)?;
            self.gated(state, &formula, gate);
            return Ok(());
        }
        match self.engine.formula.node(node).clone() {
            Node::State(_) => unreachable!("conditions are not temporal"),
            Node::All(parts) => parts.iter().try_for_each(|part| self.encode(*part, state, gate)),
            Node::Any(parts) => {
                let gates = self.rows.some(parts.len(), gate);
                parts.iter().zip(gates).try_for_each(|(part, gate)| self.encode(*part, state, gate))
            }
            Node::Next(quantifier, part) => {
                let moves = self.moves(state)?;
                match quantifier {
                    Quantifier::Some => self.encode_some(&moves, part, state, gate),
                    Quantifier::All => self.encode_all(&moves, part, state, gate),
                }
            }
            Node::Until(..) | Node::Release(..) => {
                Err(Trouble::Internal("a fixpoint is no bounded formula".to_owned()))
            }
        }
    }

    /// A formula over a state's symbols, under a gate.
    fn gated(&mut self, state: StateId, formula: &Formula, gate: Option<VarId>) {
        let over = self.states[state.0].over_variables(formula);
        self.rows.require(&over, gate);
    }

    fn encode_some(&mut self, moves: &Moves, part: NodeId, state: StateId, gate: Option<VarId>) -> Result<(), Trouble> {
        let slots = self.slots();
        let stay: Vec<Linear> = Symbol::first(slots).map(Linear::symbol).collect();
        let known = Arc::clone(&self.states[state.0]);
        let here: Vec<Interval> = Symbol::first(slots).map(|s| known.space.symbol(s).bounds.clone()).collect();
        let stutters = !moves.stutter.is_falsity();
        let gates = self.rows.some(moves.list.len() + usize::from(stutters), gate);
        let mut choices: Vec<(&[Linear], &[Interval], Option<VarId>)> = Vec::new();
        for (step, gate) in moves.list.iter().zip(&gates) {
            self.gated(state, &Formula::all([step.enabled.clone(), step.fits.clone()]), *gate);
            choices.push((&step.effect, &step.bounds, *gate));
        }
        if let (true, Some(gate)) = (stutters, gates.last()) {
            self.gated(state, &moves.stutter, *gate);
            choices.push((&stay, &here, *gate));
        }
        if choices.is_empty() {
            return Ok(());
        }
        let next = self.one_of(state, &choices)?;
        self.encode(part, next, gate)
    }

    fn encode_all(&mut self, moves: &Moves, part: NodeId, state: StateId, gate: Option<VarId>) -> Result<(), Trouble> {
        let plain = self.plain(part);
        for step in &moves.list {
            let impossible = self.states[state.0].space.negated(&step.enabled);
            if let Some(formula) = &plain {
                let after = formula.substitute(&|slot| Some(step.effect[slot.index()].clone()));
                let after = Formula::all([step.fits.clone(), after]);
                self.gated(state, &Formula::any([impossible, after]), gate);
                continue;
            }
            let gate = self.unless(state, &step.enabled, &impossible, gate);
            self.gated(state, &step.fits, gate);
            let next = self.after(state, &step.effect, &step.bounds, gate)?;
            self.encode(part, next, gate)?;
        }
        if !moves.stutter.is_falsity() {
            let moving = self.states[state.0].space.negated(&moves.stutter);
            let gate = self.unless(state, &moves.stutter, &moving, gate);
            self.encode(part, state, gate)?;
        }
        Ok(())
    }

    /// The gate under which something is possible, the alternative being that it is not.
    fn unless(&mut self, state: StateId, possible: &Formula, not: &Formula, gate: Option<VarId>) -> Option<VarId> {
        if possible.is_truth() || not.is_falsity() {
            return gate;
        }
        let gates = self.rows.some(2, gate);
        self.gated(state, not, gates[0]);
        self.gated(state, possible, gates[1]);
        gates[1]
    }

    /// A node that is a formula over slots alone.
    pub(super) fn plain(&self, node: NodeId) -> Option<Formula> {
        let slots = Symbol::at(self.slots());
        let formula = self.boolean(node)?;
        let mut reads = false;
        formula.for_each_atom(&mut |atom| reads |= atom.form.terms().iter().any(|(symbol, _)| *symbol >= slots));
        (!reads).then(|| formula.clone())
    }
}
