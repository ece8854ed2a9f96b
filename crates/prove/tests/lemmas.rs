//! Random questions about random networks, held against every point: what has no answer is proved and accepted, and what has one never is.

use std::io::{self, Cursor, Read, Write};
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use surefoot_certificate::{CertificateLines, CertificateWriter};
use surefoot_checker::Refused;
use surefoot_checker::lemma::{Lemmas, Unanswerable, judge};
use surefoot_checker::points::for_each;
use surefoot_files::{Inputs, Kind, Origin};
use surefoot_fixtures::{Random, random_network, seeds, shared_data};
use surefoot_limits::Limits;
use surefoot_network::{Network, ReadOptions, read_with};
use surefoot_num::Rational;
use surefoot_problem::Source;
use surefoot_prove::{Lemmata, write_lemmas};
use surefoot_text::json::Document;
use surefoot_text::source::SourceMap;

/// A question, as it is meant.
struct Asked {
    bounds: Vec<(i64, i64)>,
    /// Coefficients in sixths, a comparison, and the right side in sixths.
    constraints: Vec<(Vec<i64>, &'static str, i64)>,
    label: usize,
    first: bool,
}

impl Asked {
    fn random(random: &mut Random, inputs: usize, outputs: usize) -> Self {
        let interval = |random: &mut Random| {
            let lower = random.between(-3, 3);
            // Now and then there is nothing in it.
            (lower, lower + random.between(-1, 40) / 10)
        };
        let constraint = |random: &mut Random| {
            let coefficients = (0..inputs).map(|_| random.between(-4, 4)).collect();
            (coefficients, random.word(&["<=", "<", "=", ">=", ">", "!="]), random.between(-9, 9))
        };
        Self {
            bounds: (0..inputs).map(|_| interval(random)).collect(),
            constraints: (0..random.below(3)).map(|_| constraint(random)).collect(),
            label: random.below(outputs),
            first: random.percent(50),
        }
    }

    fn json(&self) -> Value {
        let sixths = |n: i64| json!(format!("{n}/6"));
        let constraint = |(coefficients, op, rhs): &(Vec<i64>, &str, i64)| {
            let coefficients = coefficients.iter().enumerate().map(|(i, a)| (i.to_string(), sixths(*a)));
            json!({"coeffs": coefficients.collect::<serde_json::Map<_, _>>(), "op": op, "rhs": sixths(*rhs)})
        };
        let constraints: Vec<Value> = self.constraints.iter().map(constraint).collect();
        let ties = if self.first { "first" } else { "any" };
        json!({"box": self.bounds, "constraints": constraints, "label": self.label, "ties": ties})
    }

    fn is_answer(&self, network: &Network, point: &[i64]) -> bool {
        let holds = |(coefficients, op, rhs): &(Vec<i64>, &str, i64)| {
            let sum: i64 = coefficients.iter().zip(point).map(|(a, x)| a * x).sum();
            match *op {
                "<=" => sum <= *rhs,
                "<" => sum < *rhs,
                "=" => sum == *rhs,
                ">=" => sum >= *rhs,
                ">" => sum > *rhs,
                _ => sum != *rhs,
            }
        };
        let inputs: Vec<Rational> = point.iter().map(|x| Rational::from(*x)).collect();
        let outputs = network.eval_reference(&inputs);
        let own = &outputs[self.label];
        let beaten = |(i, other): (usize, &Rational)| other > own || (self.first && i < self.label && other == own);
        self.constraints.iter().all(holds) && !outputs.iter().enumerate().any(beaten)
    }

    fn has_answer(&self, network: &Network) -> bool {
        for_each(&self.bounds, |point| if self.is_answer(network, point) { Err(()) } else { Ok(()) }).is_err()
    }
}

/// Bytes that can be looked at when their writer is gone.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("one thread").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn read(text: &str, network: Network) -> Lemmas {
    let mut sources = SourceMap::default();
    let file = Source::text("<queries>", text).load(&mut sources, Kind::Query).expect("a text");
    let document = Document::parse(file, text).expect("JSON");
    Lemmas::read(&document, Arc::new(network), sources.inputs.hashes()).expect("queries")
}

/// The text of a certificate, and what it has.
fn written(lemmas: &Lemmas, queries: &[usize], limits: &(dyn Fn() -> Limits + Sync)) -> (String, Lemmata) {
    let shared = Shared::default();
    let index = lemmas.index("test").expect("an index");
    let mut out = CertificateWriter::new(shared.clone(), &index).expect("it can be written");
    let found = write_lemmas(lemmas, queries, limits, &mut out).expect("it can be written");
    out.finish(&[found.queries.len() as u64]).expect("it can be written");
    let (bytes, mut text) = (shared.0.lock().expect("one thread").clone(), String::new());
    GzDecoder::new(&*bytes).read_to_string(&mut text).expect("text");
    (text, found)
}

fn judged(lemmas: &Lemmas, text: &str) -> Result<Unanswerable, Refused> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("it can be done");
    let mut lines = CertificateLines::new(Cursor::new(encoder.finish().expect("it can be done")));
    let index = lines.index()?;
    judge(lemmas, &index, lines)
}

#[test]
fn questions_without_an_answer_are_proved_and_others_never() {
    let (mut proved, mut moved) = (0, 0);
    for seed in seeds(0, 300) {
        let random = &mut Random::new(seed);
        let (inputs, outputs) = (1 + random.below(3), 1 + random.below(4));
        let network = random_network(random, inputs, outputs);
        let asked: Vec<Asked> = (0..4).map(|_| Asked::random(random, inputs, outputs)).collect();
        let text = Value::from(asked.iter().map(Asked::json).collect::<Vec<_>>()).to_string();
        let truth: Vec<bool> = asked.iter().map(|asked| asked.has_answer(&network)).collect();
        let lemmas = read(&text, network);
        let all: Vec<usize> = (0..asked.len()).collect();
        let (certificate, found) = written(&lemmas, &all, &Limits::default);
        let unsat: Vec<usize> = all.iter().copied().filter(|query| !truth[*query]).collect();
        assert_eq!(found.queries, unsat, "seed {seed}: {:?}\n{text}", found.open);
        if unsat.is_empty() {
            continue;
        }
        proved += unsat.len();
        let shown = judged(&lemmas, &certificate).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{certificate}"));
        assert_eq!(shown.queries, unsat, "seed {seed}");
        // Each lemma, told of a question that has an answer.
        for (from, to) in
            unsat.iter().flat_map(|from| all.iter().map(move |to| (*from, *to))).filter(|(_, to)| truth[*to])
        {
            let meant = |line: &str| !line.starts_with("q ") || line.starts_with(&format!("q {from} "));
            let lines = certificate.lines().filter(|line| meant(line) && !line.starts_with("end"));
            let lines: Vec<String> =
                lines.map(|line| line.replacen(&format!("q {from} "), &format!("q {to} "), 1)).collect();
            let found = judged(&lemmas, &format!("{}\nend 1\n", lines.join("\n")));
            assert!(matches!(found, Err(Refused::Rejected { .. })), "seed {seed}, {from} as {to}: {found:?}\n{text}");
            moved += 1;
        }
    }
    assert!(proved > 300 && moved > 300, "{proved} lemmas, {moved} moved");
}

#[test]
fn stored_queries_are_proved_as_they_are_answered() {
    let Some(data) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    let folder = data.join("nnsat");
    let Ok(text) = std::fs::read_to_string(folder.join("queries_bw4.json")) else { return };
    let network = read_with(&mut Inputs::default(), &folder.join("bw4.nnet"), Origin::Named, &ReadOptions::default());
    let lemmas = read(&text, network.expect("a network").0);
    let stored: Value = serde_json::from_str(&text).expect("JSON");
    let queries = stored["queries"].as_array().expect("a list");
    let unsat: Vec<usize> = (0..queries.len()).filter(|i| queries[*i]["verdict"] == "unsat").collect();
    let (certificate, found) = written(&lemmas, &unsat, &Limits::default);
    assert_eq!(found.queries, unsat, "{:?}", found.open);
    assert_eq!(judged(&lemmas, &certificate).expect("it is ours").queries, unsat);
}
