//! Sparse Markov decision processes and guaranteed reachability probabilities.
//!
//! An [`Mdp`] is built state by state with an [`MdpBuilder`]; the question is a [`Direction`] and an [`Until`].
//!
//! * [`solve`](solve()): bounds `lower <= value <= upper` in floats, to a given precision, with a scheduler that attains
//!   them. The bounds are mathematically guaranteed: outward rounding, collapsed end components, no stopping on
//!   "little change".
//! * [`solve_exact`]: the values as fractions.
//! * [`solve_bounded`], [`solve_bounded_exact`]: within so many steps.
//! * [`solve_rewards`], [`solve_rewards_exact`]: expected rewards until some states are reached.
//! * [`Bounds::complement`]: globally, release, weak until.
//! * [`distances`], [`likeliest_path`]: what paths say, one by one.
//! * [`qualitative`](qualitative()), [`maximal_end_components`], [`strong_components`]: the graph analysis.
//!
//! Probabilities are exact on input and every float is a bound; the argument is in the module `rounding`. This crate
//! knows matrices, not modelling languages, and depends only on `surefoot-num` and `surefoot-limits`.

mod acceleration;
mod bounded;
mod bounds;
mod builder;
mod elimination;
mod end_components;
mod exact;
mod exact_component;
mod iteration;
mod limits;
mod mdp;
mod part;
mod paths;
mod predecessors;
mod prepare;
mod probability;
mod qualitative;
mod query;
mod quotient;
mod reconstruction;
mod rewards;
mod rounding;
mod run;
mod scheduler;
mod set;
mod solve;
mod step;
mod strong;
mod topological;

pub use bounded::{BoundedSolution, solve_bounded, solve_bounded_exact};
pub use bounds::Bounds;
pub use builder::{BuildError, MdpBuilder};
pub use end_components::{EndComponents, maximal_end_components, maximal_end_components_reference};
pub use exact::{ExactError, ExactSolution, solve_exact};
pub use limits::{Ending, Limits, Statistics, acyclic_solving_bytes, solving_bytes};
pub use mdp::{Branch, Mdp};
pub use paths::{LikelyPath, distances, likeliest_path};
pub use predecessors::Predecessors;
pub use probability::{ProbabilityId, ProbabilityTable};
pub use qualitative::{Qualitative, qualitative, qualitative_reference};
pub use query::{Direction, Until};
pub use rewards::{
    ExactRewards, RewardError, RewardOptions, RewardSolution, Rewards, solve_rewards, solve_rewards_exact,
};
pub use scheduler::Scheduler;
pub use set::StateSet;
pub use solve::{Options, Solution, SolveError, solve, solve_reference};
pub use strong::{Components, strong_components, strong_components_reference};
