//! Random systems over reals and integers. Numbers are small and dyadic, so that borders run through points that are tried.

use surefoot_fixtures::Random;

/// A linear expression over the variables as JANI text.
fn linear(random: &mut Random, variables: &[&str]) -> String {
    let mut text = random.between(-2, 2).to_string();
    for _ in 0..1 + random.below(2) {
        let factor = *random.pick(&["1", "-1", "2", "0.5", "-0.5"]);
        let term = format!(r#"{{"op": "*", "left": {factor}, "right": "{}"}}"#, random.word(variables));
        text = format!(r#"{{"op": "+", "left": {text}, "right": {term}}}"#);
    }
    text
}

fn condition(random: &mut Random, variables: &[&str]) -> String {
    let op = random.word(&["<", "≤", ">", "≥", "=", "≠"]);
    let (left, right) = (linear(random, variables), linear(random, variables));
    let atom = format!(r#"{{"op": "{op}", "left": {left}, "right": {right}}}"#);
    if random.percent(70) {
        return atom;
    }
    let other = condition(random, variables);
    format!(r#"{{"op": "{}", "left": {atom}, "right": {other}}}"#, random.word(&["∧", "∨"]))
}

/// A piecewise-linear expression.
fn expression(random: &mut Random, variables: &[&str]) -> String {
    let (a, b) = (linear(random, variables), linear(random, variables));
    match random.below(6) {
        0 => format!(r#"{{"op": "min", "left": {a}, "right": {b}}}"#),
        1 => format!(r#"{{"op": "max", "left": {a}, "right": {b}}}"#),
        2 => format!(r#"{{"op": "abs", "exp": {a}}}"#),
        3 => format!(r#"{{"op": "ite", "if": {}, "then": {a}, "else": {b}}}"#, condition(random, variables)),
        _ => a,
    }
}

fn clamped(text: &str) -> String {
    format!(r#"{{"op": "max", "left": -8, "right": {{"op": "min", "left": 8, "right": {text}}}}}"#)
}

/// A random model with real variables `x`, `y` and an integer `n`. Some updates may leave the domains.
pub(crate) fn model(random: &mut Random) -> String {
    let variables = ["x", "y", "n"];
    let wild = random.percent(10);
    let regression = random.percent(15);
    let readable: Vec<&str> = if regression { vec!["x", "y", "n", "out"] } else { variables.to_vec() };
    let labels = ["a", "b", "c"];
    let mut edges = Vec::new();
    for _ in 0..2 + random.below(4) {
        let label =
            if random.percent(12) { String::new() } else { format!(r#""action": "{}","#, random.word(&labels)) };
        let guard = if random.percent(50) {
            String::new()
        } else {
            format!(r#""guard": {{"exp": {}}},"#, condition(random, &variables))
        };
        let mut destinations = Vec::new();
        let outcomes = 1 + random.below(2);
        for _ in 0..outcomes {
            let mut assignments = Vec::new();
            for variable in ["x", "y"] {
                if random.percent(60) {
                    let value = expression(random, &readable);
                    let value = if wild { value } else { clamped(&value) };
                    assignments.push(format!(r#"{{"ref": "{variable}", "value": {value}}}"#));
                }
            }
            if random.percent(40) {
                let value = random.word(&["0", "1", r#"{"op": "-", "left": 1, "right": "n"}"#]);
                assignments.push(format!(r#"{{"ref": "n", "value": {value}}}"#));
            }
            let probability = if outcomes == 2 { r#""probability": {"exp": 0.5},"# } else { "" };
            let location = random.word(&["l", "l", "m"]);
            destinations.push(format!(
                r#"{{"location": "{location}", {probability} "assignments": [{}]}}"#,
                assignments.join(", ")
            ));
        }
        edges.push(format!(
            r#"{{"location": "{}", {label} {guard} "destinations": [{}]}}"#,
            random.word(&["l", "l", "m"]),
            destinations.join(", ")
        ));
    }
    let bounded = |name: &str, base: &str, low: i64, high: i64| {
        format!(
            r#"{{"name": "{name}", "type": {{"kind": "bounded", "base": "{base}", "lower-bound": {low}, "upper-bound": {high}}}}}"#
        )
    };
    let transient = r#"{"name": "out", "type": "real", "transient": true, "initial-value": 0}"#;
    let mut declared = vec![bounded("x", "real", -8, 8), bounded("y", "real", -8, 8), bounded("n", "int", 0, 1)];
    declared.extend(regression.then(|| transient.to_owned()));
    let start = start(random);
    format!(
        r#"{{"jani-version": 1, "name": "random", "type": "mdp", "actions": [{{"name": "a"}}, {{"name": "b"}}, {{"name": "c"}}],
        "variables": [{}],
        "automata": [{{"name": "m", "locations": [{{"name": "l"}}, {{"name": "m"}}], "initial-locations": ["l"], "edges": [{}]}}],
        "system": {{"elements": [{{"automaton": "m"}}]}},
        "properties": [{{"name": "p", "expression": {{"op": "PA", "reach": {{"op": "state-condition", "exp": true}},
        "start": {{"op": "state-condition", "exp": {start}}}}}}}]}}"#,
        declared.join(", "),
        edges.join(", ")
    )
}

/// Boxes with open and closed faces, points, triangles, unions.
fn start(random: &mut Random) -> String {
    let mut parts = Vec::new();
    for variable in ["x", "y"] {
        let low = random.between(-3, 2);
        let high = low + random.between(0, 3);
        let op = |random: &mut Random| if low < high { random.word(&["<", "≤", "≤"]) } else { "≤" };
        parts.push(format!(r#"{{"op": "{}", "left": {low}, "right": "{variable}"}}"#, op(random)));
        parts.push(format!(r#"{{"op": "{}", "left": "{variable}", "right": {high}}}"#, op(random)));
    }
    if random.percent(60) {
        parts.push(format!(r#"{{"op": "=", "left": "n", "right": {}}}"#, random.below(2)));
    }
    if random.percent(40) {
        parts.push(condition(random, &["x", "y", "n"]));
    }
    parts.into_iter().reduce(|a, b| format!(r#"{{"op": "∧", "left": {a}, "right": {b}}}"#)).expect("there are parts")
}
