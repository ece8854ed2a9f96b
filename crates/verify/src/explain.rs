//! Which variables a decision hinges on: the least changes of a state that change what the policy chooses.
//!
//! Two questions are asked of the [oracle](surefoot_oracle::MinimalChange), at the locations of the state. Of every variable alone: which is the nearest smaller and
//! the nearest larger value with another choice? And of all together: what is the least `r` such that another choice is possible where no
//! variable moves by more than `r`, and which variables must move for it? Every "stays" is a proof over all states in question; every change
//! is a state in which the policy is evaluated exactly. The states need not be reachable.
//!
//! A policy of several networks is asked network by network, each in the states in which it is the one that decides. States in which none is asked have no
//! choice, and do not count.

use surefoot_limits::Stop;
use surefoot_linear::{Formula, Linear};
use surefoot_model::policy::{Outputs, Permitted, Policy, Ties, plaja_tolerance};
use surefoot_model::{LabelId, SlotId, State};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Application, BranchAndBound, Decision, Limits, Move, Options, Oracle, Variable};
use surefoot_symbolic::Lowering;
use surefoot_text::diagnostic::{Diagnostic, Refusal};

use crate::engine::Budget;
use crate::problem::{Failure, Problem};

/// What the policy chooses in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Which of the policy's networks was asked.
    pub network: usize,
    /// The labels: one, or several under ties.
    pub labels: Vec<LabelId>,
    /// The score of every label, in the order of the outputs.
    pub scores: Vec<(LabelId, Rational)>,
    /// The best of the labels that were in the running and not chosen, and how far it is behind.
    pub runner_up: Option<(LabelId, Rational)>,
}

/// A value of a variable at which the choice is another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The value.
    pub value: Rational,
    /// What is chosen then.
    pub labels: Vec<LabelId>,
}

/// What a variable does to the choice, the others staying as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alone {
    /// The variable.
    pub slot: SlotId,
    /// The nearest smaller value with another choice.
    pub below: Option<Turn>,
    /// The nearest larger one.
    pub above: Option<Turn>,
}

/// A nearest state with another choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest {
    /// The state.
    pub state: State,
    /// By how much its variables differ at most. With less the choice stays.
    pub distance: Rational,
    /// The variables that differ. None of them can be left as it is within that distance while the others stay.
    pub changed: Vec<SlotId>,
    /// What is chosen there.
    pub labels: Vec<LabelId>,
}

/// Why a policy chooses what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The state.
    pub state: State,
    /// What is chosen.
    pub chosen: Chosen,
    /// Variables that matter alone, or could: those that the policy sees.
    pub alone: Vec<Alone>,
    /// A nearest state; `None` where the choice is the same in all states with these locations, or a limit was met.
    pub nearest: Option<Nearest>,
    /// The limit that left something open.
    pub stopped: Option<Stop>,
}

/// Explains a choice.
///
/// # Errors
/// Policies that cannot be asked, by name; states in which nothing is chosen.
pub fn explain(problem: &Problem, state: &State, budget: &Budget) -> Result<Explanation, Failure> {
    let policy = problem.policy().ok_or_else(|| {
        let error = Diagnostic::error_anywhere("there is no policy whose choice could be explained");
        error.with_help(format!("give one with {}", surefoot_text::option("policy")))
    })?;
    supports(problem, policy)?;
    let chosen = chosen(problem, policy, state)?;
    let Some(label) = chosen.labels.first() else {
        let message = format!("the policy chooses nothing in the state {}", state.describe(problem.model()));
        return Err(Diagnostic::error_anywhere(message).with_help("no label that it knows is applicable there").into());
    };
    let mut search = Search::new(problem, policy, state, *label, budget)?;
    let candidates = search.candidates(problem, policy);
    let mut alone = Vec::new();
    for slot in &candidates {
        alone.push(search.alone(problem, policy, *slot)?);
    }
    let nearest = search.nearest(problem, policy, &candidates)?;
    let stopped = search.stopped;
    Ok(Explanation { state: state.clone(), chosen, alone, nearest, stopped })
}

/// That the oracle can be asked about a policy.
fn supports(problem: &Problem, policy: &Policy) -> Result<(), Failure> {
    let refuse = |message: String, help: &str| -> Result<(), Failure> {
        Err(Diagnostic::error_anywhere(message).refused(Refusal::Question).with_help(help.to_owned()).into())
    };
    if let Outputs::Transients(_) = policy.outputs {
        let message = "the policy computes values of transient variables: it makes no choice to explain".to_owned();
        return refuse(message, "`explain` is for policies whose outputs are action labels");
    }
    if let Some((_, refusal)) = surefoot_abstraction::unsuitable(problem.model()) {
        return Err(refusal.into());
    }
    Ok(())
}

fn chosen(problem: &Problem, policy: &Policy, state: &State) -> Result<Chosen, Failure> {
    let interpreter = problem.interpreter();
    let failed =
        |error| Failure::from(problem.model_error(&surefoot_model::ModelError::evaluation(error, state.clone())));
    let applicable =
        interpreter.applicable_labels(state).map_err(|error| Failure::from(problem.model_error(&error)))?;
    let Permitted { outputs, labels, network } = policy.permitted(&interpreter, state, &applicable).map_err(failed)?;
    let Outputs::Labels(all) = &policy.outputs else {
        return Err(Failure::Internal("a choice without labels".to_owned()));
    };
    let scores: Vec<(LabelId, Rational)> = all.iter().copied().zip(outputs).collect();
    let running = |label: &LabelId| !policy.filter || applicable.contains(label);
    let rest = scores.iter().filter(|(label, _)| running(label) && !labels.contains(label));
    let best = rest.reduce(|a, b| if b.1 > a.1 { b } else { a });
    let score = labels.first().and_then(|first| scores.iter().find(|(label, _)| label == first));
    let runner_up = best.zip(score).map(|(best, score)| (best.0, &score.1 - &best.1));
    Ok(Chosen { network, labels, scores, runner_up })
}

/// A network, and the states in which it decides.
struct Decider {
    application: Application,
    asked: Formula,
}

/// The question in all its variants.
struct Search {
    variables: Vec<Variable>,
    deciders: Vec<Decider>,
    label: usize,
    ties: surefoot_oracle::Ties,
    applicable: Vec<Formula>,
    point: Vec<Rational>,
    oracle: BranchAndBound,
    limits: Limits,
    stopped: Option<Stop>,
}

impl Search {
    fn new(
        problem: &Problem,
        policy: &Policy,
        state: &State,
        label: LabelId,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let model = problem.model();
        let mut lowering = Lowering::new(model, Some(policy)).map_err(Failure::from)?;
        let Outputs::Labels(labels) = &policy.outputs else {
            return Err(Failure::Internal("a choice without labels".to_owned()));
        };
        let locations: Vec<u32> = (0..model.instances.len())
            .map(|i| state.0[i].to_i64().and_then(|location| u32::try_from(location).ok()).unwrap_or(0))
            .collect();
        let mut applicable = Vec::with_capacity(labels.len());
        for label in labels {
            let formula = if policy.filter { lowering.applicable(*label, Some(&locations))? } else { Formula::truth() };
            applicable.push(formula);
        }
        let symbolic = lowering.policy()?.ok_or_else(|| Failure::Internal("a policy without networks".to_owned()))?;
        let deciders = symbolic.networks.into_iter().map(|network| Decider {
            application: Application { network: network.network, inputs: network.inputs },
            asked: network.asked,
        });
        let deciders = deciders.collect();
        let ties = match policy.ties {
            Ties::First => surefoot_oracle::Ties::First,
            Ties::Any => surefoot_oracle::Ties::Any,
            Ties::Plaja => surefoot_oracle::Ties::Within(plaja_tolerance()),
        };
        Ok(Self {
            variables: model.slots.iter().map(|slot| surefoot_abstraction::domain_variable(&slot.domain)).collect(),
            deciders,
            label: labels.iter().position(|l| *l == label).unwrap_or(0),
            ties,
            applicable,
            point: state.0.to_vec(),
            oracle: BranchAndBound::new(Options::default()),
            limits: budget.oracle_limits(),
            stopped: None,
        })
    }

    /// The variables that the choice may depend on: inputs of networks, what says which of them decides, and under the filter what guards read.
    fn candidates(&self, problem: &Problem, policy: &Policy) -> Vec<SlotId> {
        let instances = problem.model().instances.len();
        let mut seen = vec![false; self.variables.len()];
        let mut see = |form: &Linear| form.terms().iter().for_each(|(symbol, _)| seen[symbol.index()] = true);
        self.deciders.iter().flat_map(|decider| decider.application.inputs.iter()).for_each(&mut see);
        let guards = self.applicable.iter().filter(|_| policy.filter);
        for formula in self.deciders.iter().map(|decider| &decider.asked).chain(guards) {
            formula.for_each_atom(&mut |atom| see(&atom.form));
        }
        let may_move = |slot: &usize| seen[*slot] && self.variables[*slot].lower < self.variables[*slot].upper;
        (instances..seen.len()).filter(may_move).map(SlotId::at).collect()
    }

    /// Another choice where variables move in intervals and the others stay; `None` where there is none, or nobody knows.
    fn changed(&mut self, moves: &[Move]) -> Option<Vec<Rational>> {
        let Self { variables, deciders, label, ties, applicable, point, oracle, limits, stopped } = self;
        let at = |label: usize| applicable[label].clone();
        for Decider { application, asked } in deciders {
            let decision = Decision { variables, application, label: *label, ties, applicable: &at };
            let mut question = decision.change_question(point, moves);
            question.formula = Formula::all([asked.clone(), question.formula]);
            match oracle.decide(&question, limits) {
                Answer::Sat(state) => return Some(state),
                Answer::Unsat => {}
                Answer::Unknown(stop) => {
                    *stopped = Some(stop);
                    return None;
                }
            }
        }
        None
    }

    /// The state with another choice that is nearest, among those that some intervals allow, up to a whole distance; by bisection. `None` where there is
    /// none, or nobody knows.
    fn least(&mut self, widest: &Rational, moves: &dyn Fn(&Self, &Rational) -> Vec<Move>) -> Option<Vec<Rational>> {
        if self.stopped.is_some() {
            return None;
        }
        let asked = moves(self, widest);
        let mut found = self.changed(&asked)?;
        // The choice stays within `stays`, and changes within the distance of what was found.
        let mut stays = Rational::ZERO;
        let half = Rational::new(1, 2).expect("not zero");
        while &distance(&found, &self.point) - &stays > Rational::ONE {
            let middle = (&(&distance(&found, &self.point) + &stays) * &half).floor();
            let asked = moves(self, &middle);
            match self.changed(&asked) {
                Some(state) => found = state,
                None if self.stopped.is_some() => return None,
                None => stays = middle,
            }
        }
        Some(found)
    }

    fn alone(&mut self, problem: &Problem, policy: &Policy, slot: SlotId) -> Result<Alone, Failure> {
        let (at, bounds) = (slot.index(), self.variables[slot.index()].clone());
        let mut turn = |below: bool| -> Result<Option<Turn>, Failure> {
            let here = self.point[at].clone();
            let widest = if below { &here - &bounds.lower } else { &bounds.upper - &here };
            if widest.is_zero() {
                return Ok(None);
            }
            let aside = |search: &Self, distance: &Rational| {
                let here = search.point[at].clone();
                let (lower, upper) = if below { (&here - distance, here) } else { (here.clone(), &here + distance) };
                vec![Move { variable: at, lower, upper }]
            };
            let Some(state) = self.least(&widest, &aside) else { return Ok(None) };
            let value = state[at].clone();
            Ok(Some(Turn { value, labels: chosen(problem, policy, &State(state.into()))?.labels }))
        };
        let (below, above) = (turn(true)?, turn(false)?);
        Ok(Alone { slot, below, above })
    }

    /// The intervals in which variables move by at most so much.
    fn around(&self, slots: &[SlotId], distance: &Rational) -> Vec<Move> {
        let around = |slot: &SlotId| {
            let here = &self.point[slot.index()];
            Move { variable: slot.index(), lower: here - distance, upper: here + distance }
        };
        slots.iter().map(around).collect()
    }

    fn nearest(&mut self, problem: &Problem, policy: &Policy, slots: &[SlotId]) -> Result<Option<Nearest>, Failure> {
        let widest = slots.iter().map(|slot| {
            let Variable { lower, upper, .. } = &self.variables[slot.index()];
            upper - lower
        });
        let widest = widest.fold(Rational::ZERO, Rational::max);
        let Some(mut found) = self.least(&widest, &|search, distance| search.around(slots, distance)) else {
            return Ok(None);
        };
        let distance = distance(&found, &self.point);
        let changed = |state: &[Rational], point: &[Rational]| -> Vec<SlotId> {
            slots.iter().copied().filter(|slot| state[slot.index()] != point[slot.index()]).collect()
        };
        // One after the other is held in its place, as long as that leaves another choice.
        let mut moving = changed(&found, &self.point);
        for slot in moving.clone() {
            let without: Vec<SlotId> = moving.iter().copied().filter(|other| *other != slot).collect();
            let asked = self.around(&without, &distance);
            if let Some(state) = self.changed(&asked) {
                moving = changed(&state, &self.point);
                found = state;
            } else if self.stopped.is_some() {
                break;
            }
            if !moving.contains(&slot) && moving.len() <= 1 {
                break;
            }
        }
        let state = State(found.into());
        let labels = chosen(problem, policy, &state)?.labels;
        Ok(Some(Nearest { state, distance, changed: moving, labels }))
    }
}

/// By how much two states differ at most in a variable.
fn distance(one: &[Rational], other: &[Rational]) -> Rational {
    one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(Rational::ZERO, Rational::max)
}
