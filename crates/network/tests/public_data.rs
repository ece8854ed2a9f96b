//! Public networks, where they are present: pairs in two formats are the same function, and all files read.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![expect(clippy::cast_possible_wrap, reason = "the numbers of a test are small")]

use std::path::{Path, PathBuf};

use surefoot_network::{Activation, Evaluator, FloatNetwork, Network, ReadOptions, nnet, onnx, read_file};
use surefoot_num::Rational;

/// The data directory, or none (with a message) where it is not there; on the build server it must be.
fn data(part: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(part);
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{} is missing", path.display());
    #[allow(clippy::print_stderr, reason = "a skipped test should say so")]
    {
        eprintln!("skipped: {} is missing", path.display());
    }
    None
}

fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A small deterministic generator (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A multiple of 1/1024 between two numbers.
    fn between(&mut self, low: &Rational, high: &Rational) -> Rational {
        let share = Rational::new((self.next() % 1025) as i64, 1024).unwrap();
        low + &(&(high - low) * &share)
    }
}

fn read(path: &Path) -> Network {
    read_file(path, &ReadOptions::default()).unwrap()
}

#[test]
fn pairs_are_the_same_function() {
    let Some(directory) = data("venmas") else { return };
    let mut random = Random(0x5eed);
    let paths = files(&directory, "nnet");
    assert!(!paths.is_empty());
    for path in paths {
        let (text, graph) = (read(&path), read(&path.with_extension("onnx")));
        assert_eq!(text.input_len(), graph.input_len(), "{}", path.display());
        assert_eq!(text.output_len(), graph.output_len());
        for _ in 0..20 {
            let point: Vec<Rational> =
                text.input_bounds().unwrap().iter().map(|(low, high)| random.between(low, high)).collect();
            let outputs = text.eval_exact(&point);
            // The graph works on normalised inputs and gives raw outputs.
            let normalised = match (text.input_normalisation(), graph.input_normalisation()) {
                (Some(normalisation), None) => normalisation.apply(&point),
                _ => point.clone(),
            };
            for (a, b) in outputs.iter().zip(graph.eval_exact(&normalised)) {
                let (a, b) = (a.to_f64(), b.to_f64());
                assert!((a - b).abs() <= 1e-4 * (1.0 + a.abs()), "{}: {a} {b} at {point:?}", path.display());
            }
        }
    }
}

#[test]
fn collision_avoidance_networks() {
    let Some(directory) = data("acasxu") else { return };
    let paths = files(&directory, "onnx");
    assert!(!paths.is_empty());
    for path in paths {
        let network = read(&path);
        assert_eq!((network.input_len(), network.output_len()), (5, 5), "{}", path.display());
        assert_eq!(network.hidden_sizes(), [50; 6]);
        let relus = network.layers().iter().filter(|l| l.activation() == Activation::Relu).count();
        assert_eq!((relus, network.relu_count()), (6, 300));
        let point = vec![Rational::new(1, 3).unwrap(); 5];
        assert_eq!(network.eval_exact(&point), network.eval_reference(&point));
    }
}

#[test]
fn written_files_read_back() {
    for part in ["venmas", "acasxu", "nnsat", "plaja"] {
        let Some(directory) = data(part) else { continue };
        for extension in ["nnet", "onnx"] {
            for path in files(&directory, extension) {
                let network = read(&path);
                if let Ok(text) = nnet::write(&network) {
                    let back = nnet::from_bytes(text.as_bytes(), Default::default()).unwrap();
                    assert!(back.same_parameters(&network), "{}", path.display());
                }
                let bytes = onnx::write(&network).unwrap();
                let back = onnx::from_bytes(&bytes, &ReadOptions::default(), None).unwrap();
                assert!(back.same_parameters(&network), "{}", path.display());
            }
        }
    }
}

#[test]
fn floats_decide_nearly_always() {
    for part in ["nnsat", "plaja", "venmas"] {
        let Some(directory) = data(part) else { continue };
        let mut random = Random(0xf00d);
        for path in files(&directory, "nnet") {
            let network = read(&path);
            let mut evaluator = Evaluator::new(&network);
            let float = FloatNetwork::new(&network);
            let mut scratch = float.scratch();
            for _ in 0..200 {
                let bounds = network.input_bounds().unwrap();
                let point: Vec<Rational> = bounds.iter().map(|(low, high)| random.between(low, high).floor()).collect();
                let inputs: Vec<f64> = point.iter().map(Rational::to_f64).collect();
                let chosen = evaluator.argmax(&inputs, 0.0, |_| true, || point.clone());
                let exact = network.eval_exact(&point);
                let outputs = float.eval(&inputs, 0.0, &mut scratch);
                for (value, exact) in outputs.values.iter().zip(&exact) {
                    let gap = (&Rational::from_f64(*value).unwrap() - exact).abs();
                    assert!(gap <= Rational::from_f64(outputs.error).unwrap(), "{}", path.display());
                }
                let best = exact.iter().max().unwrap();
                assert_eq!(chosen, Ok(exact.iter().position(|output| output == best)), "{}", path.display());
            }
        }
    }
}
