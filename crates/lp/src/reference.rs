//! For tests: Fourier-Motzkin elimination, which is obviously right and hopeless beyond a few variables, and seeded
//! random programs.

use surefoot_linear::{Atom, Linear, Relation, Symbol};
use surefoot_num::{Random, Rational};

use crate::program::Program;

/// Whether there is a point: a variable is eliminated by adding every row in which it is bounded below to every row in
/// which it is bounded above; rows without variables are true or false.
pub(super) fn fourier_motzkin(program: &Program) -> bool {
    let mut rows: Vec<Atom> = Vec::new();
    for (index, (lower, upper)) in program.bounds.iter().enumerate() {
        let x = Linear::symbol(Symbol::at(index));
        rows.push(Atom::at_least_zero(&x - &Linear::constant_form(lower.clone())));
        rows.push(Atom::at_least_zero(&Linear::constant_form(upper.clone()) - &x));
    }
    for row in &program.rows {
        if row.relation == Relation::Zero {
            rows.push(Atom::at_least_zero(row.form.clone()));
            rows.push(Atom::at_least_zero(-&row.form));
        } else {
            rows.push(row.clone());
        }
    }
    for index in 0..program.bounds.len() {
        let coefficient = |row: &Atom| match row.form.terms().iter().find(|(symbol, _)| symbol.index() == index) {
            Some((_, a)) => a.clone(),
            None => Rational::ZERO,
        };
        let with = |sign: i64| rows.iter().filter(move |row| coefficient(row).signum() == sign);
        let mut next: Vec<Atom> = with(0).cloned().collect();
        for below in with(1) {
            for above in with(-1) {
                let form = (&below.form * &-coefficient(above)).plus_scaled(&above.form, &coefficient(below));
                let strict = below.relation == Relation::Positive || above.relation == Relation::Positive;
                next.push(if strict { Atom::positive(form) } else { Atom::at_least_zero(form) });
            }
        }
        next.sort();
        next.dedup();
        rows = next;
    }
    rows.iter().all(|row| row.relation.holds(row.form.constant()))
}

/// A small number below a bound.
pub(super) fn below(random: &mut Random, bound: u16) -> u16 {
    u16::try_from(random.below(usize::from(bound))).expect("below a bound that fits")
}

/// A number of `-most..=most`.
pub(super) fn integer(random: &mut Random, most: u16) -> Rational {
    Rational::from(i64::from(below(random, 2 * most + 1)) - i64::from(most))
}

/// A program with small integers, some of them halves, about as often feasible as not.
pub(super) fn small_program(random: &mut Random, variables: usize, rows: usize) -> Program {
    let half = Rational::new(1, 2).unwrap();
    let bounds = (0..variables).map(|_| {
        let lower = &integer(random, 3) * if random.below(4) == 0 { &half } else { &Rational::ONE };
        let width = i64::from(below(random, 5));
        (lower.clone(), &lower + &Rational::from(width))
    });
    let bounds: Vec<_> = bounds.collect();
    let rows = (0..rows).map(|_| {
        let mut terms = Vec::new();
        for symbol in 0..variables {
            if random.below(3) > 0 {
                terms.push((Symbol::at(symbol), integer(random, 3)));
            }
        }
        let relation = [Relation::AtLeastZero, Relation::AtLeastZero, Relation::Positive, Relation::Zero];
        Atom { form: Linear::new(terms, integer(random, 6)), relation: relation[random.below(4)] }
    });
    Program { rows: rows.collect(), bounds }
}

/// A number as weights of a network multiply to: a product of so many 53-bit fractions of either sign.
pub(super) fn product(random: &mut Random, factors: usize) -> Rational {
    (0..factors).fold(Rational::ONE, |product, _| {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let weight = (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        &product * &Rational::from_f64(weight).unwrap()
    })
}

/// A dense program over a box of integers with coefficients of many bits. With `feasible`, rows are shifted so that a
/// random point satisfies all of them; else the last row contradicts a sum of the others by a margin.
pub(super) fn network_program(
    random: &mut Random,
    variables: usize,
    rows: usize,
    factors: usize,
    feasible: bool,
) -> Program {
    let bounds = vec![(Rational::from(-10), Rational::from(10)); variables];
    let point: Vec<Rational> = (0..variables).map(|_| integer(random, 9)).collect();
    let mut made = Vec::with_capacity(rows);
    for _ in 0..rows {
        let terms = (0..variables).map(|symbol| (Symbol::at(symbol), product(random, factors))).collect();
        let form = Linear::new(terms, Rational::ZERO);
        let shift = &-form.eval(|s| point[s.index()].clone()) + &product(random, factors).abs();
        made.push(Atom::at_least_zero(&form + &Linear::constant_form(shift)));
    }
    if !feasible && rows > 1 {
        let (last, others) = made.split_last_mut().expect("more than one row");
        let weight = |random: &mut Random| product(random, 1).abs();
        let sum = others.iter().fold(Linear::default(), |sum, row| sum.plus_scaled(&row.form, &weight(random)));
        let margin = Linear::constant_form(Rational::new(1, 100).unwrap());
        last.form = &-&sum - &margin;
    }
    Program { bounds, rows: made }
}
