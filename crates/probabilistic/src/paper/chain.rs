//! The Markov chain that an abstract adversary induces, cut down to states from which an unsafe state can be reached.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_abstraction::{AbstractState, Joint, PredicateSet, Rule, StateId, System};
use surefoot_linear::Formula;
use surefoot_oracle::FullOracle;

use super::maxprob::Adversary;
use super::process::{Operators, Place, Process};

/// A state of the chain.
#[derive(Debug)]
pub struct Spot {
    /// The abstract state.
    pub state: AbstractState,
    /// Whether it is unsafe: paths end here.
    pub ends: bool,
    /// The operators here, and the one that is taken.
    operators: Option<(Arc<Operators>, usize)>,
    /// Where its outcomes lead.
    pub targets: Vec<u32>,
    /// The cost (the negative logarithm) of the most probable way to an unsafe state; infinite where there is none.
    pub cost: f64,
    /// Its concrete states, over the slots; made when first needed.
    inside: OnceCell<Formula>,
}

impl Spot {
    /// Its concrete states, over the slots.
    pub fn inside(&self, system: &System<'_>, predicates: &PredicateSet) -> &Formula {
        self.inside.get_or_init(|| system.inside(predicates, &self.state))
    }

    /// The operator that is taken; `None` where nothing is.
    #[must_use]
    pub fn joint(&self) -> Option<&Joint> {
        self.operators.as_ref().map(|(operators, by)| &operators.joints[*by])
    }

    /// The rule of an outcome.
    ///
    /// # Panics
    /// Where nothing is taken.
    #[must_use]
    pub fn rule(&self, outcome: usize) -> &Arc<Rule> {
        &self.joint().expect("a step is taken where there is one").rules[outcome]
    }
}

/// The chain; its first state is the start.
#[derive(Debug)]
pub struct Chain {
    /// Its states.
    pub spots: Vec<Spot>,
}

/// A cost in the order of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost(pub f64);

impl Eq for Cost {}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Chain {
    /// The chain of an adversary.
    #[must_use]
    pub fn new<O: FullOracle>(process: &Process<'_, '_, O>, adversary: &Adversary) -> Self {
        let mut numbers: FxHashMap<StateId, u32> = FxHashMap::default();
        let mut order = vec![adversary.start];
        numbers.insert(adversary.start, 0);
        let (mut spots, mut next) = (Vec::new(), 0);
        while next < order.len() {
            let id = order[next];
            next += 1;
            let ends = matches!(process.places[id.index()], Place::Unsafe);
            let taken = adversary.takes.get(&id).filter(|_| !ends).map(|number| &process.transitions(id)[*number]);
            let mut targets = Vec::new();
            for target in taken.iter().flat_map(|taken| taken.targets.iter()) {
                let fresh = u32::try_from(order.len()).expect("no more than abstract states");
                targets.push(*numbers.entry(*target).or_insert_with(|| {
                    order.push(*target);
                    fresh
                }));
            }
            let operators = taken.map(|taken| (process.operators(id).clone(), taken.by));
            spots.push(Spot {
                state: process.states.get(id).clone(),
                ends,
                operators,
                targets,
                cost: f64::INFINITY,
                inside: OnceCell::new(),
            });
        }
        let mut chain = Self { spots };
        chain.find_costs();
        chain
    }

    /// The cost of an outcome.
    #[must_use]
    pub fn cost(&self, spot: usize, outcome: usize) -> f64 {
        self.spots[spot].joint().map_or(f64::INFINITY, |joint| -joint.probabilities[outcome].to_f64().ln())
    }

    /// Dijkstra's algorithm from the unsafe states backwards.
    fn find_costs(&mut self) {
        let mut sources: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.spots.len()];
        for (spot, Spot { targets, .. }) in self.spots.iter().enumerate() {
            for (outcome, target) in targets.iter().enumerate() {
                sources[*target as usize].push((spot, outcome));
            }
        }
        let mut queue: BinaryHeap<Reverse<(Cost, usize)>> = BinaryHeap::new();
        for (spot, known) in self.spots.iter_mut().enumerate().filter(|(_, spot)| spot.ends) {
            known.cost = 0.0;
            queue.push(Reverse((Cost(0.0), spot)));
        }
        while let Some(Reverse((Cost(cost), at))) = queue.pop() {
            if cost > self.spots[at].cost {
                continue;
            }
            for (source, outcome) in &sources[at] {
                let through = cost + self.cost(*source, *outcome);
                if through < self.spots[*source].cost {
                    self.spots[*source].cost = through;
                    queue.push(Reverse((Cost(through), *source)));
                }
            }
        }
    }
}
