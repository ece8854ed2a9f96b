//! Products in their convex envelope (McCormick, Mathematical Programming 10, 1976).
//!
//! Where `f` is in `[l, u]` and `g` in `[m, v]`, their product `w` is above `m f + l g - l m` and `v f + u g - u v`, and below
//! `v f + l g - l v` and `m f + u g - u m`: products of two distances from ends of intervals have a sign. The envelope is exact
//! where either factor is at an end, and its largest gap is a quarter of the area of the box. Everything here is exact.

use surefoot_linear::{Atom, Interval, Linear};
use surefoot_num::Rational;

/// A closed interval.
pub(super) type Ends = (Rational, Rational);

/// All products of numbers of two intervals.
pub(super) fn product(left: &Interval, right: &Interval) -> Option<Interval> {
    let ((l, u), (m, v)) = (left.ends()?, right.ends()?);
    let corners = [l * m, l * v, u * m, u * v];
    Some(Interval { lower: corners.iter().min().cloned(), upper: corners.iter().max().cloned() })
}

/// All products of numbers of two intervals, which are the same number where they are the same quantity.
pub(super) fn products(left: &Ends, right: &Ends, same: bool) -> Ends {
    let ((l, u), (m, v)) = (left, right);
    let corners = [l * m, l * v, u * m, u * v];
    let most = corners.iter().max().cloned().unwrap_or_default();
    let least = corners.iter().min().cloned().unwrap_or_default();
    if !same {
        return (least, most);
    }
    let zero = l.signum() <= 0 && u.signum() >= 0;
    (if zero { Rational::ZERO } else { (l * l).min(u * u) }, most)
}

/// What is known of a product `w` of `f` and `g` in their intervals.
pub(super) fn rows(w: &Linear, (f, of_f): (&Linear, &Ends), (g, of_g): (&Linear, &Ends)) -> Vec<Atom> {
    let ((l, u), (m, v)) = (of_f, of_g);
    let plane = |a: &Rational, b: &Rational| {
        // a g + b f - a b
        let sum = &(g * a) + &(f * b);
        &sum - &Linear::constant_form(a * b)
    };
    let mut rows = vec![
        Atom::at_least_zero(w - &plane(l, m)),
        Atom::at_least_zero(w - &plane(u, v)),
        Atom::at_least_zero(&plane(l, v) - w),
        Atom::at_least_zero(&plane(u, m) - w),
    ];
    if f == g {
        // A square is above its tangents; those at the ends are there already.
        let middle = Rational::from_f64((l + u).to_f64() / 2.0).unwrap_or_default();
        rows.push(Atom::at_least_zero(w - &plane(&middle, &middle)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use surefoot_fixtures::{Random, seeds};
    use surefoot_linear::Symbol;

    use super::*;

    /// No true product is cut off; and at corners nothing else is left.
    #[test]
    fn rows_hold_of_products_and_meet_at_corners() {
        for seed in seeds(0, 300) {
            let mut random = Random::new(seed);
            let mut number = || Rational::new(random.between(-9, 9), 2).unwrap();
            let mut interval = || {
                let (a, b) = (number(), number());
                (a.clone().min(b.clone()), a.max(b))
            };
            let (of_f, of_g) = (interval(), interval());
            let [f, g, w] = [0, 1, 2].map(|index| Linear::symbol(Symbol(index)));
            let at = |fraction: i64, (lower, upper): &Ends| {
                lower + &(&(upper - lower) * &Rational::new(fraction, 4).unwrap())
            };
            for same in [false, true] {
                let (g, of_g) = if same { (&f, &of_f) } else { (&g, &of_g) };
                let rows = rows(&w, (&f, &of_f), (g, of_g));
                let (least, most) = products(&of_f, of_g, same);
                for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))).filter(|(i, j)| !same || i == j) {
                    let (x, y) = (at(i, &of_f), at(j, of_g));
                    let true_product = &x * &y;
                    assert!(least <= true_product && true_product <= most, "seed {seed}");
                    let holds = |w: &Rational| {
                        let values = [&x, &y, w];
                        rows.iter().all(|row| row.eval(|symbol| values[symbol.index()].clone()))
                    };
                    assert!(holds(&true_product), "seed {seed}: {x} {y}");
                    let corner = [i, j].iter().any(|k| [0, 4].contains(k));
                    let off = Rational::new(1, 1000).unwrap();
                    assert!(!corner || !holds(&(&true_product + &off)) && !holds(&(&true_product - &off)));
                }
            }
        }
    }
}
