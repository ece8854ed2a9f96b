//! Policy predicate abstraction (Vinzent and Hoffmann, *Neural Network Action Policy Verification via Predicate
//! Abstraction*): the part of the abstract state space that is reachable under a policy.
//!
//! An [`AbstractState`] is a location per automaton instance and a truth value per predicate; it stands for all concrete
//! states that agree. There is a transition between two abstract states if some concrete state of the first has a
//! successor in the second under a move that the policy permits. If no abstract unsafe state is reachable then no
//! concrete one is.
//!
//! * [`predicate`]: predicates and the boxes they cut out;
//! * [`state`]: abstract states;
//! * [`rule`]: what can happen at given locations; [`moves`]: the same as questions to an oracle; `prepare`: made of rules;
//! * [`compose`]: rules along a path;
//! * [`expand`]: the successors of an abstract state; [`paper`]: by the paper's own algorithm; [`search`]: all that is
//!   reachable; [`progress`]: how far that is;
//! * [`oracles`]: who is asked; `exclude`: what need not be; `choice`: what the policy never chooses;
//! * [`errors`]: errors of the model that the abstraction does not exclude; [`deadlock`]: where the policy may choose what is not
//!   applicable.

mod choice;
pub mod compose;
pub mod deadlock;
pub mod errors;
mod exclude;
pub mod expand;
pub mod moves;
pub mod oracles;
pub mod paper;
pub mod predicate;
mod prepare;
pub mod progress;
mod region;
pub mod rule;
pub mod search;
pub mod state;
mod system;

pub use choice::Choice;
pub use expand::{Method, Transition};
pub use oracles::Oracles;
pub use paper::{Configuration, Exact};
pub use predicate::PredicateSet;
pub use progress::Reached;
pub use rule::{Chooser, Rule};
pub use search::{Abstraction, Early, Failure, Options};
pub use state::{AbstractState, StateId, States};
pub use system::{System, domain_variable, unsuitable};
