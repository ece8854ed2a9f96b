//! States that are listed, one by one, by the reference interpreter.

use surefoot_model::{Interpreter, ModelError, State};
use surefoot_oracle::Limits;

use super::{Check, Leaving, Piece, Reused, Reusing};
use crate::policies::Opinion;

impl Check<'_, '_, '_> {
    /// States one by one, by the reference interpreter.
    pub(super) fn states(&self, states: &[&[i64]], limits: &Limits) -> Piece {
        let mut piece = Piece { answer: Reused::Inductive, looked_at: 0, changed: 0, moves: 0 };
        for values in states {
            if let Some(stop) = limits.stop_now() {
                piece.answer = Reused::Open(stop);
                break;
            }
            piece.looked_at += 1;
            match self.state(&State::from_ints(values), &mut piece) {
                Ok(Reused::Inductive) => {}
                Ok(settled) => {
                    piece.answer = settled;
                    break;
                }
                Err(error) => {
                    piece.answer = Reused::Fault(error);
                    break;
                }
            }
        }
        piece
    }

    fn state(&self, state: &State, piece: &mut Piece) -> Result<Reused, Box<ModelError>> {
        let Reusing { policies, terminal, assume_no_errors, .. } = self.reusing;
        let interpreter = Interpreter::new(policies.model);
        if let Some(goal) = terminal {
            let ended = interpreter.holds(*goal, state);
            if ended.map_err(|error| Box::new(ModelError::evaluation(error, state.clone())))? {
                return Ok(Reused::Inductive);
            }
        }
        piece.moves += interpreter.enabled_operators(state).map_err(Box::new)?.len() as u64;
        let Some([old, new]) = policies.opinions(state).map_err(Box::new)? else { return Ok(Reused::Inductive) };
        if old == new && new.is_some() {
            return Ok(Reused::Inductive);
        }
        piece.changed += 1;
        for operator in interpreter.permitted_operators(state, Some(policies.new)).map_err(Box::new)? {
            let label = policies.model.vectors[operator.vector as usize].label;
            let has = |opinion: &Opinion| match (opinion, label) {
                (Some(labels), Some(label)) => labels.contains(&label),
                _ => false,
            };
            if !has(&new) || has(&old) {
                continue;
            }
            let choice = match interpreter.choice(state, operator) {
                Ok(choice) => choice,
                Err(_) if *assume_no_errors => continue,
                Err(error) => return Err(Box::new(error)),
            };
            let successors = choice.outcomes.iter().flat_map(|outcome| &outcome.successors);
            if let Some(outside) = successors.into_iter().find(|successor| self.invariant.place(successor).is_none()) {
                let (state, successor) = (state.clone(), outside.clone());
                return Ok(Reused::Leaves(Box::new(Leaving { state, old, new, operator: choice.operator, successor })));
            }
        }
        Ok(Reused::Inductive)
    }
}
