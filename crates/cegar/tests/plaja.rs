//! The figures that PlaJA records for its small refinement tests.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

use std::path::Path;

use surefoot_abstraction::{Oracles, System};
use surefoot_cegar::{Cegar, Options, Outcome, Preconditions, Strategy, cegar};
use surefoot_fixtures::shared_data;
use surefoot_linear::Formula;
use surefoot_model::lower::Lowered;
use surefoot_model::property::Question;
use surefoot_testkit::{load, load_text};

/// Weakest preconditions of guards and predicates along the path.
fn everything() -> Options {
    let preconditions = Preconditions { only_open: true, along: true, guards: true, predicates: true };
    let strategy = Strategy { preconditions, ..Strategy::by_name("plaja").unwrap() };
    Options { strategy, incremental: false, ..Options::default() }
}

fn run(lowered: &mut Lowered, property: usize) -> Cegar {
    let Ok(Question::Safety(safety)) = lowered.question(property) else { panic!("a safety property") };
    let mut system = System::new(&lowered.model, None, &safety, false).unwrap();
    let given: Vec<Formula> = system.given.clone().unwrap_or_default();
    cegar(&mut system, &given, &everything(), &Oracles::seeded(0), &mut ()).unwrap()
}

fn figures(folder: &Path, model: &str, property: usize) -> (u64, usize, bool) {
    let (mut lowered, _) = load(&folder.join("plaja").join(model), None, &[]);
    let found = run(&mut lowered, property);
    (found.figures.iterations, found.predicates.len(), matches!(found.outcome, Outcome::Safe(_)))
}

#[test]
fn paths_without_steps_and_real_ones_need_no_refinement() {
    let Some(folder) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    assert_eq!(figures(&folder, "for_pa_cegar.jani", 0), (1, 4, false), "x and y at least 3 and 4; unsafe at once");
    assert_eq!(figures(&folder, "for_pa_cegar.jani", 1), (1, 3, false), "x at most 5 always holds");
    assert_eq!(figures(&folder, "for_pa_cegar.jani", 2), (1, 2, true), "never x = y = 5");
}

#[test]
fn preconditions_of_assignments_at_once_see_the_state_before() {
    let Some(folder) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    assert_eq!(figures(&folder, "for_pa_cegar2.jani", 0), (2, 5, true));
    assert_eq!(figures(&folder, "for_pa_cegar2.jani", 1), (2, 6, true));
}

#[test]
fn preconditions_go_back_along_the_path() {
    let Some(folder) = shared_data(env!("CARGO_MANIFEST_DIR")) else { return };
    assert_eq!(figures(&folder, "for_pa_cegar3.jani", 0), (2, 4, false));
    let text = std::fs::read_to_string(folder.join("plaja/for_pa_cegar3.jani")).unwrap();
    let mut model: serde_json::Value = serde_json::from_str(&text).unwrap();
    let guard = serde_json::json!({"exp": {"op": "<", "left": "x", "right": 6}});
    model["automata"][0]["edges"][0]["guard"] = guard;
    let found = run(&mut load_text(&model.to_string()), 1);
    assert_eq!((found.figures.iterations, found.predicates.len()), (2, 10));
}
