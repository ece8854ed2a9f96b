//! Where runs start, what they are to build, and what must not happen.

use serde_json::{Value, json};

use super::{Start, World, block, clear, cost, on};
use crate::text::{all, any, eq, ge, gt, ite, le, ne, or, safety, sum};

/// The property: too many blocks on the table.
pub(super) fn property(world: &World, policy: Option<&str>) -> Value {
    let comment = "can more blocks be on the table than its limit?";
    let mut property = safety("unsafe", comment, start(world), gt("table-counter", "table_limit"), policy);
    property["expression"]["objective"] = json!({"op": "objective", "goal": goal(world), "accumulate": ["steps"]});
    property
}

/// One tower with block 0 at the bottom: the start tower upside down.
fn goal(world: &World) -> Value {
    all((0..world.blocks).map(|i| eq(block(i), i + 1)))
}

fn start(world: &World) -> Value {
    let mut conditions = vec![eq("hand-empty", 1)];
    if world.start == Start::One {
        conditions.push(eq("table-counter", 1));
        for i in 0..world.blocks {
            let place = if i + 1 == world.blocks { 1 } else { on(i, i + 1) };
            conditions.push(eq(block(i), place));
            conditions.push(eq(clear(i), u8::from(i == 0)));
        }
    } else {
        conditions.push(le("table-counter", world.limit.min(world.start_table)));
        conditions.extend(ordered(world));
    }
    if world.start != Start::Free {
        conditions.extend((0..world.blocks).map(|i| eq(cost(i), 0)));
    }
    if world.step_cost {
        conditions.push(eq("step_cost", 0));
    }
    all(conditions)
}

/// Blocks on the table or on one block of a larger number, with flags and counter to match. The order keeps blocks from
/// standing on each other in a circle, which no small condition on positions could.
fn ordered(world: &World) -> Vec<Value> {
    let mut conditions = Vec::new();
    for i in 0..world.blocks {
        conditions.push(ge(block(i), 1));
        conditions.push(or(eq(block(i), 1), ge(block(i), on(i, i + 1))));
        // A block is clear if and only if nothing is on it, and at most one block is.
        let others = || (0..world.blocks).filter(|k| *k != i);
        conditions.extend(others().map(|k| or(eq(clear(i), 0), ne(block(k), on(k, i)))));
        conditions.push(any([eq(clear(i), 1)].into_iter().chain((0..i).map(|k| eq(block(k), on(k, i))))));
        for k in i + 1..world.blocks {
            let below = (0..world.blocks).filter(|j| *j != i && *j != k);
            conditions.extend(below.map(|j| or(ne(block(i), on(i, j)), ne(block(k), on(k, j)))));
        }
    }
    let on_table = sum((0..world.blocks).map(|i| ite(eq(block(i), 1), 1, 0)));
    conditions.push(eq("table-counter", on_table));
    // As many towers as blocks on top: it follows, but helps to find the states.
    conditions.push(eq("table-counter", sum((0..world.blocks).map(|i| Value::from(clear(i))))));
    conditions
}
