//! How to search, check and refine; the configurations that have names.
//!
//! The papers' configurations differ in which variables a policy-induced refinement splits and where ([`Variables`], [`SplitPoint`]);
//! ours explains the decision instead ([`PolicyRefinement::Explain`]), tracks small domains whole, and searches deepest first.

use surefoot_oracle::Limits;

/// Which abstract state is expanded next, among those of equal distance to the unsafe ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The deepest, and of these the latest.
    DeepestFirst,
    /// The shallowest, and of these the earliest.
    ShallowestFirst,
    /// The earliest, whatever the distance.
    BreadthFirst,
}

/// Which concretisations of a path are looked at under the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathCheck {
    /// All: one question per step about the whole path.
    Exact,
    /// The one that was found without the policy.
    Single,
}

/// Which variables are split after policy-induced spuriousness, among those in which witness and concretisation differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Variables {
    /// All of them.
    All,
    /// The relevant ones (Algorithm 1), for a share of the way from the witness to the concretisation.
    Verix {
        /// The share, between 0 and 1.
        epsilon: f64,
    },
    /// The relevant ones for the least share that has any (Algorithm 2).
    BinarySearch {
        /// How exactly the share is found.
        precision: f64,
    },
    /// The most sensitive one (Definition 3).
    MostSensitive,
    /// A random choice of them, at least one.
    Random,
}

/// Where a variable is split, between witness and concretisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitPoint {
    /// At the witness.
    Witness,
    /// In the middle.
    Middle,
    /// At the share of the way that variable selection found.
    Epsilon,
    /// Anywhere.
    Random,
}

/// How policy-induced spuriousness is refined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PolicyRefinement {
    /// Predicates between the witness of the abstract transition and the state that is really reached.
    Split {
        /// On which variables.
        variables: Variables,
        /// Where.
        point: SplitPoint,
        /// Whether variables move over the reals when relevance is checked, an over-approximation.
        relaxed: bool,
    },
    /// Values of inputs that are the same on all concretisations of the path; else one bisection of every input's domain.
    Entailed,
    /// The sides of a box around the state that is really reached in which the label is never chosen.
    Explain,
}

/// How weakest preconditions are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preconditions {
    /// Leave out atoms that the path up to the step entails.
    pub only_open: bool,
    /// Add versions of an atom at all earlier steps too.
    pub along: bool,
    /// Those of all guards on the path.
    pub guards: bool,
    /// Those of all predicates at every state of the path.
    pub predicates: bool,
}

/// Which variables get all their thresholds when they get one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// None.
    Nothing,
    /// Those with at most so many values that are only assigned constants.
    Constants(u32),
    /// Those with at most so many values that are assigned constants or counted up and down, and with one of them all that are
    /// assigned together with it.
    Together(u32),
}

/// How to refine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strategy {
    /// Which state is expanded next.
    pub order: Order,
    /// Which concretisations are looked at.
    pub path_check: PathCheck,
    /// How policy-induced spuriousness is refined.
    pub policy: PolicyRefinement,
    /// How weakest preconditions are added.
    pub preconditions: Preconditions,
    /// Which variables are tracked whole.
    pub whole: Whole,
    /// Whether it is found out which variables that the policy reads were not written since the start.
    pub untouched: bool,
}

/// Small enough to be tracked whole.
const SMALL: u32 = 16;

impl Strategy {
    const PAPER: Self = Self {
        order: Order::ShallowestFirst,
        path_check: PathCheck::Exact,
        policy: PolicyRefinement::Split { variables: Variables::All, point: SplitPoint::Witness, relaxed: false },
        preconditions: Preconditions { only_open: true, along: true, guards: false, predicates: false },
        whole: Whole::Nothing,
        untouched: false,
    };

    /// Ours: what is used when nothing else is asked for.
    pub const EXPLAIN: Self = Self {
        order: Order::DeepestFirst,
        policy: PolicyRefinement::Explain,
        whole: Whole::Together(SMALL),
        untouched: true,
        ..Self::PAPER
    };

    /// All names, each with what it stands for.
    #[must_use]
    pub fn named() -> Vec<(&'static str, Self)> {
        let split = |variables, point| Self {
            policy: PolicyRefinement::Split { variables, point, relaxed: false },
            ..Self::PAPER
        };
        let search = Variables::BinarySearch { precision: 0.05 };
        vec![
            ("explain", Self::EXPLAIN),
            ("explain-only", Self { whole: Whole::Nothing, ..Self::EXPLAIN }),
            ("entailed-whole", Self { policy: PolicyRefinement::Entailed, ..Self::EXPLAIN }),
            ("vea-w", split(Variables::All, SplitPoint::Witness)),
            ("vea-mid", split(Variables::All, SplitPoint::Middle)),
            ("bsverix-w", split(search, SplitPoint::Witness)),
            ("bsverix-mid", split(search, SplitPoint::Middle)),
            ("bsverix-eps", split(search, SplitPoint::Epsilon)),
            ("sens-mid", split(Variables::MostSensitive, SplitPoint::Middle)),
            ("rand", split(Variables::Random, SplitPoint::Random)),
            ("plaja", Self { policy: PolicyRefinement::Entailed, ..Self::PAPER }),
        ]
    }

    /// The strategy with a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::named().into_iter().find(|(known, _)| *known == name).map(|(_, strategy)| strategy)
    }
}

impl Default for Strategy {
    fn default() -> Self {
        Self::EXPLAIN
    }
}

/// What bounds and steers a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// How to refine.
    pub strategy: Strategy,
    /// Varies the order among equals, and which witnesses and concretisations are found; 0 leaves the order as it is.
    pub seed: u64,
    /// Keep what earlier iterations found out. Verdicts are the same without it; predicates and figures are, as long as no question meets
    /// its limit of nodes.
    pub incremental: bool,
    /// Iterations, at most.
    pub iterations: Option<u64>,
    /// Abstract states of one iteration, at most.
    pub states: Option<usize>,
    /// Nodes per question about a path under the policy.
    pub path_nodes: u64,
    /// Nodes per label of an expansion, all labels being looked at together.
    pub choice_nodes: u64,
    /// Nodes per move of an expansion: what is not decided by then is assumed.
    pub expansion_nodes: u64,
    /// Nodes for deciding a transition that was assumed.
    pub transition_nodes: u64,
    /// Nodes of the whole run: counted work, whatever the machine.
    pub work: Option<u64>,
    /// Time, memory, interruption.
    pub limits: Limits,
    /// Whether the last search is kept to be looked at.
    pub sketch: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strategy: Strategy::default(),
            seed: 0,
            incremental: true,
            iterations: None,
            states: None,
            path_nodes: 20_000,
            choice_nodes: 4_000,
            expansion_nodes: 200,
            transition_nodes: 20_000,
            work: None,
            limits: Limits::default(),
            sketch: false,
        }
    }
}
