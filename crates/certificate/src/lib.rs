//! What a verdict carries: witnesses now, proofs later.
