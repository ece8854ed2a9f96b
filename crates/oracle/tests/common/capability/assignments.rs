//! All assignments: of questions, of narrowed templates, and in single points.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::Formula;
use surefoot_num::Rational;
use surefoot_oracle::{
    AllAssignments, Answer, Assignment, Assignments, FullOracle, Kind, Limits, Narrowing, Oracle, Question, Reference,
    Template,
};

use crate::common::formula::{all_points, random_formula, random_point};
use crate::common::generate::{Shape, narrowed, question_of_shape};
use crate::common::show::show;

const CASES: u64 = 700;
const NARROWED: u64 = 200;

/// The truth values of formulas at a point.
fn truth_values(question: &Question, tracked: &[Formula], point: &[Rational]) -> Assignment {
    let truths: Vec<bool> = tracked.iter().map(|f| question.holds(f, point).expect("scores are told apart")).collect();
    Assignment::new(truths.into_iter())
}

/// The assignments that witnesses have: those of all points, or those for which the reference finds a witness.
fn truth(question: &Question, tracked: &[Formula], excluded: &FxHashSet<Assignment>) -> BTreeSet<Assignment> {
    let integral = question.variables.iter().all(|variable| variable.kind == Kind::Integer);
    let mut found: BTreeSet<Assignment> = match all_points(question).filter(|_| integral) {
        Some(points) => {
            let witnesses = points.into_iter().filter(|point| question.is_witness(point));
            witnesses.map(|point| truth_values(question, tracked, &point)).collect()
        }
        None => {
            let all = (0u64..1 << tracked.len())
                .map(|code| Assignment::new((0..tracked.len()).map(|index| code >> index & 1 == 1)));
            all.filter(|assignment| {
                let literals = assignment.iter().zip(tracked);
                let literals = literals.map(|(value, f)| if value { f.clone() } else { f.negated() });
                let formula = Formula::all(literals.chain([question.formula.clone()]));
                let one = Question { formula, ..question.clone() };
                match Reference::new().decide(&one, &Limits::default()) {
                    Answer::Sat(_) => true,
                    Answer::Unsat => false,
                    Answer::Unknown(limit) => panic!("the reference has no limit: {limit}"),
                }
            })
            .collect()
        }
    };
    found.retain(|assignment| !excluded.contains(assignment));
    found
}

/// Holds what was found against the truth; how many assignments there are.
fn check(
    found: &Assignments,
    question: &Question,
    tracked: &[Formula],
    excluded: &FxHashSet<Assignment>,
    seed: u64,
) -> usize {
    assert_eq!(found.stopped, None, "seed {seed}");
    let expected = truth(question, tracked, excluded);
    let keys: BTreeSet<Assignment> = found.found.keys().cloned().collect();
    assert_eq!(keys, expected, "seed {seed}\n{}\ntracked {tracked:?}", show(question));
    for (assignment, point) in &found.found {
        assert!(question.is_witness(point), "seed {seed}: {point:?}\n{}", show(question));
        assert_eq!(truth_values(question, tracked, point), *assignment, "seed {seed}");
    }
    expected.len()
}

fn tracked_formulas(random: &mut Random, question: &Question) -> Vec<Formula> {
    (0..1 + random.below(4)).map(|_| random_formula(random, question)).collect()
}

/// Some assignment that is not asked for, mostly none.
fn excluded(random: &mut Random, tracked: usize) -> FxHashSet<Assignment> {
    let some = random.below(3) == 0;
    some.then(|| Assignment::new((0..tracked).map(|_| random.below(2) == 0))).into_iter().collect()
}

/// How many cases of a shape there are, of so many over integers: the reference takes its time over reals.
fn share(cases: u64, shape: Shape) -> u64 {
    cases / if shape == Shape::Integer { 1 } else { 5 }
}

/// All assignments of random questions.
pub(crate) fn of_random_questions<O: FullOracle>(make: &impl Fn() -> O) {
    let mut several = 0;
    for shape in [Shape::Integer, Shape::Mixed, Shape::Real, Shape::Smooth, Shape::Single] {
        for seed in seeds(7_000_000, share(CASES, shape)) {
            let mut random = Random::new(seed);
            let mut question = question_of_shape(&mut random, shape);
            if random.percent(30) {
                question.formula = Formula::truth();
            }
            let tracked = tracked_formulas(&mut random, &question);
            let excluded = excluded(&mut random, tracked.len());
            let found = make().assignments(&question, &tracked, &excluded, &Limits::default());
            several += u64::from(check(&found, &question, &tracked, &excluded, seed) > 1);
        }
    }
    assert!(several > CASES / 5, "{several} have several assignments");
}

/// All assignments of templates in narrowed boxes, and those in single points.
pub(crate) fn of_narrowed_questions<O: FullOracle>(make: &impl Fn() -> O) {
    let (mut some, mut limited, mut points) = (0, 0, 0);
    for shape in [Shape::Integer, Shape::Mixed, Shape::Real, Shape::Smooth, Shape::Single] {
        for seed in seeds(9_000_000, share(NARROWED, shape)) {
            let mut random = Random::new(seed);
            let question = question_of_shape(&mut random, shape);
            let tracked = tracked_formulas(&mut random, &question);
            let template = Template::new(question.clone(), tracked.clone());
            let mut oracle = make();
            for _ in 0..4 {
                let variables = narrowed(&mut random, &question);
                let also: Vec<Formula> = (0..random.below(3)).map(|_| random_formula(&mut random, &question)).collect();
                let within = Narrowing { variables: &variables, also: &also };
                let excluded = excluded(&mut random, tracked.len());
                let ask = |oracle: &mut O| oracle.assignments_within(&template, within, &excluded, &Limits::default());
                let found = ask(&mut oracle);
                assert_eq!(found, ask(&mut make()), "seed {seed}: what was asked before");
                let alone = template.narrowed(within);
                some += usize::from(check(&found, &alone, &tracked, &excluded, seed) > 0);
                limited += usize::from(!also.is_empty());
                for _ in 0..4 {
                    points += usize::from(at_a_point(&mut oracle, &template, within, &mut random, seed));
                }
            }
        }
    }
    assert!(some > 100 && limited > 100, "{some} with assignments, {limited} with more to hold");
    assert!(points > 100, "{points} points are witnesses");
}

/// Holds the assignment in a random point against the default; whether there is one.
fn at_a_point<O: FullOracle>(
    oracle: &mut O,
    template: &Template,
    within: Narrowing<'_>,
    random: &mut Random,
    seed: u64,
) -> bool {
    let question = template.narrowed(within);
    let mut point: Vec<f64> = random_point(random, &question).iter().map(Rational::to_f64).collect();
    if random.percent(20)
        && let Some(value) = point.first_mut()
    {
        *value += random.pick(&[0.5, 100.0]);
    }
    let found = oracle.assignment_at(template, within, &point);
    assert_eq!(found, Reference::new().assignment_at(template, within, &point), "seed {seed}: {point:?}");
    if let Some((assignment, exact)) = &found {
        assert!(question.is_witness(exact), "seed {seed}: {exact:?}");
        assert_eq!(truth_values(&question, template.tracked(), exact), *assignment, "seed {seed}");
    }
    found.is_some()
}
