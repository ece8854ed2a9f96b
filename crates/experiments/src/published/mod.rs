//! The papers' figures, as far as the text of the papers can be read with certainty.
//!
//! Numbers are facts; they are copied with care, and tests pin some of them. Machines: the papers' own (Xeon E5-2650 at 2.2 GHz for refinement and abstraction, EPYC 9654 at 2.4 GHz for
//! probabilities), 12 hours and 4 GB for each run.
//!
//! * [`agents`]: Table 1 of *Formal verification of neural agents in non-deterministic environments*, and what its text says of its second scenario; machine and limits are its own;
//! * [`cegar`]: Table 1 of *Neural Policy Safety Verification via Predicate Abstraction: CEGAR* as extended by predicate selection: strategies side by side;
//! * [`probabilistic`]: Tables 1 and 2 of the paper on probabilities.
//!
//! The papers' figures of abstraction are drawings without numbers: there is nothing to copy.

pub mod agents;
pub mod cegar;
pub mod probabilistic;
