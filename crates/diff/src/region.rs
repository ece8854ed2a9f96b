//! Whether two policies differ somewhere in a region: a condition over the state, whether or not runs come there.
//!
//! Only states in which the policies are asked and no guard is in error count. For networks `i` of the first and `j` of the second policy and each label `a`
//! the question is whether this holds in some state `s`, with the scores of both networks at `s` as further variables:
//!
//!   region(s), s not terminal, some label of theirs applicable in s, all guards defined in s, asked_i(s), asked_j(s), i permits a, j does not permit a.
//!
//! Where ties leave several labels possible, also the other way round; where ties go to the first, one label is permitted wherever they are asked, so that
//! one direction is enough. A last question, without networks, is about states in which one policy has a network and the other has none.
//!
//! Soundness: [`Where::Nowhere`] needs every question refuted. A state that was found counts after the reference interpreter has evaluated the region and both policies there; what an
//! oracle could not tell apart is [`Where::Open`].

use surefoot_limits::Stop;
use surefoot_linear::Formula;
use surefoot_model::policy::Ties;
use surefoot_model::{Domain, Interpreter, Model, State, TermId};
use surefoot_oracle::{Answer, Application, Limits, MOST_INTEGER, Oracle, Question, Statistics, Variable};
use surefoot_symbolic::{Lowering, SymbolicNetwork, SymbolicPolicy};
use surefoot_text::diagnostic::{Diagnostic, Refusal};

use crate::first::up_to_first;
use crate::policies::{Applicable, Opinion, Policies};

/// A state in which policies differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The state.
    pub state: State,
    /// What the first permits there.
    pub old: Opinion,
    /// What the second does.
    pub new: Opinion,
}

/// Whether policies differ somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Where {
    /// Here, for one.
    Somewhere(Box<Found>),
    /// They do not.
    Nowhere,
    /// It is not known.
    Open(Stop),
    /// A state that was found is not as asked: an error of ours.
    Wrong(Box<State>),
}

/// An answer, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InRegion {
    /// The answer.
    pub answer: Where,
    /// What was asked for it.
    pub statistics: Statistics,
    /// Of how many questions at most.
    pub questions: u64,
}

/// Whether policies differ in a region, the states that satisfy a condition (all states of the domains without one), except for terminal ones.
///
/// # Errors
/// What cannot be asked, by name.
pub fn in_region(
    policies: &Policies<'_>,
    region: Option<TermId>,
    terminal: Option<TermId>,
    limits: &Limits,
) -> Result<InRegion, Diagnostic> {
    // What cannot be asked is refused, whatever the policies are.
    let mut questions = questions(policies, region, terminal)?;
    if policies.are_identical() {
        questions.clear();
    }
    for question in &questions {
        let checked = question.check();
        checked.map_err(|error| Diagnostic::error_anywhere(format!("the question is too large: {error}")).refusal())?;
    }
    let ask = |number: usize, oracle: &mut surefoot_oracle::BranchAndBound, limits: &Limits| match oracle
        .decide(&questions[number], limits)
    {
        Answer::Unsat => Where::Nowhere,
        Answer::Unknown(stop) => Where::Open(stop),
        Answer::Sat(values) => confirmed(policies, region, State(values.into())),
    };
    let settled = |found: &Where| matches!(found, Where::Somewhere(_) | Where::Wrong(_));
    let (all, statistics) = up_to_first(questions.len(), limits, ask, settled);
    let mut answer = Where::Nowhere;
    for found in all {
        match found {
            Where::Nowhere => {}
            Where::Open(stop) => answer = Where::Open(stop),
            Where::Somewhere(_) | Where::Wrong(_) => answer = found,
        }
    }
    Ok(InRegion { answer, statistics, questions: questions.len() as u64 })
}

/// A state that the oracle found, with what both policies say there by the reference interpreter.
fn confirmed(policies: &Policies<'_>, region: Option<TermId>, state: State) -> Where {
    let inside = region.is_none_or(|region| Interpreter::new(policies.model).holds(region, &state) == Ok(true));
    match policies.opinions(&state) {
        Ok(Some([old, new])) if inside && old != new => Where::Somewhere(Box::new(Found { state, old, new })),
        // Soundness: what does not stand up to evaluation is no answer.
        _ => Where::Wrong(Box::new(state)),
    }
}

/// The questions.
fn questions(
    policies: &Policies<'_>,
    region: Option<TermId>,
    terminal: Option<TermId>,
) -> Result<Vec<Question>, Diagnostic> {
    let variables = variables(policies.model)?;
    let Policies { model, old, new } = *policies;
    let mut lowering = Lowering::new(model, Some(old))?;
    let mut parts = Vec::new();
    if let Some(region) = region {
        parts.push(lowering.condition(region, None, "the region")?.holds);
    }
    if let Some(terminal) = terminal {
        let goal = lowering.condition(terminal, None, "the goal")?;
        parts.extend([goal.defined, lowering.space().negated(&goal.holds)]);
    }
    for vector in model.vector_numbers() {
        parts.push(lowering.guards_defined(vector)?);
    }
    let applicable = Applicable::new(&mut lowering, policies.labels(), None)?;
    parts.push(applicable.some());
    let inside = Formula::all(parts);
    let none = || Diagnostic::error_anywhere("a policy without networks cannot be asked").refused(Refusal::Question);
    let of_old = lowering.policy()?.ok_or_else(none)?;
    let of_new = Lowering::new(model, Some(new))?.policy()?.ok_or_else(none)?;
    let both_ways = (old.ties, new.ties) != (Ties::First, Ties::First);
    let mut questions = Vec::new();
    for one in &of_old.networks {
        for other in &of_new.networks {
            let asked = Formula::all([inside.clone(), one.asked.clone(), other.asked.clone()]);
            if asked.is_falsity() {
                continue;
            }
            let applications = vec![application(one), application(other)];
            let plain = Question { variables: variables.clone(), applications, formula: Formula::truth() };
            for label in policies.labels() {
                let (first, second) =
                    (applicable.permits(&plain, 0, old, *label), applicable.permits(&plain, 1, new, *label));
                let mut differ = vec![Formula::all([first.clone(), second.negated()])];
                if both_ways {
                    differ.push(Formula::all([first.negated(), second]));
                }
                let formulas = differ.into_iter().map(|differ| Formula::all([asked.clone(), differ]));
                questions
                    .extend(formulas.filter(|f| !f.is_falsity()).map(|formula| Question { formula, ..plain.clone() }));
            }
        }
    }
    let uncovered = one_covered(&lowering, &of_old, &of_new);
    let formula = Formula::all([inside, uncovered]);
    if !formula.is_falsity() {
        questions.push(Question { variables, applications: Vec::new(), formula });
    }
    Ok(questions)
}

fn application(network: &SymbolicNetwork) -> Application {
    Application { network: network.network.clone(), inputs: network.inputs.clone() }
}

/// Where one policy has a network and the other has none.
fn one_covered(lowering: &Lowering<'_>, old: &SymbolicPolicy, new: &SymbolicPolicy) -> Formula {
    let only = |one: &SymbolicPolicy, other: &SymbolicPolicy| {
        Formula::all([one.covered.clone(), lowering.space().negated(&other.covered)])
    };
    Formula::any([only(old, new), only(new, old)])
}

/// The variables of questions: the slots.
fn variables(model: &Model) -> Result<Vec<Variable>, Diagnostic> {
    let variable = |slot: &surefoot_model::model::Slot| {
        let refused = |what: &str, help: &str| {
            let message =
                format!("regions are for {what}: variable '{}' has the domain {}", slot.name, slot.domain.describe());
            Diagnostic::error_anywhere(message).refused(Refusal::Question).with_help(help.to_owned())
        };
        match (&slot.domain, slot.domain.int_bounds()) {
            (_, Some((lower, upper))) if lower.unsigned_abs().max(upper.unsigned_abs()) <= MOST_INTEGER => {
                Ok(Variable::integer(lower, upper))
            }
            (Domain::Real { lower: Some(lower), upper: Some(upper) }, _) => {
                Ok(Variable::real(lower.clone(), upper.clone()))
            }
            (Domain::Real { .. }, _) => Err(refused("bounded variables", "give it bounds in the model")),
            _ => {
                Err(refused("integers between -2^53 and 2^53", "give it a smaller domain, or compare reachable states"))
            }
        }
    };
    model.slots.iter().map(variable).collect()
}
