//! Arithmetic on numbers by cases.
//!
//! Sums are linear as they stand; minimum, maximum, absolute value and sign split by a comparison. A product splits by the
//! values of one factor, a quotient by those of the divisor. A remainder `a % m` splits by the quotient `q`, where it is
//! `a - q m`, and rounding by its result; parts of the operand that are multiples of `m`, or integers, need no split.
//! Powers and logarithms split by the values of both operands.

use surefoot_linear::{Formula, Linear, Relation, Space, Symbol};
use surefoot_model::interpret::arithmetic;
use surefoot_model::term::{ArithOp, RoundOp};
use surefoot_num::Rational;

use super::cases::{Case, join, pairs};
use super::path::Path;
use super::refusal::Obstacle;

/// The cases of a result, and the conditions under which there is none.
#[derive(Default)]
struct Results {
    cases: Vec<Case>,
    undefined: Vec<Formula>,
}

/// More cases than this are given up before equal values are joined.
const MAX_SPLIT: usize = 1 << 16;

impl Results {
    fn push(&mut self, path: Path<'_>, value: Linear) -> Result<(), Obstacle> {
        if self.cases.len() >= MAX_SPLIT {
            return Err(Obstacle::Cases);
        }
        self.cases.push(Case { condition: path.condition, value });
        Ok(())
    }

    fn push_if(&mut self, path: &Path<'_>, condition: &Formula, value: Linear) -> Result<(), Obstacle> {
        path.and(condition).map_or(Ok(()), |path| self.push(path, value))
    }

    fn finish(self, space: &Space) -> Result<(Vec<Case>, Formula), Obstacle> {
        let defined = Formula::all(self.undefined.iter().map(|condition| space.negated(condition)));
        Ok((join(self.cases)?, defined))
    }
}

/// The name of an operator, as the model writes it.
fn name(op: ArithOp) -> &'static str {
    match op {
        ArithOp::Add => "+",
        ArithOp::Sub => "-",
        ArithOp::Mul => "*",
        ArithOp::Div => "/",
        ArithOp::Mod => "%",
        ArithOp::Pow => "pow",
        ArithOp::Log => "log",
        ArithOp::Min => "min",
        ArithOp::Max => "max",
    }
}

/// Applies an operator with two operands: the cases, and where the operator has a value.
pub(super) fn binary(space: &Space, op: ArithOp, a: &[Case], b: &[Case]) -> Result<(Vec<Case>, Formula), Obstacle> {
    let mut results = Results::default();
    for (path, x, y) in pairs(&Path::new(space), a, b)? {
        match op {
            ArithOp::Add => results.push(path, x + y)?,
            ArithOp::Sub => results.push(path, x - y)?,
            ArithOp::Min | ArithOp::Max => {
                let (smaller, larger) = if op == ArithOp::Min { (x, y) } else { (y, x) };
                results.push_if(&path, &space.at_most(x, y), smaller.clone())?;
                results.push_if(&path, &space.below(y, x), larger.clone())?;
            }
            ArithOp::Mul => multiply(&mut results, path, x, y)?,
            ArithOp::Div | ArithOp::Mod | ArithOp::Pow | ArithOp::Log => {
                let values = path.values(y).ok_or(Obstacle::Values(name(op)))?;
                for value in values {
                    let Some(path) = path.and(&space.equals(y, &value)) else { continue };
                    by_value(&mut results, &path, op, &with_value(x, y, &value), &value)?;
                }
            }
        }
    }
    results.finish(space)
}

fn multiply(results: &mut Results, path: Path<'_>, x: &Linear, y: &Linear) -> Result<(), Obstacle> {
    let (split, other) = match (path.count(x), path.count(y)) {
        _ if x.is_constant() => return results.push(path, y * x.constant()),
        _ if y.is_constant() => return results.push(path, x * y.constant()),
        (None, None) => return Err(Obstacle::Product),
        (Some(few), Some(more)) if few <= more => (x, y),
        (Some(_), None) => (x, y),
        _ => (y, x),
    };
    for value in path.values(split).ok_or(Obstacle::Product)? {
        let here = path.space().equals(split, &value);
        results.push_if(&path, &here, &with_value(other, split, &value) * &value)?;
    }
    Ok(())
}

/// `x op y` where `y` is a number.
fn by_value(results: &mut Results, path: &Path<'_>, op: ArithOp, x: &Linear, y: &Rational) -> Result<(), Obstacle> {
    let inverse = Rational::ONE.checked_div(y);
    match (op, inverse) {
        (ArithOp::Div | ArithOp::Mod, None) => {
            results.undefined.push(path.condition.clone());
            Ok(())
        }
        (ArithOp::Div, Some(inverse)) => results.push(path.clone(), x * &inverse),
        (ArithOp::Mod, Some(_)) => remainder(results, path, x, &y.abs()),
        (ArithOp::Pow, Some(_)) if *y == Rational::ONE => results.push(path.clone(), x.clone()),
        _ => {
            for value in path.values(x).ok_or(Obstacle::Values(name(op)))? {
                let Some(path) = path.and(&path.space().equals(x, &value)) else { continue };
                match arithmetic::binary(op, &value, y) {
                    Ok(result) => results.push(path, Linear::constant_form(result))?,
                    Err(_) => results.undefined.push(path.condition),
                }
            }
            Ok(())
        }
    }
}

/// `x % modulus` for a positive modulus.
fn remainder(results: &mut Results, path: &Path<'_>, x: &Linear, modulus: &Rational) -> Result<(), Obstacle> {
    let inverse = Rational::ONE.checked_div(modulus).expect("the modulus is positive");
    let (_, rest) = integral_part(path.space(), &(x * &inverse));
    let quotients = path.integers(&rest).ok_or(Obstacle::Values("%"));
    split_by_floor(results, path, &rest, quotients, |whole| &(&rest - &Linear::constant_form(whole.clone())) * modulus)
}

/// Splits by the largest integer that is not above a form, or by the form's values where these are fewer.
fn split_by_floor(
    results: &mut Results,
    path: &Path<'_>,
    form: &Linear,
    integers: Result<Vec<Rational>, Obstacle>,
    value: impl Fn(&Rational) -> Linear,
) -> Result<(), Obstacle> {
    let space = path.space();
    let count = integers.as_ref().map_or(usize::MAX, Vec::len);
    if let Some(values) = path.values(form).filter(|values| values.len() < count) {
        for exact in values {
            let result = with_value(&value(&exact.floor()), form, &exact);
            results.push_if(path, &space.equals(form, &exact), result)?;
        }
        return Ok(());
    }
    for whole in integers? {
        let (low, high) = (Linear::constant_form(whole.clone()), Linear::constant_form(&whole + &Rational::ONE));
        let here = Formula::all([space.at_most(&low, form), space.below(form, &high)]);
        results.push_if(path, &here, value(&whole))?;
    }
    Ok(())
}

/// Applies an operator with one operand.
pub(super) fn unary(space: &Space, op: RoundOp, operand: &[Case]) -> Result<Vec<Case>, Obstacle> {
    let mut results = Results::default();
    for case in operand {
        let Some(path) = Path::new(space).and(&case.condition) else { continue };
        let (form, number) = (&case.value, |n: i64| Linear::constant_form(Rational::from(n)));
        let (positive, negative) = (space.atom(form, Relation::Positive), space.atom(&-form, Relation::Positive));
        match op {
            RoundOp::Abs => {
                results.push_if(&path, &space.atom(form, Relation::AtLeastZero), form.clone())?;
                results.push_if(&path, &negative, -form)?;
            }
            RoundOp::Sgn => {
                results.push_if(&path, &positive, number(1))?;
                results.push_if(&path, &space.atom(form, Relation::Zero), number(0))?;
                results.push_if(&path, &negative, number(-1))?;
            }
            RoundOp::Floor => floor(&mut results, &path, form, "floor")?,
            RoundOp::Ceil => ceiling(&mut results, &path, form, "ceil")?,
            RoundOp::Trc => {
                if let Some(path) = path.and(&space.atom(form, Relation::AtLeastZero)) {
                    floor(&mut results, &path, form, "trc")?;
                }
                if let Some(path) = path.and(&negative) {
                    ceiling(&mut results, &path, form, "trc")?;
                }
            }
        }
    }
    Ok(results.finish(space)?.0)
}

fn floor(results: &mut Results, path: &Path<'_>, form: &Linear, op: &'static str) -> Result<(), Obstacle> {
    let (whole, rest) = integral_part(path.space(), form);
    let integers = path.integers(&rest).ok_or(Obstacle::Values(op));
    split_by_floor(results, path, &rest, integers, |floor| &whole + &Linear::constant_form(floor.clone()))
}

/// The ceiling is the negated floor of the negation.
fn ceiling(results: &mut Results, path: &Path<'_>, form: &Linear, op: &'static str) -> Result<(), Obstacle> {
    let (whole, rest) = integral_part(path.space(), &-form);
    let integers = path.integers(&rest).ok_or(Obstacle::Values(op));
    split_by_floor(results, path, &rest, integers, |floor| -&(&whole + &Linear::constant_form(floor.clone())))
}

/// A form as the sum of one that has integer values, without constant, and the rest.
fn integral_part(space: &Space, form: &Linear) -> (Linear, Linear) {
    let integral = |(symbol, a): &&(Symbol, Rational)| a.is_integer() && space.symbol(*symbol).integer;
    let whole = Linear::new(form.terms().iter().filter(integral).cloned().collect(), Rational::ZERO);
    let rest = form - &whole;
    (whole, rest)
}

/// `form` where `fixed` has a value: a form of one symbol gives the symbol's value.
fn with_value(form: &Linear, fixed: &Linear, value: &Rational) -> Linear {
    let [(symbol, a)] = fixed.terms() else { return form.clone() };
    let known = (value - fixed.constant()).checked_div(a).expect("no coefficient is zero");
    form.substitute(&|s| (s == *symbol).then(|| Linear::constant_form(known.clone())))
}

#[cfg(test)]
mod tests;
