//! A region decided by the phases of its neurons alone, with clauses learned from what was refuted.
//!
//! **Algorithm.** Phases are decided one by one. After each decision: [unit propagation](clauses) over what was learned; the
//! [linear program](program) over all neurons, which goes on from its last basis; if that is refuted, its prices are
//! [added up again](refutation) in outward-rounded arithmetic, which says on which phases the refutation rests; the others are forgotten, the fewest that
//! suffice are a conflict, and a clause is learned from it. Otherwise the point of the program is tried, and the neuron that is furthest from being a
//! ReLU there is decided next, for the phase that it is nearest to. Where all phases are decided an exact program has the last word.
//!
//! It is CDCL(T) (Nieuwenhuis, Oliveras and Tinelli, *Solving SAT and SAT Modulo Theories*, JACM 2006) with the triangle relaxation as
//! the theory. Splits of the box are not its business: it gives up after so much work, and the region is split as it would have been.
//!
//! **Soundness.** A wanted point has for every neuron a phase with closed bounds that it satisfies: active where `z >= 0`, else inactive. A clause is learned
//! when no wanted point satisfies all of some closed phases: then each of them has one that is strictly violated, whose opposite is the phase it has.
//! So all clauses hold for the phases of every wanted point, and if they contradict each other there is none.

pub(crate) mod clauses;
mod leaf;
mod program;
mod refutation;
mod search;

pub(crate) use program::multiplications;
pub(crate) use search::Phased;

use crate::bounds::priced::Prices;
use crate::search::sum::Multiple;
use clauses::{Clauses, Literal};
use program::NeuronProgram;
use refutation::Refuter;

/// Scratch memory of a search over phases.
#[derive(Debug, Default)]
pub(crate) struct PhaseSearch {
    program: NeuronProgram,
    clauses: Clauses,
    refuter: Refuter,
    prices: Vec<Prices>,
    multiples: Vec<Multiple>,
    conflict: Vec<Literal>,
    point: Vec<f64>,
    /// Programs solved in the search, in floats and exactly.
    programs: u64,
    leaves: u64,
}
