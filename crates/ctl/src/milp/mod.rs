//! The paper's procedures: NNF of the negated formula as mixed-integer linear programs (Algorithms 1 and 2), solved by someone else.
//!
//! * [`state`]: symbolic states; `rows`: formulas as rows, strict atoms by a slack; `network`: networks as rows; `moves`: what can
//!   happen in a state; `encoder`: what both encodings share;
//! * `monolithic`: one program per box of start states; [`compositional`]: many small ones;
//! * `ask`: jobs made and put to a solver; `queue`: by one or several workers; `witness`: from floats to exact start states; [`decide`]: the procedure.
//!
//! Trust: nothing is called violated but by an exact start state with evidence that the reference interpreter confirms. That a program
//! has no solution is the solver's word: a formula that holds by it holds under an assumption that names the solver.

mod ask;
pub mod compositional;
pub mod decide;
mod encoder;
mod monolithic;
mod moves;
mod network;
mod queue;
mod rows;
pub mod state;
mod witness;

pub use decide::{Method, MilpChecked, MilpFailure, MilpOptions, MilpStatistics, check};
