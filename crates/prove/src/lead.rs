//! Where an operator leads from all of a node, or where to split so that it leads to one place.

use surefoot_certificate::token::{Place, Target};
use surefoot_checker::enclosure::Enclosure;
use surefoot_checker::node::Node;
use surefoot_checker::operator::{Op, Outcome};
use surefoot_checker::values::Values;
use surefoot_model::SlotId;
use surefoot_model::model::{AssignedTerm, Target as Assigned};
use surefoot_num::Rational;

use crate::cut::{Cut, open_formula, open_number, where_nonnegative};
use crate::search::Search;

/// Non-deterministic values are split at most so deep.
const MOST_CHOSEN: usize = 24;

/// What is known of where something leads.
pub(crate) enum Led<T> {
    /// There.
    To(T),
    /// It may be known in the parts of this.
    Split(Cut),
    /// Nothing.
    Unknown,
}

impl<'p> Search<'_, 'p> {
    /// Where an operator leads from all of a node.
    pub(crate) fn leads(&self, node: &Node, op: &Op<'p>, sample: &[i64]) -> Led<Vec<Target>> {
        let mut targets = Vec::with_capacity(op.outcomes.len());
        for outcome in &op.outcomes {
            match self.outcome(node, outcome, sample) {
                Led::To(target) => targets.push(target),
                Led::Split(cut) => return Led::Split(cut),
                Led::Unknown => return Led::Unknown,
            }
        }
        Led::To(targets)
    }

    fn outcome(&self, node: &Node, outcome: &Outcome<'p>, sample: &[i64]) -> Led<Target> {
        let mut values = self.rules.values(node);
        if outcome.probability.is_none() {
            for factor in &outcome.factors {
                if let Some(cut) = open_number(*factor, &values) {
                    return Led::Split(cut);
                }
                let factor = values.number(*factor).value;
                if factor.as_constant().is_some_and(Rational::is_zero) {
                    return Led::To(Target::Impossible);
                }
            }
        }
        if values.update(outcome).is_err() {
            return self.open_update(node, outcome).map_or(Led::Unknown, Led::Split);
        }
        self.place(&mut values, sample, MOST_CHOSEN)
    }

    /// Where updated values are, for all choices.
    fn place(&self, values: &mut Values<'_>, sample: &[i64], depth: usize) -> Led<Target> {
        let Some(point) = image(values, sample) else { return Led::Unknown };
        let Some(place) = self.locate(&point) else { return Led::Unknown };
        if self.rules.is_inside(values, place, &self.ws.formulas).is_ok() {
            return Led::To(Target::At(place));
        }
        match self.open_place(values, place) {
            Some(Cut::Choice(choice, at)) if depth > 0 => {
                let whole = values.choices[choice as usize].clone();
                let at_most = Rational::from(at);
                values.choices[choice as usize] = (whole.0.clone(), at_most.clone());
                let low = self.place(values, sample, depth - 1);
                values.choices[choice as usize] = (&at_most + &Rational::ONE, whole.1.clone());
                let high = self.place(values, sample, depth - 1);
                values.choices[choice as usize] = whole;
                match (low, high) {
                    (Led::To(low), Led::To(high)) => {
                        Led::To(Target::Chosen { choice, at, parts: Box::new((low, high)) })
                    }
                    (Led::Split(cut), _) | (_, Led::Split(cut)) => Led::Split(cut),
                    _ => Led::Unknown,
                }
            }
            Some(cut @ (Cut::Slot(..) | Cut::Atom(_))) => Led::Split(cut),
            _ => Led::Unknown,
        }
    }

    /// Why values are not known to be in a place: where to split.
    pub(crate) fn open_place(&self, values: &Values<'_>, place: Place) -> Option<Cut> {
        match place {
            Place::Region(region) => {
                let region = self.rules.region(region).ok()?;
                let bounds = region.bounds.iter().find_map(|(slot, lower, upper)| {
                    let (low, high) = values.range(&values.slot(SlotId(*slot)));
                    if low >= (*lower).into() && high <= (*upper).into() {
                        return None;
                    }
                    bound(values, SlotId(*slot), *lower, *upper)
                });
                bounds.or_else(|| {
                    region.formulas.iter().find_map(|formula| open_formula(*formula, &self.ws.formulas, values))
                })
            }
            Place::States => self.rules.states.kept.iter().find_map(|slot| {
                let slot = values.slot(SlotId(*slot));
                let (lower, upper) = values.range(&slot);
                if lower == upper {
                    return None;
                }
                let middle = (&lower + &upper).checked_div(&Rational::from(2))?.floor();
                // More than the middle.
                let beyond = Enclosure::constant(&middle + &Rational::ONE);
                where_nonnegative(&slot.plus_scaled(&beyond, &-&Rational::ONE), values)
            }),
        }
    }

    /// Why an update may be in error: where to split.
    fn open_update(&self, node: &Node, outcome: &Outcome<'p>) -> Option<Cut> {
        let values = self.rules.values(node);
        for assignment in outcome.assignments.iter().flat_map(|list| list.iter()) {
            if let Assigned::Cell { dimensions, .. } = &assignment.target {
                for (_, index) in dimensions {
                    if let Some(cut) = open_number(*index, &values) {
                        return Some(cut);
                    }
                    let index = values.number(*index).value;
                    let (lower, upper) = values.range(&index);
                    if lower != upper {
                        let middle = (&lower + &upper).checked_div(&Rational::from(2))?.floor();
                        let beyond = Enclosure::constant(&middle + &Rational::ONE);
                        return where_nonnegative(&index.plus_scaled(&beyond, &-&Rational::ONE), &values);
                    }
                }
            }
            let terms = match assignment.value {
                AssignedTerm::Value(term) => vec![term],
                AssignedTerm::Interval(lower, upper) => vec![lower, upper],
            };
            if let Some(cut) = terms.into_iter().find_map(|term| open_number(term, &values)) {
                return Some(cut);
            }
        }
        // All is exact: then some value may leave its domain.
        let mut values = self.rules.values(node);
        values.apply(outcome).ok()?;
        let slots: Vec<SlotId> = values.updated.keys().copied().collect();
        slots.into_iter().find_map(|slot| {
            let (lower, upper) = values.model.slots[slot.index()].domain.int_bounds()?;
            let (low, high) = values.range(&values.slot(slot));
            if low >= lower.into() && high <= upper.into() { None } else { bound(&values, slot, lower, upper) }
        })
    }
}

/// Where a slot is at least, or at most, a bound.
fn bound(values: &Values<'_>, slot: SlotId, lower: i64, upper: i64) -> Option<Cut> {
    let value = values.slot(slot);
    if !value.is_exact() {
        return None;
    }
    let minus = -&Rational::ONE;
    let (low, high) = values.range(&value);
    let below = || where_nonnegative(&value.plus_scaled(&Enclosure::constant(lower.into()), &minus), values);
    let above = || {
        where_nonnegative(&value.scaled(&minus).plus_scaled(&Enclosure::constant(upper.into()), &Rational::ONE), values)
    };
    let first = if low < lower.into() { below() } else { None };
    first.or_else(|| if high > upper.into() { above() } else { None })
}

/// Where an update takes a point, choices being in the middle of their ranges.
fn image(values: &Values<'_>, sample: &[i64]) -> Option<Vec<i64>> {
    let mut point = sample.to_vec();
    let half = Rational::new(1, 2)?;
    for (slot, value) in &values.updated {
        let (rest, _) = value.rest();
        let mut sum = rest.clone();
        for (symbol, a) in value.terms() {
            let at = match sample.get(symbol.index()) {
                Some(value) => Rational::from(*value),
                None => {
                    let (lower, upper) = values.choices.get(symbol.index() - sample.len())?;
                    (&(lower + upper) * &half).floor()
                }
            };
            sum = &sum + &(a * &at);
        }
        point[slot.index()] = sum.to_i64()?;
    }
    Some(point)
}
