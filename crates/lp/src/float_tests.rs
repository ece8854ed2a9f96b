//! Hints against exact answers: nothing they say is trusted, but nearly all of it should be true.

use surefoot_linear::Atom;
use surefoot_num::{Random, Rational};

use crate::reference::{below, network_program};
use crate::{Feasibility, FloatRows, FloatSimplex, Program, refuted_by};

/// A program rounded to floats.
struct Floats {
    lower: Vec<f64>,
    upper: Vec<f64>,
    coefficients: Vec<f64>,
    constants: Vec<f64>,
    scales: Vec<f64>,
}

impl Floats {
    fn new(program: &Program) -> Self {
        let n = program.bounds.len();
        let mut coefficients = vec![0.0; n * program.rows.len()];
        for (row, atom) in program.rows.iter().enumerate() {
            for (symbol, a) in atom.form.terms() {
                coefficients[row * n + symbol.index()] = a.to_f64();
            }
        }
        let lower: Vec<f64> = program.bounds.iter().map(|(lower, _)| lower.to_f64()).collect();
        let upper: Vec<f64> = program.bounds.iter().map(|(_, upper)| upper.to_f64()).collect();
        let scale = |row: usize| {
            let size = |j: usize| coefficients[row * n + j].abs() * (upper[j] - lower[j]);
            (0..n).map(size).sum::<f64>().max(f64::MIN_POSITIVE)
        };
        let scales = (0..program.rows.len()).map(scale).collect();
        let constants = program.rows.iter().map(|atom| atom.form.constant().to_f64()).collect();
        Self { lower, upper, coefficients, constants, scales }
    }

    fn rows(&self) -> FloatRows<'_> {
        FloatRows {
            lower: &self.lower,
            upper: &self.upper,
            coefficients: &self.coefficients,
            stride: self.lower.len(),
            constants: &self.constants,
        }
    }

    /// The program that the floats are, exactly.
    fn exact(&self) -> Program {
        let e = |x: &f64| Rational::from_f64(*x).unwrap();
        let rows = self.constants.iter().enumerate().map(|(row, constant)| {
            let terms = self
                .rows()
                .row(row)
                .iter()
                .zip(0..)
                .map(|(a, symbol)| (surefoot_linear::Symbol(symbol), e(a)))
                .collect();
            Atom::at_least_zero(surefoot_linear::Linear::new(terms, e(constant)))
        });
        Program { bounds: self.lower.iter().map(e).zip(self.upper.iter().map(e)).collect(), rows: rows.collect() }
    }
}

/// What every hint promises, finished or not.
fn assert_well_formed(floats: &Floats, simplex: &mut FloatSimplex, start: &[f64], limit: usize) -> (Option<f64>, bool) {
    let hint = simplex.solve(&floats.rows(), &floats.scales, start, limit);
    assert!(hint.t.is_none_or(|t| t <= 1.0));
    let inside = hint.point.iter().zip(floats.lower.iter().zip(&floats.upper)).all(|(x, (l, u))| l <= x && x <= u);
    assert!(inside && hint.point.len() == floats.lower.len(), "{hint:?}");
    assert!(hint.multipliers.len() == floats.constants.len() && hint.multipliers.iter().all(|m| *m >= 0.0));
    let sum: f64 = hint.multipliers.iter().zip(&floats.scales).map(|(m, s)| m * s).sum();
    assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-9, "multipliers of {hint:?} add up to {sum}");
    (hint.t, hint.finished)
}

fn start(floats: &Floats, random: &mut Random) -> Vec<f64> {
    let at = |(l, u): (&f64, &f64)| l + (u - l) * (f64::from(below(random, 101)) / 100.0);
    floats.lower.iter().zip(&floats.upper).map(at).collect()
}

/// Of random dense programs: an infeasible one is refuted by the hint, a feasible one has the hint's point.
#[test]
fn hints_decide_nearly_everything() {
    let random = &mut Random::new(11);
    let mut simplex = FloatSimplex::default();
    let (mut refuted, mut infeasible, mut hit, mut feasible) = (0, 0, 0, 0);
    for round in 0..600 {
        let (variables, rows) = (1 + random.below(20), 2 + random.below(30));
        let floats = Floats::new(&network_program(random, variables, rows, 1, round % 2 == 0));
        let start = start(&floats, random);
        let (t, finished) = assert_well_formed(&floats, &mut simplex, &start, 500);
        assert!(finished, "round {round}: {variables} variables, {rows} rows");
        let hint = simplex.solve(&floats.rows(), &floats.scales, &start, 500);
        assert_eq!(hint.t, t, "the same question has the same answer");
        let exact = floats.exact();
        let proved = refuted_by(&floats.rows(), &vec![0.0; rows], hint.multipliers);
        let point: Vec<Rational> = hint.point.iter().map(|x| Rational::from_f64(*x).unwrap()).collect();
        let found = exact.contains(&point);
        if let Feasibility::Infeasible(multipliers) = exact.solve() {
            assert!(exact.refutes(&multipliers));
            infeasible += 1;
            refuted += usize::from(proved);
            assert!(!found);
        } else {
            feasible += 1;
            hit += usize::from(found);
            assert!(!proved);
        }
    }
    assert!(infeasible > 250 && feasible > 250, "{infeasible} infeasible, {feasible} feasible");
    assert!(refuted * 100 >= infeasible * 99, "{refuted} of {infeasible} refuted");
    assert!(hit * 100 >= feasible * 99, "{hit} of {feasible} points");
}

/// The optimum is found: no point has more slack, by the exact solver, and the hint's has as much as it says.
#[test]
fn t_is_the_optimum() {
    let random = &mut Random::new(5);
    let mut simplex = FloatSimplex::default();
    for round in 0..120 {
        let (variables, rows) = (1 + random.below(6), 1 + random.below(9));
        let floats = Floats::new(&network_program(random, variables, rows, 1, round % 3 == 0));
        let hint = simplex.solve(&floats.rows(), &floats.scales, &start(&floats, random), 500);
        assert!(hint.finished);
        let t = hint.t.unwrap();
        let shifted = |by: f64| {
            let mut program = floats.exact();
            for (row, scale) in program.rows.iter_mut().zip(&floats.scales) {
                let shift = Rational::from_f64((t + by) * scale).unwrap();
                row.form = &row.form - &surefoot_linear::Linear::constant_form(shift);
            }
            matches!(program.solve(), Feasibility::Feasible(_))
        };
        assert!(shifted(-1e-9), "{} is less than {t}", t - 1e-9);
        assert!(t == 1.0 || !shifted(1e-8), "{t} is not the largest");
    }
}

/// Equal rows, rows through one point, integers: many ties in every ratio test.
#[test]
fn degenerate_programs_end() {
    let random = &mut Random::new(3);
    let mut simplex = FloatSimplex::default();
    for _ in 0..400 {
        let (variables, rows) = (1 + random.below(8), 1 + random.below(20));
        let small = |random: &mut Random| f64::from(below(random, 3)) - 1.0;
        let floats = Floats {
            lower: vec![-1.0; variables],
            upper: (0..variables).map(|_| small(random).max(0.0)).collect(),
            coefficients: (0..variables * rows).map(|_| small(random)).collect(),
            constants: vec![0.0; rows],
            scales: vec![1.0; rows],
        };
        let (_, finished) = assert_well_formed(&floats, &mut simplex, &vec![0.0; variables], 2000);
        assert!(finished, "{:?}", floats.coefficients);
    }
}

#[test]
fn hostile_numbers_neither_panic_nor_loop() {
    let random = &mut Random::new(8);
    let mut simplex = FloatSimplex::default();
    let hostile =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 1e200, -1e-200, 5e-324, 0.0, 1.0, -1.0];
    for round in 0..3000 {
        let (variables, rows) = (random.below(6), random.below(8));
        let wild = round % 3;
        let number = |random: &mut Random| match random.below(4) {
            0 if wild > 0 => hostile[random.below(hostile.len())],
            1 if wild > 1 => f64::from_bits(random.next_u64()),
            _ => f64::from(below(random, 9)) - 4.0,
        };
        let many = |count: usize, random: &mut Random| (0..count).map(|_| number(random)).collect::<Vec<f64>>();
        let floats = Floats {
            lower: many(variables, random),
            upper: many(variables, random),
            coefficients: many(variables * rows, random),
            constants: many(rows, random),
            scales: many(rows, random),
        };
        let start = many(variables, random);
        let hint = simplex.solve(&floats.rows(), &floats.scales, &start, 300);
        assert!(hint.t.is_none_or(|t| !t.is_nan()) && hint.multipliers.iter().all(|m| *m >= 0.0));
        let valid = floats.rows().is_sound() && floats.scales.iter().all(|s| s.is_finite() && *s > 0.0);
        assert!(valid || !hint.finished);
    }
}

#[test]
fn special_cases() {
    let mut simplex = FloatSimplex::default();
    let none = FloatRows { lower: &[0.0], upper: &[1.0], coefficients: &[], stride: 1, constants: &[] };
    let hint = simplex.solve(&none, &[], &[0.25], 10);
    assert!(hint.finished && hint.t == Some(1.0) && hint.point == [0.25]);
    let constant = FloatRows { lower: &[], upper: &[], coefficients: &[], stride: 0, constants: &[-0.5, 2.0] };
    let hint = simplex.solve(&constant, &[1.0, 1.0], &[], 10);
    assert!(hint.finished && hint.t == Some(-0.5) && hint.multipliers == [1.0, 0.0]);
    // No room for a single exchange: still a point and multipliers.
    let line = FloatRows { lower: &[0.0], upper: &[4.0], coefficients: &[1.0], stride: 1, constants: &[-2.0] };
    let hint = simplex.solve(&line, &[4.0], &[0.0], 0);
    assert!(!hint.finished && hint.t == Some(-0.5) && hint.multipliers == [0.25]);
    let hint = simplex.solve(&line, &[4.0], &[0.0], 10);
    assert!(hint.finished && hint.t == Some(0.5) && hint.point == [4.0]);
    // Lengths that do not fit.
    assert!(!simplex.solve(&line, &[], &[0.0], 10).finished);
    assert!(!simplex.solve(&line, &[4.0], &[], 10).finished);
}
