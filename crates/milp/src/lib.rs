//! Mixed-integer linear programs, and a solver for them that is not ours.
//!
//! * [`program`]: variables with finite bounds, rows with exact data, indicator constraints;
//! * [`bigm`]: indicators as rows, by bounds that are proved; [`lp`]: programs as text (CPLEX LP);
//! * [`solver`]: what a solver is asked and what it may say; [`highs`]: HiGHS as an external process, either its
//!   executable ([`executable`]) or its Python package ([`python`]);
//! * [`process`]: other programs get so much time, and may say so much; [`worker`]: one that is kept.
//!
//! Trust: solvers compute in floats. That a program has no solution is their word, and who builds a verdict on it names them; a
//! solution is a hint, to be confirmed exactly by whoever asked. A failure, a time-out or output that cannot be read is an error and
//! never an answer.

pub mod bigm;
pub mod executable;
pub mod highs;
pub mod lp;
pub mod process;
pub mod program;
pub mod python;
pub mod solver;
pub mod worker;

pub use highs::Highs;
pub use program::{Indicator, Kind, Program, VarId, Variable};
pub use solver::{Answer, Solver, SolverError};
pub use worker::Worker;
