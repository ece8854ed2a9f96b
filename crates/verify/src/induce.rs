//! The model that a policy induces, for other checkers.
//!
//! The whole reachable space is explored, nothing cut short at unsafe states, and described by labels:
//!
//! | label | states |
//! |---|---|
//! | `deadlock` | without moves, terminal goal states aside |
//! | `start` | the start set |
//! | `unsafe` | where the property must not lead |
//! | `target`, `hold` | the right and left side of the until that another property is reduced to |
//! | `goal` | of the property's objective |
//!
//! and the model's own Boolean transient variables. A number is added to names that are taken.

use surefoot_explicit::graph::{self, Graph};
use surefoot_explicit::{Resolution, Statistics};
use surefoot_export::{Label, Model, Source, Variable, VariableKind, distinct};
use surefoot_limits::Stop;
use surefoot_mdp::StateSet;
use surefoot_model::{Domain, ScalarType, TermId};
use surefoot_verdict::Reporter;

use crate::bounds::graph_failure;
use crate::engine::{Budget, task};
use crate::problem::{Failure, Problem};
use crate::states::StateNames;

/// An explored model, as far as the limits allowed.
#[derive(Debug)]
pub struct Induced<'p> {
    name: &'p str,
    graph: Graph<'p>,
    initial: StateSet,
    labels: Vec<Label>,
    actions: Vec<String>,
    variables: Vec<Variable>,
    /// The slot of every variable.
    slots: Vec<usize>,
}

/// Explores the model of a problem and describes it.
///
/// # Errors
/// [`Failure::Input`] where the model is in error, has no start states, or has real variables.
pub fn induce<'p>(problem: &'p Problem, budget: &Budget, reporter: &dyn Reporter) -> Result<Induced<'p>, Failure> {
    let graph = graph::build(&task(problem, budget), Resolution::Combined, reporter)
        .map_err(|error| graph_failure(problem, error))?;
    let model = problem.model();
    let states = graph.mdp.num_states();
    let (slots, variables) = variables(problem);
    let mut induced = Induced {
        name: &model.name,
        initial: StateSet::from_members(states, 0..graph.starts),
        graph,
        labels: Vec::new(),
        actions: model.labels.iter().map(ToString::to_string).collect(),
        variables,
        slots,
    };
    if induced.graph.limit.is_none() {
        induced.label(problem)?;
    }
    Ok(induced)
}

impl Induced<'_> {
    /// The limit that cut the exploration short.
    #[must_use]
    pub fn limit(&self) -> Option<Stop> {
        self.graph.limit
    }

    /// Figures of the exploration.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.graph.statistics
    }

    /// The model, if it is complete: the explored part of one is another model.
    #[must_use]
    pub fn model(&self) -> Option<Model<'_>> {
        self.graph.limit.is_none().then(|| Model {
            name: self.name,
            mdp: &self.graph.mdp,
            initial: &self.initial,
            labels: &self.labels,
            actions: &self.actions,
            variables: &self.variables,
            source: self,
        })
    }

    fn label(&mut self, problem: &Problem) -> Result<(), Failure> {
        let query = &problem.query;
        let mut terms: Vec<(&str, TermId)> = Vec::new();
        if let Some(target) = query.target {
            let avoided = query.claim.is_some_and(crate::question::Claim::is_avoidance);
            terms.push((if avoided { "unsafe" } else { "target" }, target));
        }
        if let Some(quantity) = &query.quantity {
            if query.target.is_none() {
                terms.push(("target", quantity.right));
            }
            terms.extend(quantity.left.map(|left| ("hold", left)));
        }
        terms.extend(query.goal.map(|goal| ("goal", goal)));
        let transients = problem.model().transients.iter().filter(|t| t.ty == ScalarType::Bool);
        terms.extend(transients.map(|transient| (&*transient.name, transient.definition)));
        let mut sets = Vec::new();
        for (name, term) in terms {
            let set = self.graph.satisfying(term).map_err(|error| Failure::from(problem.model_error(&error)))?;
            sets.push((name, set));
        }
        let terminal =
            sets.iter().find(|(name, _)| *name == "goal").filter(|_| query.goal_terminal).map(|(_, set)| set);
        let stuck = |state| {
            self.graph.mdp.choices(state).is_empty() && !terminal.is_some_and(|terminal| terminal.contains(state))
        };
        let deadlocks = StateSet::from_fn(self.graph.mdp.num_states(), stuck);
        let counted = self.graph.statistics.deadlocks;
        if deadlocks.count() as u64 != counted {
            let message = format!("{} deadlocks were labelled, but {counted} were found", deadlocks.count());
            return Err(Failure::Internal(message));
        }
        sets.insert(0, ("deadlock", deadlocks));
        sets.insert(1, ("start", self.initial.clone()));
        let names = distinct(sets.iter().map(|(name, _)| (*name).to_owned()), &["init"]);
        self.labels = names.into_iter().zip(sets).map(|(name, (_, states))| Label { name, states }).collect();
        Ok(())
    }
}

impl Source for Induced<'_> {
    fn action(&self, choice: u32) -> Option<u32> {
        self.graph.label(choice).map(|label| label.0)
    }

    fn values(&self, state: u32, values: &mut [i64]) {
        let mut all = vec![0; self.graph.model().slots.len()];
        self.graph.unpack(state, &mut all);
        for (value, slot) in values.iter_mut().zip(&self.slots) {
            *value = all[*slot];
        }
    }
}

/// The variables to write, with their slots; automata that are always at one location are left out.
fn variables(problem: &Problem) -> (Vec<usize>, Vec<Variable>) {
    let model = problem.model();
    let names = StateNames::new(model);
    let single = |slot: usize| model.instances.get(slot).is_some_and(|instance| instance.locations.len() == 1);
    let slots: Vec<usize> = (0..model.slots.len()).filter(|slot| !single(*slot)).collect();
    let free = distinct(slots.iter().map(|slot| names.slot(*slot).to_owned()), &[]);
    let variable = |(slot, name): (&usize, String)| {
        let kind = match (model.instances.get(*slot), &model.slots[*slot].domain) {
            (Some(instance), _) => {
                VariableKind::Symbol(instance.locations.iter().map(|l| l.name.to_string()).collect())
            }
            (None, Domain::Bool) => VariableKind::Bool,
            (None, domain) => {
                // Real variables were refused before.
                let (lower, upper) = domain.int_bounds().unwrap_or((i64::MIN, i64::MAX));
                VariableKind::Int { lower, upper }
            }
        };
        Variable { name, kind }
    };
    let variables = slots.iter().zip(free).map(variable).collect();
    (slots, variables)
}
