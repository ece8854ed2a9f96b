//! Linear normal form: `sum a_i x_i + c` with exact rational coefficients, over state slots.

use std::collections::BTreeMap;

use surefoot_linear::{Linear, Symbol};
use surefoot_num::Rational;

use crate::model::SlotId;
use crate::term::{ArithOp, Term, TermId, TermPool};

/// `sum coefficients[x] * x + constant`. No coefficient is zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinearForm {
    /// Coefficient per slot.
    pub coefficients: BTreeMap<SlotId, Rational>,
    /// The constant part.
    pub constant: Rational,
}

impl LinearForm {
    /// The value at a point.
    #[must_use]
    pub fn eval(&self, value: impl Fn(SlotId) -> Rational) -> Rational {
        let sum: Rational = self.coefficients.iter().map(|(slot, a)| a * &value(*slot)).sum();
        &sum + &self.constant
    }

    /// A number.
    #[must_use]
    pub fn number(constant: Rational) -> Self {
        Self { coefficients: BTreeMap::new(), constant }
    }

    /// The number that it is, if it depends on nothing.
    #[must_use]
    pub fn as_number(&self) -> Option<&Rational> {
        self.coefficients.is_empty().then_some(&self.constant)
    }

    /// Adds a multiple of another form.
    pub fn add_scaled(&mut self, other: &Self, factor: &Rational) {
        for (slot, a) in &other.coefficients {
            let entry = self.coefficients.entry(*slot).or_insert(Rational::ZERO);
            *entry = &*entry + &(a * factor);
        }
        self.coefficients.retain(|_, a| !a.is_zero());
        self.constant = &self.constant + &(&other.constant * factor);
    }

    /// The normal form of a term, or `None` when the term is not linear in the state slots.
    ///
    /// Sums are taken apart with a work list, so depth costs no stack. Booleans count as 0/1.
    #[must_use]
    pub fn of(pool: &TermPool, root: TermId) -> Option<Self> {
        let mut form = Self::default();
        let mut work = vec![(root, Rational::ONE)];
        while let Some((id, factor)) = work.pop() {
            match pool.get(id) {
                Term::Bool(_) | Term::Num(_) => {
                    let value = pool.constant(id).expect("a constant term");
                    form.constant = &form.constant + &(&factor * &value);
                }
                Term::Slot(slot) => {
                    let entry = form.coefficients.entry(*slot).or_insert(Rational::ZERO);
                    *entry = &*entry + &factor;
                }
                Term::Arith(ArithOp::Add, a, b) => {
                    work.push((*b, factor.clone()));
                    work.push((*a, factor));
                }
                Term::Arith(ArithOp::Sub, a, b) => {
                    work.push((*b, -&factor));
                    work.push((*a, factor));
                }
                Term::Arith(ArithOp::Mul, a, b) => match (pool.constant(*a), pool.constant(*b)) {
                    (Some(k), _) => work.push((*b, &factor * &k)),
                    (_, Some(k)) => work.push((*a, &factor * &k)),
                    _ => return None,
                },
                Term::Arith(ArithOp::Div, a, b) => {
                    let divisor = pool.constant(*b)?;
                    work.push((*a, factor.checked_div(&divisor)?));
                }
                _ => return None,
            }
        }
        form.coefficients.retain(|_, a| !a.is_zero());
        Some(form)
    }
}

impl From<&LinearForm> for Linear {
    fn from(form: &LinearForm) -> Self {
        Self::new(
            form.coefficients.iter().map(|(slot, a)| (Symbol(slot.0), a.clone())).collect(),
            form.constant.clone(),
        )
    }
}
