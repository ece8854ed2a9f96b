//! What is written can be read again, and is the model.

#![allow(clippy::unwrap_used, reason = "only tests")]
#![expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "the numbers of a test are small")]

mod common;

use std::collections::BTreeSet;
use std::io::Read;

use common::{Owned, small, text};
use proptest::prelude::*;
use surefoot_export::{Numbers, Options, drn, prism, umb};
use surefoot_mdp::{MdpBuilder, StateSet};
use surefoot_num::Rational;

/// An action and branches.
type Choice = (Option<u32>, Vec<(u32, Rational)>);

/// What all formats agree on: per state its labels (by position, `init` first), and per choice an action and branches.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    labels: Vec<BTreeSet<usize>>,
    choices: Vec<Vec<Choice>>,
}

/// The model as checkers should see it.
fn expected(owned: &Owned, numbers: Numbers) -> Seen {
    let mut result = Seen { labels: Vec::new(), choices: Vec::new() };
    for state in 0..owned.mdp.num_states() as u32 {
        let initial = owned.initial.contains(state).then_some(0);
        let others = (0..owned.labels.len()).filter(|l| owned.labels[*l].states.contains(state)).map(|l| l + 1);
        result.labels.push(initial.into_iter().chain(others).collect());
        let mut choices = Vec::new();
        for choice in owned.mdp.choices(state) {
            let number = |value: &Rational| match numbers {
                Numbers::Exact => value.clone(),
                Numbers::Double => Rational::from_f64(value.to_f64()).unwrap(),
            };
            let branches = owned.mdp.branches(choice).iter();
            let mut branches: Vec<_> = branches.map(|b| (b.target, number(owned.mdp.exact(*b)))).collect();
            branches.sort_by_key(|(target, _)| *target);
            choices.push((owned.choice_actions[choice as usize], branches));
        }
        if choices.is_empty() {
            choices.push((None, vec![(state, Rational::ONE)]));
        }
        result.choices.push(choices);
    }
    result
}

/// A number of a text: what a reader of floats, or of fractions, makes of it.
fn number(text: &str, numbers: Numbers) -> Rational {
    match numbers {
        Numbers::Exact => text.parse().unwrap(),
        Numbers::Double => Rational::from_f64(text.parse().unwrap()).unwrap(),
    }
}

fn read_drn(text: &str, owned: &Owned, numbers: Numbers) -> Seen {
    let mut result = Seen { labels: Vec::new(), choices: Vec::new() };
    let (header, body) = text.split_once("@model\n").unwrap();
    let after = |key: &str| header.split_once(key).unwrap().1.lines().nth(1).unwrap().parse::<usize>().unwrap();
    for line in body.lines().filter(|line| !line.starts_with("//")) {
        if let Some(rest) = line.strip_prefix("state ") {
            let mut words = rest.split(' ');
            assert_eq!(words.next().unwrap().parse::<usize>().unwrap(), result.labels.len());
            let position = |word: &str| owned.labels.iter().position(|l| l.name == word).map_or(0, |l| l + 1);
            result.labels.push(words.map(position).collect());
            result.choices.push(Vec::new());
        } else if let Some(action) = line.strip_prefix("\taction ") {
            let action = owned.actions.iter().position(|a| a.replace(' ', "_") == action).map(|a| a as u32);
            result.choices.last_mut().unwrap().push((action, Vec::new()));
        } else {
            let (target, probability) = line.trim().split_once(" : ").unwrap();
            let choice = result.choices.last_mut().unwrap().last_mut().unwrap();
            choice.1.push((target.parse().unwrap(), number(probability, numbers)));
        }
    }
    assert_eq!(after("@nr_states"), result.choices.len());
    assert_eq!(after("@nr_choices"), result.choices.iter().map(Vec::len).sum::<usize>());
    result
}

fn read_prism(transitions: &str, labels: &str, owned: &Owned, numbers: Numbers) -> Seen {
    let mut lines = transitions.lines();
    let header: Vec<usize> = lines.next().unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
    let decides = header.len() == 3;
    let mut result = Seen { labels: vec![BTreeSet::new(); header[0]], choices: vec![Vec::new(); header[0]] };
    let mut count = 0;
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let state = &mut result.choices[words[0].parse::<usize>().unwrap()];
        let (choice, rest) = if decides { (words[1].parse().unwrap(), &words[2..]) } else { (0, &words[1..]) };
        let action = rest.get(2).and_then(|action| owned.actions.iter().position(|a| a.replace(' ', "_") == **action));
        if state.len() <= choice {
            state.push((action.map(|a| a as u32), Vec::new()));
        }
        state[choice].1.push((rest[0].parse().unwrap(), number(rest[1], numbers)));
        count += 1;
    }
    assert_eq!(count, header[header.len() - 1]);
    if decides {
        assert_eq!(header[1], result.choices.iter().map(Vec::len).sum::<usize>());
    }
    for line in labels.lines().skip(1) {
        let (state, held) = line.split_once(": ").unwrap();
        result.labels[state.parse::<usize>().unwrap()] = held.split(' ').map(|l| l.parse().unwrap()).collect();
    }
    result
}

/// The files of an archive, in order.
fn unpack(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    let entries = archive.entries().unwrap();
    let file = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut entry = entry.unwrap();
        let header = entry.header();
        assert_eq!((header.uid().unwrap(), header.gid().unwrap(), header.mtime().unwrap()), (0, 0, 0));
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        (path, content)
    };
    entries.map(file).collect()
}

fn read_umb(bytes: &[u8], owned: &Owned) -> Seen {
    let files = unpack(bytes);
    let file = |name: &str| &files.iter().find(|(path, _)| path == name).unwrap().1;
    let index: serde_json::Value = serde_json::from_slice(file("index.json")).unwrap();
    let system = &index["transition-system"];
    let words = |name: &str| -> Vec<usize> {
        file(name).chunks(8).map(|w| u64::from_le_bytes(w.try_into().unwrap()) as usize).collect()
    };
    let bit = |name: &str, i: usize| file(name)[i / 8] >> (i % 8) & 1 == 1;
    let (choices, branches) = (words("state-to-choices.bin"), words("choice-to-branches.bin"));
    let targets = words("branch-to-target.bin");
    let size = system["branch-probability-type"]["size"].as_u64().unwrap() as usize / 8;
    let probability = |i: usize| {
        let bytes = &file("branch-to-probability.bin")[i * size..(i + 1) * size];
        if system["branch-probability-type"]["type"] == "double" {
            return Rational::from_f64(f64::from_le_bytes(bytes.try_into().unwrap())).unwrap();
        }
        let (numerator, denominator) = bytes.split_at(size / 2);
        let big = |bytes| dashu_int::UBig::from_le_bytes(bytes);
        Rational::from_big_parts(big(numerator).into(), big(denominator)).unwrap()
    };
    let action = |i: usize| {
        let bytes = &file("actions/choices/values.bin")[4 * i..4 * i + 4];
        u32::from_le_bytes(bytes.try_into().unwrap()).checked_sub(1)
    };
    let states = owned.mdp.num_states();
    assert_eq!(system["#states"], states);
    assert_eq!((&system["#choices"], &system["#branches"]), (&choices[states].into(), &targets.len().into()));
    let mut result = Seen { labels: Vec::new(), choices: Vec::new() };
    for state in 0..states {
        let holds = |label: &str| bit(&format!("annotations/aps/{label}/states/values.bin"), state);
        let initial = bit("state-is-initial.bin", state).then_some(0);
        let others = (0..owned.labels.len()).filter(|l| holds(&owned.labels[*l].name)).map(|l| l + 1);
        result.labels.push(initial.into_iter().chain(others).collect());
        let choice = |c: usize| {
            let branch = |b: usize| (targets[b] as u32, probability(b));
            (action(c), (branches[c]..branches[c + 1]).map(branch).collect())
        };
        result.choices.push((choices[state]..choices[state + 1]).map(choice).collect());
    }
    result
}

fn umb_bytes(owned: &Owned, options: &Options) -> Vec<u8> {
    let mut bytes = Vec::new();
    umb::write(&owned.model(), options, &mut bytes).unwrap();
    bytes
}

/// Weights per branch; per choice a label and branches; per state choices.
type Shape = Vec<Vec<(Option<u32>, Vec<(u32, u32)>)>>;

fn shapes() -> impl Strategy<Value = Shape> {
    (1u32..80).prop_flat_map(|states| {
        let branch = (0..states, 1u32..1000);
        let choice = (prop::option::of(0u32..2), prop::collection::vec(branch, 1..4));
        prop::collection::vec(prop::collection::vec(choice, 0..3), states as usize)
    })
}

/// A model of a shape; equal targets of a choice are dropped.
fn build(shape: &Shape) -> Owned {
    let mut builder = MdpBuilder::new();
    let mut choice_actions = Vec::new();
    for choices in shape {
        builder.begin_state().unwrap();
        for (action, branches) in choices {
            builder.begin_choice().unwrap();
            choice_actions.push(*action);
            let first = |i: usize| branches[..i].iter().all(|b| b.0 != branches[i].0);
            let kept: Vec<_> = (0..branches.len()).filter(|i| first(*i)).map(|i| branches[i]).collect();
            let sum: u32 = kept.iter().map(|b| b.1).sum();
            for (target, weight) in kept {
                builder.branch_exact(target, &Rational::new(weight.into(), sum.into()).unwrap()).unwrap();
            }
        }
    }
    let states = shape.len();
    let mut owned = small();
    owned.initial = StateSet::from_fn(states, |s| s % 5 == 0);
    for (i, label) in owned.labels.iter_mut().enumerate() {
        label.states = StateSet::from_fn(states, |s| (s as usize).is_multiple_of(i + 2));
    }
    owned.state_values = (0..states as i64).map(|s| vec![s % 2, s % 8 - 2, s / 2 % 2]).collect();
    Owned { mdp: builder.finish().unwrap(), choice_actions, ..owned }
}

proptest! {
    #[test]
    fn every_format_reads_back(shape in shapes(), exact in any::<bool>(), always_mdp in any::<bool>()) {
        let owned = build(&shape);
        let numbers = if exact { Numbers::Exact } else { Numbers::Double };
        let options = Options { numbers: Some(numbers), always_mdp, ..Options::default() };
        let expected = expected(&owned, numbers);
        let model = owned.model();
        let drn = text(|out| drn::write(&model, &options, out).unwrap());
        prop_assert_eq!(&read_drn(&drn, &owned, numbers), &expected);
        let transitions = text(|out| prism::transitions(&model, &options, out).unwrap());
        let labels = text(|out| prism::labels(&model, out).unwrap());
        prop_assert_eq!(&read_prism(&transitions, &labels, &owned, numbers), &expected);
        let bytes = umb_bytes(&owned, &options);
        prop_assert_eq!(&read_umb(&bytes, &owned), &expected);
        prop_assert_eq!(&bytes, &umb_bytes(&owned, &options));
    }
}

#[test]
fn fractions_of_any_size_fit_an_archive() {
    let mut owned = small();
    for (probability, size) in [
        ("1/9223372036854775808", 128),
        ("1/18446744073709551615", 128),
        ("1/18446744073709551616", 256),
        ("9223372036854775808/9223372036854775809", 256),
        ("1e-60", 512),
    ] {
        let other = &Rational::ONE - &probability.parse().unwrap();
        owned.mdp =
            common::process(&[&[&[(2, probability), (0, &other.to_string())], &[(1, "1")]], &[&[(1, "1")]], &[]]);
        let bytes = umb_bytes(&owned, &Options::default());
        let index: serde_json::Value = serde_json::from_slice(&unpack(&bytes)[0].1).unwrap();
        let found = &index["transition-system"]["branch-probability-type"];
        // The other probability has a numerator nearly as large as the denominator, and a sign bit.
        assert!(found["size"].as_u64().unwrap() >= size, "{probability}: {found}");
        assert_eq!(read_umb(&bytes, &owned), expected(&owned, Numbers::Exact));
    }
}

#[test]
fn archives_hold_their_files_in_order() {
    let files = unpack(&umb_bytes(&small(), &Options::default()));
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "index.json",
        "state-is-initial.bin",
        "state-to-choices.bin",
        "choice-to-branches.bin",
        "branch-to-target.bin",
        "branch-to-probability.bin",
        "actions/choices/values.bin",
        "actions/choices/string-mapping.bin",
        "actions/choices/strings.bin",
        "annotations/aps/deadlock/states/values.bin",
        "annotations/aps/start/states/values.bin",
        "annotations/aps/unsafe/states/values.bin",
        "valuations/states/valuations.bin",
    ];
    assert_eq!(names, expected);
    // car: 1 bit, grid[3] (-2 to 5): 4 bits, on: 1 bit.
    assert_eq!(files[12].1, [0b11_1100, 0b00_1011, 0b10_0001]);
    assert_eq!(files[8].1, b"gowait a bit");
    // Without actions there are no files about them.
    let mut silent = small();
    silent.actions.clear();
    silent.choice_actions.fill(None);
    let files = unpack(&umb_bytes(&silent, &Options::default()));
    assert!(files.iter().all(|(name, _)| !name.starts_with("actions")));
    let index: serde_json::Value = serde_json::from_slice(&files[0].1).unwrap();
    assert_eq!(index["transition-system"]["#choice-actions"], 0);
}
