//! The paper's procedures against the built-in one, on random systems and formulas, and on formulas that other encodings get wrong.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use common::systems::model;
use common::{by_definition, random_atom, random_formula};
use surefoot_ctl::check::Failure;
use surefoot_ctl::explore::Trouble;
use surefoot_ctl::milp::{self, Method, MilpChecked, MilpFailure, MilpOptions};
use surefoot_ctl::{Constraints, Ctl, Failing, Options, System, Verdict, check};
use surefoot_fixtures::{Random, python_with};
use surefoot_milp::highs::Installation;
use surefoot_milp::{Answer, Highs, Program, Solver, SolverError};
use surefoot_model::property::Question;
use surefoot_oracle::Limits;
use surefoot_testkit::{load_text, random_policy};
use surefoot_verdict::{Reason, Silent};

const METHODS: [(Method, usize); 3] = [(Method::Monolithic, 1), (Method::Compositional, 1), (Method::Compositional, 3)];

/// The solver, where there is one. Solvers that are done are kept for the next: starting Python costs more than solving.
struct Pool {
    python: PathBuf,
    scratch: tempfile::TempDir,
    idle: std::sync::Mutex<Vec<Highs>>,
}

struct Borrowed<'p>(&'p Pool, Option<Highs>);

impl Pool {
    fn new() -> Option<Self> {
        let python = python_with(env!("CARGO_MANIFEST_DIR"), "highspy")?;
        Some(Self { python, scratch: tempfile::tempdir().unwrap(), idle: std::sync::Mutex::default() })
    }

    fn borrow(&'static self) -> Result<Box<dyn Solver>, SolverError> {
        let idle = self.idle.lock().unwrap().pop();
        let solver = match idle {
            Some(solver) => solver,
            None => Highs::start(&Installation::at(&self.python), self.scratch.path(), None)?,
        };
        Ok(Box::new(Borrowed(self, Some(solver))))
    }

    fn check(
        &'static self,
        system: &System<'_>,
        formula: &Ctl,
        method: (Method, usize),
    ) -> Result<MilpChecked, MilpFailure> {
        let deadline = Some(Instant::now() + Duration::from_secs(60));
        let limits = surefoot_limits::Limits::default().until(deadline).into();
        let start = || self.borrow();
        let options =
            MilpOptions { method: method.0, limits, jobs: method.1, solver: &start, write: None, reporter: &Silent };
        milp::check(system, formula, &options)
    }
}

impl Solver for Borrowed<'_> {
    fn name(&self) -> &str {
        self.1.as_ref().unwrap().name()
    }
    fn solve(&mut self, program: &Program, limits: &surefoot_limits::Limits) -> Result<Answer, SolverError> {
        self.1.as_mut().unwrap().solve(program, limits)
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if let Ok(mut idle) = self.0.idle.lock() {
            idle.extend(self.1.take());
        }
    }
}

fn pool() -> Option<&'static Pool> {
    static POOL: std::sync::OnceLock<Option<Pool>> = std::sync::OnceLock::new();
    POOL.get_or_init(Pool::new).as_ref()
}

/// Counts of a comparison.
#[derive(Debug, Default)]
struct Counts {
    holds: u64,
    violated: u64,
    builtin: u64,
    late: u64,
}

fn compare(pool: &'static Pool, seed: u64, counts: &mut Counts) -> Option<()> {
    let random = &mut Random::new(seed);
    let text = model(random);
    let mut lowered = load_text(&text);
    let Ok(Question::Safety(safety)) = lowered.question(0) else { panic!("not a safety property") };
    let policy = if random.percent(90) { random_policy(random, &lowered.model, &[]) } else { None };
    let terminal = safety.reach.filter(|_| random.percent(20));
    let system = System::new(&lowered.model, policy.as_ref(), &safety.start, terminal, None).ok()?;
    let leaves: Vec<Ctl> = (0..3).map(|_| random_atom(random, &[0, 1, 1, 2, 2, 3])).collect();
    let (depth, steps) = (1 + random.below(3), random.below(3) as u64);
    let formula = random_formula(random, depth, steps, false, &leaves);
    let context = || format!("seed {seed}: {}\n{text}", formula.describe(&lowered.model));
    let expected = match check(&system, &formula, &Options::default()) {
        Ok(checked) => matches!(checked.verdict, Verdict::Holds(())),
        Err(Failure::NoStart) => {
            assert!(pool.check(&system, &formula, METHODS[0]).is_err(), "an empty start set proves nothing");
            return None;
        }
        Err(_) => return None,
    };
    for method in METHODS {
        let checked = match pool.check(&system, &formula, method) {
            Ok(checked) => checked,
            Err(MilpFailure::Check(Failure::Trouble(trouble)))
                if matches!(*trouble, Trouble::Model(_) | Trouble::Refused(_)) =>
            {
                continue;
            }
            Err(error) => panic!("{method:?}: {error:?}: {}", context()),
        };
        counts.builtin += u64::from(checked.by_builtin);
        match checked.verdict {
            // Errors of the model may be open that the exact procedure excludes.
            Verdict::Holds(()) | Verdict::Unknown(Reason::Errors { .. }) => {
                assert!(expected, "{method:?} says that it holds: {}", context());
                counts.holds += 1;
            }
            Verdict::Violated(Failing { start, .. }) => {
                assert!(!expected, "{method:?} says that it fails: {}", context());
                assert_ne!(by_definition(&system, &formula, &start), Ok(Some(true)), "{}", context());
                counts.violated += 1;
            }
            Verdict::Unknown(_) => counts.late += 1,
        }
    }
    Some(())
}

#[test]
fn methods_agree_with_the_built_in_procedure() {
    let Some(pool) = pool() else { return };
    let mut counts = Counts::default();
    for seed in 0..3000 {
        compare(pool, 91_000_000 + seed, &mut counts);
    }
    assert!(counts.holds > 2000 && counts.violated > 2500, "{counts:?}");
    assert!(counts.builtin > 30 && counts.builtin < 300 && counts.late <= 3, "{counts:?}");
}

/// A walk on a line: `x` goes up by one, or down by one, or from 2 on (where the guard is closed) down by two.
const WALK: &str = r#"{"jani-version": 1, "name": "walk", "type": "lts", "actions": [],
    "variables": [{"name": "x", "type": {"kind": "bounded", "base": "real", "lower-bound": -100, "upper-bound": 100}}],
    "automata": [{"name": "m", "locations": [{"name": "l"}], "initial-locations": ["l"], "edges": [
        {"location": "l", "guard": {"exp": {"op": "<", "left": "x", "right": 5}}, "destinations":
            [{"location": "l", "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}]}]},
        {"location": "l", "guard": {"exp": {"op": "<", "left": "x", "right": 5}}, "destinations":
            [{"location": "l", "assignments": [{"ref": "x", "value": {"op": "-", "left": "x", "right": 1}}]}]},
        {"location": "l", "guard": {"exp": {"op": "∧", "left": {"op": "≥", "left": "x", "right": 2},
            "right": {"op": "<", "left": "x", "right": 5}}}, "destinations":
            [{"location": "l", "assignments": [{"ref": "x", "value": {"op": "-", "left": "x", "right": 2}}]}]}]}],
    "system": {"elements": [{"automaton": "m"}]},
    "properties": [{"name": "p", "expression": {"op": "PA", "reach": {"op": "state-condition", "exp": true},
        "start": {"op": "state-condition", "exp": {"op": "∧", "left": {"op": "≤", "left": 0, "right": "x"},
            "right": {"op": "≤", "left": "x", "right": 2}}}}}]}"#;

/// Verdicts for formulas over the walk, by a way to check.
fn walk(formula: &str, mut check: impl FnMut(&System<'_>, &Ctl) -> Option<bool>) -> Option<bool> {
    let mut lowered = load_text(WALK);
    let Ok(Question::Safety(safety)) = lowered.question(0) else { panic!("not a safety property") };
    let mut sources = surefoot_text::source::SourceMap::default();
    let file = sources.add("formula", formula);
    let terms = surefoot_temporal::lower::formula(&sources, file, &mut lowered).unwrap();
    let system = System::new(&lowered.model, None, &safety.start, None, None).unwrap();
    let formula = system.with_lowering(|l| surefoot_ctl::property::of_terms(l, &terms, None)).unwrap();
    check(&system, &formula)
}

#[test]
fn borders_alternations_and_small_bounds() {
    let Some(pool) = pool() else { return };
    let known = [
        // Strictness at the borders of the start set, of a guard, and after steps.
        ("x <= 2", true),
        ("x < 2", false),
        ("AX x >= -1", true),
        ("AX x > -1", false),
        ("AX^2 x <= 4", true),
        ("AX^2 x < 4", false),
        ("EX x = 0 => (x = 1 | x = 2)", true),
        ("x = 2 => EX x = 0", true),
        ("x > 1.99 => EX x <= 0", false),
        // What stands beside AX is about the state before it, on either side.
        ("EX x > 1000 | x >= 0", true),
        ("x >= 0 | EX x > 1000", true),
        ("AX x <= 3 & x <= 2", true),
        ("x <= 2 & AX x <= 3", true),
        // Alternations.
        ("AX EX x <= 2", true),
        ("AX EX x < 2", true),
        ("AX EX x < 1", false),
        ("EX AX x >= 0", true),
        ("EX AX x > 2.5", false),
        ("AX EX AX x <= 3", true),
        ("EG[<=3] (x >= 0 & x <= 3)", true),
        ("AF[<=2] (x > 2 | x < 1)", false),
        // No step, one step.
        ("AX^0 x <= 2", true),
        ("EF[<=0] true", false),
        ("AG[<=0] false", true),
        ("A[x < 0 U<=0 x >= 0]", true),
        ("E[x <= 2 U<=1 x > 2]", false),
        ("E[x <= 2 U<=3 x > 2]", true),
        ("A[x <= 2 U<=2 x != 1]", true),
        ("A[x >= 0 R<=2 x >= 0]", true),
        // Beyond 5 nothing happens, and the state is its own successor.
        ("x >= 5 => AX x >= 5", true),
        ("EX^4 x >= 5 | x < 1", true),
        ("AG[<=6] x < 6", true),
        ("AG[<=6] x <= 5.5", false),
    ];
    for (formula, expected) in known {
        let builtin = walk(formula, |system, formula| {
            Some(matches!(check(system, formula, &Options::default()).unwrap().verdict, Verdict::Holds(())))
        });
        assert_eq!(builtin, Some(expected), "{formula}");
        for method in METHODS {
            let said = walk(formula, |system, formula| match pool.check(system, formula, method).unwrap().verdict {
                Verdict::Holds(()) => Some(true),
                Verdict::Violated(_) => Some(false),
                Verdict::Unknown(_) => None,
            });
            assert_eq!(said, Some(expected), "{method:?}: {formula}");
        }
    }
}

/// A solver that says the same thing whatever it is asked.
struct Parrot(Result<Answer, SolverError>, f64);

impl Solver for Parrot {
    fn name(&self) -> &str {
        "a parrot"
    }
    fn solve(&mut self, program: &Program, _: &surefoot_limits::Limits) -> Result<Answer, SolverError> {
        match &self.0 {
            Ok(Answer::Solution(_)) => Ok(Answer::Solution(vec![self.1; program.variables().len()])),
            other => other.clone(),
        }
    }
}

#[test]
fn a_solver_is_believed_only_as_far_as_it_says() {
    let by = |formula: &str, said: &Result<Answer, SolverError>, value: f64, method: Method, jobs: usize| {
        walk(formula, |system, formula| {
            let start = || -> Result<Box<dyn Solver>, SolverError> { Ok(Box::new(Parrot(said.clone(), value))) };
            let options =
                MilpOptions { method, limits: Limits::default(), jobs, solver: &start, write: None, reporter: &Silent };
            let checked = milp::check(system, formula, &options).ok()?;
            match checked.verdict {
                Verdict::Holds(()) => {
                    // Bounds alone may settle everything.
                    let named = checked.assumptions.iter().any(|a| a.contains("a parrot"));
                    assert!(checked.by_builtin || named || checked.statistics.programs == 0);
                    Some(true)
                }
                Verdict::Violated(_) => Some(false),
                Verdict::Unknown(_) => None,
            }
        })
    };
    let name = || "a parrot".to_owned();
    for (method, jobs) in METHODS {
        // Solutions that are none are not taken for any: then the exact procedure decides.
        for value in [0.0, 0.3, 1.0, 7.0, f64::NAN] {
            let solution = Ok(Answer::Solution(Vec::new()));
            assert_eq!(by("AX x <= 3", &solution, value, method, jobs), Some(true));
            assert_eq!(by("AX x < 3", &solution, value, method, jobs), Some(false));
        }
        // No solution is believed, and named.
        assert_eq!(by("AX x < 3", &Ok(Answer::Infeasible), 0.0, method, jobs), Some(true));
        // Silence is no answer.
        assert_eq!(by("AX x < 3", &Err(SolverError::TimeOut(name())), 0.0, method, jobs), None);
        let failed = SolverError::Failed { solver: name(), reason: "it flew away".to_owned() };
        assert_eq!(by("AX x < 3", &Err(failed), 0.0, method, jobs), None);
        let nonsense = SolverError::Unusable { solver: name(), said: "hello".to_owned() };
        assert_eq!(by("AX x < 3", &Err(nonsense), 0.0, method, jobs), Some(false));
    }
}

#[test]
fn the_first_job_wins_whatever_the_timing() {
    let Some(pool) = pool() else { return };
    let start = |jobs: usize| {
        let mut found = None;
        walk("AG[<=3] (x > -2.5 & x < 4.5)", |system, formula| {
            match pool.check(system, formula, (Method::Compositional, jobs)).unwrap().verdict {
                Verdict::Violated(Failing { start, evidence }) => found = Some((start, evidence)),
                other => panic!("{other:?}"),
            }
            None
        });
        found
    };
    let alone = start(1);
    assert!(alone.is_some());
    for jobs in [2, 3, 8, 8, 8] {
        assert_eq!(start(jobs), alone, "{jobs} jobs");
    }
}

/// A program that gets too large is a limit, before any solver is asked.
#[test]
fn programs_that_get_too_large_are_given_up() {
    let start = || -> Result<Box<dyn Solver>, SolverError> { panic!("nothing is to be solved") };
    let formula = format!("{}x < 5{}", "EF[<=60] (x > 1 & ".repeat(5), ")".repeat(5));
    let too_large = walk(&formula, |system, formula| {
        let options = MilpOptions {
            method: Method::Monolithic,
            limits: Limits::default(),
            jobs: 1,
            solver: &start,
            write: None,
            reporter: &Silent,
        };
        match milp::check(system, formula, &options).unwrap().verdict {
            Verdict::Unknown(Reason::TooLarge(what)) => Some(what.contains("more than 400000 rows")),
            _ => None,
        }
    });
    assert_eq!(too_large, Some(true));
}
