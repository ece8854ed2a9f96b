//! Searches that are worth an audit.

use rustc_hash::FxHashSet;
use surefoot_fixtures::Random;
use surefoot_linear::Formula;
use surefoot_oracle::{Assignment, Options, Question, Ties};

use crate::common::formula::random_formula;
use crate::common::generate::{Shape, question_of_shape};
use crate::common::pad::Padding;

pub(crate) const SHAPES: [Shape; 3] = [Shape::Integer, Shape::Mixed, Shape::Real];

/// Without enumeration of few points the bounds have to do the work; without neurons to split, the boxes have.
pub(crate) fn options(random: &mut Random) -> Options {
    let phases = *random.pick(&[6, 6, 2]);
    let phase_work = *random.pick(&[0, 0, 1 << 30, 3_000]);
    let long_after = *random.pick(&[0, 2]);
    let together_after = *random.pick(&[0, 1 << 27]);
    match random.below(4) {
        _ if random.percent(40) => Options {
            enumerate: 1.0,
            root_steps: 0,
            phases: 2,
            long_after,
            phase_work,
            together_after,
            ..Options::default()
        },
        0 => Options { phases, ..Options::default() },
        _ => Options { enumerate: 1.0, root_steps: 0, phases, ..Options::default() },
    }
}

/// A question with formulas to be tracked, at times with many variables that are fixed.
pub(crate) fn case(random: &mut Random, shape: Shape) -> (Question, Vec<Formula>) {
    let question = question_of_shape(random, shape);
    let mut tracked: Vec<Formula> = (0..1 + random.below(3)).map(|_| random_formula(random, &question)).collect();
    if let Some(application) = question.applications.first().filter(|_| random.percent(50)) {
        let labels = application.network.output_len();
        tracked = (0..labels.min(3)).map(|l| question.chosen(0, l, &Ties::First, |_| Formula::truth())).collect();
    }
    if random.percent(50) {
        return (question, tracked);
    }
    let padding = Padding::random(random);
    let tracked = tracked.iter().map(|formula| padding.formula(formula)).collect();
    (padding.question(&question), tracked)
}

pub(crate) fn excluded(random: &mut Random, tracked: usize) -> FxHashSet<Assignment> {
    let some = random.percent(30);
    some.then(|| Assignment::new((0..tracked).map(|_| random.below(2) == 0))).into_iter().collect()
}
