//! Questions about regions, against all states; and that conditions which are written can be read.

mod common;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{budget, problem, time_limit};
use surefoot_fixtures::seeds;
use surefoot_limits::Stop;
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::{LabelId, State, TermId};
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::policy::curved;
use surefoot_testkit::{Size, all_states, for_seeds, load_text, random_policy, safety};
use surefoot_text::source::SourceMap;
use surefoot_verify::abstraction::words;
use surefoot_verify::region::{Finding, Region, ask_region};
use surefoot_verify::{Failure, Problem};

/// What may be chosen in a state: nothing where the policy is not asked, or the model is in error.
fn chosen(problem: &Problem, policy: &Policy, state: &State) -> Vec<LabelId> {
    let Outputs::Labels(labels) = &policy.outputs else { return Vec::new() };
    let interpreter = problem.interpreter();
    let Ok(applicable) = interpreter.applicable_labels(state) else { return Vec::new() };
    if !labels.iter().any(|label| applicable.contains(label)) {
        return Vec::new();
    }
    policy.permitted(&interpreter, state, &applicable).map(|permitted| permitted.labels).unwrap_or_default()
}

/// Asks about random policies and regions; how often it is so somewhere, how often nowhere, and how many policies have several networks.
fn asked(seeds: Range<u64>, smooth: bool) -> [usize; 3] {
    let counts: [AtomicUsize; 3] = std::array::from_fn(|_| AtomicUsize::new(0));
    for_seeds(seeds, &Size { states: 300, ..Size::default() }, |case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let conditions: Vec<TermId> = (1..PROPERTIES).filter_map(|p| safety(&mut lowered, p).reach).collect();
        let Some(policy) = random_policy(&mut random, &lowered.model, &conditions) else { return };
        let policy = if smooth { curved(&mut random, policy) } else { policy };
        let problem = problem(lowered, Some(policy.clone()), 0);
        let Some(states) = all_states(problem.model(), 2000) else { return };
        let interpreter = problem.interpreter();
        for condition in conditions {
            for label in 0..u32::try_from(problem.model().labels.len()).expect("few") {
                let region = Region { condition, action: LabelId(label), other: random.percent(50) };
                let result = ask_region(&problem, &region, &budget(1));
                let known = matches!(&policy.outputs, Outputs::Labels(labels) if labels.contains(&region.action));
                if !known {
                    assert!(matches!(result, Err(Failure::Input(_))), "{result:?}");
                    continue;
                }
                // What cannot be lowered is refused.
                let Ok(answered) = result else { continue };
                let is_so = |state: &State| {
                    interpreter.holds(condition, state).unwrap_or(false)
                        && chosen(&problem, &policy, state)
                            .iter()
                            .any(|label| (*label == region.action) != region.other)
                };
                match &answered.finding {
                    Finding::Nowhere => assert_eq!(states.iter().find(|state| is_so(state)), None, "{region:?}"),
                    Finding::Somewhere(state, labels) => {
                        assert!(is_so(state), "{region:?}: {state:?}");
                        assert_eq!(*labels, chosen(&problem, &policy, state));
                    }
                    Finding::Open(stop) => panic!("nothing was limited: {stop:?}"),
                }
                let somewhere = matches!(answered.finding, Finding::Somewhere(..));
                for (count, is) in counts.iter().zip([somewhere, !somewhere, policy.networks.len() > 1]) {
                    count.fetch_add(usize::from(is), Ordering::Relaxed);
                }
            }
        }
    });
    counts.map(AtomicUsize::into_inner)
}

#[test]
fn regions_are_as_brute_force_says() {
    let [somewhere, nowhere, several] = asked(seeds(43 << 20, 250), false);
    assert!(somewhere > 100 && nowhere > 100 && several > 20, "{somewhere}, {nowhere} nowhere, {several} of several");
}

/// Smooth functions and single precision: integers end at points, so that nothing is left open.
#[test]
fn regions_of_smooth_networks_are_as_brute_force_says() {
    let [somewhere, nowhere, several] = asked(seeds(44 << 20, 120), true);
    assert!(somewhere > 40 && nowhere > 40 && several > 5, "{somewhere}, {nowhere} nowhere, {several} of several");
}

#[test]
fn a_limit_is_no_answer() {
    let open = AtomicUsize::new(0);
    for_seeds(seeds(43 << 20, 60), &Size { states: 300, ..Size::default() }, |case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let conditions: Vec<TermId> = (1..PROPERTIES).filter_map(|p| safety(&mut lowered, p).reach).collect();
        let Some(policy) = random_policy(&mut random, &lowered.model, &conditions) else { return };
        let Outputs::Labels(labels) = &policy.outputs else { return };
        let (action, condition) = (labels[0], conditions[0]);
        let problem = problem(lowered, Some(policy), 0);
        if let Ok(answered) = ask_region(&problem, &Region { condition, action, other: false }, &time_limit(0.0)) {
            match answered.finding {
                Finding::Open(stop) => {
                    assert_eq!(stop, Stop::Time);
                    open.fetch_add(1, Ordering::Relaxed);
                }
                // Questions that are decided before the first look at the clock.
                Finding::Nowhere | Finding::Somewhere(..) => {}
            }
        }
    });
    assert!(open.into_inner() > 0, "some question takes a look at the clock");
}

#[test]
fn conditions_that_are_written_are_read_as_the_same() {
    let read = AtomicUsize::new(0);
    for_seeds(seeds(45 << 20, 150), &Size { states: 300, ..Size::default() }, |case| {
        let mut lowered = load_text(&case.jani);
        let conditions: Vec<TermId> = (1..PROPERTIES).filter_map(|p| safety(&mut lowered, p).reach).collect();
        let problem = problem(lowered, None, 0);
        let Some(states) = all_states(problem.model(), 2000) else { return };
        // What cannot be lowered is refused.
        let Ok(texts) = words::conditions(&problem, &conditions) else { return };
        let mut again = problem.clone();
        for (condition, text) in conditions.iter().zip(&texts) {
            let mut sources = SourceMap::default();
            let file = sources.add("condition", text.as_str());
            let term = surefoot_temporal::lower::condition(&sources, file, &mut again.lowered);
            let term = term.unwrap_or_else(|error| panic!("{text}: {error:?}"));
            for state in &states {
                // Where it has no value it does not hold.
                let before = problem.interpreter().holds(*condition, state).unwrap_or(false);
                assert_eq!(again.interpreter().holds(term, state), Ok(before), "{text}: {state:?}");
            }
            read.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert!(read.into_inner() > 100);
}
