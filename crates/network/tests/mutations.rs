//! Damaged files: thousands of seeded mutations of valid networks must give a network or an error, never a panic, a hang
//! or a huge allocation. Set `SUREFOOT_MUTATION_SEED` to replay.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the numbers of a test are small")]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use safetensors::tensor::{Dtype, TensorView};
use surefoot_network::{Activation, Layer, Network, NnetWeights, Normalisation, ReadOptions, nnet, onnx};
use surefoot_num::Rational;

const MUTATIONS: usize = 4_000;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let len = random.below(24).min(bytes.len() - at);
        match random.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.next() as u8,
            2 => bytes.insert(at, random.next() as u8),
            3 => drop(bytes.drain(at..at + len)),
            4 => bytes.truncate(at),
            5 => {
                let chunk = bytes[at..at + len].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, chunk);
            }
            _ => {
                // Numbers that like to overflow: in text, and as varints.
                let nasty: [&[u8]; 6] = [b"99999999999", b"-1", b"1e999", b"\xff\xff\xff\xff\x7f", b"nan", b"0"];
                bytes.splice(at..at, nasty[random.below(nasty.len())].iter().copied());
            }
        }
    }
}

fn torture(format: &str, originals: &[Vec<u8>], read: impl Fn(&[u8]) -> bool) {
    let seed = std::env::var("SUREFOOT_MUTATION_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0x5eed);
    let mut random = Random(seed);
    let (mut accepted, mut slowest) = (0usize, Duration::ZERO);
    for original in originals {
        assert!(read(original), "the {format} original must be valid");
    }
    for round in 0..MUTATIONS {
        let mut bytes = originals[round % originals.len()].clone();
        mutate(&mut bytes, &mut random);
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(&bytes)));
        let Ok(ok) = outcome else { panic!("{format}: panic at seed {seed}, round {round}: {bytes:?}") };
        accepted += usize::from(ok);
        slowest = slowest.max(start.elapsed());
    }
    #[allow(clippy::print_stderr, reason = "the seed makes a failure reproducible")]
    {
        eprintln!("{format}: seed {seed}, {MUTATIONS} mutations, {accepted} still valid, slowest {slowest:?}");
    }
    assert!(slowest < Duration::from_secs(2), "{format}: {slowest:?} for one file at seed {seed}");
}

fn networks() -> Vec<Network> {
    let r = |text: &str| text.parse::<Rational>().unwrap();
    let layer = |inputs: usize, outputs: usize, activation| {
        let weights = (0..inputs * outputs).map(|i| (i as f64 - 2.0) * 0.375).collect();
        Layer::new(inputs, weights, vec![0.1; outputs], activation).unwrap()
    };
    let plain = Network::new(vec![layer(2, 3, Activation::Relu), layer(3, 2, Activation::Identity)]).unwrap();
    let normalised = plain
        .clone()
        .with_input_normalisation(Normalisation::new(vec![r("1/3"), r("1/5")], vec![r("-1"), r("0")]).unwrap())
        .unwrap()
        .with_output_normalisation(Normalisation::new(vec![r("4"); 2], vec![r("-0.5"); 2]).unwrap())
        .unwrap();
    vec![plain, normalised]
}

#[test]
fn nnet_files() {
    let originals: Vec<_> = networks().iter().map(|n| nnet::write(n).unwrap().into_bytes()).collect();
    torture("nnet", &originals, |bytes| nnet::from_bytes(bytes, NnetWeights::F64).is_ok());
}

#[test]
fn onnx_files() {
    let originals: Vec<_> = networks().iter().map(|n| onnx::write(n).unwrap()).collect();
    torture("onnx", &originals, |bytes| onnx::from_bytes(bytes, &ReadOptions::default(), None).is_ok());
}

#[test]
fn safetensors_files() {
    let data: Vec<u8> = [1.0f32, -2.0, 0.5, 0.25].iter().flat_map(|v| v.to_le_bytes()).collect();
    let tensors = || {
        vec![
            ("0.weight", TensorView::new(Dtype::F32, vec![2, 1], &data[..8]).unwrap()),
            ("0.bias", TensorView::new(Dtype::F32, vec![2], &data[8..]).unwrap()),
            ("2.weight", TensorView::new(Dtype::F32, vec![1, 2], &data[4..12]).unwrap()),
        ]
    };
    let layers = r#"[{"weight":"0.weight","bias":"0.bias","activation":"relu"},
                     {"weight":"2.weight","activation":"identity"}]"#;
    let entry = |key: &str, value: &str| (format!("surefoot.{key}"), value.to_owned());
    let metadata = HashMap::from([entry("layers", layers), entry("input_scale", r#"["1/3"]"#)]);
    let originals =
        [safetensors::serialize(tensors(), None).unwrap(), safetensors::serialize(tensors(), Some(metadata)).unwrap()];
    let stated = ReadOptions { activation: Some(Activation::Relu), ..ReadOptions::default() };
    let options = [stated, ReadOptions::default()];
    torture("safetensors", &originals, |bytes| {
        options.iter().any(|options| surefoot_network::safetensors::from_bytes(bytes, options).is_ok())
    });
}
