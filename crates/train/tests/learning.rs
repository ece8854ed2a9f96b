//! What is learned on small models, against the truth about them.

mod common;

use common::{bounded, compared, corridor, edge, follow, learned, model, op, policy, problem};
use serde_json::json;
use surefoot_explicit::simulate::RunEnd;
use surefoot_explicit::{Ending, Task, explore};
use surefoot_limits::{Limits, Stop};
use surefoot_model::State;
use surefoot_model::property::StartSet;
use surefoot_model::term::{ArithOp, CmpOp};
use surefoot_network::onnx;
use surefoot_train::training::compete;
use surefoot_train::{Interface, OptionError, Options, Problem, Rewards, TrainError, curve, train};
use surefoot_verdict::Silent;

/// Few steps, and a network that is small enough for them.
fn few(seed: u64) -> Options {
    Options {
        hidden: vec![16],
        steps: 4000,
        seed,
        run_steps: 30,
        evaluations: 8,
        target_every: 100,
        ..Options::default()
    }
}

#[test]
fn a_corridor_is_learned_and_the_policy_is_safe_in_truth() {
    let mut lowered = corridor();
    let (goal, avoid) = (compared(&mut lowered, 1, CmpOp::Eq, 8), compared(&mut lowered, 1, CmpOp::Eq, 0));
    let inside = (1..8).map(|x| State::from_ints(&[0, x])).collect();
    let start = StartSet { conditions: Vec::new(), states: inside };
    let problem = problem(&lowered, &start, goal, avoid);
    for filter in [false, true] {
        let (interface, trained, evaluation) = learned(&problem, filter, &few(1));
        assert_eq!((trained.steps, trained.stopped), (4000, None));
        assert!(evaluation.share(RunEnd::Goal) == 1.0, "filter {filter}: {evaluation:?}");
        // Runs are a sample; this is all there is.
        let policy = policy(&interface, &trained);
        assert_eq!(policy.filter, filter);
        for x in 1..8 {
            let mut state = State::from_ints(&[0, x]);
            let mut steps = 0;
            while state.0[1].to_i64() != Some(8) {
                state =
                    follow(&lowered, &policy, &state).unwrap_or_else(|| panic!("filter {filter}: stuck in {state:?}"));
                steps += 1;
                assert!(steps < 10 && state.0[1].to_i64() != Some(0), "filter {filter} from {x}: {state:?}");
            }
        }
        let task = Task {
            model: &lowered.model,
            policy: Some(&policy),
            start: &start,
            reach: Some(avoid),
            goal: Some(goal),
            goal_terminal: true,
            absorb: None,
            dropped: None,
            stop_at_reach: true,
            threads: 1,
            limits: Limits::default(),
        };
        let explored = explore(&task, &Silent);
        assert_eq!((explored.ending, explored.statistics.deadlocks), (Ending::Complete, 0));
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let mut lowered = corridor();
    let (goal, avoid) = (compared(&mut lowered, 1, CmpOp::Eq, 8), compared(&mut lowered, 1, CmpOp::Eq, 0));
    let start = StartSet { conditions: Vec::new(), states: vec![State::from_ints(&[0, 2]), State::from_ints(&[0, 3])] };
    let problem = problem(&lowered, &start, goal, avoid);
    let made = |seed: u64, threads: usize| {
        let (_, trained, evaluation) = learned(&Problem { threads, ..problem.clone() }, false, &few(seed));
        (onnx::write(&trained.network).unwrap(), curve::csv(&trained.curve), evaluation.simulation.totals)
    };
    let first = made(7, 1);
    assert_eq!(first, made(7, 1));
    assert_eq!(first, made(7, 3), "whatever the number of threads");
    assert_ne!(first.0, made(8, 1).0);
    assert_eq!(first.1.lines().count(), 1 + 1 + 8, "a line for the beginning and for each evaluation");
}

/// Two ways to the goal that differ in what they cost, and nothing else.
#[test]
fn a_reward_of_ones_own_decides_between_ways() {
    for dear in ["a", "b"] {
        let cost = |action: &str| json!(if action == dear { 4 } else { 1 });
        let go = |action: &str| edge(action, &op("<", "x", 3), &[("x", op("+", "x", 1)), ("cost", cost(action))]);
        let mut lowered = model(&["a", "b"], &[bounded("x", 0, 3), bounded("cost", 0, 4)], &[go("a"), go("b")]);
        let (goal, avoid) = (compared(&mut lowered, 1, CmpOp::Eq, 3), compared(&mut lowered, 1, CmpOp::Lt, 0));
        let terms = &mut lowered.model.terms;
        let cost = terms.slot(surefoot_model::SlotId(2), surefoot_model::ScalarType::Int);
        let tenth = terms.num("-1/10".parse().unwrap());
        let reward = terms.arith(ArithOp::Mul, cost, tenth);
        let start = StartSet { conditions: Vec::new(), states: vec![State::from_ints(&[0, 0, 0])] };
        let problem = Problem { reward: Some(reward), ..problem(&lowered, &start, goal, avoid) };
        let options = Options { discount: 1.0, ..few(3) };
        let (interface, trained, evaluation) = learned(&problem, false, &options);
        let policy = policy(&interface, &trained);
        let mut state = State::from_ints(&[0, 0, 0]);
        for _ in 0..3 {
            state = follow(&lowered, &policy, &state).unwrap();
            assert_eq!(state.0[2].to_i64(), Some(1), "{dear} is dear");
        }
        // Three steps of a tenth each, and one for the goal.
        assert!((evaluation.collected + 0.3).abs() < 1e-9, "{}", evaluation.collected);
        assert!((evaluation.score(&options.rewards) - 0.7).abs() < 1e-9);
    }
}

/// A goal at the end of a row, and at the other end a place where runs go on in vain: what grows on the way to the goal says where to go.
#[test]
fn progress_leads_to_goals_that_are_far() {
    const END: i64 = 40;
    let left = edge("left", &json!(true), &[("x", op("max", op("-", "x", 1), 0))]);
    let right = edge("right", &json!(true), &[("x", op("+", "x", 1))]);
    let mut lowered = model(&["left", "right"], &[bounded("x", 0, END)], &[left, right]);
    let (goal, avoid) = (compared(&mut lowered, 1, CmpOp::Eq, END), compared(&mut lowered, 1, CmpOp::Lt, 0));
    let terms = &mut lowered.model.terms;
    let (x, part) =
        (terms.slot(surefoot_model::SlotId(1), surefoot_model::ScalarType::Int), terms.num("1/40".parse().unwrap()));
    let progress = terms.arith(ArithOp::Mul, x, part);
    let start = StartSet { conditions: Vec::new(), states: vec![State::from_ints(&[0, 0])] };
    let without = problem(&lowered, &start, goal, avoid);
    let options = Options { run_steps: 60, ..few(2) };
    let share = |problem: &Problem<'_>| learned(problem, false, &options).2.share(RunEnd::Goal);
    let with = Problem { progress: Some(progress), ..without.clone() };
    assert!((share(&with) - 1.0).abs() < 1e-9, "with progress the goal is reached");
    assert!(share(&without) < 1.0, "random choices do not come so far in {} steps", options.steps);
}

/// A label that is the environment's own: it is always possible, and nobody learns to choose it.
#[test]
fn moves_of_the_environment_are_passed_by() {
    let step = |action: &str, turn: i64, x: serde_json::Value| {
        edge(action, &op("=", "turn", turn), &[("turn", json!(1 - turn)), ("x", x)])
    };
    let up = op("min", op("+", "x", 1), 5);
    let down = op("max", op("-", "x", 1), 0);
    let edges = [step("up", 0, up), step("down", 0, down.clone()), step("wind", 1, down)];
    let mut lowered = model(&["down", "up", "wind"], &[bounded("x", 0, 5), bounded("turn", 0, 1)], &edges);
    let (goal, avoid) = (compared(&mut lowered, 1, CmpOp::Eq, 5), compared(&mut lowered, 1, CmpOp::Eq, 0));
    let start =
        StartSet { conditions: Vec::new(), states: vec![State::from_ints(&[0, 3, 1]), State::from_ints(&[0, 4, 0])] };
    let problem = problem(&lowered, &start, goal, avoid);
    let starts = problem.starts().unwrap();
    let labels = vec![surefoot_model::LabelId(0), surefoot_model::LabelId(1)];
    let interface = Interface::new(&lowered.model, problem.inputs(&starts), labels, false).unwrap();
    let trained = train(&problem, &starts, &interface, &few(2), &Silent).unwrap();
    let judged = surefoot_train::training::judge(&problem, &starts, &interface, &trained.network, &few(2)).unwrap();
    // From 4 up to the goal; from 3 the wind comes first, and then the goal is two away and only ever one nearer.
    let half = judged.share(RunEnd::Goal);
    assert!((0.4..0.6).contains(&half) && judged.share(RunEnd::Reach) == 0.0, "{judged:?}");
    let all = Interface::new(&lowered.model, problem.inputs(&starts), Interface::labels_of(&lowered.model), false);
    assert_eq!(all.unwrap().labels().len(), 3);
}

#[test]
fn what_stops_training_keeps_what_was_learned() {
    let mut lowered = corridor();
    let (goal, avoid) = (compared(&mut lowered, 1, CmpOp::Eq, 8), compared(&mut lowered, 1, CmpOp::Eq, 0));
    let start = StartSet { conditions: Vec::new(), states: vec![State::from_ints(&[0, 3])] };
    let problem = problem(&lowered, &start, goal, avoid);
    let starts = problem.starts().unwrap();
    let interface =
        Interface::new(&lowered.model, problem.inputs(&starts), Interface::labels_of(&lowered.model), false).unwrap();
    // Someone who stops at the third event.
    struct Impatient<'l>(&'l Limits, std::sync::atomic::AtomicU32);
    impl surefoot_verdict::Reporter for Impatient<'_> {
        fn tell(&self, event: &dyn surefoot_verdict::Event) {
            assert!(event.line().contains("of 4000 steps"), "{}", event.line());
            if self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 2 {
                self.0.cancel.stop(Stop::Interrupted);
            }
        }
    }
    let told = Impatient(&problem.limits, std::sync::atomic::AtomicU32::new(0));
    let trained = train(&problem, &starts, &interface, &few(1), &told).unwrap();
    assert_eq!((trained.stopped, trained.curve.len()), (Some(Stop::Interrupted), 3));
    assert!((1000..1100).contains(&trained.steps) && trained.kept <= 1000, "{} {}", trained.steps, trained.kept);
    // What it was in the end competes, where there is time again.
    let again = Problem { limits: Limits::default(), ..problem.clone() };
    let competed = compete(&again, &starts, &interface, &few(1), trained.clone()).unwrap();
    let last = competed.curve.last().unwrap();
    assert_eq!((competed.curve.len(), last.step), (4, trained.steps));
    assert_eq!(last.best, last.score >= trained.curve.iter().map(|point| point.score).fold(f64::MIN, f64::max));
    assert_eq!(competed.kept, if last.best { trained.steps } else { trained.kept });
    // Before anything was done, there is still a network.
    let trained = train(&problem, &starts, &interface, &few(1), &Silent).unwrap();
    assert_eq!((trained.stopped, trained.steps, trained.network.output_len()), (Some(Stop::Interrupted), 0, 3));
}

#[test]
fn there_must_be_something_to_choose() {
    let mut lowered = corridor();
    let (goal, avoid) = (compared(&mut lowered, 1, CmpOp::Eq, 8), compared(&mut lowered, 1, CmpOp::Eq, 0));
    let start = StartSet { conditions: Vec::new(), states: vec![State::from_ints(&[0, 8])] };
    let problem = problem(&lowered, &start, goal, avoid);
    let starts = problem.starts().unwrap();
    let labels = Interface::labels_of(&lowered.model);
    let interface = Interface::new(&lowered.model, problem.inputs(&starts), labels.clone(), false).unwrap();
    let trained = |options: &Options| train(&problem, &starts, &interface, options, &Silent).map(|_| ());
    assert_eq!(trained(&few(0)), Err(TrainError::NoChoice));
    let wrong = Options { rewards: Rewards { goal: f32::NAN, ..Rewards::default() }, ..few(0) };
    assert!(matches!(trained(&wrong), Err(TrainError::Option(OptionError { what: "a reward", .. }))));
    for (slots, labels) in [
        (vec![], labels.clone()),
        (problem.inputs(&starts), vec![]),
        (problem.inputs(&starts), [labels.clone(), labels].concat()),
    ] {
        assert!(Interface::new(&lowered.model, slots, labels, false).is_err());
    }
}

/// From one end of a corridor in which every other label is unsafe, random choices do not reach the other.
#[test]
fn restarts_reach_what_random_choices_do_not() {
    const END: i64 = 16;
    let inside = || op("∧", op("<", 0, "x"), op("<", "x", END));
    let here = |parity: i64| op("=", op("%", "x", 2), parity);
    // The right label goes on, the other one falls.
    let go =
        |action: &str, parity: i64, x: serde_json::Value| edge(action, &op("∧", inside(), here(parity)), &[("x", x)]);
    let on = || op("+", "x", 1);
    let edges = [go("a", 0, on()), go("b", 0, json!(0)), go("a", 1, json!(0)), go("b", 1, on())];
    let mut lowered = model(&["a", "b"], &[bounded("x", 0, END)], &edges);
    let (goal, avoid) = (compared(&mut lowered, 1, CmpOp::Eq, END), compared(&mut lowered, 1, CmpOp::Eq, 0));
    let start = StartSet { conditions: Vec::new(), states: vec![State::from_ints(&[0, 1])] };
    let problem = problem(&lowered, &start, goal, avoid);
    let seen_goal = |restarts: f32| {
        // Choices are random throughout: what is compared is where runs get to.
        let random = Options {
            epsilon: 1.0,
            restarts,
            rewards: Rewards { goal: 1.0, unsafety: 0.0, stuck: 0.0, step: 0.0 },
            ..few(6)
        };
        let (_, trained, _) = learned(&problem, true, &random);
        trained.curve.iter().filter_map(|point| point.earned).any(|earned| earned > 0.0)
    };
    assert!(!seen_goal(0.0), "one run of 32768 arrives");
    assert!(seen_goal(0.8));
}
