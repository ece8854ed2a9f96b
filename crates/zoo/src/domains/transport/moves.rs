//! The moves: drive, load, unload.

use serde_json::Value;

use super::{Drop, World, load, package, truck};
use crate::text::{add, all, certain, div, edge, eq, ge, gt, lt, outcome, set, sub};

/// The edges of all moves. After an accident there are none.
pub(super) fn edges(world: &World) -> Vec<Value> {
    let mut edges = Vec::new();
    for t in 0..world.trucks {
        let place = truck(t);
        let (left, right) = (set(&place, sub(place.as_str(), 1)), set(&place, add(place.as_str(), 1)));
        edges.push(step(&format!("drive_left_{t}"), vec![gt(place.as_str(), 0)], &[certain(&[left])]));
        edges.push(step(&format!("drive_right_{t}"), vec![lt(place.as_str(), world.length - 1)], &[certain(&[right])]));
        for p in 0..world.packages {
            edges.extend(loading(world, p, t));
            edges.push(unloading(world, p, t));
        }
    }
    edges
}

fn step(action: &str, mut guard: Vec<Value>, outcomes: &[Value]) -> Value {
    guard.insert(0, eq("accident", 0));
    edge(Some(action), all(guard), outcomes)
}

/// Loading is certain on an empty truck, may drop the package on one that carries something, and overloads a full one.
fn loading(world: &World, p: i64, t: i64) -> Vec<Value> {
    let (action, count) = (format!("load_{p}_{t}"), load(t));
    // A package on a truck is at no position, so it is where the truck is only if it lies there.
    let here = eq(package(p), truck(t));
    let loaded = [set(&package(p), world.length + t), set(&count, add(count.as_str(), 1))];
    let dropped = [set("accident", 1)];
    let overloaded = [&loaded[..], &[set("accident", 2)]].concat();
    let mut edges = Vec::new();
    match world.drop {
        Drop::Off => {
            edges.push(step(&action, vec![here.clone(), lt(count.as_str(), world.capacity)], &[certain(&loaded)]));
        }
        Drop::Chance | Drop::Choice => {
            edges.push(step(&action, vec![here.clone(), eq(count.as_str(), 0)], &[certain(&loaded)]));
            let guard = vec![here.clone(), ge(count.as_str(), 1), lt(count.as_str(), world.capacity)];
            if world.capacity == 1 {
                // There is no room for a second package.
            } else if world.drop == Drop::Choice {
                edges.push(step(&action, guard.clone(), &[certain(&loaded)]));
                edges.push(step(&action, guard, &[certain(&dropped)]));
            } else {
                let percent = |n: i64, changes: &[Value]| outcome(div(n, 100), changes);
                let outcomes = [percent(100 - world.drop_percent, &loaded), percent(world.drop_percent, &dropped)];
                edges.push(step(&action, guard, &outcomes));
            }
        }
    }
    if world.capacity < world.packages {
        edges.push(step(&action, vec![here, eq(count.as_str(), world.capacity)], &[certain(&overloaded)]));
    }
    edges
}

fn unloading(world: &World, p: i64, t: i64) -> Value {
    let count = load(t);
    let unloaded = [set(&package(p), truck(t)), set(&count, sub(count.as_str(), 1))];
    step(&format!("unload_{p}_{t}"), vec![eq(package(p), world.length + t)], &[certain(&unloaded)])
}
