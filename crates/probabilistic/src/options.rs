//! How to go about it.

use surefoot_cegar::Strategy;
use surefoot_linear::Formula;
use surefoot_num::Rational;
use surefoot_oracle::Limits;

/// Who bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Explicit values and boxes, refined where the value asks for it.
    #[default]
    Boxes,
    /// The paper's.
    Paper,
}

/// What bounds and steers a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Who bounds.
    pub algorithm: Algorithm,
    /// The wanted width of the interval, where nothing is to be decided.
    pub precision: f64,
    /// Paths of less probability are not added to a path set that has enough already (p_eps of the paper).
    pub p_eps: Rational,
    /// The step of the linear search (p_Delta of the paper); its precision, too.
    pub p_step: Rational,
    /// Where the linear search begins.
    pub p_init: Rational,
    /// Whether the paper's algorithm finds the start state with the largest probability under the policy exactly, where the paper only looks for
    /// one that has all paths which some start state has without the policy.
    pub exact_policy: bool,
    /// How spurious paths are refined.
    pub strategy: Strategy,
    /// Predicates to start with, besides those of the unsafety condition.
    pub predicates: Vec<Formula>,
    /// Varies what may be done one way or another.
    pub seed: u64,
    /// Iterations, at most.
    pub iterations: Option<u64>,
    /// The most values of a variable that is explicit in cells; `None` for as many as suit the start set.
    pub explicit_values: Option<u64>,
    /// Concrete states beside the abstraction, at most; `None` for as many as pay.
    pub concrete_states: Option<usize>,
    /// Time, memory, interruption.
    pub limits: Limits,
    /// Whether the last abstraction is kept to be looked at.
    pub sketch: bool,
}

impl Default for Options {
    /// The paper's values where it has some.
    fn default() -> Self {
        let share = |denominator: i64| Rational::new(1, denominator).expect("it is not zero");
        Self {
            algorithm: Algorithm::default(),
            precision: 1e-6,
            p_eps: share(100_000),
            p_step: share(20),
            p_init: Rational::ZERO,
            exact_policy: false,
            strategy: Strategy::default(),
            predicates: Vec::new(),
            seed: 0,
            iterations: None,
            explicit_values: None,
            concrete_states: None,
            limits: Limits::default(),
            sketch: false,
        }
    }
}
