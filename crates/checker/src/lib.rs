//! Judges certificates: is what a verdict claims so?
//!
//! A certificate claims something about a model, a policy and a property. The checker reads these itself, holds what the certificate says against its own
//! reading, and then checks every obligation: it stands on the parsers, the reference interpreter and exact numbers, and on no engine.
//!
//! * [`judge`](mod@judge): opening a certificate and judging it; [`refused`]: why one is not accepted;
//! * [`subject`]: that a certificate is about what was read; [`start`](mod@start): whether there is one start state;
//! * [`run`](mod@run): certificates of runs.

pub mod judge;
pub mod refused;
pub mod run;
pub mod start;
pub mod subject;

pub use judge::{Accepted, Judgement, Opened, judge, open};
pub use refused::Refused;
