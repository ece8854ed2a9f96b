//! A run that is given the choices of a policy goes the way of the reference interpreter's random runs under that policy.

use std::ops::ControlFlow;
use std::sync::Arc;

use surefoot_explicit::Task;
use surefoot_explicit::simulate::{Run, RunEnd, SimulateOptions, Trace, interpreted};
use surefoot_limits::Limits;
use surefoot_model::{Interpreter, ScalarType, SlotId, State};
use surefoot_num::Random;
use surefoot_testkit::generate::PROPERTIES;
use surefoot_testkit::{Size, for_seeds, load_text, safety};
use surefoot_train::dense::{Dense, Shape};
use surefoot_train::{End, Environment, Interface, Problem, Rewards, Standing};
use surefoot_verdict::Silent;

const STEPS: u64 = 12;

#[test]
fn runs_are_those_of_the_interpreter() {
    let compared = std::cell::Cell::new(0);
    for_seeds(0..120, &Size::default(), |case| {
        let mut random = case.random();
        let mut lowered = load_text(&case.jani);
        let properties: Vec<_> = (0..PROPERTIES).map(|p| safety(&mut lowered, p)).collect();
        let slot = lowered.model.slots.len() - 1;
        let progress = lowered.model.terms.slot(SlotId::at(slot), ScalarType::Int);
        let mut labels = Interface::labels_of(&lowered.model);
        // Some labels are the environment's.
        labels.retain(|_| random.percent(70));
        let filter = random.percent(50);
        let problem = Problem {
            model: &lowered.model,
            start: &properties[0].start,
            goal: properties[0].goal.filter(|_| random.percent(50)),
            avoid: properties[0].reach,
            reward: None,
            progress: Some(progress),
            ends_at_goal: true,
            threads: 1,
            limits: Limits::default(),
        };
        let Ok(starts) = problem.starts() else { return };
        let Ok(interface) = Interface::new(&lowered.model, problem.inputs(&starts), labels, filter) else { return };
        let sizes = vec![interface.slots().len(), 4, interface.labels().len()];
        let seed = random.below(1000) as u64;
        let network = interface.network(&Dense::random(Shape::new(sizes), &mut Random::new(seed)));
        let policy = interface.policy(Arc::new(network), "random");
        let task = Task {
            model: problem.model,
            policy: Some(&policy),
            start: problem.start,
            reach: problem.avoid,
            goal: problem.goal,
            goal_terminal: true,
            absorb: None,
            dropped: None,
            stop_at_reach: false,
            threads: 1,
            limits: Limits::default(),
        };
        let mut runs: Vec<(Run, State)> = Vec::new();
        let mut listener = |_: u64, run: &Run, trace: &Trace| {
            runs.push((*run, trace.states().pop().unwrap()));
            ControlFlow::Continue(())
        };
        // Errors of random models end everything, at once in one and later in the other.
        let options = SimulateOptions { runs: 20, steps: STEPS, seed };
        if interpreted(&task, &options, &Silent, Some(&mut listener)).is_err() {
            return;
        }
        let rewards = Rewards { goal: 8.0, unsafety: -8.0, stuck: -4.0, step: 0.125 };
        let mut environment = Environment::new(&problem, &starts, &interface, rewards, STEPS);
        let interpreter = Interpreter::with_policy(problem.model, &policy);
        for (number, (run, last)) in (0..).zip(&runs) {
            compared.set(compared.get() + usize::from(run.length > 1));
            let mut random = Random::stream(seed, number);
            let start = starts.draw(&mut random);
            let mut standing = environment.begin(&start, &mut random).unwrap();
            let mut earned = environment.earned();
            while standing == Standing::Choice {
                let state = State::from_ints(environment.values());
                let permitted = interpreter.permitted_operators(&state, Some(&policy)).unwrap();
                let labels = permitted.iter().filter_map(|o| problem.model.vectors[o.vector as usize].label);
                let chosen = labels.filter_map(|label| policy.output_of_label(label)).next();
                // A label that is not applicable is as good as any other such label.
                let chosen = chosen.or_else(|| environment.applicable().iter().position(|applicable| !applicable));
                standing = environment.act(chosen.unwrap(), &mut random).unwrap();
                earned += environment.earned();
            }
            let (expected, at_end) = match run.end {
                RunEnd::Reach => (Standing::Ended(End::Unsafe), -8.0),
                RunEnd::Goal => (Standing::Ended(End::Goal), 8.0),
                RunEnd::Stopped => (Standing::Ended(End::Stuck), -4.0),
                RunEnd::StepLimit => (Standing::Cut, 0.0),
            };
            assert_eq!((standing, environment.length()), (expected, run.length), "run {number}");
            assert_eq!(&State::from_ints(environment.values()), last, "run {number}");
            let [before, after] = [&start, last].map(|state| state.0[slot].to_f64());
            let steps = 0.125 * f64::from(u32::try_from(run.length).unwrap());
            assert!((f64::from(earned) - at_end - steps - (after - before)).abs() < 1e-5, "run {number}");
        }
    });
    assert!(compared.get() > 300, "{} runs of several steps", compared.get());
}
