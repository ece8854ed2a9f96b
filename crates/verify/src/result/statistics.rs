//! Figures: one kind for each way in which something is decided.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Figures of what was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum Statistics {
    /// Of an exploration.
    Exploration(Exploration),
    /// Of refinement.
    Refinement(Refinement),
    /// Of a probability by abstraction.
    Narrowing(Narrowing),
    /// Of an abstraction.
    Abstraction(Abstraction),
    /// Of bounded model checking.
    Paths(Paths),
    /// Of bounded CTL by the built-in procedure.
    Formula(Formula),
    /// Of bounded CTL by mixed-integer programs.
    Programs(Programs),
    /// Of single decisions.
    Decisions(Decisions),
    /// Of a simulation.
    Simulation(Simulation),
    /// Of directed runs.
    Runs(Runs),
    /// None.
    Nothing(Nothing),
}

impl Default for Statistics {
    fn default() -> Self {
        Self::Nothing(Nothing {})
    }
}

/// No figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// The figures of an exploration, state by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Exploration {
    /// Start states.
    pub start_states: u64,
    /// States reached, start states included.
    pub reachable_states: u64,
    /// States whose moves were followed.
    pub expanded_states: u64,
    /// Unsafe states among those reached; left out where nothing is unsafe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsafe_states: Option<u64>,
    /// States that are looked for and are not unsafe, as by `∃ F`; left out elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_states: Option<u64>,
    /// Goal states of the property's objective.
    pub goal_states: u64,
    /// States that were not left because they are terminal goal states.
    pub terminal_states: u64,
    /// Distinct successors, per choice.
    pub transitions: u64,
    /// Pairs of a state and an operator that is possible there.
    pub choices: u64,
    /// States without moves that are no terminal goal states.
    pub deadlocks: u64,
    /// Steps to the state that is furthest from the start.
    pub depth: u64,
    /// Decisions of the policy that were too close for floating point.
    pub exact_decisions: u64,
    /// Bytes for states, roughly.
    pub memory_bytes: u64,
}

/// The figures of counterexample-guided refinement; those of states are of the last iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Refinement {
    /// Abstract start states.
    pub start_states: u64,
    /// Abstract states reached.
    pub reachable_states: u64,
    /// Abstract states whose moves were followed.
    pub expanded_states: u64,
    /// Abstract transitions.
    pub transitions: u64,
    /// Predicates.
    pub predicates: usize,
    /// Iterations of the loop.
    pub iterations: u64,
    /// Refinements that were for the policy.
    pub policy_refinements: u64,
    /// Predicates that these added.
    pub policy_predicates: u64,
    /// Questions to the oracle.
    pub oracle_queries: u64,
    /// Nodes of its search trees.
    pub oracle_nodes: u64,
    /// Abstract states expanded in all iterations together.
    pub expanded_in_all: u64,
}

/// The figures of a probability that was bounded by abstraction; those of abstract states are of the last iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Narrowing {
    /// Abstract start states.
    pub start_states: u64,
    /// Abstract states.
    pub reachable_states: u64,
    /// Abstract transitions.
    pub transitions: u64,
    /// Predicates, or cuts.
    pub predicates: u64,
    /// States of the model that were expanded.
    pub concrete_states: u64,
    /// Abstractions that were solved.
    pub iterations: u64,
    /// Refinements by what was spurious; the paper's algorithm only.
    pub refinements: Refinements,
    /// Paths of the largest set of them; the paper's algorithm only.
    pub most_paths: u64,
    /// Seconds spent on counterexamples, to six digits.
    pub analysis_seconds: f64,
    /// The bound that the paper's linear search was at; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_p_u: Option<f64>,
    /// Questions to the oracle.
    pub oracle_queries: u64,
    /// Nodes of its search trees.
    pub oracle_nodes: u64,
}

/// Refinements by what was spurious, as the paper numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Refinements {
    /// A path, whatever the policy (i-a).
    pub transition_paths: u64,
    /// The probability of a set of paths, whatever the policy (ii-a).
    pub transition_sets: u64,
    /// A path under the policy (i-b).
    pub policy_paths: u64,
    /// A set of paths under the policy (ii-b).
    pub policy_sets: u64,
}

/// The figures of an abstraction by given predicates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Abstraction {
    /// Abstract start states.
    pub start_states: usize,
    /// Abstract states reached, unsafe ones included.
    pub reachable_states: usize,
    /// Those of them that were expanded.
    pub expanded_states: usize,
    /// Those that hold an unsafe state.
    pub unsafe_states: usize,
    /// Those that were expanded and have no transitions.
    pub terminal_states: usize,
    /// Distinct transitions, as they were to be counted.
    pub transitions: usize,
    /// Predicates.
    pub predicates: usize,
    /// Questions to the oracle.
    pub oracle_queries: u64,
    /// Nodes of its search trees.
    pub oracle_nodes: u64,
    /// Bytes that states, transitions and moves take, roughly.
    pub memory_bytes: usize,
    /// Pairs of an abstract state and a label that the policy may choose there though it is not applicable; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadlocks: Option<usize>,
    /// What the abstraction with probabilities is like; left out unless asked for, and where a limit was met before it was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distributions: Option<DistributionFigures>,
}

/// The figures of an abstraction whose transitions lead to distributions, beside one without.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct DistributionFigures {
    /// Abstract states reached, unsafe ones included.
    pub reachable_states: usize,
    /// Those that hold an unsafe state.
    pub unsafe_states: usize,
    /// Transitions, each to a distribution.
    pub transitions: usize,
    /// Questions to the oracle.
    pub oracle_queries: u64,
    /// Nodes of its search trees.
    pub oracle_nodes: u64,
    /// Seconds to build it.
    pub build_seconds: f64,
    /// Seconds to build the one without probabilities.
    pub plain_build_seconds: f64,
}

/// The figures of bounded model checking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Paths {
    /// Paths followed.
    pub paths: u64,
    /// Paths that end like others, and were not followed further.
    pub merged_paths: u64,
    /// Nothing unsafe is reached within so many steps; null where not even start states are known to be safe, or all paths end.
    pub refuted_depth: Option<u32>,
    /// Questions to the oracle.
    pub oracle_queries: u64,
    /// Nodes of its search trees.
    pub oracle_nodes: u64,
}

/// The figures of bounded CTL by the built-in procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Formula {
    /// Symbolic states looked at.
    pub expanded_states: u64,
    /// Symbolic states without successors.
    pub deadlocks: u64,
    /// Pieces of the start set.
    pub pieces: u64,
    /// Cuts that made them.
    pub cuts: u64,
    /// Linear programs solved.
    pub programs: u64,
    /// Questions to the oracle.
    pub oracle_queries: u64,
}

/// The figures of bounded CTL by mixed-integer programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Programs {
    /// Programs given to the solver.
    pub programs: u64,
    /// Those that have no solution.
    pub infeasible_programs: u64,
    /// Those whose solution was not confirmed exactly.
    pub unconfirmed_programs: u64,
    /// Alternatives that bounds ruled out.
    pub discarded_branches: u64,
    /// The size of the largest program.
    pub largest_program: ProgramSize,
}

/// The size of a mixed-integer program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ProgramSize {
    /// Its variables.
    pub variables: usize,
    /// Its constraints.
    pub rows: usize,
}

/// The figures of single decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Decisions {
    /// Queries.
    pub oracle_queries: usize,
    /// Nodes of the search trees.
    pub oracle_nodes: u64,
    /// Points that were evaluated.
    pub oracle_points: u64,
    /// Linear programs solved.
    pub oracle_programs: u64,
}

/// The figures of random runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Simulation {
    /// Runs made.
    pub runs: u64,
    /// Runs that end in an unsafe state; left out where nothing is unsafe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsafe_runs: Option<u64>,
    /// Runs that end in a state that is looked for and not unsafe; left out elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_runs: Option<u64>,
    /// Runs that end in a terminal goal state.
    pub goal_runs: u64,
    /// Runs on which a goal state was seen.
    pub runs_through_goal: u64,
    /// Runs that end in a state without moves.
    pub stopped_runs: u64,
    /// Runs that were cut off.
    pub step_limit_runs: u64,
    /// Steps of all runs together.
    pub steps: u64,
    /// Steps of the shortest run.
    pub shortest_run: u64,
    /// Steps of the longest run.
    pub longest_run: u64,
    /// The probability of a run to an unsafe state; left out where nothing is unsafe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_share: Option<Estimate>,
    /// The probability of a run to a state that is looked for and not unsafe; left out elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_share: Option<Estimate>,
    /// The probability of a run through a goal state; left out where there is no goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_share: Option<Estimate>,
    /// The probability of a run that ends in a state without moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_share: Option<Estimate>,
    /// The mean number of steps, by the normal distribution; left out of fewer than two runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_length: Option<Estimate>,
}

/// An estimate from random runs, with an interval at a confidence of 95 %: of shares the one of Clopper and Pearson. It proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Estimate {
    /// The share or mean of the runs made.
    pub mean: f64,
    /// The interval from below.
    pub lo: f64,
    /// And from above.
    pub hi: f64,
}

/// The figures of directed runs that found a violation. Nothing else is among them: other figures have these too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// Runs made.
    pub runs: u64,
    /// Steps taken in all of them.
    pub steps: u64,
}
