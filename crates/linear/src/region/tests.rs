use proptest::prelude::*;

use super::*;
use crate::space::SymbolRange;

fn space() -> Space {
    let mut space = Space::default();
    for (lower, upper) in [(-2, 3), (0, 4), (0, 1)] {
        space.push(SymbolRange::integers(lower, upper));
    }
    space
}

fn points() -> impl Iterator<Item = [i64; 3]> {
    (-2..=3).flat_map(|x| (0..=4).flat_map(move |y| (0..=1).map(move |z| [x, y, z])))
}

#[test]
fn bounds_on_a_sum_contradict() {
    let space = space();
    let sum = &Linear::symbol(Symbol(0)) + &Linear::symbol(Symbol(1));
    let three = Linear::constant_form(Rational::from(3));
    let mut region = Region::new(&space);
    assert!(region.assume(&space.at_most(&sum, &three)));
    assert_eq!(region.truth(&space.below(&three, &sum)), Some(false));
    assert!(!region.assume(&space.atom(&(&sum - &Linear::constant_form(Rational::from(4))), Relation::Zero)));
}

#[test]
fn disjunctions_narrow_to_their_hull() {
    let space = space();
    let is = |value: i64| space.equals(&Linear::symbol(Symbol(0)), &Rational::from(value));
    let mut region = Region::new(&space);
    assert!(region.assume(&Formula::any([is(0), is(1)])));
    assert_eq!(region.bounds(Symbol(0)), &Interval::new(Rational::ZERO, Rational::ONE));
    assert!(!region.assume(&Formula::any([is(2), is(3)])));
}

fn atom() -> impl Strategy<Value = Formula> {
    (proptest::array::uniform3(-3i64..=3), -5i64..=5, 0usize..4).prop_map(|(a, c, r)| {
        let terms = a.iter().enumerate().map(|(i, a)| (Symbol::at(i), Rational::from(*a))).collect();
        let relation = [Relation::AtLeastZero, Relation::Positive, Relation::Zero, Relation::NonZero][r];
        space().atom(&Linear::new(terms, Rational::from(c)), relation)
    })
}

fn formula() -> impl Strategy<Value = Formula> {
    atom().prop_recursive(3, 12, 4, |inner| {
        (proptest::collection::vec(inner, 1..4), any::<bool>())
            .prop_map(|(parts, all)| if all { Formula::all(parts) } else { Formula::any(parts) })
    })
}

proptest! {
    #[test]
    fn no_point_that_satisfies_the_formulas_is_lost(first in formula(), second in formula(), third in formula()) {
        let space = space();
        let mut region = Region::new(&space);
        let possible = region.assume(&first) && region.assume(&second);
        let simple = possible.then(|| region.simplify(&third));
        for point in points() {
            let value = |s: Symbol| Rational::from(point[s.index()]);
            if !(first.eval(&value) && second.eval(&value)) {
                continue;
            }
            prop_assert!(possible, "lost {:?}", point);
            for symbol in 0..3 {
                let inside = region.bounds(Symbol(symbol)).intersection(&Interval::point(value(Symbol(symbol))));
                prop_assert!(!inside.is_empty());
            }
            prop_assert!(region.truth(&third).is_none_or(|truth| truth == third.eval(&value)));
            prop_assert_eq!(simple.as_ref().map(|f| f.eval(&value)), Some(third.eval(&value)));
        }
    }
}
