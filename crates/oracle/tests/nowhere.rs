//! Which formulas hold nowhere: the joint search against all points, and against one question for each.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]

mod common;

use std::sync::Arc;

use common::formula::{all_points, random_formula};
use common::generate::{Shape, narrowed, question_of_shape};
use common::pad::Padding;
use common::show::show;
use common::{apply, form, network};
use surefoot_fixtures::{Random, seeds};
use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_oracle::{
    Answer, BranchAndBound, Holds, Limits, Options, Oracle, Question, Reference, Template, Ties, Variable,
};

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

#[test]
fn what_holds_nowhere_has_no_witness() {
    let mut counts = [0usize; 3];
    for shape in [Shape::Integer, Shape::Mixed, Shape::Real] {
        for seed in seeds(12_000_000, CASES / if shape == Shape::Integer { 1 } else { 4 }) {
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
                let mut oracle = BranchAndBound::new(Options::default());
                oracle.nowhere(&template, (variables, also), &asked, &limits)
            };
            let found = answer(&wide, &question.variables, formulas.clone(), &also);
            let variables = padding.variables(&question.variables);
            let padded = answer(&padding.question(&wide), &variables, pad(&formulas), &pad(&also));
            let points = if shape == Shape::Integer { all_points(&question) } else { None };
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

/// A row and a score are measured in different units: one that fails by little must not hide the other.
#[test]
fn labels_that_take_turns_do_not_hide_a_third() {
    let constant = |bias: f64| [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, bias];
    let network = Arc::new(network(&[&[&constant(0.0), &constant(-50.0), &constant(0.0)]]));
    let question = Question {
        variables: vec![Variable::integer(0, 30); 6],
        applications: vec![apply(&network, Symbol::first(6).map(Linear::symbol))],
        formula: Formula::truth(),
    };
    let small = Formula::Atom(Atom::at_least_zero(form(&[(Symbol(5), -1)], 20)));
    let applicable = |label: usize| match label {
        0 => small.clone(),
        1 => Formula::truth(),
        _ => small.negated(),
    };
    let chosen = |label: usize| question.chosen(0, label, &Ties::Any, applicable);
    let template = Template::new(question.clone(), (0..3).map(chosen).collect());
    let mut oracle = BranchAndBound::new(Options::default());
    let limits = Limits { nodes: Some(100), ..Limits::default() };
    let found = oracle.nowhere(&template, (&question.variables, &[]), &[true; 3], &limits);
    assert!(matches!(found.as_slice(), [Holds::Somewhere(_), Holds::Nowhere, Holds::Somewhere(_)]), "{found:?}");
    assert!(oracle.statistics().nodes < 50, "{:?}", oracle.statistics());
}
