//! JANI text to syntax and back, with spans; no meaning.
