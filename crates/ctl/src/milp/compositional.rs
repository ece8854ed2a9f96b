//! The compositional encoding: many small programs, one of which has a solution iff the formula holds in a start state
//! (Definition 12, Figure 7), for the whole logic.
//!
//! What must hold is a list of obligations. A disjunction, and the choice of a move for `EX`, is a branch with each of its
//! alternatives; for `AX` every move in turn is a branch with two: it is impossible, or it is possible and `f` holds after
//! it. Along a branch everything is a conjunction, so no row is gated, and bounds follow the path. When no obligation is left the
//! program is a job. Disjunctions without temporal operators stay in one program.
//!
//! Branches are gone through depth first, the program being one stack that is cut back. A branch ends early where bounds contradict
//! an obligation, before anything is solved.

use std::ops::ControlFlow;
use std::sync::Arc;

use surefoot_linear::Formula;
use surefoot_milp::program::Mark;
use surefoot_milp::{Program, VarId};

use super::encoder::Encoder;
use super::moves::Moves;
use super::state::{StateId, Symbolic};
use crate::explore::Trouble;
use crate::formula::Quantifier;
use crate::formula::unfold::{Node, NodeId};

/// What must hold still.
#[derive(Debug, Clone)]
enum Obligation {
    /// A node in a state.
    Holds(NodeId, StateId),
    /// A node after every move from a given one on, and where the state stutters.
    After(Arc<Moves>, usize, NodeId, StateId),
}

/// A program to be solved.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its number: jobs are numbered in the order in which they are generated.
    pub number: u64,
    /// The root whose start states it is about.
    pub root: usize,
    /// The program.
    pub program: Program,
    /// The variables of the root's parameters.
    pub parameters: Vec<VarId>,
}

/// Generates the jobs of a root.
pub(super) struct Generator<'g, 'e, 's, 'm> {
    pub(super) encoder: Encoder<'e, 's, 'm>,
    pub(super) root: usize,
    pub(super) parameters: Vec<VarId>,
    /// The number of the next job.
    pub(super) next: u64,
    /// Branches that bounds ended.
    pub(super) discarded: u64,
    /// Takes a job, and says whether more are wanted.
    pub(super) take: &'g mut dyn FnMut(Job) -> ControlFlow<()>,
}

type Flow = Result<ControlFlow<()>, Trouble>;

impl Generator<'_, '_, '_, '_> {
    /// Generates all jobs for a node in a state.
    pub(super) fn generate(&mut self, node: NodeId, state: StateId) -> Flow {
        self.go(vec![Obligation::Holds(node, state)])
    }

    fn mark(&self) -> (Mark, Vec<Arc<Symbolic>>) {
        (self.encoder.rows.program.mark(), self.encoder.states.clone())
    }

    fn back(&mut self, mark: &(Mark, Vec<Arc<Symbolic>>)) {
        self.encoder.rows.program.truncate(mark.0);
        self.encoder.states.clone_from(&mark.1);
    }

    fn go(&mut self, mut pending: Vec<Obligation>) -> Flow {
        while let Some(obligation) = pending.pop() {
            self.encoder.check_limits()?;
            match obligation {
                Obligation::Holds(node, state) => {
                    if let Some(formula) = self.encoder.boolean(node).cloned() {
                        let formula = self.encoder.local(state, &formula)?;
                        if !self.encoder.require(state, &formula) {
                            self.discarded += 1;
                            return Ok(ControlFlow::Continue(()));
                        }
                        continue;
                    }
                    match self.encoder.engine.formula.node(node).clone() {
                        Node::State(_) => unreachable!("conditions are not temporal"),
                        Node::All(parts) => self.all_of(&parts, state, &mut pending),
                        Node::Any(parts) => return self.any_of(&parts, state, &pending),
                        Node::Next(Quantifier::Some, part) => return self.some_move(part, state, &pending),
                        Node::Next(Quantifier::All, part) => {
                            let moves = Arc::new(self.encoder.moves(state)?);
                            pending.push(Obligation::After(moves, 0, part, state));
                        }
                        Node::Until(..) | Node::Release(..) => {
                            return Err(Trouble::Internal("a fixpoint is no bounded formula".to_owned()));
                        }
                    }
                }
                Obligation::After(moves, number, part, state) => {
                    if let Some(flow) = self.after_move(&moves, number, part, state, &pending)? {
                        return Ok(flow);
                    }
                }
            }
        }
        let program = self.encoder.rows.finished();
        let job = Job { number: self.next, root: self.root, program, parameters: self.parameters.clone() };
        self.next += 1;
        Ok((self.take)(job))
    }

    /// Conditions first: they end branches.
    fn all_of(&self, parts: &[NodeId], state: StateId, pending: &mut Vec<Obligation>) {
        let (now, later): (Vec<&NodeId>, Vec<&NodeId>) =
            parts.iter().partition(|part| self.encoder.boolean(**part).is_some());
        pending.extend(later.into_iter().rev().chain(now).map(|part| Obligation::Holds(*part, state)));
    }

    /// Goes through alternatives, each from where we are now.
    fn branch(&mut self, alternatives: usize, mut take: impl FnMut(&mut Self, usize) -> Flow) -> Flow {
        let mark = self.mark();
        for alternative in 0..alternatives {
            if take(self, alternative)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.back(&mark);
        }
        Ok(ControlFlow::Continue(()))
    }

    fn any_of(&mut self, parts: &[NodeId], state: StateId, pending: &[Obligation]) -> Flow {
        let formulas: Vec<Formula> = parts.iter().filter_map(|part| self.encoder.boolean(*part).cloned()).collect();
        let temporal: Vec<NodeId> =
            parts.iter().copied().filter(|part| self.encoder.boolean(*part).is_none()).collect();
        let conditions = usize::from(!formulas.is_empty());
        self.branch(conditions + temporal.len(), |this, alternative| {
            if alternative < conditions {
                let formula = this.encoder.local(state, &Formula::any(formulas.iter().cloned()))?;
                return this.under(state, &formula, pending.to_vec());
            }
            let node = temporal[alternative - conditions];
            this.go(with(pending, [Obligation::Holds(node, state)]))
        })
    }

    /// Goes on where a formula over a state's symbols holds.
    fn under(&mut self, state: StateId, formula: &Formula, pending: Vec<Obligation>) -> Flow {
        if !self.encoder.require(state, formula) {
            self.discarded += 1;
            return Ok(ControlFlow::Continue(()));
        }
        self.go(pending)
    }

    fn some_move(&mut self, part: NodeId, state: StateId, pending: &[Obligation]) -> Flow {
        let moves = self.encoder.moves(state)?;
        let stutters = usize::from(!moves.stutter.is_falsity());
        self.branch(moves.list.len() + stutters, |this, alternative| {
            let Some(step) = moves.list.get(alternative) else {
                return this.under(state, &moves.stutter, with(pending, [Obligation::Holds(part, state)]));
            };
            if !this.encoder.require(state, &Formula::all([step.enabled.clone(), step.fits.clone()])) {
                this.discarded += 1;
                return Ok(ControlFlow::Continue(()));
            }
            let next = this.encoder.after(state, &step.effect, &step.bounds, None)?;
            this.go(with(pending, [Obligation::Holds(part, next)]))
        })
    }

    /// One move of `AX`, or the end of them; tells how it went if there was a branch.
    fn after_move(
        &mut self,
        moves: &Arc<Moves>,
        number: usize,
        part: NodeId,
        state: StateId,
        pending: &[Obligation],
    ) -> Result<Option<ControlFlow<()>>, Trouble> {
        let Some(step) = moves.list.get(number) else {
            if moves.stutter.is_falsity() {
                return Ok(None);
            }
            let moving = self.encoder.states[state.0].space.negated(&moves.stutter);
            let flow = self.branch(2, |this, alternative| match alternative {
                0 => this.under(state, &moving, pending.to_vec()),
                _ => this.under(state, &moves.stutter, with(pending, [Obligation::Holds(part, state)])),
            })?;
            return Ok(Some(flow));
        };
        let rest = Obligation::After(Arc::clone(moves), number + 1, part, state);
        let impossible = self.encoder.states[state.0].space.negated(&step.enabled);
        if let Some(formula) = self.encoder.plain(part) {
            let after = formula.substitute(&|slot| Some(step.effect[slot.index()].clone()));
            let either = Formula::any([impossible, Formula::all([step.fits.clone(), after])]);
            let flow = self.under(state, &either, with(pending, [rest]))?;
            return Ok(Some(flow));
        }
        let flow = self.branch(2, |this, alternative| {
            if alternative == 0 {
                return this.under(state, &impossible, with(pending, [rest.clone()]));
            }
            if !this.encoder.require(state, &Formula::all([step.enabled.clone(), step.fits.clone()])) {
                this.discarded += 1;
                return Ok(ControlFlow::Continue(()));
            }
            let next = this.encoder.after(state, &step.effect, &step.bounds, None)?;
            this.go(with(pending, [rest.clone(), Obligation::Holds(part, next)]))
        })?;
        Ok(Some(flow))
    }
}

fn with<const N: usize>(pending: &[Obligation], more: [Obligation; N]) -> Vec<Obligation> {
    pending.iter().cloned().chain(more).collect()
}
