use surefoot_linear::{Symbol, SymbolRange};
use surefoot_model::Domain;

use super::*;
use crate::lower::cases::certain;

fn space(bounds: &[(i64, i64)]) -> Space {
    let mut space = Space::default();
    for (lower, upper) in bounds {
        space.push(SymbolRange::from(&Domain::Int { lower: *lower, upper: *upper }));
    }
    space
}

fn form(x: (i64, i64), y: (i64, i64), constant: (i64, i64)) -> Linear {
    let number = |(num, den)| Rational::new(num, den).unwrap();
    Linear::new(vec![(Symbol(0), number(x)), (Symbol(1), number(y))], number(constant))
}

fn forms() -> Vec<Linear> {
    vec![
        form((1, 1), (0, 1), (0, 1)),
        form((0, 1), (1, 1), (-1, 1)),
        form((2, 1), (-1, 1), (0, 1)),
        form((1, 2), (0, 1), (1, 3)),
        form((1, 2), (3, 1), (0, 1)),
        form((0, 1), (0, 1), (-2, 1)),
        form((0, 1), (0, 1), (1, 1)),
        form((0, 1), (0, 1), (0, 1)),
    ]
}

/// What holds at a point: the value of the one case that does.
fn at(cases: &[Case], value: impl Fn(Symbol) -> Rational) -> Option<Rational> {
    let mut holding = cases.iter().filter(|case| case.condition.eval(&value));
    let found = holding.next().map(|case| case.value.eval(&value));
    assert!(holding.next().is_none(), "two cases hold: {cases:?}");
    found
}

#[test]
fn operators_agree_with_arithmetic_at_every_point() {
    let space = space(&[(-3, 4), (-1, 2)]);
    let points = || (-3..=4).flat_map(|x| (-1..=2).map(move |y| (x, y)));
    let value_of = |(x, y): (i64, i64)| move |s: Symbol| Rational::from(if s == Symbol(0) { x } else { y });
    let binaries = [
        (ArithOp::Add, "+"),
        (ArithOp::Sub, "-"),
        (ArithOp::Mul, "*"),
        (ArithOp::Div, "/"),
        (ArithOp::Mod, "%"),
        (ArithOp::Pow, "pow"),
        (ArithOp::Log, "log"),
        (ArithOp::Min, "min"),
        (ArithOp::Max, "max"),
    ];
    for (op, shown) in binaries {
        assert_eq!(name(op), shown);
        for (a, b) in forms().iter().flat_map(|a| forms().into_iter().map(move |b| (a.clone(), b))) {
            let (cases, defined) = binary(&space, op, &certain(a.clone()), &certain(b.clone())).unwrap();
            for point in points() {
                let value = value_of(point);
                let expected = arithmetic::binary(op, &a.eval(value), &b.eval(value)).ok();
                assert_eq!(defined.eval(&value), expected.is_some(), "{a:?} {shown} {b:?} at {point:?}");
                if expected.is_some() {
                    assert_eq!(at(&cases, value), expected, "{a:?} {shown} {b:?} at {point:?}");
                }
            }
        }
    }
    for op in [RoundOp::Floor, RoundOp::Ceil, RoundOp::Trc, RoundOp::Abs, RoundOp::Sgn] {
        for a in forms() {
            let cases = unary(&space, op, &certain(a.clone())).unwrap();
            for point in points() {
                let value = value_of(point);
                let expected = arithmetic::unary(op, &a.eval(value));
                assert_eq!(at(&cases, value), Some(expected), "{op:?} {a:?} at {point:?}");
            }
        }
    }
}

#[test]
fn no_more_cases_than_needed() {
    let space = space(&[(0, 1_000_000), (0, 9), (0, 1)]);
    let (x, digit, flag) = (Linear::symbol(Symbol(0)), Linear::symbol(Symbol(1)), Linear::symbol(Symbol(2)));
    let number = |n: i64| Linear::constant_form(Rational::from(n));
    let count = |op, a: &Linear, b: &Linear| {
        binary(&space, op, &certain(a.clone()), &certain(b.clone())).map(|(cases, _)| cases.len())
    };
    // A factor with two values; multiples of the modulus; a quotient that is always zero.
    assert_eq!(count(ArithOp::Mul, &x, &flag), Ok(2));
    assert_eq!(count(ArithOp::Mod, &(&(&x * &Rational::from(10)) + &digit), &number(10)), Ok(1));
    assert_eq!(count(ArithOp::Mod, &digit, &number(4)), Ok(3));
    assert_eq!(count(ArithOp::Min, &x, &number(2_000_000)), Ok(1));
    assert_eq!(count(ArithOp::Max, &x, &digit), Ok(2));
    let half = &x + &Linear::constant_form(Rational::new(1, 2).unwrap());
    assert_eq!(unary(&space, RoundOp::Floor, &certain(half)), Ok(certain(x.clone())));
    assert_eq!(unary(&space, RoundOp::Abs, &certain(x.clone())), Ok(certain(x.clone())));
    // Too many values.
    assert_eq!(count(ArithOp::Mul, &x, &x), Err(Obstacle::Product));
    assert_eq!(count(ArithOp::Mod, &x, &number(7)), Err(Obstacle::Values("%")));
    assert_eq!(count(ArithOp::Div, &digit, &x), Err(Obstacle::Values("/")));
    assert_eq!(count(ArithOp::Log, &x, &number(2)), Err(Obstacle::Values("log")));
}
