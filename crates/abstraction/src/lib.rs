//! Policy predicate abstraction (Vinzent and Hoffmann, *Neural Network Action Policy Verification via Predicate
//! Abstraction*): the part of the abstract state space that is reachable under a policy.
//!
//! An [`AbstractState`] is a location per automaton instance and a truth value per predicate; it stands for all concrete
//! states that agree. There is a transition between two abstract states if some concrete state of the first has a
//! successor in the second under a move that the policy permits. If no abstract unsafe state is reachable then no
//! concrete one is.
//!
//! What every symbolic engine needs of a model is here once; refinement and bounded model checking stand on it. All of it is generic over
//! the oracle that is asked.
//!
//! * [`predicate`]: predicates and the literals they cut out; [`state`]: abstract states; [`cell`]: the concrete states of one;
//! * [`rule`]: what can happen at given locations; [`chooser`]: how the policy comes to permit it; [`compose`]: rules along a path;
//! * [`joint`]: all outcomes of an operator at once, for probabilistic abstraction;
//! * [`moves`]: rules as questions to an oracle; `frame`: the variables that matter to these; [`prepare`]: all moves at given
//!   locations; `choice`: what the policy never chooses there;
//! * [`expand`]: the successors of an abstract state; [`transition`]: all of them, also by the paper's own algorithm ([`paper`]);
//! * [`start`]: the start set; [`mod@search`]: all that is reachable from it, [`reachable`]: what that results in, [`progress`]: how far it is, [`sketch`]: to be looked at;
//! * [`fault`]: what may be an error of the model; [`errors`]: errors that the abstraction does not exclude; [`deadlock`]: where the
//!   policy may choose what is not applicable;
//! * [`untouched`]: variables that nothing has written since the start;
//! * [`oracles`]: who is asked; `exclude`: what need not be; [`locations`]: what is made once per location vector.

pub mod cell;
mod choice;
pub mod chooser;
pub mod compose;
pub mod deadlock;
pub mod errors;
mod exclude;
pub mod expand;
pub mod fault;
mod frame;
pub mod joint;
pub mod locations;
pub mod moves;
pub mod oracles;
pub mod paper;
pub mod predicate;
pub mod prepare;
pub mod progress;
pub mod reachable;
pub mod rule;
pub mod search;
pub mod sketch;
pub mod start;
pub mod state;
mod system;
pub mod transition;
pub mod untouched;

pub use cell::Cell;
pub use chooser::Chooser;
pub use fault::Fault;
pub use joint::{Joint, joints};
pub use locations::ByLocations;
pub use oracles::Oracles;
pub use paper::{Configuration, Exact};
pub use predicate::{Literal, PredicateSet};
pub use prepare::Moves;
pub use progress::Reached;
pub use reachable::{Abstraction, Early, Failure};
pub use rule::{Rule, Rules};
pub use search::{Options, search};
pub use sketch::{Drawn, Ranges, Sketch};
pub use start::Start;
pub use state::{AbstractState, StateId, States};
pub use system::{System, domain_variable, unsuitable};
pub use transition::{Method, Transition};
pub use untouched::{SlotRange, Telling, Watched, Written};
