//! Beside the exact simplex on random programs whose bounds come and go.

use surefoot_linear::{Atom, Linear, Symbol};
use surefoot_num::{Random, Rational};

use super::{DualSimplex, Ended};
use crate::{Feasibility, Program};

/// A number from -4 to 4 with two binary places.
fn number(random: &mut Random) -> f64 {
    (f64::from(u8::try_from(random.below(33)).unwrap()) - 16.0) / 4.0
}

fn exact(x: f64) -> Rational {
    Rational::from_f64(x).unwrap()
}

/// A random program in both forms: maximise the last variable.
struct Instance {
    rows: Vec<(Vec<f64>, f64)>,
    bounds: Vec<(f64, f64)>,
    variables: usize,
}

impl Instance {
    /// Many ties: small integers, ranges that touch, and the last variable below every row.
    fn degenerate(random: &mut Random) -> Self {
        let variables = 3 + random.below(8);
        let count = 2 + random.below(12);
        let small = |random: &mut Random| [-1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1.0][random.below(7)];
        let mut rows: Vec<(Vec<f64>, f64)> =
            (0..count).map(|_| ((0..variables).map(|_| small(random)).collect(), small(random))).collect();
        for (coefficients, _) in &mut rows {
            coefficients[variables - 1] = -f64::from(u8::try_from(random.below(2)).unwrap());
        }
        let unit = |random: &mut Random| [(0.0, 1.0), (0.0, 1.0), (0.0, 2.0), (-1.0, 1.0), (0.0, 0.0)][random.below(5)];
        let mut bounds: Vec<(f64, f64)> = (0..variables).map(|_| unit(random)).collect();
        bounds[variables - 1] = (-4.0, 0.5);
        bounds.extend((0..count).map(|_| (0.0, [1.0, 2.0, 16.0][random.below(3)])));
        Self { rows, bounds, variables }
    }

    fn new(random: &mut Random) -> Self {
        let variables = 2 + random.below(4);
        let rows: Vec<_> = (0..1 + random.below(6))
            .map(|_| ((0..variables).map(|_| number(random)).collect(), number(random)))
            .collect();
        let bounds = (0..variables + rows.len()).map(|_| ends(random)).collect();
        Self { rows, bounds, variables }
    }

    fn simplex(&self) -> DualSimplex {
        let (lower, upper): (Vec<f64>, Vec<f64>) = self.bounds[..self.variables].iter().copied().unzip();
        let mut simplex = DualSimplex::default();
        simplex.reset(&lower, &upper);
        for ((coefficients, constant), (lower, upper)) in self.rows.iter().zip(&self.bounds[self.variables..]) {
            simplex.add_row(coefficients, *constant, *lower, *upper);
        }
        simplex.maximise(self.variables - 1);
        simplex
    }

    /// Whether the objective can be at least so much.
    fn reaches(&self, least: &Rational) -> bool {
        let mut program = Program {
            bounds: self.bounds[..self.variables].iter().map(|(l, u)| (exact(*l), exact(*u))).collect(),
            rows: Vec::new(),
        };
        for ((coefficients, constant), (lower, upper)) in self.rows.iter().zip(&self.bounds[self.variables..]) {
            let terms = coefficients.iter().enumerate().map(|(v, a)| (Symbol::at(v), exact(*a))).collect();
            let form = Linear::new(terms, exact(*constant));
            program.rows.push(Atom::at_least_zero(&form - &Linear::constant_form(exact(*lower))));
            program.rows.push(Atom::at_least_zero(&Linear::constant_form(exact(*upper)) - &form));
        }
        let objective = Linear::symbol(Symbol::at(self.variables - 1));
        program.rows.push(Atom::at_least_zero(&objective - &Linear::constant_form(least.clone())));
        matches!(program.solve(), Feasibility::Feasible(_))
    }

    /// What prices say the objective is at most (nothing where they are of a program without points): the sum that they stand for,
    /// over the box.
    fn priced(&self, simplex: &DualSimplex) -> f64 {
        let mut sum: Vec<f64> = (0..self.variables).map(|v| simplex.price(v)).collect();
        let mut constant = 0.0;
        for (v, (lower, upper)) in self.bounds[..self.variables].iter().enumerate() {
            let price = simplex.price(v);
            constant -= price * if price > 0.0 { *lower } else { *upper };
        }
        for (row, ((coefficients, c), (lower, upper))) in
            self.rows.iter().zip(&self.bounds[self.variables..]).enumerate()
        {
            let price = simplex.price(self.variables + row);
            sum.iter_mut().zip(coefficients).for_each(|(sum, a)| *sum += price * a);
            constant += price * (c - if price > 0.0 { lower } else { upper });
        }
        // The sum is `constant` plus a form that vanishes where prices are right; what is left of it counts in full.
        let left = sum.iter().zip(&self.bounds).map(|(a, (l, u))| (a * l).max(a * u)).sum::<f64>();
        constant + left
    }
}

fn ends(random: &mut Random) -> (f64, f64) {
    let (a, b) = (number(random), number(random));
    (a.min(b), a.max(b))
}

#[test]
fn agrees_with_the_exact_simplex_while_bounds_come_and_go() {
    let random = &mut Random::new(3);
    let (mut optimal, mut infeasible, mut below) = (0, 0, 0);
    for round in 0..2000 {
        let degenerate = round % 2 == 1;
        let mut instance = if degenerate { Instance::degenerate(random) } else { Instance::new(random) };
        let mut simplex = instance.simplex();
        for step in 0..6 {
            let cutoff = if step % 2 == 0 { f64::NEG_INFINITY } else { number(random) };
            let tiny = exact(1.0 / 1_048_576.0);
            match simplex.solve(cutoff, 1000) {
                Ended::Optimal => {
                    optimal += 1;
                    let best = exact(simplex.objective());
                    assert!(instance.reaches(&(&best - &tiny)), "round {round}, step {step}: too large");
                    assert!(!instance.reaches(&(&best + &tiny)), "round {round}, step {step}: too small");
                    for (variable, (lower, upper)) in instance.bounds.iter().enumerate() {
                        let value = simplex.value(variable);
                        assert!(lower - 1e-6 <= value && value <= upper + 1e-6, "round {round}, step {step}");
                    }
                }
                Ended::Infeasible => {
                    infeasible += 1;
                    assert!(!instance.reaches(&exact(-1e6)), "round {round}, step {step}: there are points");
                    assert!(instance.priced(&simplex) < 0.0, "round {round}, step {step}: prices prove nothing");
                }
                Ended::Below => {
                    below += 1;
                    assert!(!instance.reaches(&(&exact(cutoff) + &tiny)), "round {round}, step {step}: not below");
                }
                Ended::Limit => panic!("round {round}, step {step}: a small program met the limit"),
            }
            let variable = random.below(instance.bounds.len());
            instance.bounds[variable] = if degenerate {
                [(0.0, 0.0), (0.0, 1.0), (0.0, 2.0), (1.0, 1.0)][random.below(4)]
            } else if random.below(3) == 0 {
                let value = number(random);
                (value, value)
            } else {
                ends(random)
            };
            let (lower, upper) = instance.bounds[variable];
            simplex.set_bounds(variable, lower, upper);
        }
    }
    assert!(optimal > 300 && infeasible > 100 && below > 100, "{optimal} {infeasible} {below}");
}

/// A tableau that was made anew is the same program.
#[test]
fn goes_on_after_very_many_exchanges() {
    let random = &mut Random::new(5);
    let mut instance = Instance::new(random);
    while instance.rows.len() < 5 {
        instance = Instance::new(random);
    }
    let mut simplex = instance.simplex();
    let mut solved = 0;
    while simplex.exchanges() < 2000 {
        let variable = random.below(instance.bounds.len());
        instance.bounds[variable] = ends(random);
        let (lower, upper) = instance.bounds[variable];
        simplex.set_bounds(variable, lower, upper);
        if simplex.solve(f64::NEG_INFINITY, 1000) == Ended::Optimal {
            solved += 1;
            if solved % 20 == 0 {
                let mut fresh = instance.simplex();
                assert_eq!(fresh.solve(f64::NEG_INFINITY, 1000), Ended::Optimal);
                assert!((fresh.objective() - simplex.objective()).abs() < 1e-6);
            }
        }
    }
}
