//! Linear arithmetic over numbered symbols, exact: what every symbolic engine reasons about.
//!
//! * [`Linear`]: a linear form with exact coefficients;
//! * [`Atom`]: a linear form compared with zero; [`Formula`]: atoms joined by conjunction and disjunction, in negation
//!   normal form, so that disjunctions stay disjunctions and nothing is multiplied out;
//! * [`Formula::describe`] writes formulas as text, given [`Names`] of symbols; a [`Style`] writes them in another syntax;
//! * [`Interval`]: rationals between two ends, either of which may be missing;
//! * [`Space`]: which symbols are integers, and their bounds; it makes atoms in normal form, and [`Region`] narrows it.
//!
//! A symbol is a number. What it stands for is the user's business: a slot of the state vector, a variable of a
//! question, the output of a network. So nothing here knows models or networks.

mod form;
mod formula;
mod interval;
mod normal;
mod print;
mod region;
mod space;

pub use form::{Linear, Symbol};
pub use formula::{Atom, Formula, Relation};
pub use interval::Interval;
pub use normal::{common_divisor, normal_atom};
pub use print::{Comparator, Names, Style};
pub use region::Region;
pub use space::{Space, SymbolRange};
