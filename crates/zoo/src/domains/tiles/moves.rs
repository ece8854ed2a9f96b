//! The moves: a tile goes to the empty cell, or the move fails and costs, or another tile slips.
//!
//! A tile `x` with the unsafe cell `p` *hangs* where `p` is empty and `x` next to it. With slipping, a move of another
//! tile then goes wrong with a probability: `x` slips to `p` instead. So a policy that does not want to be unlucky
//! must not leave `p` empty beside `x`, rather than just not move `x` there.

use serde_json::{Value, json};

use super::Puzzle;
use super::board::{MOVES, Unsafe};
use super::{cost, tile};
use crate::text::{add, all, and, any, certain, edge, eq, le, mul, ne, not, or, outcome, set, sub};

/// An outcome: its probability, where it is not certain, and its assignments.
type Effect = (Option<Value>, Vec<Value>);

/// All edges.
pub(super) fn edges(puzzle: &Puzzle) -> Vec<Value> {
    let mut edges = Vec::new();
    for (label, name) in MOVES.iter().enumerate() {
        for i in puzzle.tiles() {
            for (guard, effects) in moves(puzzle, label, i) {
                edges.extend(with_slips(puzzle, i, &guard, &effects).into_iter().map(|(guard, effects)| {
                    let outcomes: Vec<Value> = effects.iter().map(destination).collect();
                    edge(Some(name), guard, &outcomes)
                }));
            }
        }
    }
    edges
}

fn destination((probability, assignments): &Effect) -> Value {
    match probability {
        Some(probability) => outcome(probability.clone(), assignments),
        None => certain(assignments),
    }
}

/// The moves of a tile, without slipping. With costs: one that may fail, and one that cannot where costs are at the bound.
fn moves(puzzle: &Puzzle, label: usize, i: usize) -> Vec<(Value, Vec<Effect>)> {
    let offset = puzzle.board.offset(label);
    let next_to = eq("empty", shifted(tile(i), offset));
    let possible = puzzle.board.blocked(label).into_iter().fold(next_to, |g, cell| and(g, ne("empty", cell)));
    let paid = || puzzle.step_cost.then(|| set("step_cost", cost(i)));
    let mut moved = vec![set(&tile(i), shifted(tile(i), offset)), set("empty", shifted("empty", -offset))];
    moved.extend(paid());
    if puzzle.bound == 0 {
        return vec![(possible, vec![(None, moved)])];
    }
    let mut failed = vec![set(&cost(i), add(cost(i), 1))];
    failed.extend(paid());
    let below = le(add(cost(i), 1), "item_cost_bound");
    let may_fail =
        vec![(Some(sub(1, "failing_probability")), moved.clone()), (Some(json!("failing_probability")), failed)];
    let at_bound = and(not("cost_terminal"), eq(cost(i), "item_cost_bound"));
    vec![(and(possible.clone(), below), may_fail), (and(possible, at_bound), vec![(None, moved)])]
}

/// The same where nothing hangs, and one more for each tile that may slip.
fn with_slips(puzzle: &Puzzle, i: usize, guard: &Value, effects: &[Effect]) -> Vec<(Value, Vec<Effect>)> {
    let hanging: Vec<&Unsafe> = puzzle.hanging.iter().filter(|h| h.tile != i).collect();
    let calm = hanging.iter().fold(guard.clone(), |guard, h| {
        let elsewhere = all(puzzle.board.neighbours(h.cell).into_iter().map(|c| ne(tile(h.tile), c)));
        and(guard, or(ne("empty", h.cell), elsewhere))
    });
    let mut edges = vec![(calm, effects.to_vec())];
    for h in hanging {
        let beside = any(puzzle.board.neighbours(h.cell).into_iter().map(|c| eq(tile(h.tile), c)));
        let hangs = and(eq("empty", h.cell), beside);
        let stays = || sub(1, "slip_probability");
        let mut all: Vec<Effect> = effects
            .iter()
            .map(|(probability, assignments)| {
                let probability = probability.clone().map_or_else(stays, |p| mul(p, stays()));
                (Some(probability), assignments.clone())
            })
            .collect();
        let mut slipped = vec![set(&tile(h.tile), h.cell), set("empty", tile(h.tile))];
        slipped.extend(puzzle.step_cost.then(|| set("step_cost", cost(i))));
        all.push((Some(json!("slip_probability")), slipped));
        edges.push((and(guard.clone(), hangs), all));
    }
    edges
}

/// A variable plus a number, without a minus before the number.
fn shifted(variable: impl Into<Value>, offset: i64) -> Value {
    if offset < 0 { sub(variable, -offset) } else { add(variable, offset) }
}
