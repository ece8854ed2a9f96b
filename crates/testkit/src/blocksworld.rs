//! Blocksworld in which blocks may drop: a model with a known probability for every size.
//!
//! `block_i` is 0 in the hand, 1 on the table, and 2, 3, ... on the other blocks in their order; flags for an empty hand and
//! clear blocks; a counter of blocks on the table; a cost per block that grows when a move of the block fails and must stay within
//! a bound. Taking a block off another one, or putting it on one, succeeds with 7/10, fails with 2/10 and drops the block
//! on the table with 1/10; moves from and to the table fail with 2/10.
//!
//! The start states are those with an empty hand, blocks only on blocks of a larger number, not all on the table, and no costs.
//! Unsafe is all blocks on the table.

use std::fmt::Write;

/// The model as JANI text, with one `PA` property named `unsafe`.
#[must_use]
pub fn dropping_blocksworld(blocks: usize, cost_bound: u32) -> String {
    let mut variables = vec![int("hand-empty", 1, 1), int("table-counter", blocks, blocks)];
    for i in 0..blocks {
        variables.push(int(&format!("block_{i}"), blocks, 1));
    }
    for i in 0..blocks {
        variables.push(int(&format!("clear_{i}"), 1, 1));
    }
    for i in 0..blocks {
        variables.push(int(&format!("cost_block_{i}"), cost_bound as usize, 0));
    }
    let mut edges = Vec::new();
    for i in 0..blocks {
        from_table(i, cost_bound, &mut edges);
        for j in (0..blocks).filter(|j| *j != i) {
            from_block(i, j, cost_bound, &mut edges);
            to_block(i, j, cost_bound, &mut edges);
        }
    }
    let mut actions = vec!["choose_table".to_owned()];
    actions.extend((0..blocks).map(|i| format!("choose_block_{i}")));
    let declared: Vec<String> = actions.iter().map(|a| format!("{{\"name\": \"{a}\"}}")).collect();
    let syncs: Vec<String> =
        actions.iter().map(|a| format!("{{\"synchronise\": [\"{a}\"], \"result\": \"{a}\"}}")).collect();
    format!(
        r#"{{"jani-version": 1, "name": "dropping-blocks", "type": "mdp", "features": ["derived-operators"],
"actions": [{}], "variables": [{}],
"automata": [{{"name": "hand", "locations": [{{"name": "l"}}], "initial-locations": ["l"], "edges": [{}]}}],
"system": {{"elements": [{{"automaton": "hand"}}], "syncs": [{}]}},
"properties": [{{"name": "unsafe", "expression": {{"op": "PA", "start": {}, "reach": {}}}}}]}}"#,
        declared.join(", "),
        variables.join(", "),
        edges.join(",\n"),
        syncs.join(", "),
        start(blocks),
        compare("=", "\"table-counter\"", blocks),
    )
}

/// The value of `block_i` when it is on block `j`.
fn on(i: usize, j: usize) -> usize {
    if j < i { j + 2 } else { j + 1 }
}

fn int(name: &str, upper: usize, initial: usize) -> String {
    format!(
        r#"{{"name": "{name}", "type": {{"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": {upper}}}, "initial-value": {initial}}}"#
    )
}

fn compare(op: &str, left: &str, right: usize) -> String {
    format!(r#"{{"op": "{op}", "left": {left}, "right": {right}}}"#)
}

fn all(conditions: &[String]) -> String {
    let mut text = String::new();
    for condition in &conditions[..conditions.len() - 1] {
        let _ = write!(text, r#"{{"op": "∧", "left": {condition}, "right": "#);
    }
    text.push_str(&conditions[conditions.len() - 1]);
    text.push_str(&"}".repeat(conditions.len() - 1));
    text
}

fn is(name: &str, value: usize) -> String {
    compare("=", &format!("\"{name}\""), value)
}

fn set(name: &str, value: usize) -> String {
    format!(r#"{{"ref": "{name}", "value": {value}}}"#)
}

fn add(name: &str, amount: i32) -> String {
    format!(r#"{{"ref": "{name}", "value": {{"op": "+", "left": "{name}", "right": {amount}}}}}"#)
}

/// An edge: a move of block `i` that may fail, and may drop the block.
fn edge(i: usize, action: &str, bound: u32, guard: &[String], done: &[String], drop: Option<&[String]>) -> String {
    let within = compare("<", &format!("\"cost_block_{i}\""), bound as usize);
    let guard = all(&[guard, &[within]].concat());
    let failed = add(&format!("cost_block_{i}"), 1);
    let outcome = |probability: &str, assignments: &[String]| {
        format!(
            r#"{{"location": "l", "probability": {{"exp": {probability}}}, "assignments": [{}]}}"#,
            assignments.join(", ")
        )
    };
    let mut outcomes =
        vec![outcome(if drop.is_some() { "0.7" } else { "0.8" }, done), outcome("0.2", std::slice::from_ref(&failed))];
    if let Some(drop) = drop {
        outcomes.push(outcome("0.1", &[drop, &[failed]].concat()));
    }
    format!(
        r#"{{"location": "l", "action": "{action}", "guard": {{"exp": {guard}}}, "destinations": [{}]}}"#,
        outcomes.join(", ")
    )
}

fn from_table(i: usize, bound: u32, edges: &mut Vec<String>) {
    let (block, clear) = (format!("block_{i}"), format!("clear_{i}"));
    let guard = [is("hand-empty", 1), is(&clear, 1), is(&block, 1)];
    let done = [set("hand-empty", 0), set(&block, 0), set(&clear, 0), add("table-counter", -1)];
    edges.push(edge(i, &format!("choose_block_{i}"), bound, &guard, &done, None));
    let guard = [is(&block, 0), is("hand-empty", 0)];
    let done = [set("hand-empty", 1), set(&block, 1), set(&clear, 1), add("table-counter", 1)];
    edges.push(edge(i, "choose_table", bound, &guard, &done, None));
}

fn from_block(i: usize, j: usize, bound: u32, edges: &mut Vec<String>) {
    let (block, clear, below) = (format!("block_{i}"), format!("clear_{i}"), format!("clear_{j}"));
    let guard = [is("hand-empty", 1), is(&clear, 1), is(&block, on(i, j))];
    let done = [set("hand-empty", 0), set(&block, 0), set(&clear, 0), set(&below, 1)];
    let drop = [set(&block, 1), set(&below, 1), add("table-counter", 1)];
    edges.push(edge(i, &format!("choose_block_{i}"), bound, &guard, &done, Some(&drop)));
}

fn to_block(i: usize, j: usize, bound: u32, edges: &mut Vec<String>) {
    let (block, clear, below) = (format!("block_{i}"), format!("clear_{i}"), format!("clear_{j}"));
    let guard = [is(&below, 1), is(&block, 0), is("hand-empty", 0)];
    let done = [set("hand-empty", 1), set(&block, on(i, j)), set(&clear, 1), set(&below, 0)];
    let drop = [set("hand-empty", 1), set(&block, 1), set(&clear, 1), add("table-counter", 1)];
    edges.push(edge(i, &format!("choose_block_{j}"), bound, &guard, &done, Some(&drop)));
}

/// Blocks on the table or on one block of a larger number, with flags and counter to match.
fn start(blocks: usize) -> String {
    let mut conditions = vec![is("hand-empty", 1), compare("<", "\"table-counter\"", blocks)];
    let mut on_table = "0".to_owned();
    for i in 0..blocks {
        let block = format!("\"block_{i}\"");
        conditions.push(is(&format!("cost_block_{i}"), 0));
        conditions.push(compare("≥", &block, 1));
        let higher = compare("≥", &block, on(i, i + 1));
        conditions.push(format!(r#"{{"op": "∨", "left": {}, "right": {higher}}}"#, is(&format!("block_{i}"), 1)));
        let counted = format!(r#"{{"op": "ite", "if": {}, "then": 1, "else": 0}}"#, is(&format!("block_{i}"), 1));
        on_table = format!(r#"{{"op": "+", "left": {on_table}, "right": {counted}}}"#);
        // A block is clear if and only if nothing is on it, and at most one block is.
        let on_it: Vec<String> =
            (0..blocks).filter(|k| *k != i).map(|k| compare("≠", &format!("\"block_{k}\""), on(k, i))).collect();
        conditions.push(format!(
            r#"{{"op": "=", "left": {}, "right": {}}}"#,
            is(&format!("clear_{i}"), 1),
            all(&on_it)
        ));
        for k in i + 1..blocks {
            for below in (0..blocks).filter(|j| *j != i && *j != k) {
                let (one, other) = (format!("\"block_{i}\""), format!("\"block_{k}\""));
                let (one, other) = (compare("≠", &one, on(i, below)), compare("≠", &other, on(k, below)));
                conditions.push(format!(r#"{{"op": "∨", "left": {one}, "right": {other}}}"#));
            }
        }
    }
    conditions.push(format!(r#"{{"op": "=", "left": "table-counter", "right": {on_table}}}"#));
    all(&conditions)
}
