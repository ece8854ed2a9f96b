//! Formulas for solvers that compute in floats and know no strict atoms.
//!
//! Over integers a strict atom is one that is not, and `!= 0` two. Elsewhere `> 0` becomes `>= 0`, and `!= 0` the truth.
//!
//! Soundness: what is made has all solutions of what it is made of. Whoever finds a solution of it has a hint; that it has none says what it
//! would say of the formula itself.

use surefoot_linear::{Atom, Formula, Linear, Relation, normal_atom};
use surefoot_num::Rational;
use surefoot_oracle::{Kind, Question};

use crate::unrolled::Unrolled;

/// The formula of a question, closed and with all that ranges decide put in.
pub(crate) fn closed(question: &Question, unrolled: &Unrolled) -> Formula {
    close(&unrolled.formula, &|atom| {
        let is_integer = |index: usize| question.variables.get(index).is_some_and(|v| v.kind == Kind::Integer);
        let integral = atom.form.terms().iter().all(|(symbol, _)| is_integer(symbol.index()));
        let normal = if integral { normal_atom(&atom.form, atom.relation, true) } else { Formula::Atom(atom.clone()) };
        let Formula::Atom(normal) = normal else { return normal };
        if let Some(truth) = unrolled.range(&normal.form).decides(normal.relation) {
            return Formula::constant(truth);
        }
        let row = |form: &Linear| Formula::Atom(scaled(Atom::at_least_zero(form.clone())));
        let less_one = |form: &Linear| row(&(form - &Linear::constant_form(Rational::ONE)));
        match normal.relation {
            Relation::AtLeastZero | Relation::Positive => row(&normal.form),
            Relation::Zero => Formula::Atom(scaled(normal)),
            Relation::NonZero if integral => Formula::any([less_one(&normal.form), less_one(&-&normal.form)]),
            Relation::NonZero => Formula::truth(),
        }
    })
}

/// Coefficients that are left as they are: tolerances are absolute.
const LARGEST: i64 = 1 << 10;

/// The atom with 1 as its largest coefficient, where that is not of an ordinary size.
fn scaled(atom: Atom) -> Atom {
    let largest = atom.form.terms().iter().map(|(_, factor)| factor.abs()).max().unwrap_or(Rational::ONE);
    match Rational::ONE.checked_div(&largest) {
        Some(scale) if scale > Rational::ONE || largest > Rational::from(LARGEST) => {
            Atom { form: &atom.form * &scale, relation: atom.relation }
        }
        _ => atom,
    }
}

fn close(formula: &Formula, atom: &impl Fn(&Atom) -> Formula) -> Formula {
    match formula {
        Formula::Atom(given) => atom(given),
        Formula::All(parts) => Formula::all(parts.iter().map(|part| close(part, atom))),
        Formula::Any(parts) => Formula::any(parts.iter().map(|part| close(part, atom))),
    }
}

/// A conjunction of rows and of choices between conjunctions.
#[derive(Debug, Default)]
pub(crate) struct Clauses {
    /// Atoms that hold.
    pub(crate) rows: Vec<Atom>,
    /// Of each, one part holds.
    pub(crate) choices: Vec<Vec<Vec<Atom>>>,
}

/// Parts of one choice, at most.
const MOST_PARTS: usize = 1 << 12;

impl Clauses {
    /// The clauses of a closed formula; `None` where they would be too many.
    pub(crate) fn of(formula: &Formula) -> Option<Self> {
        let mut clauses = Self::default();
        let mut work = vec![formula];
        while let Some(part) = work.pop() {
            match part {
                Formula::Atom(atom) => clauses.rows.push(atom.clone()),
                Formula::All(parts) => work.extend(parts.iter().rev()),
                Formula::Any(_) => clauses.choices.push(parts_of(part)?),
            }
        }
        Some(clauses)
    }
}

/// The disjunctive normal form.
fn parts_of(formula: &Formula) -> Option<Vec<Vec<Atom>>> {
    match formula {
        Formula::Atom(atom) => Some(vec![vec![atom.clone()]]),
        Formula::Any(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(parts_of(part)?);
                if all.len() > MOST_PARTS {
                    return None;
                }
            }
            Some(all)
        }
        Formula::All(parts) => parts.iter().try_fold(vec![Vec::new()], |sofar, part| {
            let more = parts_of(part)?;
            if sofar.len().checked_mul(more.len())? > MOST_PARTS {
                return None;
            }
            let joined =
                |one: &Vec<Atom>| more.iter().map(|other| [one.as_slice(), other].concat()).collect::<Vec<_>>();
            Some(sofar.iter().flat_map(joined).collect())
        }),
    }
}
