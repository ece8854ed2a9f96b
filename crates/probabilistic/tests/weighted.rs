//! The weighted maximum against all subsets, all points, and Z3's `assert-soft` where there is Z3.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::fmt::Write;
use std::process::Command;

use surefoot_fixtures::{Random, python_with, seeds};
use surefoot_limits::Stop;
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, BranchAndBound, Limits, Options, Oracle, Question, Variable};
use surefoot_probabilistic::paper::weighted::{Soft, maximum, maximum_reference};

/// Weighted constraints on points of a box.
struct Problem {
    upper: Vec<i64>,
    hard: Formula,
    soft: Vec<Formula>,
    weights: Vec<Rational>,
    oracle: BranchAndBound,
}

impl Soft for Problem {
    type Point = Vec<Rational>;

    fn weights(&self) -> &[Rational] {
        &self.weights
    }

    fn holding(&mut self, point: &Vec<Rational>) -> Vec<bool> {
        self.soft.iter().map(|formula| formula.eval(&|symbol: Symbol| point[symbol.index()].clone())).collect()
    }

    fn find(&mut self, demanded: &[usize], given_up: &[bool]) -> Result<Option<Vec<Rational>>, Stop> {
        let demanded = demanded.iter().map(|index| self.soft[*index].clone());
        let refused = self.soft.iter().zip(given_up).filter(|(_, given_up)| **given_up);
        let parts = demanded.chain(refused.map(|(formula, _)| formula.negated())).chain([self.hard.clone()]);
        let variables = self.upper.iter().map(|upper| Variable::integer(0, *upper)).collect();
        let question = Question { variables, applications: Vec::new(), formula: Formula::all(parts) };
        match self.oracle.decide(&question, &Limits::default()) {
            Answer::Sat(point) => Ok(Some(point)),
            Answer::Unsat => Ok(None),
            Answer::Unknown(stop) => Err(stop),
        }
    }
}

impl Problem {
    fn random(random: &mut Random) -> Self {
        let upper: Vec<i64> = (0..1 + random.below(3)).map(|_| random.between(1, 4)).collect();
        let count = 1 + random.below(8);
        let soft: Vec<Formula> = (0..count).map(|_| formula(random, upper.len(), 2)).collect();
        let weights = soft.iter().map(|_| Rational::new(random.between(1, 9), 10).unwrap()).collect();
        let hard = formula(random, upper.len(), 1);
        Self { upper, hard, soft, weights, oracle: BranchAndBound::new(Options::default()) }
    }

    /// By looking at all points.
    fn by_points(&mut self) -> Option<Rational> {
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for upper in &self.upper {
            points = points.iter().flat_map(|p| (0..=*upper).map(move |v| [&p[..], &[v]].concat())).collect();
        }
        let points = points.iter().map(|p| p.iter().map(|v| Rational::from(*v)).collect::<Vec<_>>());
        let inside: Vec<_> = points.filter(|point| self.hard.eval(&|s: Symbol| point[s.index()].clone())).collect();
        let weight = |point: &Vec<Rational>| {
            let holding = self.holding(point);
            self.weights.iter().zip(holding).filter(|(_, holds)| *holds).map(|(w, _)| w.clone()).sum::<Rational>()
        };
        inside.iter().map(weight).max()
    }

    /// As SMT-LIB, with soft constraints.
    fn text(&self) -> String {
        let mut text = String::new();
        for (index, upper) in self.upper.iter().enumerate() {
            writeln!(text, "(declare-const x{index} Int)\n(assert (<= 0 x{index} {upper}))").unwrap();
        }
        writeln!(text, "(assert {})", smt(&self.hard)).unwrap();
        for (formula, weight) in self.soft.iter().zip(&self.weights) {
            writeln!(text, "(assert-soft {} :weight {})", smt(formula), weight.to_f64()).unwrap();
        }
        text
    }
}

fn formula(random: &mut Random, variables: usize, depth: usize) -> Formula {
    if depth > 0 && random.percent(50) {
        let parts: Vec<Formula> = (0..2).map(|_| formula(random, variables, depth - 1)).collect();
        return if random.percent(60) { Formula::all(parts) } else { Formula::any(parts) };
    }
    let terms = (0..variables).map(|v| (Symbol::at(v), Rational::from(random.between(-2, 2)))).collect();
    let form = Linear::new(terms, Rational::from(random.between(-3, 3)));
    Formula::atom(if random.percent(70) { Atom::at_least_zero(form) } else { Atom::zero(form) })
}

fn smt(formula: &Formula) -> String {
    let number = |n: &Rational| if n.signum() < 0 { format!("(- {})", n.abs()) } else { n.to_string() };
    match formula {
        Formula::Atom(atom) => {
            let terms = atom.form.terms().iter().map(|(s, a)| format!("(* {} x{})", number(a), s.index()));
            let sum = format!("(+ 0 {} {})", terms.collect::<Vec<_>>().join(" "), number(atom.form.constant()));
            match atom.relation {
                surefoot_linear::Relation::AtLeastZero => format!("(>= {sum} 0)"),
                surefoot_linear::Relation::Positive => format!("(> {sum} 0)"),
                surefoot_linear::Relation::Zero => format!("(= {sum} 0)"),
                surefoot_linear::Relation::NonZero => format!("(not (= {sum} 0))"),
            }
        }
        Formula::All(parts) => format!("(and true {})", parts.iter().map(smt).collect::<Vec<_>>().join(" ")),
        Formula::Any(parts) => format!("(or false {})", parts.iter().map(smt).collect::<Vec<_>>().join(" ")),
    }
}

#[test]
fn the_maximum_is_that_of_all_subsets_and_points() {
    let mut partly = 0;
    for seed in seeds(74_000_000, 400) {
        let mut problem = Problem::random(&mut Random::new(seed));
        let best = maximum(&mut problem, [], None).unwrap();
        let expected = problem.by_points();
        assert_eq!(best.as_ref().map(|best| best.weight.clone()), expected, "seed {seed}");
        assert_eq!(maximum_reference(&mut problem).unwrap(), expected, "seed {seed}");
        if let Some(best) = best {
            assert_eq!(problem.holding(&best.point), best.holding, "seed {seed}");
            partly += u64::from(best.holding.contains(&false));
            // Only what is beyond a weight is wanted.
            assert!(maximum(&mut problem, [best.point.clone()], Some(&best.weight)).unwrap().is_none(), "seed {seed}");
            let less = &best.weight - &Rational::new(1, 20).unwrap();
            assert_eq!(maximum(&mut problem, [], Some(&less)).unwrap().unwrap().weight, best.weight, "seed {seed}");
        }
    }
    assert!(partly > 100, "{partly}");
}

/// The papers' configuration: MaxSMT by Z3.
#[test]
fn the_maximum_is_that_of_z3() {
    let Some(python) = python_with(env!("CARGO_MANIFEST_DIR"), "z3") else { return };
    const PROGRAM: &str = "
import sys, z3
for text in sys.stdin.read().split('----'):
    if not text.strip():
        continue
    optimize = z3.Optimize()
    optimize.from_string(text)
    if optimize.check() != z3.sat:
        print('none')
        continue
    print(optimize.model().evaluate(optimize.objectives()[0], model_completion=True))
";
    let mut problems: Vec<Problem> =
        seeds(75_000_000, 60).map(|seed| Problem::random(&mut Random::new(seed))).collect();
    let input: Vec<String> = problems.iter().map(Problem::text).collect();
    let mut child = Command::new(python)
        .args(["-I", "-c", PROGRAM])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.join("----\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), problems.len(), "{said}");
    for (problem, line) in problems.iter_mut().zip(lines) {
        let best = maximum(problem, [], None).unwrap();
        let Some(best) = best else {
            assert_eq!(line, "none");
            continue;
        };
        let total: Rational = problem.weights.iter().cloned().sum();
        // Z3 tells the weight of what is violated.
        let violated: Rational = line.parse().unwrap();
        assert_eq!(&total - &violated, best.weight, "{}", problem.text());
    }
}
