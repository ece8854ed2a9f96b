//! Whether a policy chooses an action somewhere in a region of states: the [oracle](surefoot_oracle) is asked, and what it finds is looked at exactly.
//!
//! The region is a condition over the state, and all states of the model's domains count, whether or not runs come to them. A policy has a choice in a state where
//! it is *asked*: an action that it knows is applicable there, no guard is in error, and the condition of one of its networks holds. With ties that leave
//! several actions possible, "chooses" means that the action is one of them, and "chooses another" that another one is.
//!
//! For network `i` and action `a` the question is whether this holds in some state `s`, with the scores of `i` at `s` as further variables:
//! `region(s)`, `asked_i(s)`, some known action applicable in `s`, all guards defined in `s`, and `i` chooses `a` at `s`
//! ([`Question::chosen`](surefoot_oracle::Question::chosen)); or that it chooses another one.
//!
//! Soundness: [`Finding::Nowhere`] needs an `Unsat` for every network. A state is told only after the reference interpreter has confirmed both the region and the choice in it. A limit
//! is never an answer.

use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_model::policy::{Outputs, Policy, Ties};
use surefoot_model::{LabelId, State, TermId};
use surefoot_oracle::{
    Answer, Application, BranchAndBound, KeepStatistics, Limits, Options, Oracle, Question, Variable,
};
use surefoot_symbolic::Lowering;
use surefoot_text::diagnostic::{Diagnostic, Refusal};

use crate::engine::Budget;
use crate::problem::{Failure, Problem};

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The states.
    pub condition: TermId,
    /// The action.
    pub action: LabelId,
    /// Whether another action is looked for.
    pub other: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A state in which it is so, and all that may be chosen there.
    Somewhere(State, Vec<LabelId>),
    /// There is none.
    Nowhere,
    /// It is not known.
    Open(Stop),
}

/// An answer, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The answer.
    pub finding: Finding,
    /// Regions that the oracle looked at.
    pub nodes: u64,
}

/// Asks whether the policy chooses an action, or another one, somewhere in a region.
///
/// # Errors
/// Models and policies that cannot be asked about, by name; actions that the policy does not know; conditions that cannot be lowered.
pub fn ask_region(problem: &Problem, region: &Region, budget: &Budget) -> Result<Answered, Failure> {
    let (policy, labels) = supports(problem)?;
    let Some(label) = labels.iter().position(|label| *label == region.action) else {
        let name = &problem.model().labels[region.action.0 as usize];
        let message = format!("the policy does not decide about '{name}'");
        return Err(Diagnostic::error_anywhere(message).with_help("ask about one of its actions").into());
    };
    let mut oracle = BranchAndBound::new(Options::default());
    let limits: Limits = budget.oracle_limits();
    let questions = questions(problem, policy, labels, label, region)?;
    let mut finding = Finding::Nowhere;
    for question in &questions {
        let checked = question.check();
        checked.map_err(|error| Diagnostic::error_anywhere(format!("the question is too large: {error}")))?;
        match oracle.decide(question, &limits) {
            Answer::Unsat => {}
            Answer::Sat(values) => {
                let state = State(values.into());
                let labels = confirm(problem, policy, &state, region)?;
                finding = Finding::Somewhere(state, labels);
                break;
            }
            // Another network may still show that there is one.
            Answer::Unknown(stop) => finding = Finding::Open(stop),
        }
    }
    Ok(Answered { finding, nodes: oracle.statistics().nodes })
}

/// The policy and its actions, where the oracle can be asked about them.
fn supports(problem: &Problem) -> Result<(&Policy, &[LabelId]), Failure> {
    let refuse = |message: &str, help: &str| {
        Failure::from(Diagnostic::error_anywhere(message).refused(Refusal::Question).with_help(help.to_owned()))
    };
    let Some(policy) = problem.policy() else {
        return Err(refuse(
            "there is no policy that could choose",
            &format!("give one with {}", surefoot_text::option("policy")),
        ));
    };
    let Outputs::Labels(labels) = &policy.outputs else {
        let message = "the policy computes values of transient variables: it chooses no action";
        return Err(refuse(message, "regions are for policies whose outputs are action labels"));
    };
    if let Some((_, refusal)) = surefoot_abstraction::unsuitable(problem.model()) {
        return Err(refusal.into());
    }
    Ok((policy, labels))
}

/// The question, network by network.
fn questions(
    problem: &Problem,
    policy: &Policy,
    labels: &[LabelId],
    label: usize,
    region: &Region,
) -> Result<Vec<Question>, Failure> {
    let model = problem.model();
    let mut lowering = Lowering::new(model, Some(policy))?;
    let inside = lowering.condition(region.condition, None, "the region")?.holds;
    let mut applicable = Vec::with_capacity(labels.len());
    for label in labels {
        applicable.push(lowering.applicable(*label, None)?);
    }
    let some = Formula::any(applicable.iter().cloned());
    let mut defined = Vec::with_capacity(model.vectors.len());
    for vector in model.vector_numbers() {
        defined.push(lowering.guards_defined(vector)?);
    }
    let variables: Vec<Variable> =
        model.slots.iter().map(|slot| surefoot_abstraction::domain_variable(&slot.domain)).collect();
    let ties = match policy.ties {
        Ties::First => surefoot_oracle::Ties::First,
        Ties::Any => surefoot_oracle::Ties::Any,
        Ties::Plaja => surefoot_oracle::Ties::Within(surefoot_model::policy::plaja_tolerance()),
    };
    let counts = |label: usize| if policy.filter { applicable[label].clone() } else { Formula::truth() };
    let symbolic = lowering.policy()?.ok_or_else(|| Failure::Internal("a policy without networks".to_owned()))?;
    let question = |network: surefoot_symbolic::SymbolicNetwork| {
        let applications = vec![Application { network: network.network, inputs: network.inputs }];
        let mut question = Question { variables: variables.clone(), applications, formula: Formula::truth() };
        let chosen = |label: usize| Formula::all([counts(label), question.chosen(0, label, &ties, counts)]);
        let wanted = match (region.other, policy.ties) {
            (false, _) => chosen(label),
            // One is chosen wherever one is applicable: if it is not this one it is another.
            (true, Ties::First) => chosen(label).negated(),
            (true, Ties::Any | Ties::Plaja) => {
                Formula::any((0..labels.len()).filter(|other| *other != label).map(chosen))
            }
        };
        let asked = [inside.clone(), network.asked, some.clone(), wanted];
        question.formula = Formula::all(asked.into_iter().chain(defined.iter().cloned()));
        question
    };
    Ok(symbolic.networks.into_iter().map(question).collect())
}

/// What is chosen in a state that was found; that it is as asked is looked at in the reference interpreter.
fn confirm(problem: &Problem, policy: &Policy, state: &State, region: &Region) -> Result<Vec<LabelId>, Failure> {
    let interpreter = problem.interpreter();
    let failed = |error| Failure::from(problem.model_error(&error));
    let evaluated = |error| surefoot_model::ModelError::evaluation(error, state.clone());
    let inside = interpreter.holds(region.condition, state).map_err(|error| failed(evaluated(error)))?;
    let applicable = interpreter.applicable_labels(state).map_err(failed)?;
    let permitted = policy.permitted(&interpreter, state, &applicable).map_err(|error| failed(evaluated(error)))?;
    let as_asked = permitted.labels.iter().any(|label| (*label == region.action) != region.other);
    if !inside || !as_asked {
        return Err(Failure::Internal("a state that was found is not as asked".to_owned()));
    }
    Ok(permitted.labels)
}
