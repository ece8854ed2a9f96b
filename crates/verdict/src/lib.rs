//! The vocabulary in which engines speak: what they answer, and what they report on the way.
//!
//! * [`verdict`]: the answer; [`reason`]: why there is none; [`unsupported`]: what an engine cannot do;
//! * [`figure`]: named numbers and words, the same for every engine;
//! * [`report`]: how far a search is, told to a [`Reporter`] that knows no engine.
//!
//! Nothing here knows a model, a network or an engine; why a search stopped is [`surefoot_limits::Stop`]. No words name an option of a
//! program: whoever talks to users adds that advice, from values it can match on.

pub mod figure;
pub mod reason;
pub mod report;
pub mod unsupported;
pub mod verdict;

pub use figure::{Amount, Figure};
pub use reason::{Because, Limit, Otherwise, Reason, Undecided};
pub use report::{Event, Kind, Reporter, Silent};
pub use unsupported::Unsupported;
pub use verdict::Verdict;
