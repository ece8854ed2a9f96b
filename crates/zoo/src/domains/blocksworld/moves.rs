//! The moves: take a block, put it on the table or on another block.

use serde_json::{Value, json};

use super::{Failure, World, block, clear, cost, on};
use crate::text::{add, all, certain, edge, eq, lt, outcome, set, sub};

/// A move of a block.
struct Move {
    block: usize,
    /// The label: what the hand reaches for.
    action: String,
    guard: Vec<Value>,
    /// What changes when it succeeds.
    done: Vec<Value>,
    /// What changes when the block drops on the table; it does so only on its way from or to another block.
    drop: Option<Vec<Value>>,
}

/// The edges of all moves.
pub(super) fn edges(world: &World) -> Vec<Value> {
    let mut edges = Vec::new();
    for i in 0..world.blocks {
        edges.extend(outcomes(world, take_from_table(i)));
        edges.extend(outcomes(world, put_on_table(i)));
        for j in (0..world.blocks).filter(|j| *j != i) {
            edges.extend(outcomes(world, put_on_block(i, j)));
            edges.extend(outcomes(world, take_from_block(i, j)));
        }
    }
    edges
}

fn take_from_table(i: usize) -> Move {
    Move {
        block: i,
        action: format!("choose_block_{i}"),
        guard: vec![eq("hand-empty", 1), eq(clear(i), 1), eq(block(i), 1)],
        done: vec![
            set("hand-empty", 0),
            set(&block(i), 0),
            set(&clear(i), 0),
            set("table-counter", sub("table-counter", 1)),
        ],
        drop: None,
    }
}

fn put_on_table(i: usize) -> Move {
    Move {
        block: i,
        action: "choose_table".to_owned(),
        guard: vec![eq("hand-empty", 0), eq(clear(i), 0), eq(block(i), 0)],
        done: land(i),
        drop: None,
    }
}

fn put_on_block(i: usize, j: usize) -> Move {
    Move {
        block: i,
        action: format!("choose_block_{j}"),
        guard: vec![eq("hand-empty", 0), eq(clear(i), 0), eq(block(i), 0), eq(clear(j), 1)],
        done: vec![set("hand-empty", 1), set(&block(i), on(i, j)), set(&clear(i), 1), set(&clear(j), 0)],
        drop: Some(land(i)),
    }
}

fn take_from_block(i: usize, j: usize) -> Move {
    Move {
        block: i,
        action: format!("choose_block_{i}"),
        guard: vec![eq("hand-empty", 1), eq(clear(i), 1), eq(block(i), on(i, j)), eq(clear(j), 0)],
        done: vec![set("hand-empty", 0), set(&block(i), 0), set(&clear(i), 0), set(&clear(j), 1)],
        drop: Some(vec![set(&block(i), 1), set(&clear(j), 1), set("table-counter", add("table-counter", 1))]),
    }
}

/// A block leaves the hand for the table.
fn land(i: usize) -> Vec<Value> {
    vec![set("hand-empty", 1), set(&block(i), 1), set(&clear(i), 1), set("table-counter", add("table-counter", 1))]
}

/// The edges of a move: one with all outcomes, or one more for the environment to let it fail.
fn outcomes(world: &World, step: Move) -> Vec<Value> {
    let costs = cost(step.block);
    let mut guard = step.guard;
    if !world.any_growth {
        guard.push(lt(costs.as_str(), "item_cost_bound"));
    }
    let guard = all(guard);
    // The cost of a move is what the block's costs were before it.
    let paid = world.step_cost.then(|| set("step_cost", costs.as_str()));
    let with = |changes: Vec<Value>| -> Vec<Value> { changes.into_iter().chain(paid.clone()).collect() };
    let grown = if world.any_growth {
        json!({"ref": costs, "lower-bound": costs, "upper-bound": "item_cost_bound"})
    } else {
        set(&costs, add(costs.as_str(), 1))
    };
    let (done, failed) = (with(step.done), with(vec![grown.clone()]));
    let dropped = step.drop.filter(|_| world.drop).map(|changes| with([changes, vec![grown]].concat()));
    let of = |outcomes: &[Value]| edge(Some(&step.action), guard.clone(), outcomes);
    let tenth = |tenths: f64, changes: &[Value]| outcome(json!(tenths), changes);
    match (world.failure, dropped) {
        (Failure::Chance, Some(dropped)) => vec![of(&[tenth(0.7, &done), tenth(0.2, &failed), tenth(0.1, &dropped)])],
        (Failure::Chance, None) if world.drop => vec![of(&[tenth(0.8, &done), tenth(0.2, &failed)])],
        (Failure::Chance, None) => vec![of(&[tenth(0.5, &done), tenth(0.5, &failed)])],
        (Failure::Choice, Some(dropped)) => {
            vec![of(&[tenth(0.9, &done), tenth(0.1, &dropped)]), of(&[certain(&failed)])]
        }
        (Failure::Choice, None) => vec![of(&[certain(&done)]), of(&[certain(&failed)])],
        (Failure::Never, Some(dropped)) => vec![of(&[tenth(0.9, &done), tenth(0.1, &dropped)])],
        (Failure::Never, None) => vec![of(&[certain(&done)])],
    }
}
