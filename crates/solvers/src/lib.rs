//! Other people's solvers as oracles: for the experiments of the papers that use them, and as second opinions.
//!
//! * [`choice`]: which solver answers which questions; [`outside`]: the oracle made of them;
//! * [`ledger`]: whose word answers rest on, and what went wrong; `backend`: one solver, whichever it is;
//! * `smtlib`: questions as SMT-LIB 2 in exact rationals; `model`: values back from text; `smt`: Z3 and cvc5;
//! * `marabou`: Marabou by its Python package; `highs`: HiGHS by mixed-integer programs;
//! * `unrolled`: networks as definitions, with exact ranges; `closed`: formulas without strict atoms, for solvers that compute in floats.
//!
//! Trust: `Sat` is said of points that [`Question::is_witness`](surefoot_oracle::Question::is_witness) confirms, whoever found them. `Unsat` is the
//! solver's word, and [`Ledger::assumptions`] names it. A failure, a time-out or output that cannot be read is
//! [`Stop::Solver`](surefoot_limits::Stop::Solver), never an answer.

mod backend;
pub mod choice;
mod closed;
mod highs;
pub mod ledger;
mod marabou;
mod model;
pub mod outside;
mod smt;
mod smtlib;
mod unrolled;

pub use choice::{Choice, Places};
pub use ledger::Ledger;
pub use outside::Outside;
