//! Two policies over one model: where they choose differently, and what of a proof about one holds of the other.
//!
//! * [`policies`]: two policies over the same labels, and when they differ in a state;
//! * [`region`]: whether they differ in a region of states, by questions about two networks at once;
//! * [`invariant`]: regions and states that no move leaves under the first policy; [`reuse`](mod@reuse): whether none leaves them under the second;
//! * `first`: many questions at the same time, of which the first answer counts.
//!
//! Differences in *reachable* states are the business of the explicit engine, which visits them.

mod first;
pub mod invariant;
pub mod policies;
pub mod region;
pub mod reuse;

pub use invariant::{Invariant, Part, Place};
pub use policies::{Opinion, Policies};
pub use region::{Found, InRegion, Where, in_region};
pub use reuse::{Leaving, Reuse, Reused, Reusing, reuse};
