//! Abstract states as regions of a certificate.
//!
//! An abstract state is a box, cut out of the domains by the literals on single variables, and the other literals as formulas. The region is the same set,
//! or what is left of it within the ranges of variables that nothing has written.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_abstraction::{AbstractState, Literal, PredicateSet, SlotRange, System};
use surefoot_certificate::token::Place;
use surefoot_checker::formula::{Atom, Formula as Told, Formulas};
use surefoot_checker::rules::Region;
use surefoot_linear::{Formula, Linear, Relation};
use surefoot_num::Rational;
use surefoot_oracle::Assignment;

/// Abstract states that an engine ended with: an inductive invariant, it says.
#[derive(Debug)]
pub struct Cells {
    /// The predicates.
    pub predicates: PredicateSet,
    /// The abstract states.
    pub states: Vec<AbstractState>,
    /// For each of them, ranges that its states are within; there may be none at all.
    pub within: Vec<Arc<[SlotRange]>>,
}

/// The regions of abstract states.
#[derive(Debug)]
pub struct Regions {
    /// Formulas that regions mention.
    pub formulas: Formulas,
    /// One region per abstract state, in their order.
    pub regions: Vec<Region>,
    predicates: Vec<Test>,
    locations: usize,
    numbers: FxHashMap<AbstractState, u32>,
}

/// A predicate, to be evaluated at points.
#[derive(Debug)]
enum Test {
    AtLeast(usize, i64),
    AtMost(usize, i64),
    Formula(u32),
}

impl Regions {
    /// The regions of abstract states.
    ///
    /// # Errors
    /// Numbers that certificates do not hold.
    pub fn new(system: &System<'_>, cells: &Cells) -> Result<Self, String> {
        let Cells { predicates, states, within } = cells;
        let mut formulas = Formulas::default();
        let mut tests = Vec::with_capacity(predicates.len());
        // Per predicate, what its truth and its falsity are told as, where they are no bounds.
        let mut told: Vec<[Option<u32>; 2]> = Vec::with_capacity(predicates.len());
        for predicate in 0..predicates.len() {
            let mut side = |truth: bool| match predicates.literal(predicate, truth) {
                Literal::Formula(formula) if formula.is_truth() => Ok(None),
                Literal::Formula(formula) => tell(formula, &mut formulas).map(Some),
                _ => Ok(None),
            };
            told.push([side(false)?, side(true)?]);
            tests.push(match predicates.literal(predicate, true) {
                Literal::AtLeast(symbol, value) => Test::AtLeast(symbol.index(), whole(&value.ceil())?),
                Literal::AtMost(symbol, value) => Test::AtMost(symbol.index(), whole(&value.floor())?),
                Literal::Formula(formula) => Test::Formula(tell(formula, &mut formulas)?),
            });
        }
        let mut regions = Vec::with_capacity(states.len());
        let mut numbers = FxHashMap::default();
        for (number, state) in (0u32..).zip(states) {
            let mut region = Region::default();
            let within = within.get(number as usize).map_or(&[][..], |within| within);
            for (slot, variable) in system.bounds_within(predicates, state, within).iter().enumerate() {
                let (lower, upper) = (whole(&variable.lower.ceil())?, whole(&variable.upper.floor())?);
                let domain = system.model().slots[slot].domain.int_bounds();
                if slot < state.locations.len() || domain != Some((lower, upper)) {
                    region.bounds.push((u32::try_from(slot).map_err(|_| "too many slots")?, lower, upper));
                }
            }
            let literal = |predicate: usize| told[predicate][usize::from(state.values.get(predicate))];
            region.formulas.extend((0..state.values.len()).filter_map(literal));
            regions.push(region);
            numbers.insert(state.clone(), number);
        }
        let locations = system.model().instances.len();
        Ok(Self { formulas, regions, predicates: tests, locations, numbers })
    }

    /// The region of a point.
    #[must_use]
    pub fn locate(&self, point: &[i64]) -> Option<Place> {
        let locations = point[..self.locations].iter().map(|l| u32::try_from(*l).ok()).collect::<Option<_>>()?;
        let holds = |test: &Test| match test {
            Test::AtLeast(slot, value) => point[*slot] >= *value,
            Test::AtMost(slot, value) => point[*slot] <= *value,
            Test::Formula(formula) => self.formulas.holds_at(*formula, point),
        };
        let values = Assignment::new(self.predicates.iter().map(holds));
        let number = self.numbers.get(&AbstractState { locations, values })?;
        let Region { bounds, .. } = &self.regions[*number as usize];
        let is_within = bounds.iter().all(|(slot, lower, upper)| (*lower..=*upper).contains(&point[*slot as usize]));
        is_within.then_some(Place::Region(*number))
    }
}

fn whole(value: &Rational) -> Result<i64, String> {
    value.to_i64().ok_or_else(|| format!("{value} is no 64-bit integer"))
}

/// Adds a formula as certificates tell it.
fn tell(formula: &Formula, formulas: &mut Formulas) -> Result<u32, String> {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => {
            let told = parts.iter().map(|part| tell(part, formulas)).collect::<Result<Vec<_>, _>>()?;
            formulas.push(if matches!(formula, Formula::All(_)) { Told::All(told) } else { Told::Any(told) })
        }
        Formula::Atom(atom) => {
            let negated = -&atom.form;
            match atom.relation {
                Relation::AtLeastZero => inequality(&atom.form, formulas),
                // Not at most zero.
                Relation::Positive => {
                    let at_most = inequality(&negated, formulas)?;
                    formulas.push(Told::Not(at_most))
                }
                Relation::Zero | Relation::NonZero => {
                    let both = vec![inequality(&atom.form, formulas)?, inequality(&negated, formulas)?];
                    let zero = formulas.push(Told::All(both))?;
                    if atom.relation == Relation::Zero { Ok(zero) } else { formulas.push(Told::Not(zero)) }
                }
            }
        }
    }
}

/// `form >= 0`, over the least common denominator.
fn inequality(form: &Linear, formulas: &mut Formulas) -> Result<u32, String> {
    let (form, _) = form.over_integers();
    let terms = form.terms().iter().map(|(symbol, a)| Ok((symbol.0, whole(a)?))).collect::<Result<_, String>>()?;
    formulas.push(Told::Atom(Atom { terms, constant: whole(form.constant())? }))
}
