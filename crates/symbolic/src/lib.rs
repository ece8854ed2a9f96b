//! Linear formulas: what the symbolic engines reason about.
//!
//! * [`Linear`]: a linear form with exact coefficients over numbered symbols;
//! * [`Atom`]: a linear form compared with zero; [`Formula`]: atoms joined by conjunction and disjunction, in negation
//!   normal form, so that disjunctions stay disjunctions and nothing is multiplied out;
//! * [`Space`]: which symbols are integers, and their bounds; it makes atoms in normal form, and [`Region`] narrows it;
//! * [`Lowering`]: models, policies and properties over the slots of the state vector, by cases where they are not linear.
//!
//! A symbol is a number. What it stands for is the user's business: a slot of the state vector, a variable of a
//! question, the output of a network.

mod formula;
mod interval;
mod linear;
pub mod lower;
mod normal;
mod region;
mod space;

pub use formula::{Atom, Formula, Relation};
pub use interval::Interval;
pub use linear::{Linear, Symbol};
pub use lower::{
    Case, ChoiceBounds, ChoiceSymbol, Condition, Lowering, Probability, SymbolicNetwork, SymbolicOperator,
    SymbolicOutcome, SymbolicPolicy, SymbolicSafety, UpdateCase,
};
pub use normal::{common_divisor, normal_atom};
pub use region::Region;
pub use space::{Space, SymbolRange};
