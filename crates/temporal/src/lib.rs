//! Formulas of CTL, whatever their conditions are made of.
//!
//! * [`formula`]: the logic; [`normal`]: negation normal form; `show`: formulas as text;
//! * [`text`]: formulas and conditions from text, the one syntax for all commands; [`lower`]: conditions of a model in them;
//! * [`graph`]: labels on finite graphs, and runs that show them; [`tree`]: what a run or a tree of runs shows;
//! * [`finite`]: the definition itself, on systems of a few states: what everything else is compared with; [`random`]: formulas by chance, for tests.

pub mod finite;
pub mod formula;
pub mod graph;
pub mod lower;
pub mod normal;
pub mod random;
mod repeat;
mod show;
pub mod text;
pub mod tree;

pub use formula::{Ctl, Quantifier};
