//! Judges certificates: is what a verdict claims so?
//!
//! A certificate claims something about a model, a policy and a property. The checker reads these itself, holds what the certificate says against its own
//! reading, and then checks every obligation: it stands on the parsers, the reference interpreter and exact numbers, and on no engine.
//!
//! * [`judge`](mod@judge): opening a certificate and judging it; [`refused`]: why one is not accepted;
//! * [`subject`]: that a certificate is about what was read; [`start`](mod@start): whether there is one start state;
//! * [`run`](mod@run): certificates of runs;
//! * [`enclosure`], [`values`], [`numbers`], [`update`](mod@update), [`formula`]: what terms, updates and formulas are in all states of a box;
//! * [`operator`]: operators laid out; [`network`]: bounds on outputs of a network over a box;
//! * [`rules`], [`node`]: what is to be shown in a set of states, and what settles it; [`choice`], [`step`], [`points`]: the steps;
//! * [`tree`]: proofs token by token; [`states`]: states one by one; [`invariant`]: certificates of invariants, line by line;
//! * [`lemma`]: certificates that questions about a network have no answer; [`probability`]: certificates of bounds on probabilities.

pub mod choice;
pub mod enclosure;
pub mod formula;
pub mod invariant;
pub mod judge;
pub mod lemma;
pub mod network;
pub mod node;
pub mod numbers;
pub mod operator;
pub mod points;
pub mod probability;
pub mod refused;
pub mod rules;
pub mod run;
pub mod start;
pub mod states;
pub mod step;
pub mod subject;
pub mod tree;
pub mod update;
pub mod values;

pub use judge::{Accepted, Judgement, Opened, judge, open};
pub use refused::Refused;
