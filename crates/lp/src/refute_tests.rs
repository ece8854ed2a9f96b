//! Float refutations against exact arithmetic: what is refuted is negative, and nothing but rounding is missed.

use proptest::prelude::*;
use surefoot_num::Rational;

use crate::{FloatRows, refuted_by};

/// Coefficients, constant, bound of the error, multiplier.
type Row = (Vec<f64>, f64, f64, f64);

/// A case that owns its numbers.
#[derive(Debug, Clone)]
struct Case {
    bounds: Vec<(f64, f64)>,
    rows: Vec<Row>,
}

impl Case {
    fn refuted(&self) -> bool {
        let (lower, upper): (Vec<f64>, Vec<f64>) = self.bounds.iter().copied().unzip();
        let pick = |f: fn(&Row) -> f64| self.rows.iter().map(f).collect::<Vec<f64>>();
        // One number between the rows that must not be looked at.
        let coefficients: Vec<f64> = self.rows.iter().flat_map(|row| row.0.iter().copied().chain([f64::NAN])).collect();
        let (constants, errors, multipliers) = (pick(|r| r.1), pick(|r| r.2), pick(|r| r.3));
        let rows = FloatRows {
            lower: &lower,
            upper: &upper,
            coefficients: &coefficients,
            stride: lower.len() + 1,
            constants: &constants,
        };
        refuted_by(&rows, &errors, &multipliers)
    }

    /// The exact maximum over the box, and the sum of all magnitudes that go into it.
    fn exact(&self) -> (Rational, Rational) {
        let e = |x: f64| Rational::from_f64(x).unwrap();
        let (mut largest, mut magnitude) = (Rational::ZERO, Rational::ZERO);
        let mut add = |terms: Vec<Rational>, lower: f64, upper: f64| {
            let sum: Rational = terms.iter().cloned().sum();
            let end = if sum.signum() > 0 { e(upper) } else { e(lower) };
            largest = &largest + &(&sum * &end);
            let size: Rational = terms.iter().map(Rational::abs).sum();
            magnitude = &magnitude + &(&size * &e(lower.abs().max(upper.abs())));
        };
        add(self.rows.iter().flat_map(|r| [r.1, r.2].map(|c| &e(r.3) * &e(c))).collect(), 1.0, 1.0);
        for (j, (lower, upper)) in self.bounds.iter().enumerate() {
            add(self.rows.iter().map(|r| &e(r.3) * &e(r.0[j])).collect(), *lower, *upper);
        }
        (largest, magnitude)
    }
}

/// `x` in `[0, 1]`, one row `a x + c` with multiplier 1.
fn line(a: f64, c: f64) -> Case {
    Case { bounds: vec![(0.0, 1.0)], rows: vec![(vec![a], c, 0.0, 1.0)] }
}

#[test]
fn touching_zero_is_no_refutation() {
    assert!(line(1.0, -2.0).refuted());
    assert!(!line(1.0, -1.0).refuted() && !line(1.0, f64::next_up(-1.0)).refuted());
    assert!(line(1.0, -1.0 - 1e-14).refuted());
    assert!(line(1e-310, -1e-300).refuted() && !line(1e-310, -1e-310).refuted());
    assert!(line(-f64::MAX, -f64::MAX).refuted() && !line(f64::MAX, f64::MAX).refuted());
    let mut with_error = line(1.0, -2.0);
    with_error.rows[0].2 = 1.0;
    assert!(!with_error.refuted());
    with_error.rows[0].2 = 0.999;
    assert!(with_error.refuted());
}

#[test]
fn what_is_invalid_refutes_nothing() {
    let good = line(1.0, -2.0);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let change: [fn(&mut Case, f64); 6] = [
            |case, bad| case.bounds[0].0 = bad,
            |case, bad| case.bounds[0].1 = bad,
            |case, bad| case.rows[0].0[0] = bad,
            |case, bad| case.rows[0].1 = bad,
            |case, bad| case.rows[0].2 = bad,
            |case, bad| case.rows[0].3 = bad,
        ];
        for change in change {
            let mut case = good.clone();
            change(&mut case, bad);
            assert!(!case.refuted(), "{case:?}");
        }
        // In a row that is not used it does not matter.
        let mut case = good.clone();
        case.rows.push((vec![bad], bad, bad, 0.0));
        assert!(case.refuted());
    }
    for (lower, upper, error, multiplier) in [(1.0, 0.0, 0.0, 1.0), (0.0, 1.0, -1.0, 1.0), (0.0, 1.0, 0.0, -1.0)] {
        let rows = vec![(vec![1.0], -2.0, error, multiplier)];
        assert!(!Case { bounds: vec![(lower, upper)], rows }.refuted());
    }
    assert!(!Case { bounds: vec![(0.0, 1.0)], rows: vec![] }.refuted());
    let empty = FloatRows { lower: &[0.0], upper: &[1.0], coefficients: &[1.0], stride: 1, constants: &[-2.0] };
    assert!(refuted_by(&empty, &[0.0], &[1.0]));
    assert!(!refuted_by(&empty, &[], &[1.0]) && !refuted_by(&empty, &[0.0], &[]));
    assert!(!refuted_by(&FloatRows { coefficients: &[], ..empty }, &[0.0], &[1.0]));
    assert!(!refuted_by(&FloatRows { stride: 0, ..empty }, &[0.0], &[1.0]));
    assert!(!refuted_by(&FloatRows { upper: &[], ..empty }, &[0.0], &[1.0]));
}

#[test]
fn overflow_of_a_part_is_noticed() {
    // The parts overflow in opposite directions; exactly, the sum is positive.
    let rows = vec![(vec![f64::MAX], 1.0, 0.0, 4.0), (vec![-f64::MAX], 1.0, 0.0, 4.0)];
    assert!(!Case { bounds: vec![(-1.0, 1.0)], rows }.refuted());
    let rows = vec![(vec![1.0], f64::MAX, 0.0, 2.0), (vec![1.0], -f64::MAX, 0.0, 2.0)];
    assert!(!Case { bounds: vec![(0.0, 1.0)], rows }.refuted());
}

/// A hundred products just below half of the smallest float vanish, and a huge variable brings them back.
#[test]
fn underflow_adds_up() {
    let (multiplier, a, constant) = (2f64.powi(-600), 0.98 * 2f64.powi(-475), -1e-16 * 2f64.powi(600));
    assert_eq!(multiplier * a, 0.0);
    let case = Case { bounds: vec![(0.0, 1e308)], rows: vec![(vec![a], constant, 0.0, multiplier); 100] };
    assert!(case.exact().0.signum() > 0 && !case.refuted());
    let rows = vec![(vec![a], 100.0 * constant, 0.0, multiplier); 100];
    assert!(Case { rows, ..case }.refuted());
}

/// Finite floats of all sizes, with a taste for those that cancel, underflow and overflow.
fn hostile() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => -4.0..4.0f64,
        2 => (-3i32..=3).prop_map(f64::from),
        1 => any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite()),
        1 => prop::sample::select(vec![0.0, -0.0, f64::MAX, f64::MIN, 1e300, -1e300, 1e16, -1e16, 5e-324, -5e-324]),
        1 => (1.0f64..2.0).prop_map(|x| x * f64::MIN_POSITIVE),
        1 => prop::sample::select(vec![1.0f64.next_up(), 1.0f64.next_down(), (-1.0f64).next_up(), 0.1, 0.2, -0.3]),
    ]
}

fn case(number: BoxedStrategy<f64>) -> impl Strategy<Value = Case> {
    let shapes = (0usize..11, 1usize..6);
    shapes.prop_flat_map(move |(variables, rows)| {
        let size = number.clone().prop_map(f64::abs);
        let row = (prop::collection::vec(number.clone(), variables), number.clone(), size.clone(), size);
        let bounds = (number.clone(), number.clone()).prop_map(|(a, b)| (a.min(b), a.max(b)));
        (prop::collection::vec(bounds, variables), prop::collection::vec(row, rows))
            .prop_map(|(bounds, rows)| Case { bounds, rows })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn refutations_are_true(case in case(hostile().boxed())) {
        prop_assert!(!case.refuted() || case.exact().0.signum() < 0);
    }

    /// A constant is chosen such that the maximum is zero but for rounding, then moved by single units.
    #[test]
    fn refutations_are_true_next_to_zero(case in case(prop_oneof![hostile(), -1.0..1.0f64].boxed()), up: bool) {
        let mut case = case;
        let multiplier = Rational::from_f64(case.rows[0].3).unwrap();
        let shift = case.exact().0.checked_div(&multiplier).unwrap_or_default();
        let mut constant = (&Rational::from_f64(case.rows[0].1).unwrap() - &shift).to_f64();
        for _ in 0..20 {
            if !constant.is_finite() {
                break;
            }
            case.rows[0].1 = constant;
            prop_assert!(!case.refuted() || case.exact().0.signum() < 0);
            constant = if up { constant.next_up() } else { constant.next_down() };
        }
    }

    /// Nothing but rounding stands between what is true and what is refuted.
    #[test]
    fn clear_cases_are_refuted(case in case((-4.0..4.0f64).boxed()), margin in 0.0..1.0f64) {
        let mut case = case;
        for row in &mut case.rows {
            row.3 += 0.1;
        }
        let (largest, magnitude) = case.exact();
        let tolerance = &magnitude * &Rational::from_f64(3e-14 + margin * 1e-13).unwrap();
        let shift = (&largest + &tolerance).checked_div(&Rational::from_f64(case.rows[0].3).unwrap()).unwrap();
        case.rows[0].1 -= shift.to_f64();
        let (largest, magnitude) = case.exact();
        let clear = &largest + &(&magnitude * &Rational::from_f64(2e-14).unwrap());
        prop_assert!(clear.signum() >= 0 || case.refuted());
    }
}
