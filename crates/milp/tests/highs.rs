//! HiGHS on programs whose solutions are known, and solvers that misbehave.

#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

use std::path::Path;
use std::time::{Duration, Instant};

use surefoot_fixtures::{Random, python_with};
use surefoot_limits::{Limits, Stop};
use surefoot_linear::{Atom, Linear, Symbol};
use surefoot_milp::highs::Installation;
use surefoot_milp::{Answer, Highs, Kind, Program, Solver, SolverError};
use surefoot_num::Rational;

fn number(n: i64) -> Rational {
    Rational::from(n)
}

/// Random programs over a few small integers, and the best value of each by going through all points.
fn random_program(random: &mut Random) -> (Program, Option<Rational>) {
    let mut program = Program::default();
    let count = 2 + random.below(2);
    for _ in 0..count {
        let low = random.between(-3, 1);
        program.variable(Kind::Integer, number(low), number(low + random.between(0, 3)));
    }
    let switch = program.binary();
    let form = |random: &mut Random| {
        let terms = (0..count)
            .map(|i| (Symbol(i as u32), Rational::new(random.between(-3, 3), 2).expect("not zero")))
            .collect();
        Linear::new(terms, number(random.between(-4, 4)))
    };
    for _ in 0..1 + random.below(3) {
        let row = form(random);
        program.row(if random.percent(20) { Atom::zero(row) } else { Atom::at_least_zero(row) });
    }
    program.indicator(switch, true, Atom::at_least_zero(form(random)));
    program.indicator(switch, false, Atom::zero(form(random)));
    program.objective = form(random);
    let mut points: Vec<Vec<Rational>> = vec![Vec::new()];
    for variable in program.variables() {
        let (low, high) = (variable.lower.to_i64().expect("small"), variable.upper.to_i64().expect("small"));
        points = points.iter().flat_map(|p| (low..=high).map(move |v| [p.as_slice(), &[number(v)]].concat())).collect();
    }
    let values = points.iter().filter(|point| program.is_satisfied(point));
    let best = values.map(|point| program.objective.eval(|s| point[s.index()].clone())).max();
    (program, best)
}

fn within(time: Duration) -> Limits {
    Limits::default().until(Instant::now().checked_add(time))
}

#[test]
fn highs_finds_what_going_through_all_points_finds() {
    let Some(python) = python_with(env!("CARGO_MANIFEST_DIR"), "highspy") else { return };
    let scratch = tempfile::tempdir().expect("a folder");
    let mut highs = Highs::start(&Installation::at(&python), scratch.path(), None).expect("it starts");
    assert!(highs.name().starts_with("HiGHS 1."), "{}", highs.name());
    let (mut feasible, mut infeasible) = (0, 0);
    for seed in 0..300 {
        let (program, best) = random_program(&mut Random::new(seed));
        match (highs.solve(&program, &within(Duration::from_secs(20))).expect("an answer"), best) {
            (Answer::Infeasible, None) => infeasible += 1,
            (Answer::Solution(values), Some(best)) => {
                let exact: Vec<Rational> = values.iter().map(|v| number(v.round() as i64)).collect();
                assert!(program.is_satisfied(&exact), "seed {seed}");
                assert_eq!(program.objective.eval(|s| exact[s.index()].clone()), best, "seed {seed}");
                feasible += 1;
            }
            (said, best) => panic!("seed {seed}: {said:?} where the best is {best:?}"),
        }
    }
    assert!(feasible > 50 && infeasible > 50, "{feasible} feasible, {infeasible} not");
}

#[test]
fn a_missing_solver_is_named() {
    let scratch = tempfile::tempdir().expect("a folder");
    let nowhere = Installation::at(Path::new("/nowhere/highs"));
    let error = Installation::first(&[nowhere], scratch.path(), None).expect_err("there is none");
    let text = error.to_string();
    assert!(text.contains("no MILP solver") && text.contains("highspy") && text.contains("/nowhere/highs"), "{text}");
}

/// A script that stands in for the executable: what it prints as its version, and what it does with a program.
#[cfg(unix)]
fn stand_in(folder: &Path, behaviour: &str) -> Installation {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("highs");
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'HiGHS version 0.0.0 Githash: none'; exit 0; fi\nout=$4\n{behaviour}\n"
    );
    std::fs::write(&path, text).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    Installation::at(&path)
}

#[cfg(unix)]
#[test]
fn what_is_no_answer_is_an_error() {
    let mut program = Program::default();
    program.variable(Kind::Continuous, number(0), number(1));
    let solve = |behaviour: &str, time: Duration| {
        let scratch = tempfile::tempdir().expect("a folder");
        let installation = stand_in(scratch.path(), behaviour);
        Highs::start(&installation, scratch.path(), None).expect("it starts").solve(&program, &within(time))
    };
    let minute = Duration::from_secs(60);
    assert!(matches!(solve("exit 3", minute), Err(SolverError::Failed { .. })));
    assert!(matches!(solve("echo nonsense > $out", minute), Err(SolverError::Unusable { .. })));
    assert!(matches!(solve("printf 'Model status\\nUnknown\\n' > $out", minute), Err(SolverError::Unusable { .. })));
    let late = "printf 'Model status\\nTime limit reached\\n' > $out";
    assert!(matches!(solve(late, minute), Err(SolverError::TimeOut(_))));
    // A solution without all variables is none; a complete one is.
    let empty = "printf 'Model status\\nOptimal\\n\\n# Columns 0\\n# Rows 0\\n' > $out";
    assert!(matches!(solve(empty, minute), Err(SolverError::Unusable { .. })));
    let nan = "printf 'Model status\\nOptimal\\n\\n# Columns 1\\nx0 nan\\n' > $out";
    assert!(matches!(solve(nan, minute), Err(SolverError::Unusable { .. })));
    let good = "printf 'Model status\\nOptimal\\n\\n# Columns 1\\nx0 0.5\\n# Rows 0\\n' > $out";
    assert_eq!(solve(good, minute), Ok(Answer::Solution(vec![0.5])));
    assert_eq!(solve("printf 'Model status\\nInfeasible\\n' > $out", minute), Ok(Answer::Infeasible));
    // One that never ends is ended, by the clock or by someone.
    let scratch = tempfile::tempdir().expect("a folder");
    let mut endless =
        Highs::start(&stand_in(scratch.path(), "exec sleep 100"), scratch.path(), None).expect("it starts");
    let interrupted = Limits::default();
    interrupted.cancel.stop(Stop::Interrupted);
    assert!(matches!(endless.solve(&program, &interrupted), Err(SolverError::TimeOut(_))));
    let begun = Instant::now();
    assert!(matches!(solve("exec sleep 100", Duration::ZERO), Err(SolverError::TimeOut(_))));
    assert!(begun.elapsed() < Duration::from_secs(60));
}
