//! The exact simplex against its definition, against Fourier-Motzkin elimination and on the examples that break
//! simplexes.

use surefoot_linear::{Atom, Linear, Relation, Symbol};
use surefoot_num::{Random, Rational};

use crate::reference::{fourier_motzkin, network_program, small_program};
use crate::{ExactSimplex, Feasibility, Program};

fn r(text: &str) -> Rational {
    text.parse().unwrap()
}

fn form(coefficients: &[i64], constant: i64) -> Linear {
    let terms = coefficients.iter().enumerate().map(|(k, a)| (Symbol::at(k), Rational::from(*a))).collect();
    Linear::new(terms, Rational::from(constant))
}

fn boxed(variables: usize, lower: i64, upper: i64, rows: Vec<Atom>) -> Program {
    Program { bounds: vec![(Rational::from(lower), Rational::from(upper)); variables], rows }
}

/// Whether the program is feasible, by an answer that was checked.
fn checked(program: &Program, answer: &Feasibility) -> bool {
    match answer {
        Feasibility::Feasible(point) => {
            assert!(program.contains(point), "{point:?} is no point of {program:?}");
            true
        }
        Feasibility::Infeasible(multipliers) => {
            assert!(program.refutes(multipliers), "{multipliers:?} do not refute {program:?}");
            false
        }
    }
}

/// The exact simplex's answer, which must be that of `solve`, hints and all.
fn feasible(program: &Program) -> bool {
    let mut simplex = ExactSimplex::new(&program.bounds);
    program.rows.iter().for_each(|row| simplex.assert_row(row));
    let answer = checked(program, &simplex.check());
    assert_eq!(checked(program, &program.solve()), answer);
    answer
}

#[test]
fn boundaries_belong_to_weak_rows_only() {
    let rows = |first: Atom, second: Atom| boxed(1, -5, 5, vec![first, second]);
    let (up, down) = (form(&[1], 0), form(&[-1], 0));
    assert!(feasible(&rows(Atom::at_least_zero(up.clone()), Atom::at_least_zero(down.clone()))));
    assert!(!feasible(&rows(Atom::positive(up.clone()), Atom::at_least_zero(down.clone()))));
    assert!(!feasible(&rows(Atom::positive(up.clone()), Atom::positive(down.clone()))));
    assert!(feasible(&rows(Atom::positive(up.clone()), Atom::positive(form(&[-1], 1)))));
    assert!(!feasible(&rows(Atom::zero(up.clone()), Atom::positive(down))));
    // The box's own boundary: x >= 5 is its corner, x > 5 is outside.
    assert!(feasible(&boxed(1, -5, 5, vec![Atom::at_least_zero(form(&[1], -5))])));
    assert!(!feasible(&boxed(1, -5, 5, vec![Atom::positive(form(&[1], -5))])));
    // A chain of strict rows needs several infinitesimals: 0 < x < y < z < 1/1000.
    let mut chain = vec![Atom::positive(form(&[1], 0)), Atom::positive(form(&[-1, 1], 0))];
    chain.push(Atom::positive(form(&[0, -1, 1], 0)));
    chain.push(Atom::positive(form(&[0, 0, -1000], 1)));
    assert!(feasible(&boxed(3, 0, 1, chain.clone())));
    chain.push(Atom::at_least_zero(form(&[1, 0, -1], 0)));
    assert!(!feasible(&boxed(3, 0, 1, chain)));
}

#[test]
fn degenerate_shapes() {
    assert_eq!(Program::default().solve(), Feasibility::Feasible(vec![]));
    assert!(feasible(&boxed(3, 1, 1, vec![])));
    let constant = |value, relation| Program { bounds: vec![], rows: vec![Atom { form: form(&[], value), relation }] };
    for relation in [Relation::AtLeastZero, Relation::Positive, Relation::Zero] {
        for value in [-1, 0, 1] {
            let expected = relation.holds(&Rational::from(value));
            assert_eq!(feasible(&constant(value, relation)), expected, "{value} {relation:?}");
            // The same with variables that have one value only, and with variables that do not matter.
            let rows = vec![Atom { form: form(&[2, -1], value - 1), relation }];
            assert_eq!(feasible(&boxed(2, 1, 1, rows)), expected);
        }
    }
    let empty = Program { bounds: vec![(r("0"), r("1")), (r("1"), r("1/2"))], rows: vec![Atom::zero(form(&[1], 0))] };
    assert_eq!(empty.solve(), Feasibility::Infeasible(vec![]));
    // The same row many times, in several scales.
    let same = (1..9).map(|k| Atom::zero(form(&[3 * k, -2 * k, k], -k))).collect();
    assert!(feasible(&boxed(3, 0, 1, same)));
}

#[test]
fn equalities_pin_points_down() {
    let rows = vec![Atom::zero(form(&[2, 3], -1)), Atom::zero(form(&[5, -7], 2))];
    let program = boxed(2, -1, 1, rows);
    assert_eq!(program.solve(), Feasibility::Feasible(vec![r("1/29"), r("9/29")]));
    let mut beside = program;
    beside.rows.push(Atom::positive(form(&[29, 0], -1)));
    assert!(!feasible(&beside));
    // A negative multiplier of an equality: x + y = 1 against x + y >= 2.
    assert!(!feasible(&boxed(2, 0, 5, vec![Atom::zero(form(&[1, 1], -1)), Atom::at_least_zero(form(&[1, 1], -2))])));
}

/// Beale's example, on which the textbook rule cycles: min -3/4 a + 150 b - 1/50 c + 6 d has the optimum -1/20.
#[test]
fn beale_does_not_cycle() {
    let row = |a: [&str; 4], constant: &str| {
        Linear::new(a.iter().enumerate().map(|(k, a)| (Symbol::at(k), r(a))).collect(), r(constant))
    };
    let program = |level: &str, strict: bool| {
        let objective = row(["3/4", "-150", "1/50", "-6"], level);
        let rows = vec![
            Atom::at_least_zero(row(["-1/4", "60", "1/25", "-9"], "0")),
            Atom::at_least_zero(row(["-1/2", "90", "1/50", "-3"], "0")),
            Atom::at_least_zero(row(["0", "0", "-1", "0"], "1")),
            if strict { Atom::positive(objective) } else { Atom::at_least_zero(objective) },
        ];
        boxed(4, 0, 1_000_000, rows)
    };
    assert!(feasible(&program("-1/20", false)));
    assert!(!feasible(&program("-1/20", true)));
    assert!(!feasible(&program("-51/1000", false)));
    assert!(feasible(&program("-49/1000", true)));
}

#[test]
fn random_programs_agree_with_elimination() {
    let random = &mut Random::new(2006);
    let mut found = [0usize; 2];
    for round in 0..3000 {
        let (variables, rows) = (1 + random.below(4), 1 + random.below(if round % 10 == 0 { 6 } else { 4 }));
        let program = small_program(random, variables, rows);
        let answer = feasible(&program);
        assert_eq!(answer, fourier_motzkin(&program), "{program:?}");
        // Bland's rule is a fallback that is rarely needed: from the first exchange, and from the third.
        for greedy in [0, 2] {
            let mut simplex = ExactSimplex::new(&program.bounds);
            program.rows.iter().for_each(|row| simplex.assert_row(row));
            assert_eq!(checked(&program, &simplex.check_greedily(greedy, &|| false).unwrap()), answer);
        }
        found[usize::from(answer)] += 1;
    }
    assert!(found.iter().all(|count| *count > 500), "one-sided sample: {found:?}");
}

/// A point of the grid satisfies the rows: then they are feasible.
#[test]
fn random_programs_agree_with_a_grid() {
    let random = &mut Random::new(42);
    let mut inside = 0;
    for _ in 0..500 {
        let (variables, rows) = (1 + random.below(3), random.below(12));
        let program = small_program(random, variables, rows);
        let steps = |k: usize| {
            let (lower, upper) = &program.bounds[k];
            let half = Rational::new(1, 2).unwrap();
            std::iter::successors(Some(lower.clone()), move |x| Some(x + &half)).take_while(move |x| x <= upper)
        };
        let grid = (0..variables).fold(vec![vec![]], |points: Vec<Vec<Rational>>, k| {
            points.iter().flat_map(|point| steps(k).map(|x| [point.as_slice(), &[x]].concat())).collect()
        });
        let hit = grid.iter().any(|point| program.contains(point));
        inside += usize::from(hit);
        assert!(feasible(&program) || !hit, "{program:?}");
    }
    assert!(inside > 50, "{inside} programs had a point of the grid");
}

#[test]
fn backtracking_is_the_same_as_never_having_asserted() {
    let random = &mut Random::new(1);
    for _ in 0..200 {
        let variables = 1 + random.below(5);
        let mut program = small_program(random, variables, 0);
        let mut simplex = ExactSimplex::new(&program.bounds);
        for _ in 0..12 {
            if random.below(3) == 0 {
                let rows = random.below(program.rows.len() + 1);
                program.rows.truncate(rows);
                simplex.backtrack(rows);
            } else {
                let row = small_program(random, variables, 1).rows.remove(0);
                simplex.assert_row(&row);
                program.rows.push(row);
            }
            assert_eq!(simplex.rows(), program.rows.len());
            if random.below(4) > 0 {
                assert_eq!(checked(&program, &simplex.check()), feasible(&program), "{program:?}");
            }
        }
    }
}

#[test]
fn products_of_weights_are_exact() {
    let random = &mut Random::new(53);
    for round in 0..24 {
        let (variables, rows) = (2 + random.below(5), 3 + random.below(6));
        let wanted = round % 2 == 0;
        let program = network_program(random, variables, rows, 7, wanted);
        assert_eq!(feasible(&program), wanted);
    }
}

/// Rows that differ from one another by the last of hundreds of bits.
#[test]
fn the_last_bit_decides() {
    let random = &mut Random::new(99);
    for _ in 0..20 {
        let a = crate::reference::product(random, 7);
        let ulp = r("1e-200");
        let line = Linear::new(vec![(Symbol(0), a.clone()), (Symbol(1), -Rational::ONE)], Rational::ZERO);
        let above = &line - &Linear::constant_form(ulp.clone());
        let program = |first: Atom, second: Atom| boxed(2, -1, 1, vec![first, second]);
        assert!(!feasible(&program(Atom::at_least_zero(above.clone()), Atom::at_least_zero(-&line))));
        assert!(feasible(&program(Atom::at_least_zero(above.clone()), Atom::at_least_zero(line.clone()))));
        assert!(feasible(&program(Atom::zero(above.clone()), Atom::positive(line.clone()))));
        assert!(!feasible(&program(Atom::zero(above), Atom::zero(line))));
    }
}
