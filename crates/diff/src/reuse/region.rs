//! Regions: is anything newly permitted in one, and where does it lead?

use surefoot_abstraction::{Fault, Rule, domain_variable};
use surefoot_limits::{Stop, Unit};
use surefoot_linear::{Formula, Linear, Region, Symbol};
use surefoot_model::model::Operator;
use surefoot_model::{Interpreter, LabelId, State};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Application, BranchAndBound, Limits, Oracle, Question, Variable};

use super::local::Governed;
use super::{Check, Leaving, Piece, Reused};
use crate::invariant::Part;
use crate::policies::{Opinion, Policies};

/// Nodes of the question whether anything is newly permitted in a region, before labels are asked one by one.
const JOINT_NODES: u64 = 256;

impl Check<'_, '_, '_> {
    /// A question about the states of a region, with more variables behind the slots.
    fn question(&self, region: &Part, more: &[Variable], applications: Vec<Application>) -> Question {
        let slots = self.reusing.policies.model.slots.iter();
        let mut variables: Vec<Variable> = slots.map(|slot| domain_variable(&slot.domain)).collect();
        for (slot, lower, upper) in &region.bounds {
            variables[*slot] = Variable::integer(*lower, *upper);
        }
        variables.extend_from_slice(more);
        Question { variables, applications, formula: region.formula.clone() }
    }

    /// What bounds say of the states of a region; nothing where they contradict each other.
    fn narrowed(&self, region: &Part) -> Option<Region<'_>> {
        let mut narrowed = Region::new(self.reusing.new.lowering().space());
        narrowed.assume(&region.formula_here()).then_some(narrowed)
    }

    pub(super) fn region(&self, region: &Part, oracle: &mut BranchAndBound, limits: &Limits) -> Piece {
        let local = &self.locals[&region.locations(self.reusing.policies.model.instances.len())];
        let mut piece = Piece { answer: Reused::Inductive, looked_at: 1, changed: 0, moves: 0 };
        let Some(here) = self.narrowed(region) else { return piece };
        piece.moves = local.moves.iter().filter(|rule| here.truth(&rule.guard) != Some(false)).count() as u64;
        if self.identical {
            return piece;
        }
        if let Some(stop) = limits.stop_now() {
            piece.answer = Reused::Open(stop);
            return piece;
        }
        let plain = self.question(region, &[], Vec::new());
        if !local.uncovered.is_falsity() && !self.reusing.assume_no_errors {
            match oracle.decide(&with(&plain, [local.uncovered.clone()]), limits) {
                Answer::Unsat => {}
                Answer::Unknown(stop) => piece.answer = Reused::Open(stop),
                Answer::Sat(values) => {
                    piece.answer = self.error_at(State(values.into())).unwrap_or_else(Reused::Wrong);
                    return piece;
                }
            }
        }
        let Some(first) = local.governed.first() else { return piece };
        let plain = Question { applications: first.applications(), ..plain };
        let newly: Vec<Formula> = local.governed.iter().map(|governed| governed.newly(&plain)).collect();
        let somewhere =
            |number: usize| Formula::all([local.governed[number].applicable.clone(), newly[number].clone()]);
        if newly.len() > 1 {
            let joint = with(&plain, [Formula::any((0..newly.len()).map(somewhere))]);
            let few = Limits { nodes: Some(JOINT_NODES), ..limits.clone() };
            if oracle.decide(&joint, &few) == Answer::Unsat {
                return piece;
            }
        }
        for (number, governed) in local.governed.iter().enumerate() {
            if oracle.decide(&with(&plain, [somewhere(number)]), limits) == Answer::Unsat {
                continue;
            }
            piece.changed = 1;
            match self.label(region, governed, oracle, limits) {
                Reused::Inductive => {}
                open @ Reused::Open(_) => piece.answer = open,
                settled => {
                    piece.answer = settled;
                    return piece;
                }
            }
        }
        piece
    }

    /// What newly permitted moves of a label do in a region.
    fn label(&self, region: &Part, governed: &Governed, oracle: &mut BranchAndBound, limits: &Limits) -> Reused {
        let mut open = None;
        let faults = if self.reusing.assume_no_errors { &[][..] } else { &governed.faults };
        for fault in faults {
            let plain = self.question(region, &[], governed.applications());
            let newly = governed.newly(&plain);
            match oracle.decide(&with(&plain, [fault.formula.clone(), newly]), limits) {
                Answer::Unsat => {}
                Answer::Unknown(stop) => open = Some(stop),
                Answer::Sat(values) => match self.error_at(State(values.into())) {
                    Ok(error) => return error,
                    Err(state) if fault.exact => return Reused::Wrong(state),
                    Err(_) => open = Some(Fault::undecided()),
                },
            }
        }
        let Some(here) = self.narrowed(region) else { return Reused::Inductive };
        // Soundness: what is assumed leaves out no state of the region, so a guard that is false in what is left is false in all of it.
        for rule in governed.rules.iter().filter(|rule| here.truth(&rule.guard) != Some(false)) {
            match self.rule(region, governed, rule, oracle, limits) {
                Reused::Inductive => {}
                Reused::Open(stop) => open = Some(stop),
                settled => return settled,
            }
        }
        open.map_or(Reused::Inductive, Reused::Open)
    }

    /// Where a move leads from the states of a region in which it is newly permitted.
    fn rule(
        &self,
        region: &Part,
        governed: &Governed,
        rule: &Rule,
        oracle: &mut BranchAndBound,
        limits: &Limits,
    ) -> Reused {
        let slots = self.reusing.policies.model.slots.len();
        let choices: Vec<Variable> = rule.choices.iter().map(|(_, domain)| domain_variable(domain)).collect();
        // Choices have the symbols after the slots, in their order.
        let in_place = rule.choices.iter().enumerate().all(|(i, (symbol, _))| symbol.index() == slots + i);
        if !in_place {
            return Reused::Open(Stop::Most(Unit::Choices, rule.choices.len() as u64));
        }
        let mut question = self.question(region, &choices, governed.applications());
        let newly = governed.newly(&question);
        question = with(&question, [rule.formula.clone(), newly]);
        let next = |symbol: Symbol| -> Option<Linear> {
            if let Some(location) = rule.after.get(symbol.index()) {
                return Some(Linear::constant_form(Rational::from(i64::from(*location))));
            }
            rule.update.iter().find(|(slot, _)| slot.index() == symbol.index()).map(|(_, form)| form.clone())
        };
        loop {
            let values = match oracle.decide(&question, limits) {
                Answer::Unsat => return Reused::Inductive,
                Answer::Unknown(stop) => return Reused::Open(stop),
                Answer::Sat(values) => values,
            };
            let value = |symbol: Symbol| values[symbol.index()].clone();
            let after = |slot: usize| {
                let symbol = Symbol::at(slot);
                next(symbol).map_or_else(|| value(symbol), |form| form.eval(value))
            };
            let successor = State((0..slots).map(after).collect());
            let Some(place) = self.invariant.place(&successor) else {
                let state = State(values[..slots].to_vec().into());
                return self.leaves(state, governed.label, &rule.operator, successor);
            };
            // Soundness: what is ruled out leads into this place, which the successor that was found is in; so every round rules out its own state.
            let inside = self.invariant.inside(place, &successor, &next);
            question = with(&question, [inside.negated()]);
        }
    }

    /// A step out of the invariant, if the reference interpreter says so too.
    fn leaves(&self, state: State, label: LabelId, operator: &Operator, successor: State) -> Reused {
        let Policies { model, new, .. } = self.reusing.policies;
        let permitted = Interpreter::new(model).permitted_choices(&state, Some(new)).unwrap_or_default();
        let is_step = permitted.iter().any(|choice| {
            choice.operator == *operator && choice.outcomes.iter().any(|o| o.successors.contains(&successor))
        });
        let has = |opinion: &Opinion| opinion.as_ref().is_some_and(|labels| labels.contains(&label));
        match self.reusing.policies.opinions(&state) {
            Ok(Some([old, new])) if is_step && !has(&old) && has(&new) => {
                Reused::Leaves(Box::new(Leaving { state, old, new, operator: operator.clone(), successor }))
            }
            _ => Reused::Wrong(Box::new(state)),
        }
    }

    /// The error that the second policy's moves meet in a state; the state where there is none.
    fn error_at(&self, state: State) -> Result<Reused, Box<State>> {
        let Policies { model, new, .. } = self.reusing.policies;
        match Interpreter::new(model).permitted_choices(&state, Some(new)) {
            Err(error) => Ok(Reused::Fault(Box::new(error))),
            Ok(_) => Err(Box::new(state)),
        }
    }
}

/// A question with more to satisfy.
fn with(question: &Question, more: impl IntoIterator<Item = Formula>) -> Question {
    let formula = Formula::all([question.formula.clone()].into_iter().chain(more));
    Question { formula, ..question.clone() }
}
