//! Bounded CTL over neural agents in non-deterministic environments (NANES): Akintunde, Botoeva, Kouvaros and Lomuscio,
//! *Formal verification of neural agents in non-deterministic environments*, Autonomous Agents and Multi-Agent Systems 2022.
//!
//! A state is a vector of reals and integers, the agent a piecewise-linear function of it (ReLU networks, conditions,
//! arg max), the environment a bounded number of piecewise-linear successors. The question is whether a formula of bounded
//! CTL holds in all states of an initial region, which may have infinitely many.
//!
//! * [`formula`]: the logic over linear constraints; [`property`]: formulas over terms of a model lowered to these;
//! * [`system`]: models and policies as such systems, or refused by name;
//! * [`region`]: polyhedra of start states; [`agent`]: the policy on them; [`explore`]: states and successors on them;
//! * [`check`](mod@check): the built-in procedure; [`milp`]: the paper's, by a solver that is not ours.

pub mod agent;
pub mod check;
pub mod explore;
pub mod formula;
pub mod milp;
pub mod property;
pub mod region;
pub mod system;

pub use check::{Checked, Evidence, Failing, Options, Verdict, check};
pub use formula::unfold::{Node, NodeId, Unfolded};
pub use formula::{Constraints, Ctl, Quantifier};
pub use system::System;
