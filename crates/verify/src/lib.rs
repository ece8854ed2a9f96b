//! Facade: a task in, a verdict out.
