//! ReLU networks: readers, writers, exact evaluation.
