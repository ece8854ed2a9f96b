//! What an assignment writes: a value, or any value of an interval that is in the variable's domain.

use surefoot_linear::{Formula, Linear, Space};
use surefoot_model::Domain;
use surefoot_num::Rational;

use super::outcome::ChoiceBounds;

/// What a slot gets.
#[derive(Debug, Clone)]
pub(super) enum Written {
    Value(Linear),
    Chosen(ChoiceBounds),
}

/// Where an interval has a value of the domain.
pub(super) fn some_value(space: &Space, bounds: &ChoiceBounds, domain: &Domain) -> Formula {
    Formula::all([
        space.at_most(&bounds.lower, &bounds.upper),
        lower_end(domain).map_or(Formula::truth(), |end| space.at_most(&end, &bounds.upper)),
        upper_end(domain).map_or(Formula::truth(), |end| space.at_most(&bounds.lower, &end)),
    ])
}

fn lower_end(domain: &Domain) -> Option<Linear> {
    let end = match domain {
        Domain::Real { lower, .. } => lower.clone(),
        discrete => discrete.int_bounds().map(|(lower, _)| Rational::from(lower)),
    };
    end.map(Linear::constant_form)
}

fn upper_end(domain: &Domain) -> Option<Linear> {
    let end = match domain {
        Domain::Real { upper, .. } => upper.clone(),
        discrete => discrete.int_bounds().map(|(_, upper)| Rational::from(upper)),
    };
    end.map(Linear::constant_form)
}

/// Where two assignments at once write the same: equal values, or equal sets of values of the domain.
pub(super) fn agree(space: &Space, a: &Written, b: &Written, domain: &Domain) -> Formula {
    let ends = |written: &Written| match written {
        Written::Value(form) => (form.clone(), form.clone()),
        Written::Chosen(bounds) => (bounds.lower.clone(), bounds.upper.clone()),
    };
    let chosen = |written: &Written| matches!(written, Written::Chosen(_));
    // The ends of two sets of values: an interval's end beyond the domain's counts as the domain's, a value as it is.
    let same = |x: &Linear, y: &Linear, end: Option<Linear>, lower: bool| {
        let equal = space.equal(x, y);
        let Some(end) = end else { return equal };
        let at_end = |form: &Linear, written: &Written| match (chosen(written), lower) {
            (true, true) => space.at_most(form, &end),
            (true, false) => space.at_most(&end, form),
            (false, _) => space.equal(form, &end),
        };
        Formula::any([equal, Formula::all([at_end(x, a), at_end(y, b)])])
    };
    let ((a_low, a_high), (b_low, b_high)) = (ends(a), ends(b));
    Formula::all([same(&a_low, &b_low, lower_end(domain), true), same(&a_high, &b_high, upper_end(domain), false)])
}
