//! Where runs start, what they are to achieve, and what must not happen.

use serde_json::{Value, json};

use super::{Start, World, load, package, truck};
use crate::text::{all, eq, ge, ite, le, lt, safety, sum};

/// The property: an accident.
pub(super) fn property(world: &World, policy: Option<&str>) -> Value {
    let comment = "can a package be dropped or a truck be overloaded?";
    let mut property = safety("unsafe", comment, start(world), ge("accident", 1), policy);
    property["expression"]["objective"] = json!({"op": "objective", "goal": goal(world), "accumulate": ["steps"]});
    property
}

/// All packages lie at the last position.
fn goal(world: &World) -> Value {
    all((0..world.packages).map(|p| eq(package(p), world.length - 1)))
}

fn start(world: &World) -> Value {
    let mut conditions = vec![eq("accident", 0)];
    if world.start == Start::One {
        conditions.extend((0..world.trucks).map(|t| eq(truck(t), 0)));
        conditions.extend((0..world.packages).map(|p| eq(package(p), 0)));
    }
    if world.start == Start::Order {
        conditions.extend((1..world.packages).map(|p| le(package(p - 1), package(p))));
    }
    if world.start == Start::Any {
        for t in 0..world.trucks {
            let on_it = (0..world.packages).map(|p| ite(eq(package(p), world.length + t), 1, 0));
            conditions.push(eq(load(t), sum(on_it)));
            conditions.push(le(load(t), world.capacity));
        }
    } else {
        conditions.extend((0..world.packages).map(|p| lt(package(p), world.length)));
        conditions.extend((0..world.trucks).map(|t| eq(load(t), 0)));
    }
    all(conditions)
}
