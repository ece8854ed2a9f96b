//! What a search is for.
//!
//! There is one search loop ([`super::engine`]); a goal says what to do with a region. Goals that look for witnesses
//! examine a region when it is made, and the most promising one is split first. A goal may as well wait until a region is taken up
//! again, and so go depth first.

use surefoot_num::Rational;

use super::engine::Search;
use super::node::Node;
use super::reduce::Reduced;
use crate::proof::Split;

/// What came of examining a region.
pub(crate) enum Examined {
    /// It holds no witness, or none that is asked for.
    Refuted,
    /// It holds this one, which ends the search.
    Witness(Vec<Rational>),
    /// It is to be split; the number says how promising it is.
    Branch(f64, Split),
    /// It holds a witness that was taken note of; what else it holds is not known.
    Recorded,
    /// It is [left open](super::undecided).
    LeftOpen,
}

/// What comes of a node.
pub(crate) enum Status {
    /// It is done with.
    Closed,
    /// The search is over, with this witness.
    Witness(Vec<Rational>),
    /// It waits for its turn, or it is split if this is its turn.
    Open,
}

/// What a search is for.
pub(crate) trait Goal: Sized + Send {
    /// What becomes of a node that was just made.
    fn enter(search: &mut Search<'_, Self>, node: &mut Node) -> Status;

    /// What becomes of a node whose turn it is. By default it is split, as was found out when it was made.
    fn resume(_search: &mut Search<'_, Self>, _node: &mut Node) -> Status {
        Status::Open
    }

    /// The same goal for another part of the search, if parts know nothing of each other.
    fn elsewhere(&self) -> Option<Self> {
        None
    }

    /// Examines a new node, for goals that do so at once.
    fn examined(node: &mut Node, examined: Examined) -> Status {
        match examined {
            Examined::Refuted | Examined::LeftOpen => Status::Closed,
            Examined::Witness(point) => Status::Witness(point),
            Examined::Branch(priority, split) => {
                (node.priority, node.split) = (priority, split);
                Status::Open
            }
            Examined::Recorded => unreachable!("a recorded witness leads to a split or to a known assignment"),
        }
    }
}

/// A goal that looks for witnesses.
pub(crate) trait Witnesses: Goal {
    /// Takes a witness: gives it back if that ends the search, else takes note of it. `by_floats` if the networks were just evaluated
    /// there in floats.
    fn take(
        search: &mut Search<'_, Self>,
        point: &[f64],
        exact: Vec<Rational>,
        by_floats: bool,
    ) -> Option<Vec<Rational>>;

    /// How much was taken note of.
    fn taken(&self) -> usize;

    /// Goes on without the variables that are fixed.
    fn reduce(&mut self, reduced: &Reduced);
}
