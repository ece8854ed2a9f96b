//! How fast learning is: prints updates per second for some widths, and steps per second of models with random choices.
//!
//! `speed [MODEL ...]`. Seconds are those of the processor where Linux tells them, so that other programs do not count.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark driver")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of an example are small")]

use std::path::Path;
use std::time::Instant;

use surefoot_limits::Limits;
use surefoot_model::property::StartSet;
use surefoot_num::Random;
use surefoot_testkit::load;
use surefoot_train::dense::{Dense, Shape};
use surefoot_train::learner::Learner;
use surefoot_train::replay::{Replay, Transition};
use surefoot_train::{Environment, Interface, Problem, Rewards, Standing};

/// Seconds that this process was on a processor; else those of the clock.
fn seconds(begin: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = text.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| begin.elapsed().as_secs_f64(), |nanoseconds| nanoseconds as f64 / 1e9)
}

const INPUTS: usize = 14;
const LABELS: usize = 9;

fn updates(width: usize) {
    let mut random = Random::new(1);
    let mut replay = Replay::new(10_000, INPUTS, LABELS);
    let mut numbers = || (0..INPUTS).map(|_| random.below(9) as f32 / 8.0).collect::<Vec<f32>>();
    for i in 0..10_000 {
        let (state, next) = (numbers(), numbers());
        let (dead, allowed) = ([0], [u64::MAX]);
        let (action, reward) = (i % LABELS, if i % 10 == 0 { 1.0 } else { 0.0 });
        replay.push(&Transition {
            state: &state,
            dead: &dead,
            action,
            reward,
            discount: 0.97,
            next: &next,
            allowed: &allowed,
        });
    }
    let mut random = Random::new(1);
    let mut learner = Learner::new(Dense::random(Shape::new(vec![INPUTS, width, width, LABELS]), &mut random));
    let begin = Instant::now();
    let before = seconds(begin);
    let mut count = 0;
    while begin.elapsed().as_secs_f64() < 2.0 {
        learner.update(&replay, 64, -1.0, 1e-3, &mut random);
        count += 1;
    }
    println!("{INPUTS}-{width}-{width}-{LABELS}: {:.0} updates/s of 64", f64::from(count) / (seconds(begin) - before));
}

fn steps(path: &Path) {
    let (mut lowered, _) = load(path, None, &[]);
    let start = StartSet { conditions: vec![lowered.initial_condition()], states: Vec::new() };
    let problem = Problem {
        model: &lowered.model,
        start: &start,
        goal: None,
        avoid: None,
        reward: None,
        progress: None,
        ends_at_goal: true,
        threads: 1,
        limits: Limits::default(),
    };
    let starts = problem.starts().unwrap();
    let labels = Interface::labels_of(problem.model);
    let interface = Interface::new(problem.model, problem.inputs(&starts), labels, true).unwrap();
    let mut environment = Environment::new(&problem, &starts, &interface, Rewards::default(), 200);
    let mut random = Random::new(1);
    let mut observed = vec![0.0; interface.slots().len()];
    let begin = Instant::now();
    let before = seconds(begin);
    let mut count = 0u64;
    while begin.elapsed().as_secs_f64() < 2.0 {
        let mut standing = environment.begin(&starts.draw(&mut random), &mut random).unwrap();
        while standing == Standing::Choice {
            let applicable = environment.applicable().iter().filter(|applicable| **applicable).count();
            let ticket = random.below(applicable);
            let choice =
                (0..environment.applicable().len()).filter(|label| environment.applicable()[*label]).nth(ticket);
            standing = environment.act(choice.unwrap(), &mut random).unwrap();
            interface.observe(environment.values(), &mut observed);
            count += 1;
        }
    }
    println!("{}: {:.0} steps/s", path.display(), count as f64 / (seconds(begin) - before));
}

fn main() {
    [16, 32, 64].into_iter().for_each(updates);
    std::env::args().skip(1).for_each(|path| steps(Path::new(&path)));
}
