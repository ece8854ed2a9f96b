//! Inputs that are not linear in the state, and several choices at once: what the network is fed, against the plain meaning.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod policy_common;

use std::sync::Arc;

use surefoot_files::Kind;
use surefoot_model::Interpreter;
use surefoot_model::policy::read::read_policy_source;
use surefoot_network::{Activation, Layer, Network};
use surefoot_num::Rational;
use surefoot_text::give;
use surefoot_text::source::SourceMap;

use policy_common::*;

/// A deterministic source of choices.
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// An expression as JSON, and its value at `x`, `y` with `open` true and `A = [7, 8, 9]`.
struct Made {
    json: String,
    value: Box<dyn Fn(i64, i64) -> Rational>,
}

fn made(json: impl Into<String>, value: impl Fn(i64, i64) -> Rational + 'static) -> Made {
    Made { json: json.into(), value: Box::new(value) }
}

fn op(name: &str, a: &str, b: &str) -> String {
    format!(r#"{{"op": "{name}", "left": {a}, "right": {b}}}"#)
}

fn truth(value: bool) -> Rational {
    Rational::from(i64::from(value))
}

/// An integer expression.
fn number(choices: &mut Choices, depth: usize) -> Made {
    if depth == 0 {
        return match choices.below(3) {
            0 => made(r#""x""#, |x, _| Rational::from(x)),
            1 => made(r#""y""#, |_, y| Rational::from(y)),
            _ => {
                let k = i64::try_from(choices.below(7)).unwrap() - 3;
                made(k.to_string(), move |_, _| Rational::from(k))
            }
        };
    }
    let kind = choices.below(9);
    if kind == 8 {
        // A truth value where a number stands.
        let (c, a) = (condition(choices, depth - 1), number(choices, depth - 1));
        let json = op("-", &op("*", &c.json, "2"), &a.json);
        return made(json, move |x, y| (c.value)(x, y) * Rational::from(2) - (a.value)(x, y));
    }
    if kind == 0 {
        let (c, a, b) = (condition(choices, depth - 1), number(choices, depth - 1), number(choices, depth - 1));
        let json = format!(r#"{{"op": "ite", "if": {}, "then": {}, "else": {}}}"#, c.json, a.json, b.json);
        return made(json, move |x, y| if (c.value)(x, y).is_zero() { (b.value)(x, y) } else { (a.value)(x, y) });
    }
    if kind == 1 {
        let a = number(choices, depth - 1);
        let json = format!(r#"{{"op": "abs", "exp": {}}}"#, a.json);
        return made(json, move |x, y| (a.value)(x, y).abs());
    }
    if kind == 2 {
        let json = r#"{"op": "aa", "exp": {"op": "av", "elements": [3, "y", 4, 1, 5]}, "index": "x"}"#;
        return made(json, |x, y| Rational::from([3, y, 4, 1, 5][usize::try_from(x).unwrap()]));
    }
    let (a, b) = (number(choices, depth - 1), number(choices, depth - 1));
    let (name, f): (&str, fn(Rational, Rational) -> Rational) = match kind {
        3 => ("+", |a, b| a + b),
        4 => ("-", |a, b| a - b),
        5 => ("max", std::cmp::max),
        6 => ("min", std::cmp::min),
        _ => return made(op("*", "3", &a.json), move |x, y| (a.value)(x, y) * Rational::from(3)),
    };
    made(op(name, &a.json, &b.json), move |x, y| f((a.value)(x, y), (b.value)(x, y)))
}

/// A truth value.
fn condition(choices: &mut Choices, depth: usize) -> Made {
    let kind = choices.below(if depth == 0 { 4 } else { 7 });
    if kind < 4 {
        let (a, b) = (number(choices, depth.min(1)), number(choices, depth.min(1)));
        let (name, f): (&str, fn(&Rational, &Rational) -> bool) = match kind {
            0 => ("=", |a, b| a == b),
            1 => ("≠", |a, b| a != b),
            2 => ("<", |a, b| a < b),
            _ => ("≥", |a, b| a >= b),
        };
        return made(op(name, &a.json, &b.json), move |x, y| truth(f(&(a.value)(x, y), &(b.value)(x, y))));
    }
    let a = condition(choices, depth - 1);
    if kind == 4 {
        let json = format!(r#"{{"op": "¬", "exp": {}}}"#, a.json);
        return made(json, move |x, y| Rational::ONE - (a.value)(x, y));
    }
    let b = condition(choices, depth - 1);
    let (name, both) = if kind == 5 { ("∧", true) } else { ("∨", false) };
    made(op(name, &a.json, &b.json), move |x, y| {
        let (a, b) = (!(a.value)(x, y).is_zero(), !(b.value)(x, y).is_zero());
        truth(if both { a && b } else { a || b })
    })
}

#[test]
fn random_expressions_are_fed_exactly() {
    // Outputs are the inputs, so that what the network is fed can be read off.
    let identity = nnet(&[&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]]]);
    for seed in 0..150u64 {
        let mut choices = Choices(seed);
        let depth = 1 + choices.below(3);
        let (number, condition) = (number(&mut choices, depth), condition(&mut choices, depth));
        std::fs::write(folder("random_inputs").join("identity.nnet"), &identity).unwrap();
        let text = format!(
            r#"{{"network": "identity.nnet", "inputs": [{}, {}], "outputs": {{"labels": ["left", "right"]}}}}"#,
            number.json, condition.json
        );
        let (lowered, policy, _) =
            read("random_inputs", "p.policy.json", &text).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        let interpreter = Interpreter::with_policy(&lowered.model, &policy);
        for (x, y) in (0..=4).flat_map(|x| (-5..=5).map(move |y| (x, y))) {
            let found = policy.outputs_at(&interpreter, &state(x, y)).unwrap();
            let expected = [(number.value)(x, y), (condition.value)(x, y)];
            assert_eq!(found, expected, "seed {seed} at {x}, {y}: {text}");
        }
    }
}

#[test]
fn truth_values_are_numbers_where_numbers_stand_and_nowhere_else() {
    std::fs::write(folder("truths").join("two.nnet"), nnet(&[&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]]])).unwrap();
    let read_with = |input: &str| {
        let text = format!(
            r#"{{"network": "two.nnet", "inputs": [{input}, "y"], "outputs": {{"labels": ["left", "right"]}}}}"#
        );
        read("truths", "p.policy.json", &text)
    };
    let three = op("=", r#""x""#, "3");
    for (input, expected) in [
        (op("+", &three, "true"), [1, 1, 1, 2, 1]),
        (op("max", &three, &op("<", r#""x""#, "2")), [1, 1, 0, 1, 0]),
        (format!(r#"{{"op": "ite", "if": {three}, "then": {three}, "else": "x"}}"#), [0, 1, 2, 1, 4]),
        (op("≥", &op("*", &three, "5"), r#""x""#), [1, 0, 0, 1, 0]),
    ] {
        let (lowered, policy, _) = read_with(&input).unwrap_or_else(|e| panic!("{input}: {e}"));
        let interpreter = Interpreter::with_policy(&lowered.model, &policy);
        for (x, expected) in (0..=4).zip(expected) {
            let found = policy.outputs_at(&interpreter, &state(x, 0)).unwrap();
            assert_eq!(found[0], Rational::from(expected), "{input} at {x}");
        }
    }
    for input in
        [op("∧", r#""x""#, &three), op("=", &three, "1"), format!(r#"{{"op": "¬", "exp": {}}}"#, op("+", "1", &three))]
    {
        let message = read_with(&input).unwrap_err();
        let reasons = ["of type", "cannot be compared", "must be a truth value"];
        assert!(reasons.iter().any(|reason| message.contains(reason)), "{input}: {message}");
    }
}

#[test]
fn one_hot_inputs_have_one_place_per_value() {
    // Five places for x, and y as it is; the outputs are the second place, and y.
    let rows: [&[f64]; 2] = [&[0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]];
    let read_with = |inputs: &str| {
        std::fs::write(folder("one_hot").join("six.nnet"), nnet(&[&rows])).unwrap();
        let text =
            format!(r#"{{"network": "six.nnet", "inputs": [{inputs}], "outputs": {{"labels": ["left", "right"]}}}}"#);
        read("one_hot", "p.policy.json", &text)
    };
    for inputs in
        [r#"{"one_hot": "x"}, "y""#, r#"{"one_hot": {"op": "+", "left": "x", "right": 1}, "from": 1, "to": 5}, "y""#]
    {
        let (lowered, policy, _) = read_with(inputs).unwrap();
        let interpreter = Interpreter::with_policy(&lowered.model, &policy);
        for (x, y) in (0..=4).flat_map(|x| (-5..=5).map(move |y| (x, y))) {
            let found = policy.outputs_at(&interpreter, &state(x, y)).unwrap();
            assert_eq!(found, [truth(x == 1), Rational::from(y)], "{inputs} at {x}, {y}");
        }
    }
    for (inputs, expected) in [
        (r#"{"one_hot": {"op": "/", "left": "x", "right": 2}}, "y""#, "a one-hot input needs an integer"),
        (r#"{"one_hot": "x", "from": 3, "to": 1}, "y""#, "expected 1 to 65536 values"),
        (r#"{"one_hot": "x", "to": 3}, "y""#, "has 6 inputs, but 5 are listed"),
        (r#"{"one_hot": "x", "size": 5}, "y""#, "size"),
    ] {
        let message = read_with(inputs).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn several_choices_take_the_largest_of_each() {
    // Scores x, 2 for the first choice, y, 0 for the second; combinations with the second changing fastest.
    let network = nnet(&[&[&[1.0, 0.0, 0.0], &[0.0, 0.0, 2.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 0.0]]]);
    let with = |outputs: &str, more: &str| {
        std::fs::write(folder("choices").join("four.nnet"), &network).unwrap();
        let text = format!(r#"{{"network": "four.nnet", "inputs": ["x", "y"], "outputs": {outputs}{more}}}"#);
        read("choices", "p.policy.json", &text)
    };
    let listed = r#"{"labels": ["stay", "left", "right", "wind"], "components": [2, 2]}"#;
    let (lowered, policy, notes) = with(listed, "").unwrap();
    assert!(notes.iter().any(|note| note.message.contains("2 choices, of 2, 2 scores")), "{notes:?}");
    let interpreter = Interpreter::with_policy(&lowered.model, &policy);
    for (x, y) in (0..=4).flat_map(|x| (-5..=5).map(move |y| (x, y))) {
        let permitted = policy.permitted(&interpreter, &state(x, y), &[]).unwrap();
        let expected = 2 * usize::from(x < 2) + usize::from(y < 0);
        let name = |label: &surefoot_model::LabelId| lowered.model.labels[label.0 as usize].to_string();
        let found: Vec<String> = permitted.labels.iter().map(name).collect();
        assert_eq!(found, [["stay", "left", "right", "wind"][expected]], "at {x}, {y}");
    }
    for (outputs, more, expected) in [
        (r#"{"labels": ["stay", "left"], "components": [2, 2]}"#, "", "4 combinations, but 2 labels"),
        (r#"{"labels": ["stay", "left", "right", "wind"], "components": [4]}"#, "", ""),
        (r#"{"components": [["a", "b"], ["c", "d"]]}"#, "", "the model has no action 'a_c'"),
        (r#"{"components": [2, 2]}"#, "", "the names of the component's values"),
        (listed, r#", "semantics": "float32""#, "float32"),
    ] {
        match with(outputs, more) {
            Ok(_) => assert_eq!(expected, "", "{outputs}"),
            Err(message) => assert!(!expected.is_empty() && message.contains(expected), "{message}"),
        }
    }
}

/// Behind a softmax only the order of each choice's scores is known, which says nothing of sums that are not the largest.
#[test]
fn sums_of_scores_known_by_their_order_have_no_filter() {
    let layer = Layer::new(1, vec![1.0, 0.0, -1.0, 0.5], vec![0.0; 4], Activation::Identity).unwrap();
    let plain = Network::new(vec![layer]).unwrap();
    for (network, filter, works) in [
        (plain.clone(), true, true),
        (plain.clone().with_order_only(), false, true),
        (plain.with_order_only(), true, false),
    ] {
        let text = format!(
            r#"{{"network": "<n>", "inputs": ["x"], "filter": {filter},
                "outputs": {{"labels": ["stay", "left", "right", "wind"], "components": [2, 2]}}}}"#
        );
        let (mut lowered, mut sources) = (model(), SourceMap::default());
        let file = give(&mut sources, "<policy>", &text, Kind::Policy).unwrap();
        let read = read_policy_source(&mut lowered, &mut sources, file, &[("<n>".to_owned(), Arc::new(network))]);
        assert_eq!(read.is_ok(), works);
        if let Err(errors) = read {
            assert!(errors[0].message.contains("the filter compares sums"), "{errors:?}");
        }
    }
}
