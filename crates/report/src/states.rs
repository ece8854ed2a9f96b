//! What is known of single states: all reachable ones where there are not too many, else what an invariant says.
//!
//! Marks say only what follows. All states were visited: from one no unsafe state can be reached, or one can. An invariant: its states are safe, and no other is reached.

use rustc_hash::FxHashMap;
use surefoot_abstraction::{AbstractState, Literal, PredicateSet, Sketch};
use surefoot_model::State;
use surefoot_oracle::Assignment;
use surefoot_verify::Problem;
use surefoot_verify::look::Looked;

use crate::chooser::{Chooser, Chosen};
use crate::data::States;
use crate::graph::of_states::columns;
use crate::material::Material;
use crate::names::Names;
use crate::pack::Columns;

/// What is known of a state.
pub(crate) mod mark {
    pub(crate) const NOTHING: u8 = 0;
    pub(crate) const SAFE: u8 = 1;
    pub(crate) const DANGEROUS: u8 = 2;
    pub(crate) const UNSAFE: u8 = 3;
    pub(crate) const UNREACHED: u8 = 4;
}

/// States that are visited to be looked at, at most.
const MOST_STATES: usize = 100_000;
/// Values of variables in them, at most: what is drawn has several numbers for each.
const MOST_VALUES: usize = 10_000_000;

/// How many states of a problem are visited to be looked at, at most.
#[must_use]
pub fn most_states(problem: &Problem) -> usize {
    MOST_STATES.min(MOST_VALUES / problem.model().slots.len().max(1))
}

/// Who knows what of states.
#[derive(Debug)]
pub struct Known<'a> {
    looked: Option<&'a Looked<'a>>,
    /// Numbers of visited states by their values.
    numbers: FxHashMap<Vec<i64>, u32>,
    /// An inductive invariant.
    invariant: Option<(&'a Sketch, FxHashMap<&'a AbstractState, usize>)>,
    /// How many automata there are.
    instances: usize,
}

impl<'a> Known<'a> {
    /// What is known from visited states, or else from an abstraction that proves the property.
    #[must_use]
    pub fn new(material: &'a Material<'_>, looked: Option<&'a Looked<'a>>) -> Self {
        let mut numbers = FxHashMap::default();
        if let Some(looked) = looked {
            let slots = looked.graph.model().slots.len();
            for state in (0u32..).take(looked.graph.frontier().universe()) {
                let mut values = vec![0; slots];
                looked.graph.unpack(state, &mut values);
                numbers.insert(values, state);
            }
        }
        // Soundness: without a proof a set of abstract states says nothing of its states.
        let sketch = material.sketch.as_ref().filter(|_| material.proved && looked.is_none());
        let invariant =
            sketch.map(|sketch| (sketch, (0..).zip(&sketch.states).map(|(number, state)| (state, number)).collect()));
        Self { looked, numbers, invariant, instances: material.problem.model().instances.len() }
    }

    /// The number of a visited state.
    #[must_use]
    pub fn number(&self, state: &State) -> Option<u32> {
        state.to_ints().and_then(|values| self.numbers.get(&values).copied())
    }

    /// What is known of a state.
    #[must_use]
    pub fn mark(&self, state: &State) -> u8 {
        if let Some(looked) = self.looked {
            return self.number(state).map_or(mark::UNREACHED, |number| visited(looked, number));
        }
        match &self.invariant {
            Some((sketch, states)) => {
                let number = states.get(&cell(&sketch.predicates, self.instances, state));
                // Soundness: the proof is about those of its states in which the rest is as it was at the start.
                let is_within = |number: &&usize| {
                    let mut ranges = sketch.within.get(**number).into_iter().flat_map(|ranges| ranges.iter());
                    ranges.all(|range| range.contains(&state.0[range.slot.index()]))
                };
                if number.filter(is_within).is_some() { mark::SAFE } else { mark::UNREACHED }
            }
            None => mark::NOTHING,
        }
    }
}

/// The abstract state of a state.
#[must_use]
pub fn cell(predicates: &PredicateSet, instances: usize, state: &State) -> AbstractState {
    let locations = state.0[..instances]
        .iter()
        .map(|location| location.to_i64().and_then(|l| u32::try_from(l).ok()).unwrap_or(u32::MAX));
    let holds = |predicate: usize| {
        let literal: &Literal = predicates.literal(predicate, true);
        literal.holds_in(state)
    };
    AbstractState { locations: locations.collect(), values: Assignment::new((0..predicates.len()).map(holds)) }
}

/// What is known of a visited state.
fn visited(looked: &Looked<'_>, number: u32) -> u8 {
    match (&looked.target, &looked.distance) {
        (None, _) => mark::NOTHING,
        (Some(target), _) if target.contains(number) => mark::UNSAFE,
        // Only start states are asked about: nothing follows for others.
        (Some(_), None) => mark::NOTHING,
        (Some(_), Some(distance)) if distance[number as usize].is_some() => mark::DANGEROUS,
        (Some(_), Some(_)) => mark::SAFE,
    }
}

/// All visited states as columns.
pub(crate) fn states(
    looked: &Looked<'_>,
    names: &Names<'_>,
    chooser: Option<&mut Chooser<'_>>,
    actions: &[u32],
    columns_of: &mut Columns,
    over: &dyn Fn() -> bool,
) -> States {
    let graph = &looked.graph;
    let count = graph.frontier().universe();
    let mut chosen = Chosen::default();
    let mut margins = Vec::with_capacity(count);
    let chooser = chooser.filter(|chooser| count.saturating_mul(chooser.cost()) <= MOST_WORK);
    let mut is_asked = chooser.is_some();
    if let Some(chooser) = chooser {
        for state in (0u32..).take(count) {
            if over() {
                is_asked = false;
                break;
            }
            let drawn = chooser.drawn(&graph.state(state));
            chosen.push(drawn.as_ref(), actions);
            margins.push(drawn.map_or(f32::NAN, |drawn| drawn.margin));
        }
    }
    let marks: Vec<u8> = (0u32..).take(count).map(|state| visited(looked, state)).collect();
    States {
        count,
        values: columns(names, graph, count).iter().map(|values| columns_of.whole(values)).collect(),
        mark: columns_of.u8(&marks),
        action: is_asked.then(|| chosen.column(columns_of)),
        margin: is_asked.then(|| columns_of.f32(&margins)),
        depth: columns_of.whole(&depths(looked, count)),
        complete: true,
        value: looked.values.as_ref().map(|values| columns_of.f64(&values.upper[..count])),
    }
}

/// Weights of networks times states that pictures of choices may cost.
const MOST_WORK: usize = 600_000_000;

/// The least number of steps to each state.
fn depths(looked: &Looked<'_>, count: usize) -> Vec<i64> {
    let transitions = looked.graph.transitions();
    let mut depth = vec![-1i64; count];
    let mut frontier: Vec<u32> = (0..looked.graph.starts).collect();
    frontier.iter().for_each(|start| depth[*start as usize] = 0);
    let mut step = 0;
    while !frontier.is_empty() {
        step += 1;
        let mut next = Vec::new();
        for target in frontier.iter().flat_map(|state| transitions.successors(*state)) {
            if depth[*target as usize] < 0 {
                depth[*target as usize] = step;
                next.push(*target);
            }
        }
        frontier = next;
    }
    depth
}
