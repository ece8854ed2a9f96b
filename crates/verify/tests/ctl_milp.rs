//! The paper's procedures on the paper's scenarios, where the truth is known; among the formulas are those on which the encodings that
//! were published go wrong: a lake is not symmetric, and what stands beside `AX` is about the state before it.

mod scenario;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use scenario::{Scenario, nested, networks, rate};
use surefoot_fixtures::python_with;
use surefoot_verify::{Budget, CtlVerdict, MilpMethod, MilpOutcome, MilpRequest, ctl_by_milp, read_formula};

const METHODS: [(MilpMethod, usize); 3] =
    [(MilpMethod::Monolithic, 1), (MilpMethod::Compositional, 1), (MilpMethod::Compositional, 2)];

struct Solver {
    python: PathBuf,
    scratch: tempfile::TempDir,
}

impl Solver {
    fn new() -> Option<Self> {
        let python = python_with(env!("CARGO_MANIFEST_DIR"), "highspy")?;
        Some(Self { python, scratch: tempfile::tempdir().expect("a folder") })
    }

    fn decide(&self, scenario: &Scenario, formula: &str, (method, jobs): (MilpMethod, usize)) -> MilpOutcome {
        let (mut problem, mut sources, request) = scenario.load();
        let read = read_formula(&mut sources, &mut problem, &request, Some(formula)).expect("a formula");
        let budget = Budget {
            started: Instant::now(),
            time: Some(Duration::from_secs(300)),
            memory: None,
            threads: 1,
            cancel: surefoot_limits::Cancel::default(),
        };
        let scratch = self.scratch.path().to_owned();
        let milp = MilpRequest {
            method,
            jobs,
            solvers: vec![self.python.clone()],
            scratch,
            write: None,
            assume_no_errors: false,
        };
        ctl_by_milp(
            &problem,
            &read.constraints(&problem).expect("a linear formula"),
            &budget,
            &milp,
            &surefoot_verdict::Silent,
        )
        .expect("an answer")
    }

    /// The verdict, which all methods share.
    fn holds(&self, scenario: &Scenario, formula: &str, methods: &[(MilpMethod, usize)]) -> bool {
        let mut said = methods.iter().map(|method| match self.decide(scenario, formula, *method).verdict {
            CtlVerdict::Holds(()) => true,
            CtlVerdict::Violated(_) => false,
            CtlVerdict::Unknown(reason) => panic!("{method:?}, {formula}: {reason}"),
        });
        let first = said.next().expect("a method");
        assert!(said.all(|other| other == first), "{formula}");
        first
    }
}

#[test]
fn frozen_lake_by_programs() {
    let (Some(networks), Some(solver)) = (networks(), Solver::new()) else { return };
    let lake = Scenario::new("frozenlake", &["encoding=onehot"], &networks, "holes");
    let avoided = "tile_3 < 0.1 & tile_7 < 0.1";
    for k in 1..=3 {
        assert!(solver.holds(&lake, &nested(k, avoided, avoided), &METHODS), "safe, k = {k}");
        assert!(!solver.holds(&lake, &nested(k, avoided, "tile_9 > 0.9"), &METHODS), "succeeds, k = {k}");
    }
    for k in 4..=5 {
        assert!(solver.holds(&lake, &nested(k, avoided, avoided), &METHODS[1..]), "safe, k = {k}");
        assert!(!solver.holds(&lake, &nested(k, avoided, "tile_9 > 0.9"), &METHODS[1..]), "succeeds, k = {k}");
    }
    // Not symmetric under transposition.
    for (formula, expected) in [
        ("AX !(tile = 2)", false),
        ("AX^2 !(tile = 2)", false),
        ("AX^2 !(tile = 4)", true),
        ("AX^3 !(tile = 4)", true),
        ("EX^2 tile = 5", true),
        ("E[tile < 3 U<=2 tile = 5]", true),
        ("AX EX tile = 1", true),
        ("EX AX tile < 3", true),
    ] {
        assert_eq!(solver.holds(&lake, formula, &METHODS), expected, "{formula}");
    }
    assert!(!solver.holds(&lake, "AX^3 !(tile = 2)", &METHODS[1..]));
}

#[test]
fn vertical_cas_by_programs() {
    let (Some(networks), Some(solver)) = (networks(), Solver::new()) else { return };
    let mut cas = Scenario::new("verticalcas", &[], &networks, "near");
    for (row, expected) in [("-19.5", "TTTT"), ("-22.5", "TTFT"), ("-25.5", "TFFF"), ("-31.5", "TFFF")] {
        cas.constants = rate(row);
        let holds = |k: u64| solver.holds(&cas, &format!("AX^{k} (h > 100 | h < -100)"), &METHODS);
        let found: String = (1..=4).map(|k| if holds(k) { 'T' } else { 'F' }).collect();
        assert_eq!(found, expected, "{row}");
    }
    cas.constants = rate("-22.5");
    // What stands beside AX is about the state before it, whichever way round it is written.
    assert!(solver.holds(&cas, "EX h > 1000 | h < -120", &METHODS));
    assert!(solver.holds(&cas, "h < -120 | EX h > 1000", &METHODS));
    // The worst state, to the last digit: its slack is zero, and the exact procedure decides.
    assert!(solver.holds(&cas, "AX^2 h <= -100.1", &METHODS));
    assert!(!solver.holds(&cas, "AX^2 h < -100.1", &METHODS));
    let outcome = solver.decide(&cas, "AX^3 h <= -97.725", METHODS[0]);
    assert!(matches!(outcome.verdict, CtlVerdict::Holds(())));
    assert!(outcome.by_builtin || outcome.assumptions.iter().any(|assumption| assumption.starts_with("HiGHS 1.")));
}
