//! Terms that are linear in the state: `sum a_i x_i + c` with exact rational coefficients, over the slots. The symbol of a slot has
//! its number.

use surefoot_linear::{Linear, Symbol};
use surefoot_num::Rational;

use crate::interpret::State;
use crate::model::SlotId;
use crate::term::{ArithOp, Term, TermId, TermPool};

impl State {
    /// The value of a form over slots.
    #[must_use]
    pub fn value(&self, form: &Linear) -> Rational {
        form.eval(|symbol| self.get(SlotId(symbol.0)).clone())
    }
}

impl TermPool {
    /// The linear form of a term, or `None` when the term is not linear in the state slots.
    ///
    /// Sums are taken apart with a work list, so depth costs no stack. Booleans count as 0/1.
    #[must_use]
    pub fn linear(&self, root: TermId) -> Option<Linear> {
        let (mut terms, mut constant) = (Vec::new(), Rational::ZERO);
        let mut work = vec![(root, Rational::ONE)];
        while let Some((id, factor)) = work.pop() {
            match self.get(id) {
                Term::Bool(_) | Term::Num(_) => {
                    let value = self.constant(id).expect("a constant term");
                    constant = &constant + &(&factor * &value);
                }
                Term::Slot(slot) => terms.push((Symbol::from(*slot), factor)),
                Term::Arith(ArithOp::Add, a, b) => {
                    work.push((*b, factor.clone()));
                    work.push((*a, factor));
                }
                Term::Arith(ArithOp::Sub, a, b) => {
                    work.push((*b, -&factor));
                    work.push((*a, factor));
                }
                Term::Arith(ArithOp::Mul, a, b) => match (self.constant(*a), self.constant(*b)) {
                    (Some(k), _) => work.push((*b, &factor * &k)),
                    (_, Some(k)) => work.push((*a, &factor * &k)),
                    _ => return None,
                },
                Term::Arith(ArithOp::Div, a, b) => {
                    let divisor = self.constant(*b)?;
                    work.push((*a, factor.checked_div(&divisor)?));
                }
                _ => return None,
            }
        }
        Some(Linear::new(terms, constant))
    }
}
