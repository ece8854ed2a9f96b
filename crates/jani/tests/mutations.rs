//! Damaged files: whatever is done to a text, reading it ends, and ends with a model or with messages that can be shown.
//!
//! The damage is random but repeatable: the seed of a failing case is in its message.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use std::panic::catch_unwind;
use std::time::Instant;

use common::{host, models};
use surefoot_jani::{read_model_text, read_properties_text, write_model};
use surefoot_text::render;
use surefoot_text::source::SourceMap;

const CASES: u64 = 6_000;

/// SplitMix64: tiny, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// The tokens of a JSON text, blanks left out.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].char_indices().find(|(_, c)| {
                    let end = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    end
                });
                end.map_or(rest.len(), |(at, _)| at + 2)
            }
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest.find([' ', '\n', '\t', ',', '}', ']']).unwrap_or(rest.len()).max(first.len_utf8()),
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    tokens
}

const STRANGE: [&str; 22] = [
    "null",
    "{}",
    "[]",
    "0",
    "-1",
    "1e5000",
    "1e99999",
    "\"\"",
    "\"op\"",
    "\"∧\"",
    "\"ite\"",
    "\"PA\"",
    "\"filter\"",
    "\"let\"",
    "\"\\ud800\"",
    "\"x-\"",
    "{\"op\": \"aa\"}",
    "{\"file\": \"reach.jani\"}",
    "\"state-condition\"",
    "true",
    "\"F\"",
    "99999999999999999999",
];

fn damage_tokens(random: &mut Random, tokens: &[String]) -> String {
    let mut tokens = tokens.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(tokens.len());
        let other = random.below(tokens.len());
        match random.below(6) {
            0 => drop(tokens.remove(at)),
            1 => tokens.swap(at, other),
            2 => tokens[at] = tokens[other].clone(),
            3 => tokens[at] = STRANGE[random.below(STRANGE.len())].to_owned(),
            4 => tokens.insert(at, tokens[other].clone()),
            _ => {
                let end = (at + random.below(20)).min(tokens.len());
                let piece = tokens[at..end].to_vec();
                let other = other.min(tokens.len());
                tokens.splice(other..other, piece);
            }
        }
        if tokens.is_empty() {
            break;
        }
    }
    tokens.join(" ")
}

const BYTES: &[u8] = b"{}[],:\"\\0x-e.\n\t\x01";

fn damage_bytes(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes.truncate(at.max(1)),
            1 => drop(bytes.remove(at)),
            2 => bytes[at] = BYTES[random.below(BYTES.len())],
            _ => bytes.insert(at, (random.next() & 0x7F) as u8),
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a text as a model or as properties; whatever comes of it must be usable.
fn check(text: &str, properties: bool) -> bool {
    let mut sources = SourceMap::default();
    let path = models().join("parts/damaged.jani");
    let result = if properties {
        let mut model = host(&mut sources);
        read_properties_text(&mut sources, &mut model, &path, text).map(|warnings| (model, warnings))
    } else {
        read_model_text(&mut sources, &path, text)
    };
    match result {
        Ok((model, warnings)) => {
            for warning in &warnings {
                assert!(render(warning, &sources).starts_with("warning: "));
            }
            let written = write_model(&model);
            let again = read_model_text(&mut sources, "written.jani".as_ref(), &written);
            assert!(again.is_ok(), "what was written is not read: {again:?}\n{written}");
            true
        }
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in &errors {
                assert!(render(error, &sources).starts_with("error: "));
            }
            false
        }
    }
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let start = Instant::now();
    let originals: Vec<(String, Vec<String>, bool)> =
        [("everything.jani", false), ("car.jani", false), ("safety.jani", true)]
            .into_iter()
            .map(|(name, properties)| {
                let text = std::fs::read_to_string(models().join(name)).expect("a model of the tests");
                let text = text.replace("parts/", "");
                let tokens = tokens(&text);
                assert!(check(&text, properties) && check(&tokens.join(" "), properties), "{name}");
                (text, tokens, properties)
            })
            .collect();
    let mut accepted = 0;
    for seed in 0..CASES {
        let mut random = Random(seed);
        let (text, tokens, properties) = &originals[random.below(originals.len())];
        let damaged =
            if random.below(3) == 0 { damage_bytes(&mut random, text) } else { damage_tokens(&mut random, tokens) };
        match catch_unwind(|| check(&damaged, *properties)) {
            Ok(read) => accepted += u64::from(read),
            Err(_) => panic!("seed {seed} fails on:\n{damaged}"),
        }
    }
    // Some damage only changes the meaning; if none or all did, the test would test nothing.
    assert!((CASES / 100..CASES / 2).contains(&accepted), "{accepted} of {CASES} accepted");
    let seconds = start.elapsed().as_secs_f64();
    assert!(seconds < 60.0, "{seconds} s");
}
