//! Explicit-state exploration under a neural policy.
