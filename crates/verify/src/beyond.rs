//! What people ask beyond a verdict, on the explored graph: what each start state does, whether the goal can and must be reached, and the likeliest run.
//!
//! As in questions without probabilities, every outcome of positive probability is possible; and a run that stops before the goal has not reached
//! it. Where a limit cuts the exploration short, what is not known is said to be unknown.

use std::path::Path;

use surefoot_explicit::{Graph, GraphError, Resolution, Task, graph};
use surefoot_files::replace;
use surefoot_limits::Stop;
use surefoot_mdp::{Direction, Predecessors, StateSet, Until, distances, likeliest_path, qualitative};
use surefoot_model::{ModelError, State, TermId};
use surefoot_num::Rational;
use surefoot_temporal::Quantifier;
use surefoot_temporal::graph::NEVER;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::Reporter;

use crate::bounds::graph_failure;
use crate::csv::StateColumns;
use crate::engine::{Budget, Evidence, Outcome, Verdict, task};
use crate::problem::{Failure, Problem};
use crate::question::Claim;
use crate::replay::replay;

/// From how many start states the goal is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoalShare {
    /// Start states.
    pub starts: u64,
    /// Those from which some run reaches it.
    pub can: u64,
    /// Those from which it is reached with probability one, whatever the environment does.
    pub almost_surely: u64,
    /// Those from which every run reaches it.
    pub must: u64,
}

/// What was asked beyond a verdict, answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answers {
    /// From how many start states the goal is reached, where nothing unsafe is.
    pub goal: Option<GoalShare>,
    /// The probability of the run that is shown.
    pub run_probability: Option<Rational>,
    /// The file that has the verdict of each start state.
    pub per_start: Option<String>,
}

/// What the start states do.
pub(crate) struct Beyond<'p> {
    problem: &'p Problem,
    graph: Graph<'p>,
    predecessors: Predecessors,
}

impl<'p> Beyond<'p> {
    /// Explores what is reachable; nothing is left out, and nothing is stopped at.
    pub(crate) fn explore(problem: &'p Problem, budget: &Budget, reporter: &dyn Reporter) -> Result<Self, Failure> {
        let mut task: Task<'p> = task(problem, budget);
        if problem.query.initial_only {
            (task.goal, task.goal_terminal) = (Some(problem.query.always), true);
        }
        let graph = graph::build(&task, Resolution::Vanishing, reporter)
            .map_err(|error: GraphError| graph_failure(problem, error))?;
        let predecessors = Predecessors::new(&graph.mdp);
        Ok(Self { problem, graph, predecessors })
    }

    /// The limit that cut the exploration short.
    pub(crate) fn limit(&self) -> Option<Stop> {
        self.graph.limit
    }

    fn satisfying(&mut self, term: TermId) -> Result<StateSet, Failure> {
        let states = self.graph.satisfying(term).map_err(|error| Failure::from(self.problem.model_error(&error)))?;
        Ok(states.extended(self.graph.mdp.num_states()))
    }

    /// From which states every run comes to a set, sooner or later: `AF`, where what is there already counts.
    fn inevitable(&self, set: &StateSet) -> Vec<bool> {
        let transitions = self.graph.transitions();
        let within = |state: u32| set.contains(state);
        let target: Vec<bool> = transitions.states().map(within).collect();
        let ranks = transitions.ranks(Quantifier::All, &vec![true; target.len()], &target);
        ranks.into_iter().map(|rank| rank != NEVER).collect()
    }

    /// From how many start states the goal is reached; `None` where there is no goal, or not everything is known.
    pub(crate) fn goal(&mut self) -> Result<Option<GoalShare>, Failure> {
        let Some(goal) = self.problem.query.goal.filter(|_| self.graph.limit.is_none()) else { return Ok(None) };
        let goal = self.satisfying(goal)?;
        let mdp = &self.graph.mdp;
        let until = Until::eventually(goal.clone());
        let sure = qualitative(mdp, &self.predecessors, Direction::Min, &until, &|| false).map(|found| found.one);
        let (can, must) = (distances(mdp, &self.predecessors, &goal), self.inevitable(&goal));
        let count = |holds: &dyn Fn(u32) -> bool| (0..self.graph.starts).filter(|start| holds(*start)).count() as u64;
        Ok(Some(GoalShare {
            starts: u64::from(self.graph.starts),
            can: count(&|start| can[start as usize].is_some()),
            almost_surely: count(&|start| sure.as_ref().is_some_and(|sure| sure.contains(start))),
            must: count(&|start| must[start as usize]),
        }))
    }

    /// Writes a line for each start state: its verdict, how soon a state that is looked for can be reached, whether the goal is, and the state.
    pub(crate) fn write(&mut self, claim: Claim, path: &Path) -> Result<(), Failure> {
        let Some(target) = self.problem.query.target else {
            return Err(Failure::Internal("a claim about nothing was to be written".to_owned()));
        };
        let target = self.satisfying(target)?;
        let goal = self.problem.query.goal.map(|goal| self.satisfying(goal)).transpose()?;
        let (mdp, predecessors) = (&self.graph.mdp, &self.predecessors);
        let steps = distances(mdp, predecessors, &target);
        // What may still be found lies behind the frontier; of a whole graph there is none.
        let frontier = match self.graph.limit {
            Some(_) => self.graph.frontier().extended(mdp.num_states()),
            None => StateSet::empty(mdp.num_states()),
        };
        let open = distances(mdp, predecessors, &frontier);
        let goals = goal.as_ref().map(|goal| {
            let or_frontier = StateSet::from_fn(mdp.num_states(), |s| goal.contains(s) || frontier.contains(s));
            let sets = [goal, &or_frontier];
            (sets.map(|set| distances(mdp, predecessors, set)), sets.map(|set| self.inevitable(set)))
        });
        let columns = StateColumns::new(self.problem);
        let written = replace(path, |out| {
            write!(out, "start,verdict,steps{}", if goals.is_some() { ",goal" } else { "" })?;
            columns.names(out)?;
            writeln!(out)?;
            for start in 0..self.graph.starts {
                let at = start as usize;
                let verdict = match (steps[at], open[at]) {
                    (Some(_), _) => Some(!claim.is_avoidance()),
                    (None, None) => Some(claim.is_avoidance()),
                    (None, Some(_)) => None,
                };
                let word = verdict.map_or("unknown", |holds| if holds { "holds" } else { "violated" });
                // Behind the frontier there may be a shorter way.
                let shortest = steps[at].filter(|steps| open[at].is_none_or(|open| *steps <= open));
                write!(out, "{start},{word},{}", shortest.map_or(String::new(), |steps| steps.to_string()))?;
                if let Some((can, must)) = &goals {
                    let word = match (must[0][at], can[0][at].is_some(), can[1][at].is_some()) {
                        (true, ..) => "must",
                        (false, true, _) if !must[1][at] => "can",
                        (false, false, false) => "never",
                        _ => "unknown",
                    };
                    write!(out, ",{word}")?;
                }
                columns.values(&self.graph.state(start), out)?;
                writeln!(out)?;
            }
            Ok(())
        });
        let cannot = |error| Diagnostic::error_anywhere(format!("cannot write {}: {error}", path.display())).into();
        written.map_err(cannot)
    }

    /// Replaces the run of an outcome by one than which none is likelier; the limit that was met first, if one was.
    pub(crate) fn likeliest(&mut self, found: &mut Outcome, budget: &Budget) -> Result<Option<Stop>, Failure> {
        let Some(target) = self.problem.query.target.filter(|_| found.run().is_some()) else { return Ok(None) };
        let target = self.satisfying(target)?;
        let limits = budget.limits();
        let path = likeliest_path(&self.graph.mdp, self.graph.starts, &target, &|| limits.stop().is_some());
        let Some(path) = path else { return Ok(Some(limits.stop().unwrap_or(Stop::Time))) };
        let states: Vec<State> = path.states.iter().map(|state| self.graph.state(*state)).collect();
        let run = replay(self.problem, &states).map_err(|reason| {
            Failure::Internal(format!("the likeliest run is one that the replay rejects ({reason})"))
        })?;
        if run_probability(self.problem, &states)? != path.probability {
            return Err(Failure::Internal("the likeliest run has another probability in the replay".to_owned()));
        }
        let evidence = Evidence::Run(Box::new(run));
        found.verdict = match &found.verdict {
            Verdict::Holds(_) => Verdict::Holds(evidence),
            _ => Verdict::Violated(evidence),
        };
        Ok(None)
    }
}

/// The probability of a run where the environment does all it can for it: the product over its steps of the largest probability of a choice to lead to the
/// next state, by the reference interpreter.
///
/// # Errors
/// Where the model is in error on the way.
pub(crate) fn run_probability(problem: &Problem, states: &[State]) -> Result<Rational, Failure> {
    let interpreter = problem.interpreter();
    let mut product = Rational::ONE;
    for pair in states.windows(2) {
        let failed = |error: ModelError| Failure::from(problem.model_error(&error));
        let choices = interpreter.permitted_choices(&pair[0], problem.policy()).map_err(failed)?;
        let leading = choices.iter().map(|choice| -> Rational {
            let outcomes = choice.outcomes.iter().filter(|outcome| outcome.successors.contains(&pair[1]));
            outcomes.map(|outcome| outcome.probability.clone()).sum()
        });
        product = &product * &leading.fold(Rational::ZERO, Rational::max);
    }
    Ok(product)
}
