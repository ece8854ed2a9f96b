//! Where to split a node because something is open in it: the first comparison that is not decided.

use surefoot_checker::enclosure::Enclosure;
use surefoot_checker::formula::{Atom, Formula, Formulas};
use surefoot_checker::values::{Bounds, Values};
use surefoot_model::term::{ArithOp, CmpOp};
use surefoot_model::{SlotId, Term, TermId};
use surefoot_num::Rational;

/// A way to split a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// A slot at most a value, or more.
    Slot(u32, i64),
    /// An atom holds, or does not.
    Atom(Atom),
    /// A non-deterministic value of an outcome is at most something, or more.
    Choice(u32, i64),
}

/// Splits the interval of a slot in the middle.
#[must_use]
pub fn middle(slot: u32, bounds: &[Bounds]) -> Option<Cut> {
    let (lower, upper) = bounds[slot as usize];
    (lower < upper).then(|| Cut::Slot(slot, lower + (upper - lower) / 2))
}

/// Where `number >= 0` changes, if its form is exact: a split of a slot or a choice where it has only one, else an atom.
#[must_use]
pub fn where_nonnegative(number: &Enclosure, values: &Values<'_>) -> Option<Cut> {
    let (rest, _) = number.rest();
    let slots = values.bounds.len();
    match number.terms() {
        [] => None,
        [(symbol, a)] => {
            // a x + rest >= 0: x >= -rest / a, or for a negative a, x <= -rest / a.
            let end = (-rest).checked_div(a)?;
            let at = if a.signum() > 0 { &end.ceil() - &Rational::ONE } else { end.floor() };
            let at = at.to_i64()?;
            match values.bounds.get(symbol.index()) {
                Some((lower, upper)) => (*lower <= at && at < *upper).then_some(Cut::Slot(symbol.0, at)),
                None => {
                    let choice = symbol.index() - slots;
                    let (lower, upper) = &values.choices[choice];
                    let inside = *lower <= Rational::from(at) && Rational::from(at) < *upper;
                    inside.then(|| Some(Cut::Choice(u32::try_from(choice).ok()?, at))).flatten()
                }
            }
        }
        terms => {
            if let Some((choice, _)) = terms.iter().find(|(symbol, _)| symbol.index() >= slots) {
                let choice = choice.index() - slots;
                let (lower, upper) = (values.choices[choice].0.to_i64()?, values.choices[choice].1.to_i64()?);
                return (lower < upper)
                    .then(|| Some(Cut::Choice(u32::try_from(choice).ok()?, lower + (upper - lower) / 2)))?;
            }
            let terms: Vec<(u32, Rational)> = terms.iter().map(|(symbol, a)| (symbol.0, a.clone())).collect();
            Some(Cut::Atom(Atom::integral(&terms, rest, false)?))
        }
    }
}

/// Where a condition is decided one way on one side: the first comparison in it that is open.
#[must_use]
pub fn open_condition(term: TermId, values: &Values<'_>) -> Option<Cut> {
    let pool = &values.model.terms;
    let found = values.truth(term);
    if found.value.is_some() && !found.error {
        return None;
    }
    let first_open = |parts: Vec<TermId>| parts.into_iter().find_map(|part| open_condition(part, values));
    match pool.get(term) {
        Term::Bool(_) => None,
        Term::Not(a) => open_condition(*a, values),
        Term::And(..) => first_open(pool.conjuncts(term)),
        Term::Or(..) => first_open(pool.disjuncts(term)),
        Term::Ite(condition, a, b) => match open_condition(*condition, values) {
            Some(cut) => Some(cut),
            None => open_condition(if values.truth(*condition).value == Some(true) { *a } else { *b }, values),
        },
        Term::Cmp(op, a, b) => open_comparison(*op, *a, *b, values),
        _ => open_number(term, values).or_else(|| {
            let number = values.number(term).value;
            where_nonnegative(&number.plus_scaled(&Enclosure::constant(Rational::ONE), &-&Rational::ONE), values)
        }),
    }
}

fn open_comparison(op: CmpOp, a: TermId, b: TermId, values: &Values<'_>) -> Option<Cut> {
    let (left, right) = (values.number(a), values.number(b));
    if left.error || right.error || !left.value.is_exact() || !right.value.is_exact() {
        return open_number(a, values).or_else(|| open_number(b, values));
    }
    let minus = -&Rational::ONE;
    let difference = left.value.plus_scaled(&right.value, &minus);
    let negated = difference.scaled(&minus);
    match op {
        // a - b <= 0
        CmpOp::Le => where_nonnegative(&negated, values),
        // a - b >= 0 is what fails.
        CmpOp::Lt => where_nonnegative(&difference, values),
        CmpOp::Eq | CmpOp::Ne => {
            let (lower, upper) = values.range(&difference);
            let below = if lower.signum() < 0 { where_nonnegative(&difference, values) } else { None };
            below.or_else(|| if upper.signum() > 0 { where_nonnegative(&negated, values) } else { None })
        }
    }
}

/// Where a number becomes an exact form: the first part of it that is open.
#[must_use]
pub fn open_number(term: TermId, values: &Values<'_>) -> Option<Cut> {
    let pool = &values.model.terms;
    let found = values.number(term);
    if found.value.is_exact() && !found.error {
        return None;
    }
    match pool.get(term) {
        Term::Num(_) | Term::Slot(_) | Term::Bool(_) => None,
        Term::Not(_) | Term::And(..) | Term::Or(..) | Term::Cmp(..) => open_condition(term, values),
        Term::Transient(transient) => open_number(values.model.transients[transient.0 as usize].definition, values),
        Term::Ite(condition, a, b) => match open_condition(*condition, values) {
            Some(cut) => Some(cut),
            None => open_number(if values.truth(*condition).value == Some(true) { *a } else { *b }, values),
        },
        Term::Select(items, index) => open_number(*index, values).or_else(|| {
            let index = values.number(*index).value;
            let (lower, upper) = values.range(&index);
            if lower == upper {
                let item = lower.to_i64().and_then(|i| usize::try_from(i).ok()).and_then(|i| items.get(i))?;
                return open_number(*item, values);
            }
            widest(&index, values)
        }),
        Term::Round(_, a) => open_number(*a, values).or_else(|| widest(&values.number(*a).value, values)),
        Term::Arith(op, a, b) => {
            let inner = open_number(*a, values).or_else(|| open_number(*b, values));
            inner.or_else(|| {
                let (a, b) = (values.number(*a).value, values.number(*b).value);
                match op {
                    ArithOp::Min | ArithOp::Max => where_nonnegative(&a.plus_scaled(&b, &-&Rational::ONE), values),
                    // The narrower operand is a constant sooner.
                    _ => narrower(&a, &b, values),
                }
            })
        }
    }
}

fn width(number: &Enclosure, values: &Values<'_>) -> Rational {
    let (lower, upper) = values.range(number);
    &upper - &lower
}

fn narrower(a: &Enclosure, b: &Enclosure, values: &Values<'_>) -> Option<Cut> {
    let (first, second) = if width(a, values) <= width(b, values) { (a, b) } else { (b, a) };
    widest(first, values).or_else(|| widest(second, values))
}

/// Splits the slot that a number varies most with.
fn widest(number: &Enclosure, values: &Values<'_>) -> Option<Cut> {
    let slots = number.terms().iter().filter(|(symbol, _)| symbol.index() < values.bounds.len());
    let spread = |(symbol, a): &&(surefoot_linear::Symbol, Rational)| {
        let (lower, upper) = values.bounds[symbol.index()];
        &a.abs() * &(&Rational::from(upper) - &Rational::from(lower))
    };
    let (symbol, _) = slots.max_by_key(spread)?;
    middle(symbol.0, values.bounds)
}

/// Where a formula is decided one way on one side.
#[must_use]
pub fn open_formula(id: u32, formulas: &Formulas, values: &Values<'_>) -> Option<Cut> {
    if formulas.truth(id, values).is_some() {
        return None;
    }
    match formulas.get(id).ok()? {
        Formula::Not(part) => open_formula(*part, formulas, values),
        Formula::All(parts) | Formula::Any(parts) => {
            parts.iter().find_map(|part| open_formula(*part, formulas, values))
        }
        Formula::Atom(atom) => {
            let sum = atom.terms.iter().fold(Enclosure::constant(atom.constant.into()), |sum, (slot, a)| {
                sum.plus_scaled(&values.slot(SlotId(*slot)), &Rational::from(*a))
            });
            if sum.is_exact() { where_nonnegative(&sum, values) } else { None }
        }
    }
}
