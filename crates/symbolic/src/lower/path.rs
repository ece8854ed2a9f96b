//! A path: assumptions made one after the other, as a formula and as what they say about the symbols.

use surefoot_linear::{Formula, Linear, Region, Space, common_divisor};
use surefoot_model::Domain;
use surefoot_num::Rational;

use super::refusal::{MAX_CASES, Obstacle};

/// Assumptions. The region contains all points where the condition holds.
#[derive(Debug, Clone)]
pub(super) struct Path<'s> {
    pub(super) condition: Formula,
    pub(super) region: Region<'s>,
}

impl<'s> Path<'s> {
    pub(super) fn new(space: &'s Space) -> Self {
        Self { condition: Formula::truth(), region: Region::new(space) }
    }

    /// A path of no conditions in a part of the space.
    pub(super) fn within_region(region: Region<'s>) -> Self {
        Self { condition: Formula::truth(), region }
    }

    pub(super) fn space(&self) -> &'s Space {
        self.region.space()
    }

    /// The path with one more assumption; `None` if that is seen to contradict the others.
    pub(super) fn and(&self, assumption: &Formula) -> Option<Self> {
        let assumption = self.region.simplify(assumption);
        if assumption.is_truth() {
            return Some(self.clone());
        }
        let mut region = self.region.clone();
        if !region.assume(&assumption) {
            return None;
        }
        Some(Self { condition: Formula::all([self.condition.clone(), assumption]), region })
    }

    /// On this path, the formula holds: an implication.
    pub(super) fn implies(&self, formula: &Formula) -> Formula {
        self.space().implies(&self.condition, self.region.simplify(formula))
    }

    /// The values a form may have here: all of them, and maybe some that it has not.
    pub(super) fn values(&self, form: &Linear) -> Option<Vec<Rational>> {
        let count = self.count(form)?;
        let (first, step) = self.grid(form)?;
        Some((0..).take(count).map(|k: i64| &first + &(&step * &Rational::from(k))).collect())
    }

    /// How many values [`Path::values`] lists; `None` for infinitely many or more than [`MAX_CASES`].
    pub(super) fn count(&self, form: &Linear) -> Option<usize> {
        let (first, step) = self.grid(form)?;
        let upper = self.region.range(form).upper?;
        if step.is_zero() {
            return Some(1);
        }
        let last = (&upper - &first).checked_div(&step)?.floor().to_i64()?;
        usize::try_from(last.checked_add(1)?).ok().filter(|count| *count <= MAX_CASES)
    }

    /// The first value of a form and the distance between values: all coefficients are multiples of it.
    fn grid(&self, form: &Linear) -> Option<(Rational, Rational)> {
        if !form.terms().iter().all(|(symbol, _)| self.space().symbol(*symbol).integer) {
            return None;
        }
        let step = common_divisor(form.terms().iter().map(|(_, a)| a));
        let lower = self.region.range(form).lower?;
        let Some(first) = (&lower - form.constant()).checked_div(&step) else {
            return Some((form.constant().clone(), step));
        };
        Some((form.constant() + &(&first.ceil() * &step), step))
    }

    /// The integers from the smallest to the largest value of a form, both rounded down.
    pub(super) fn integers(&self, form: &Linear) -> Option<Vec<Rational>> {
        let range = self.region.range(form);
        let (first, last) = (range.lower?.floor().to_i64()?, range.upper?.floor().to_i64()?);
        let width = last.checked_sub(first)?;
        i64::try_from(MAX_CASES).is_ok_and(|most| width < most).then(|| (first..=last).map(Rational::from).collect())
    }

    /// The condition that a form's value is in a domain.
    pub(super) fn in_domain(&self, form: &Linear, domain: &Domain) -> Result<Formula, Obstacle> {
        let space = self.space();
        let bound = |value: &Rational| Linear::constant_form(value.clone());
        let between = |lower: Option<&Rational>, upper: Option<&Rational>| {
            let above = lower.map_or(Formula::truth(), |lower| space.at_most(&bound(lower), form));
            Formula::all([above, upper.map_or(Formula::truth(), |upper| space.at_most(form, &bound(upper)))])
        };
        let formula = match (domain, domain.int_bounds()) {
            (Domain::Real { lower, upper }, _) => between(lower.as_ref(), upper.as_ref()),
            (_, Some((lower, upper))) if space.is_integral(form) => {
                between(Some(&Rational::from(lower)), Some(&Rational::from(upper)))
            }
            // A form that may have other values than integers: one of the domain's.
            (_, Some((lower, upper))) => {
                if !usize::try_from(upper.abs_diff(lower)).is_ok_and(|width| width < MAX_CASES) {
                    return Err(Obstacle::Values("="));
                }
                Formula::any((lower..=upper).map(|value| space.equals(form, &Rational::from(value))))
            }
            (_, None) => unreachable!("domains that are not real are discrete"),
        };
        Ok(self.region.simplify(&formula))
    }
}
