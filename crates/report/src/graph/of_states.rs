//! Concrete state spaces as graphs: attributes are the variables, and coarser ranges of those with many values.
//!
//! Variables with few values come first: they tell large groups apart. Of a variable with many values its range is cut into equal parts level by level, so that no group falls into
//! more than a few dozen.

use std::collections::BTreeMap;

use surefoot_explicit::graph::Graph as Explored;
use surefoot_mdp::StateSet;
use surefoot_verify::look::Looked;

use super::{About, Attribute, Edge, Level, NO_ACTION, Sketched, down, mark, up};
use crate::names::Names;

/// Parts that a group falls into, at most, unless a variable has names for its values.
const MOST_PARTS: u64 = 16;

/// A concrete state space before it is arranged, and what it is.
#[must_use]
pub fn sketched(names: &Names<'_>, looked: &Looked<'_>) -> (Sketched, About) {
    let graph = &looked.graph;
    let count = graph.frontier().universe();
    let values = columns(names, graph, count);
    // Soundness: how far a value is from the least one fits 64 bits without a sign, whatever both are.
    let above = |low: i64, value: i64| value.wrapping_sub(low).cast_unsigned();
    let mut order: Vec<(usize, i64, u64)> = Vec::new();
    for (variable, values) in values.iter().enumerate() {
        let (low, high) = values.iter().fold((i64::MAX, i64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        order.push((variable, low, if values.is_empty() { 0 } else { above(low, high) }));
    }
    order.sort_by_key(|(variable, _, span)| (*span, *variable));
    let (mut attributes, mut levels, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
    for (variable, low, span) in order {
        let name = &names.variables[variable].name;
        let mut widths = Vec::new();
        let mut width = 1u64;
        while span / width >= MOST_PARTS {
            let Some(wider) = width.checked_mul(MOST_PARTS) else { break };
            width = wider;
            widths.push(width);
        }
        for width in widths.into_iter().rev() {
            let part = |value: &i64| above(low, *value) / width;
            // Only parts in which there is something: of a large range hardly any need to be.
            let mut parts: Vec<u64> = values[variable].iter().map(part).collect();
            parts.sort_unstable();
            parts.dedup();
            if parts.len() < 2 {
                continue;
            }
            let end = |part: u64, last: u64| {
                let offset = part.saturating_mul(width).saturating_add(last).min(span);
                low.wrapping_add(offset.cast_signed())
            };
            let words = parts.iter().map(|part| format!("{} to {}", end(*part, 0), end(*part, width - 1)));
            attributes.push(Attribute {
                name: name.clone(),
                words: None,
                values: Some(words.collect()),
                variable: None,
                ranges: None,
            });
            let rank = |value| i64::try_from(parts.partition_point(|known| *known < part(value))).unwrap_or_default();
            ranks.push(values[variable].iter().map(rank).collect());
            levels.push(Level { name: format!("ranges of {name}"), attributes: attributes.len() });
        }
        attributes.push(Attribute {
            name: name.clone(),
            words: None,
            values: truths(&names.variables[variable]).or_else(|| names.variables[variable].names.clone()),
            variable: Some(variable),
            ranges: None,
        });
        ranks.push(values[variable].clone());
        levels.push(Level { name: name.clone(), attributes: attributes.len() });
    }
    let row = |state: usize| ranks.iter().map(|values: &Vec<i64>| values[state]).collect();
    let within = |set: &Option<StateSet>, state: usize| {
        set.as_ref().is_some_and(|set| u32::try_from(state).is_ok_and(|state| set.contains(state)))
    };
    let edges = edges(graph, count);
    let mut left = vec![false; count];
    edges.iter().for_each(|edge| left[edge.source as usize] = true);
    let marks = |state: usize| {
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        bit(state < graph.starts as usize, mark::START)
            | bit(within(&looked.target, state), mark::UNSAFE)
            | bit(within(&looked.goal, state), mark::GOAL)
            | bit(!left[state], mark::TERMINAL)
    };
    let sketched = Sketched {
        rows: (0..count).map(row).collect(),
        marks: (0..count).map(marks).collect(),
        probable: edges.iter().any(|edge| edge.probability < 1.0),
        edges,
        values: looked.values.as_ref().map(|values| (up(&values.upper[..count]), Some(down(&values.lower[..count])))),
        attributes,
        levels,
    };
    let about = About {
        kind: "concrete",
        title: "The reachable states".to_owned(),
        explained: "A box is a state, or a group of states with the same values of some variables. All reachable states are there, and all transitions between them.".to_owned(),
        complete: true,
        stopped: None,
    };
    (sketched, about)
}

/// Per variable of the page, its values in all states.
#[must_use]
pub fn columns(names: &Names<'_>, graph: &Explored<'_>, count: usize) -> Vec<Vec<i64>> {
    let mut columns = vec![Vec::with_capacity(count); names.slots.len()];
    let mut values = vec![0; graph.model().slots.len()];
    for state in (0u32..).take(count) {
        graph.unpack(state, &mut values);
        columns.iter_mut().zip(&names.slots).for_each(|(column, slot)| column.push(values[*slot]));
    }
    columns
}

fn truths(variable: &crate::data::Variable) -> Option<Vec<String>> {
    (variable.kind == "bool").then(|| vec!["false".to_owned(), "true".to_owned()])
}

/// All transitions. States that a step passes through between two automata are no states of the model: what follows them follows the step.
fn edges(graph: &Explored<'_>, count: usize) -> Vec<Edge> {
    let mdp = &graph.mdp;
    let vanishing = mdp.vanishing();
    let probability = |branch: surefoot_mdp::Branch| mdp.bounds(branch).upper;
    let mut edges = Vec::new();
    for source in (0u32..).take(count) {
        for choice in mdp.choices(source) {
            let action = graph.label(choice).map_or(NO_ACTION, |label| u16::try_from(label.0).unwrap_or(NO_ACTION));
            // Several outcomes may lead to one state; where the environment then chooses among states, it may choose that one.
            let mut targets: BTreeMap<u32, f64> = BTreeMap::new();
            for branch in mdp.branches(choice) {
                if !vanishing.contains(&branch.target) {
                    *targets.entry(branch.target).or_default() += probability(*branch);
                    continue;
                }
                let mut chosen: BTreeMap<u32, f64> = BTreeMap::new();
                // Never two in a row.
                for inner in mdp.choices(branch.target).flat_map(|choice| mdp.branches(choice)) {
                    let most = chosen.entry(inner.target).or_default();
                    *most = most.max(probability(*inner));
                }
                for (target, inner) in chosen {
                    *targets.entry(target).or_default() += probability(*branch) * inner;
                }
            }
            #[expect(clippy::cast_possible_truncation, reason = "what is drawn is rounded")]
            edges.extend(targets.into_iter().map(|(target, p)| Edge {
                source,
                target,
                action,
                probability: p.min(1.0) as f32,
            }));
        }
    }
    edges
}
