//! The texts of a small system, to the letter.
//!
//! `SUREFOOT_WRITE_DOCS=1 cargo test -p surefoot-encode --test golden` writes them anew; look at what has changed.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use surefoot_encode::{Encoded, Options, Starts, Subject, Target, encode};
use surefoot_linear::{Linear, Symbol};
use surefoot_model::lower::Lowered;
use surefoot_model::policy::{Outputs, Policy, PolicyNetwork, Ties};
use surefoot_network::{Activation, Layer, Network};
use surefoot_testkit::{load_text, safety};

/// A lamp that warms up while it is on, and a hand that may always switch it off; with a probability it breaks.
const MODEL: &str = include_str!("golden/lamp.jani");

/// On below 3 degrees, off from there: `max(6 - 2 heat, 0) / 4` against 1/4.
fn policy(lowered: &Lowered) -> Policy {
    let hidden = Layer::new(1, vec![-2.0], vec![6.0], Activation::Relu).unwrap();
    let scores = Layer::new(1, vec![0.25, 0.0], vec![0.0, 0.25], Activation::Identity).unwrap();
    let heat = lowered.model.slot("heat").unwrap();
    let network = PolicyNetwork {
        when: None,
        inputs: vec![Linear::symbol(Symbol::from(heat))],
        network: Arc::new(Network::new(vec![hidden, scores]).unwrap()),
        file: "lamp".to_owned(),
    };
    let labels = ["warm", "cool"].map(|label| lowered.model.label(label).unwrap()).to_vec();
    Policy { networks: vec![network], outputs: Outputs::Labels(labels), filter: true, ties: Ties::First }
}

fn encoded(target: Target, starts: Starts) -> Encoded {
    let mut lowered = load_text(MODEL);
    let question = safety(&mut lowered, 0);
    let policy = policy(&lowered);
    let subject = Subject {
        model: &lowered.model,
        policy: Some(&policy),
        start: &question.start,
        unsafe_states: question.reach.unwrap(),
        terminal: None,
    };
    encode(&subject, &Options { target, precision: None, starts }).unwrap()
}

fn compare(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    if std::env::var_os("SUREFOOT_WRITE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "{file}");
}

#[test]
fn integers_for_storm() {
    let Encoded { text, figures } = encoded(Target::Storm, Starts::Initial);
    compare("lamp.storm.jani", &text);
    assert_eq!((figures.neurons, figures.variables, figures.phases, figures.exact), (3, 3, 3, true));
    // Neuron 0..6; scores 0..6 and 1, and -1 for what is not applicable.
    assert_eq!(figures.bits, Some(3 + 3 + 2));
    let read = load_text(&text).model;
    assert_eq!((read.instances.len(), read.labels.len()), (3, 6));
}

#[test]
fn one_initial_state_with_edges() {
    let text = encoded(Target::Storm, Starts::Edges).text;
    let read = load_text(&text).model;
    assert!(read.slots.iter().all(|slot| slot.initial.is_some()));
    // 0 to 2 degrees, off.
    assert_eq!(read.instances.last().unwrap().edges.iter().filter(|edge| edge.source == 0).count(), 3);
}

#[test]
fn reals() {
    let text = encoded(Target::JaniReal, Starts::Initial).text;
    compare("lamp.real.jani", &text);
    assert!(!load_text(&text).model.is_discrete());
}

#[test]
fn smv() {
    let Encoded { text, figures } = encoded(Target::Nuxmv, Starts::Initial);
    compare("lamp.smv", &text);
    assert_eq!((figures.neurons, figures.variables, figures.phases), (3, 0, 0));
    well_formed(&text);
}

/// Every statement ends, every parenthesis closes, and every name is declared.
fn well_formed(text: &str) {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("--")).collect();
    assert_eq!(lines[..2], ["MODULE main", "VAR"]);
    let declared: HashSet<&str> =
        lines.iter().filter_map(|line| line.strip_prefix("  ")).filter_map(|line| line.split(" :").next()).collect();
    let words = ["MODULE", "main", "VAR", "IVAR", "DEFINE", "INIT", "TRANS", "INVARSPEC", "TRUE", "FALSE"];
    let known = |word: &str| {
        words.contains(&word)
            || ["next", "max", "min", "mod", "boolean"].contains(&word)
            || declared.contains(word)
            || word.starts_with(|c: char| c.is_ascii_digit())
    };
    for line in &lines {
        assert!(words.contains(line) || *line == "MODULE main" || line.ends_with(';'), "{line}");
        let open = line.chars().try_fold(0i32, |open, c| match c {
            '(' => Some(open + 1),
            ')' if open == 0 => None,
            ')' => Some(open - 1),
            _ => Some(open),
        });
        assert_eq!(open, Some(0), "{line}");
        let names = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        names.for_each(|word| assert!(known(word), "{word} of {line}"));
    }
    assert_eq!(lines.iter().filter(|line| line.starts_with("INVARSPEC ")).count(), 1);
}
