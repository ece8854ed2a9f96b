//! Which formulas hold nowhere: against all points, and against one question for each.

use surefoot_fixtures::{Random, seeds};
use surefoot_linear::Formula;
use surefoot_oracle::{
    Answer, FullOracle, Holds, Limits, Narrowing, Oracle, Question, Reference, Template, Ties, Variable,
};

use crate::common::formula::{all_points, random_formula};
use crate::common::generate::{Shape, narrowed, question_of_shape};
use crate::common::pad::Padding;
use crate::common::show::show;

const CASES: u64 = 600;

/// Formulas as policies ask them, some labels not applicable everywhere, and others.
fn alternatives(random: &mut Random, question: &Question) -> Vec<Formula> {
    let labels = question.applications.first().map_or(0, |a| a.network.output_len());
    let ties = random.pick(&[Ties::First, Ties::Any, Ties::Within(surefoot_num::Rational::new(1, 7).unwrap())]).clone();
    let filter: Vec<Formula> = (0..labels).map(|_| random_formula(random, question)).collect();
    let filtered = random.percent(50);
    let applicable = |label: usize| if filtered { filter[label].clone() } else { Formula::truth() };
    let mut formulas: Vec<Formula> = (0..labels).map(|label| question.chosen(0, label, &ties, applicable)).collect();
    formulas.extend((0..random.below(3)).map(|_| random_formula(random, question)));
    formulas
}

/// What holds nowhere has no witness, and most of what has none is found to hold nowhere.
pub(crate) fn of_random_formulas<O: FullOracle>(make: &impl Fn() -> O) {
    let mut counts = [0usize; 3];
    for shape in [Shape::Integer, Shape::Mixed, Shape::Real, Shape::Smooth, Shape::Single] {
        for seed in seeds(12_000_000, CASES / if shape == Shape::Integer { 1 } else { 5 }) {
            let mut random = Random::new(seed);
            let mut question = question_of_shape(&mut random, shape);
            if random.percent(60) {
                question.formula = Formula::truth();
            }
            let formulas = alternatives(&mut random, &question);
            let also: Vec<Formula> = (0..random.below(2)).map(|_| random_formula(&mut random, &question)).collect();
            let asked: Vec<bool> = formulas.iter().map(|_| random.percent(80)).collect();
            let padding = Padding::random(&mut random);
            let pad = |formulas: &[Formula]| formulas.iter().map(|f| padding.formula(f)).collect::<Vec<_>>();
            let limits = Limits { nodes: Some(*random.pick(&[4, 40, 4_000])), ..Limits::default() };
            let wide = question.clone();
            question.variables = narrowed(&mut random, &wide);
            let answer = |wide: &Question, variables: &[Variable], formulas: Vec<Formula>, also: &[Formula]| {
                let template = Template::new(wide.clone(), formulas);
                make().nowhere(&template, Narrowing { variables, also }, &asked, &limits)
            };
            let found = answer(&wide, &question.variables, formulas.clone(), &also);
            let variables = padding.variables(&question.variables);
            let padded = answer(&padding.question(&wide), &variables, pad(&formulas), &pad(&also));
            let points = if shape.is_integral() { all_points(&question) } else { None };
            for (index, formula) in formulas.iter().enumerate() {
                let all = Formula::all(also.iter().cloned().chain([question.formula.clone(), formula.clone()]));
                let one = Question { formula: all, ..question.clone() };
                let holds = match &points {
                    Some(points) => points.iter().any(|point| one.is_witness(point)),
                    None => matches!(Reference::new().decide(&one, &Limits::default()), Answer::Sat(_)),
                };
                for found in [&found, &padded] {
                    let found = &found[index];
                    assert!(!(holds && *found == Holds::Nowhere), "seed {seed}: formula {index}\n{}", show(&one));
                    assert!(asked[index] || *found == Holds::Unknown, "seed {seed}: {index} was not asked about");
                    // Few nodes decide little, and several networks are not looked at.
                    if asked[index] && question.applications.len() == 1 && limits.nodes == Some(4_000) {
                        counts[match found {
                            Holds::Nowhere => 0,
                            Holds::Somewhere(_) => 1,
                            Holds::Undecided | Holds::Unknown => 2,
                        }] += 1;
                    }
                }
            }
        }
    }
    let [nowhere, somewhere, unknown] = counts;
    // The search is not complete, but it is to be of use.
    assert!(nowhere > 200 && somewhere > 200 && 5 * unknown < nowhere + somewhere, "{counts:?}");
}
