//! The `surefoot` command line.

fn main() {}
