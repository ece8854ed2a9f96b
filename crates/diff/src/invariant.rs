//! An inductive invariant as data: regions and single states.
//!
//! A region is a box over the slots, with fixed locations, in which a formula holds; a state gives values to some slots and leaves the others open. Whoever makes one
//! vouches for it: under the first policy no move leads out of their union, nothing in it is unsafe, and all start states are in it.

use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_linear::{Formula, Linear, Symbol};
use surefoot_model::{Model, State};
use surefoot_num::Rational;

/// A region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Slots with their bounds, ascending, all locations first and fixed; the others have all values of their domain.
    pub bounds: Vec<(usize, i64, i64)>,
    /// What holds besides.
    pub formula: Formula,
}

/// Where a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In a region, by its number.
    Region(usize),
    /// Among the states.
    States,
}

/// Regions and states.
#[derive(Debug, Clone)]
pub struct Invariant {
    /// The regions.
    pub regions: Vec<Part>,
    /// The slots of the states, ascending.
    pub kept: Vec<usize>,
    /// The states.
    pub states: FxHashSet<Box<[i64]>>,
    /// The regions of each location vector.
    by_locations: FxHashMap<Box<[i64]>, Vec<usize>>,
    locations: usize,
}

impl Invariant {
    /// Regions and states of a model.
    #[must_use]
    pub fn new(model: &Model, regions: Vec<Part>, kept: Vec<usize>, states: FxHashSet<Box<[i64]>>) -> Self {
        let locations = model.instances.len();
        let mut by_locations: FxHashMap<Box<[i64]>, Vec<usize>> = FxHashMap::default();
        for (number, region) in regions.iter().enumerate() {
            by_locations.entry(region.locations(locations)).or_default().push(number);
        }
        Self { regions, kept, states, by_locations, locations }
    }

    /// Whether its states say everything about themselves: every slot has a value.
    #[must_use]
    pub(crate) fn are_whole(&self, model: &Model) -> bool {
        self.kept.len() == model.slots.len()
    }

    /// A state as a region; slots that it leaves open have all values.
    pub(crate) fn state_as_region(&self, values: &[i64]) -> Part {
        let bounds = self.kept.iter().zip(values).map(|(slot, value)| (*slot, *value, *value));
        Part { bounds: bounds.collect(), formula: Formula::truth() }
    }

    /// Where a point is; `None` outside.
    #[must_use]
    pub fn place(&self, point: &State) -> Option<Place> {
        let whole = point.to_ints()?;
        let here = self.by_locations.get(&whole[..self.locations]);
        if let Some(number) = here.into_iter().flatten().find(|number| self.regions[**number].contains(&whole)) {
            return Some(Place::Region(*number));
        }
        let values: Box<[i64]> = self.kept.iter().map(|slot| whole[*slot]).collect();
        (!self.kept.is_empty() && self.states.contains(&values)).then_some(Place::States)
    }

    /// That a state whose slots have these values is in a place: its region, or, among the states, the one of this point.
    pub(crate) fn inside(&self, place: Place, point: &State, value: &impl Fn(Symbol) -> Option<Linear>) -> Formula {
        match place {
            Place::Region(number) => self.regions[number].formula_at(value),
            Place::States => {
                let whole = point.to_ints().unwrap_or_default();
                let values: Vec<i64> = self.kept.iter().filter_map(|slot| whole.get(*slot).copied()).collect();
                self.state_as_region(&values).formula_at(value)
            }
        }
    }
}

impl Part {
    /// Its locations, of which there are so many.
    pub(crate) fn locations(&self, count: usize) -> Box<[i64]> {
        self.bounds.iter().take(count).map(|(_, lower, _)| *lower).collect()
    }

    fn contains(&self, point: &[i64]) -> bool {
        self.bounds.iter().all(|(slot, lower, upper)| (*lower..=*upper).contains(&point[*slot]))
            && self.formula.eval(&|symbol: Symbol| Rational::from(point[symbol.index()]))
    }

    /// That a state is in it.
    pub(crate) fn formula_here(&self) -> Formula {
        self.formula_at(&|_| None)
    }

    /// That a state is in it whose slots have other values; `None`: their own.
    fn formula_at(&self, value: &impl Fn(Symbol) -> Option<Linear>) -> Formula {
        let at_least = |form: Linear| Formula::atom(surefoot_linear::Atom::at_least_zero(form));
        let bounds = self.bounds.iter().flat_map(|(slot, lower, upper)| {
            let symbol = Symbol::at(*slot);
            let form = value(symbol).unwrap_or_else(|| Linear::symbol(symbol));
            let above = &form - &Linear::constant_form(Rational::from(*lower));
            let below = &Linear::constant_form(Rational::from(*upper)) - &form;
            [at_least(above), at_least(below)]
        });
        Formula::all(bounds.chain([self.formula.substitute(value)]))
    }
}
