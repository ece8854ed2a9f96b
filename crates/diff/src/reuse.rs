//! Proof reuse: an invariant that is inductive under one policy, and whether it is under another.
//!
//! **What is asked.** Start states, unsafe states and moves of the environment are the same under both policies, which have the same labels. An operator that both
//! permit in a state has been shown to stay inside. So the invariant is inductive under the second policy if, in every state of it, the operators that the second
//! permits *and the first does not* stay inside and are not in error. For each region and label that is first a question about two networks at once, whether the label is newly permitted anywhere
//! in it; where it is, each of the label's moves is asked whether it leads out.
//!
//! **Leading out** is not one formula, as an invariant may have many thousand regions. A state is asked for from which the move is newly permitted; where it leads into a
//! region, states that lead there are ruled out, and the next one is asked for. There are finitely many regions, so this ends: with nothing left, or with a successor outside.
//!
//! **What it means.** Inductive under the second policy: no run under it reaches an unsafe state. Not inductive: the state that is told is in the invariant and has a successor outside;
//! whether a run comes to that state, and whether the successor is unsafe or leads to something that is, is another question.
//!
//! Soundness: [`Reused::Inductive`] needs every question refuted. A successor outside counts after the reference interpreter has confirmed both policies' choices and the step, and evaluated
//! that it is in no region and not among the states.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_abstraction::{Chooser, Fault, Rule, System, domain_variable};
use surefoot_limits::{Stop, Unit};
use surefoot_linear::{Formula, Linear, Region, Symbol};
use surefoot_model::model::Operator;
use surefoot_model::{Interpreter, LabelId, ModelError, State, TermId};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Application, BranchAndBound, Limits, Oracle, Question, Statistics, Variable};
use surefoot_text::diagnostic::Diagnostic;

use crate::first::up_to_first;
use crate::invariant::{Invariant, Part};
use crate::policies::{Applicable, Opinion, Policies};

/// Nodes of the question whether anything is newly permitted in a region, before labels are asked one by one.
const JOINT_NODES: u64 = 256;
/// States that are looked at in one piece.
const STATES: usize = 1024;

/// A newly permitted step out of the invariant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaving {
    /// A state of the invariant.
    pub state: State,
    /// What the first policy permits there.
    pub old: Opinion,
    /// What the second does.
    pub new: Opinion,
    /// What it does.
    pub operator: Operator,
    /// A state outside that this leads to.
    pub successor: State,
}

/// What became of the invariant.
#[derive(Debug, Clone)]
pub enum Reused {
    /// It is inductive under the second policy.
    Inductive,
    /// It is not.
    Leaves(Box<Leaving>),
    /// The model, or the second policy, is in error in a state of it where the second policy is asked.
    Fault(Box<ModelError>),
    /// It is not known.
    Open(Stop),
    /// A state that was found is not as asked: an error of ours.
    Wrong(Box<State>),
}

/// An answer, and what it took.
#[derive(Debug, Clone)]
pub struct Reuse {
    /// The answer.
    pub answer: Reused,
    /// Regions that were looked at, and those of them in which something is newly permitted (or may be).
    pub regions: (u64, u64),
    /// The same of states.
    pub states: (u64, u64),
    /// What was asked.
    pub statistics: Statistics,
    /// What a check of every move asks at least: one question for each region and move that bounds do not exclude there.
    pub from_nothing: u64,
}

/// What is re-checked.
#[derive(Debug)]
pub struct Reusing<'p, 's> {
    /// The policies.
    pub policies: Policies<'p>,
    /// The first policy's system.
    pub old: System<'s>,
    /// The second one's.
    pub new: System<'s>,
    /// States without moves.
    pub terminal: Option<TermId>,
    /// Whether operators count as absent where they are in error.
    pub assume_no_errors: bool,
}

/// Whether an invariant of the first policy is one of the second.
///
/// # Errors
/// What cannot be lowered, with its place.
pub fn reuse(mut reusing: Reusing<'_, '_>, invariant: &Invariant, limits: &Limits) -> Result<Reuse, Diagnostic> {
    let locations = reusing.policies.model.instances.len();
    let whole = invariant.are_whole(reusing.policies.model);
    let mut states: Vec<&[i64]> = invariant.states.iter().map(|values| &**values).collect();
    states.sort_unstable();
    // States that leave slots open are asked about like regions.
    let mut regions: Vec<Part> = invariant.regions.clone();
    if !whole {
        regions.extend(states.drain(..).map(|values| invariant.state_as_region(values)));
    }
    let mut locals: FxHashMap<Box<[i64]>, Local> = FxHashMap::default();
    for region in &regions {
        if let Entry::Vacant(missing) = locals.entry(region.locations(locations)) {
            let local = Local::new(&mut reusing, missing.key())?;
            missing.insert(local);
        }
    }
    let check = Check { reusing: &reusing, invariant, locals, identical: reusing.policies.are_identical() };
    let chunks: Vec<&[&[i64]]> = states.chunks(STATES).collect();
    let piece = |number: usize, oracle: &mut BranchAndBound, limits: &Limits| match number.checked_sub(regions.len()) {
        None => check.region(&regions[number], oracle, limits),
        Some(chunk) => check.states(chunks[chunk], limits),
    };
    let settles = |piece: &Piece| !matches!(piece.answer, Reused::Inductive | Reused::Open(_));
    let (pieces, statistics) = up_to_first(regions.len() + chunks.len(), limits, piece, settles);
    let mut total = Reuse { answer: Reused::Inductive, regions: (0, 0), states: (0, 0), statistics, from_nothing: 0 };
    for (number, piece) in pieces.into_iter().enumerate() {
        let counted = if number < invariant.regions.len() { &mut total.regions } else { &mut total.states };
        counted.0 += piece.looked_at;
        counted.1 += piece.changed;
        total.from_nothing += piece.moves;
        if !matches!(piece.answer, Reused::Inductive) {
            total.answer = piece.answer;
        }
    }
    Ok(total)
}

/// What can happen at given locations.
struct Local {
    /// Labels of the policies that have moves here.
    governed: Vec<Governed>,
    /// All moves, those of the environment too.
    moves: Vec<Arc<Rule>>,
    /// Where the second policy is asked and has no network.
    uncovered: Formula,
}

/// A label that policies may choose at given locations.
struct Governed {
    applicable: Formula,
    old: Arc<[Chooser]>,
    new: Arc<[Chooser]>,
    rules: Vec<Arc<Rule>>,
    faults: Vec<Fault>,
    label: LabelId,
}

/// What one region, or some states, came to.
struct Piece {
    answer: Reused,
    looked_at: u64,
    changed: u64,
    moves: u64,
}

struct Check<'c, 'p, 's> {
    reusing: &'c Reusing<'p, 's>,
    invariant: &'c Invariant,
    locals: FxHashMap<Box<[i64]>, Local>,
    /// Whether nothing tells the policies apart: then nothing is newly permitted.
    identical: bool,
}

impl Local {
    fn new(reusing: &mut Reusing<'_, '_>, here: &[i64]) -> Result<Self, Diagnostic> {
        let locations: Vec<u32> = here.iter().filter_map(|location| u32::try_from(*location).ok()).collect();
        let Reusing { policies, old, new, .. } = reusing;
        let rules = new.rules(&locations)?;
        let faults = new.faults(&locations)?;
        let mut lowering = new.lowering().clone();
        let applicable = Applicable::new(&mut lowering, policies.labels(), Some(&locations))?;
        let covered = new.policy().map_or_else(Formula::truth, |policy| policy.covered.clone());
        let covered = lowering.at_all_locations(&covered, &locations);
        let terminal = lowering.at_all_locations(new.terminal(), &locations);
        let [uncovered, moving] = [&covered, &terminal].map(|formula| lowering.space().negated(formula));
        let uncovered = Formula::all([applicable.some(), uncovered, moving]);
        let mut governed = Vec::new();
        for label in policies.labels() {
            let own = |choosers: Option<Arc<[Chooser]>>| choosers.unwrap_or_default();
            let of_old = own(old.choosers(Some(*label), &locations)?);
            let of_new = own(new.choosers(Some(*label), &locations)?);
            let output = policies.new.output_of_label(*label);
            let is_own = |fault: &&Fault| {
                let first = fault.choosers.as_ref().and_then(|choosers| choosers.first());
                first.is_some_and(|chooser| Some(chooser.output) == output)
            };
            let found = Governed {
                applicable: applicable.of(*label),
                old: of_old,
                new: of_new,
                rules: rules.iter().filter(|rule| rule.label == Some(*label)).cloned().collect(),
                faults: faults.iter().filter(is_own).cloned().collect(),
                label: *label,
            };
            if !found.applicable.is_falsity() && !found.new.is_empty() {
                governed.push(found);
            }
        }
        Ok(Self { governed, moves: rules, uncovered })
    }
}

impl Governed {
    /// That the label is newly permitted, where the networks are applications of the question: the second policy's first.
    fn newly(&self, question: &Question) -> Formula {
        let keep = |_: Symbol| None;
        let chosen = |choosers: &[Chooser], first: usize| {
            Formula::any(choosers.iter().enumerate().map(|(i, chooser)| chooser.chosen(question, first + i, &keep)))
        };
        Formula::all([chosen(&self.new, 0), chosen(&self.old, self.new.len()).negated()])
    }

    /// The networks.
    fn applications(&self) -> Vec<Application> {
        let keep = |_: Symbol| None;
        self.new.iter().chain(&*self.old).map(|chooser| chooser.application(&keep)).collect()
    }
}

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

    fn region(&self, region: &Part, oracle: &mut BranchAndBound, limits: &Limits) -> Piece {
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

    /// States one by one, by the reference interpreter.
    fn states(&self, states: &[&[i64]], limits: &Limits) -> Piece {
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

/// A question with more to satisfy.
fn with(question: &Question, more: impl IntoIterator<Item = Formula>) -> Question {
    let formula = Formula::all([question.formula.clone()].into_iter().chain(more));
    Question { formula, ..question.clone() }
}
