//! How long a network file takes to read, how much of it is kept, and how long one evaluation takes:
//! `cargo run --release -p surefoot-network --example sparse FILE`. Memory is what `/usr/bin/time -v` says of it.

#![expect(clippy::print_stdout, reason = "a benchmark driver")]

use std::time::Instant;

use surefoot_network::{ExactNetwork, FloatNetwork, NetworkError, ReadOptions, read_file};
use surefoot_num::Rational;

fn main() -> Result<(), NetworkError> {
    let Some(path) = std::env::args_os().nth(1) else {
        println!("expected the path of a network");
        return Ok(());
    };
    let start = Instant::now();
    let network = read_file(&path, &ReadOptions::default())?;
    println!("read: {:.3} s", start.elapsed().as_secs_f64());
    for layer in network.layers() {
        let kept = if layer.is_sparse() { "sparse" } else { "dense" };
        println!(
            "  {} -> {} {}: {} weights not zero, {kept}",
            layer.input_len(),
            layer.output_len(),
            layer.activation(),
            layer.nonzeros()
        );
    }
    let start = Instant::now();
    let floats = FloatNetwork::new(&network);
    let mut scratch = floats.scratch();
    println!("prepared for floats: {:.6} s", start.elapsed().as_secs_f64());
    let point = vec![0.25; network.input_len()];
    let start = Instant::now();
    let outputs = floats.eval(&point, 0.0, &mut scratch);
    println!("evaluated: {:.6} s, {:?} within {:e}", start.elapsed().as_secs_f64(), outputs.values, outputs.error);
    let start = Instant::now();
    if let Some(exact) = ExactNetwork::new(&network) {
        let quarter = Rational::from_f64(0.25).unwrap_or_default();
        let outputs = exact.eval(&vec![quarter; network.input_len()]);
        let shown: Vec<f64> = outputs.iter().map(Rational::to_f64).collect();
        println!("exactly, prepared and evaluated: {:.6} s, {shown:?}", start.elapsed().as_secs_f64());
    }
    Ok(())
}
