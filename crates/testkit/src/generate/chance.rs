//! Random models whose probabilities to reach something are mostly neither zero nor one.
//!
//! Counters are moved by chance: every edge has constant probabilities, and its outcomes count up and down, set values, copy them or choose them freely.
//! Mostly a clock runs out, or an outcome leads to a location without a way on, so that not everything is reached that can be tried again. Guards keep updates
//! in their domains, but for some models that are in error somewhere. Start sets are boxes, now and then a point. Some models fork, so that what follows depends on
//! values that differ among start states.

use serde_json::{Value, json};
use surefoot_fixtures::Random;

use super::expression::{binary, ite};
use super::{PROPERTIES, Size};

/// A counter from 0 to a number.
struct Counter {
    name: String,
    upper: i64,
}

/// A random model as JANI text.
#[must_use]
pub fn random_chances(random: &mut Random, size: &Size) -> String {
    let wild = random.percent(20);
    let mut room = size.states;
    let mut counters: Vec<Counter> = Vec::new();
    for number in 0..1 + random.below(size.globals) {
        let upper = random.between(1, 5);
        // There is one at least.
        if number == 0 || room > upper.unsigned_abs() {
            room = (room / (upper.unsigned_abs() + 1)).max(1);
            counters.push(Counter { name: format!("x{number}"), upper });
        }
    }
    let fork = random.percent(35);
    let clock = (!fork && random.percent(50)).then(|| random.between(1, 4));
    let mut variables: Vec<Value> = counters.iter().map(|c| bounded(&c.name, c.upper)).collect();
    variables.extend(clock.map(|most| bounded("clock", most)));
    let actions: Vec<String> = (0..2 + random.below(2)).map(|a| format!("a{a}")).collect();
    let locations = if fork { 3 } else { 1 + random.below(2) };
    let mut edges = Vec::new();
    if fork {
        variables.push(bounded("flag", 1));
        forks(random, &counters, &actions, &mut edges);
    } else {
        for _ in 0..1 + random.below(size.edges) {
            edges.push(edge(random, &counters, &actions, locations, clock, wild));
        }
    }
    let places: Vec<Value> = (0..=locations).map(|l| json!({"name": format!("l{l}")})).collect();
    let syncs: Vec<Value> = actions.iter().map(|a| json!({"synchronise": [a], "result": a})).collect();
    let properties: Vec<Value> = (0..PROPERTIES)
        .map(|p| json!({"name": format!("p{p}"), "expression": property(random, &counters, clock, fork)}))
        .collect();
    let model = json!({
        "jani-version": 1,
        "name": "chances",
        "type": "mdp",
        "features": ["derived-operators"],
        "actions": actions.iter().map(|a| json!({"name": a})).collect::<Vec<_>>(),
        "variables": variables,
        "automata": [{"name": "a", "locations": places, "initial-locations": ["l0"], "edges": edges}],
        "system": {"elements": [{"automaton": "a"}], "syncs": syncs},
        "properties": properties,
    });
    serde_json::to_string_pretty(&model).unwrap_or_else(|error| panic!("a model is JSON: {error}"))
}

fn bounded(name: &str, upper: i64) -> Value {
    let ty = json!({"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": upper});
    json!({"name": name, "type": ty, "initial-value": 0})
}

fn all(parts: impl IntoIterator<Item = Value>) -> Value {
    parts.into_iter().reduce(|a, b| binary("∧", a, b)).unwrap_or(json!(true))
}

/// An edge, with a guard that keeps its updates in their domains.
fn edge(
    random: &mut Random,
    counters: &[Counter],
    actions: &[String],
    locations: usize,
    clock: Option<i64>,
    wild: bool,
) -> Value {
    let shares: &[i64] = random.pick::<&[i64]>(&[&[10], &[7, 3], &[5, 5], &[2, 8], &[7, 2, 1], &[4, 3, 3]]);
    let mut guard: Vec<Value> = Vec::new();
    if random.percent(60) {
        let counter = random.pick(counters);
        let at = random.between(0, counter.upper);
        guard.push(binary(random.word(&["≤", "≥", "=", "≠"]), counter.name.clone(), at));
    }
    guard.extend(clock.map(|most| binary("<", "clock", most)));
    let mut destinations = Vec::new();
    for (outcome, share) in shares.iter().enumerate() {
        let mut assignments = Vec::new();
        for counter in counters {
            if random.percent(55) {
                assignments.push(assignment(random, counter, counters, wild, &mut guard));
            }
        }
        if clock.is_some() {
            assignments.push(json!({"ref": "clock", "value": binary("+", "clock", 1)}));
        }
        // The last location has no way on.
        let lost = outcome > 0 && random.percent(35);
        let location = if lost { locations } else { random.below(locations) };
        let probability = json!({"exp": binary("/", *share, 10)});
        destinations
            .push(json!({"location": format!("l{location}"), "probability": probability, "assignments": assignments}));
    }
    let mut edge = json!({"location": format!("l{}", random.below(locations)), "destinations": destinations});
    edge["guard"] = json!({"exp": all(guard)});
    if random.percent(85) {
        edge["action"] = json!(random.pick(actions));
    }
    edge
}

/// Chance leads from the first location to one of two others, from which the flag is raised where the counters, or the policy, have it so. No start state has
/// it raised on all ways unless all of them say the same.
fn forks(random: &mut Random, counters: &[Counter], actions: &[String], edges: &mut Vec<Value>) {
    let destination = |location: usize, share: i64, flag: Option<i64>| {
        let assignments: Vec<Value> = flag.iter().map(|flag| json!({"ref": "flag", "value": flag})).collect();
        let probability = json!({"exp": binary("/", share, 10)});
        json!({"location": format!("l{location}"), "probability": probability, "assignments": assignments})
    };
    let share = random.between(3, 7);
    edges.push(
        json!({"location": "l0", "destinations": [destination(1, share, None), destination(2, 10 - share, None)]}),
    );
    // The policy alone decides then.
    let governed = random.percent(45);
    let (opposed, border) = (random.percent(50), random.between(0, counters[0].upper - 1));
    for location in 1..=2 {
        let count = if governed { actions.len() } else { 1 + random.below(3) };
        let raising = random.below(count);
        for number in 0..count {
            let counter = random.pick(counters);
            let at = random.between(0, counter.upper);
            let guard = if number == 0 && opposed {
                // What raises the flag on one side does not on the other.
                binary(if location == 1 { "≤" } else { ">" }, counters[0].name.clone(), border)
            } else {
                binary(random.word(&["≤", "≥", "=", "≠"]), counter.name.clone(), at)
            };
            let sided = number == 0 && opposed && !governed;
            let raised = if if governed { number == raising } else { sided || random.percent(70) } {
                let share = random.between(5, 9);
                vec![destination(3, share, Some(1)), destination(random.below(4), 10 - share, None)]
            } else {
                vec![destination(3, 10, None)]
            };
            let mut edge = json!({"location": format!("l{location}"), "destinations": raised});
            if sided || !governed && random.percent(85) {
                edge["guard"] = json!({"exp": guard});
            }
            if governed {
                edge["action"] = json!(actions[number]);
            } else if !sided && random.percent(85) {
                edge["action"] = json!(random.pick(actions));
            }
            edges.push(edge);
        }
    }
}

fn assignment(
    random: &mut Random,
    counter: &Counter,
    counters: &[Counter],
    wild: bool,
    guard: &mut Vec<Value>,
) -> Value {
    let Counter { name, upper } = counter;
    let value = match random.below(10) {
        0..=3 => {
            let up = random.percent(60);
            let inside = if up { binary("<", name.clone(), *upper) } else { binary(">", name.clone(), 0) };
            let next = binary(if up { "+" } else { "-" }, name.clone(), 1);
            match random.below(3) {
                // An update with two cases.
                0 => ite(&inside, &next, &json!(name)),
                _ => {
                    if !wild || random.percent(70) {
                        guard.push(inside);
                    }
                    next
                }
            }
        }
        4..=5 => {
            let small = counters.iter().filter(|other| other.upper <= *upper);
            json!(random.pick(&small.collect::<Vec<_>>()).name)
        }
        6 => {
            let lower = random.between(0, *upper);
            return json!({"ref": name, "lower-bound": lower, "upper-bound": upper});
        }
        _ => json!(random.between(0, *upper)),
    };
    json!({"ref": name, "value": value})
}

/// Starts in a box around zero; unsafe where some counters are large.
fn property(random: &mut Random, counters: &[Counter], clock: Option<i64>, fork: bool) -> Value {
    let (mut start, mut reach, point) = (Vec::new(), Vec::new(), random.percent(20));
    let wanted = random.below(counters.len());
    for (index, Counter { name, upper }) in counters.iter().enumerate() {
        let least = (upper + 1) / 2;
        if point {
            start.push(binary("=", name.clone(), random.between(0, *upper)));
        } else if index == wanted || random.percent(50) {
            start.push(binary("≤", name.clone(), random.between(0, least - 1)));
        }
        if index == wanted || random.percent(30) {
            reach.push(binary(random.word(&["=", "≥"]), name.clone(), random.between(least, *upper)));
        }
    }
    start.extend(clock.map(|_| binary("=", "clock", 0)));
    if fork {
        start.push(binary("=", "flag", 0));
        reach = vec![binary("=", "flag", 1)];
        if !point {
            start.truncate(random.below(2));
            start.push(binary("=", "flag", 0));
        }
    }
    let goal = binary("=", counters[0].name.clone(), random.between(0, counters[0].upper));
    json!({"op": "PA", "start": all(start), "reach": all(reach), "objective": {"op": "objective", "goal": goal}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::load_text;

    #[test]
    fn models_are_read_and_lowered_and_a_seed_gives_the_same_text() {
        for seed in 0..300 {
            let text = random_chances(&mut Random::new(seed), &Size::default());
            assert_eq!(text, random_chances(&mut Random::new(seed), &Size::default()));
            let mut lowered = load_text(&text);
            for property in 0..PROPERTIES {
                lowered.question(property).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
            }
        }
    }
}
