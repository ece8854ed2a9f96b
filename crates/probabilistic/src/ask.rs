//! What is asked: a probability to reach, over the start states of a task.

use surefoot_explicit::Task;
use surefoot_mdp::Direction;
use surefoot_model::TermId;
use surefoot_num::Rational;

/// A probability, and what it is to be compared with.
///
/// The [`System`](surefoot_abstraction::System) that goes with it has `right` as its unsafe states, and states in which the question is decided
/// the other way as terminal ones: so an until is a matter of reaching, too.
#[derive(Debug, Clone)]
pub struct Asked<'m> {
    /// The model, the policy, the start set, and how to explore them; `reach` is what is to be reached.
    pub task: Task<'m>,
    /// Which scheduler, and which start state: the best for reaching, or the worst.
    pub direction: Direction,
    /// What must be reached.
    pub right: TermId,
    /// What must hold before; `None` = anything.
    pub left: Option<TermId>,
    /// States in which that is decided: their moves do not matter.
    pub decided: TermId,
    /// Decide how the value compares with this: at most for the largest, at least for the smallest.
    pub threshold: Option<Rational>,
}
