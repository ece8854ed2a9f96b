//! Models lowered to linear arithmetic, for every symbolic engine.
//!
//! [`Lowering`] turns models, policies and properties into forms and formulas (`surefoot-linear`) over the slots of the
//! state vector: by cases where they are not linear, or refused with the place. It is the one such pass.

pub mod lower;

pub use lower::{
    Case, ChoiceBounds, ChoiceSymbol, Condition, Lowering, MAX_CASES, Probability, SymbolicNetwork, SymbolicOperator,
    SymbolicOutcome, SymbolicPolicy, SymbolicSafety, UpdateCase,
};
