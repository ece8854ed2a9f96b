//! The suite notices what it is there for: oracles with one fault each are caught, with small questions to show it.

#![expect(clippy::unwrap_used, reason = "a failing test is the message")]
#![expect(clippy::cast_possible_truncation, reason = "the numbers of a test are small")]

mod common;

use common::conformance::random_questions;
use common::generate::Shape;
use surefoot_linear::{Atom, Formula, Linear, Relation};
use surefoot_network::{Layer, Network};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Application, Kind, Limits, Oracle, Question, Reference};

/// Decides another question than it was asked.
struct Careless {
    change: fn(&Question) -> Question,
}

impl Oracle for Careless {
    fn decide(&mut self, question: &Question, limits: &Limits) -> Answer {
        match Reference::new().decide(&(self.change)(question), limits) {
            // Even a careless oracle looks at its witnesses.
            Answer::Sat(point) if !question.is_witness(&point) => Answer::Unsat,
            answer => answer,
        }
    }
}

/// The longest text of a question that counts as small.
const SMALL: usize = 400;

fn is_caught(shape: Shape, change: fn(&Question) -> Question) {
    let report = random_questions("careless", &|| Box::new(Careless { change }), shape);
    let report = report.expect("the fault is noticed");
    assert!(report.len() < SMALL, "this should be smaller:\n{report}");
}

fn with_atoms(formula: &Formula, change: &impl Fn(&Atom) -> Formula) -> Formula {
    let all = |parts: &[Formula]| parts.iter().map(|part| with_atoms(part, change)).collect::<Vec<_>>();
    match formula {
        Formula::Atom(atom) => change(atom),
        Formula::All(parts) => Formula::All(all(parts)),
        Formula::Any(parts) => Formula::Any(all(parts)),
    }
}

fn with_relation(question: &Question, from: Relation, to: Relation) -> Question {
    let change = |atom: &Atom| {
        let relation = if atom.relation == from { to } else { atom.relation };
        Formula::Atom(Atom { relation, ..atom.clone() })
    };
    Question { formula: with_atoms(&question.formula, &change), ..question.clone() }
}

fn with_networks(question: &Question, change: fn(&Network) -> Network) -> Question {
    let mut changed = question.clone();
    for Application { network, .. } in &mut changed.applications {
        *network = change(network).into();
    }
    changed
}

#[test]
fn borders_are_seen() {
    for shape in [Shape::Integer, Shape::Real, Shape::Mixed] {
        is_caught(shape, |q| with_relation(q, Relation::AtLeastZero, Relation::Positive));
    }
    // The other way round is only seen where the one witness that is found is on the border.
    is_caught(Shape::Real, |q| with_relation(q, Relation::Positive, Relation::AtLeastZero));
}

#[test]
fn inequalities_are_seen() {
    is_caught(Shape::Integer, |q| with_relation(q, Relation::NonZero, Relation::Positive));
    is_caught(Shape::Real, |q| with_relation(q, Relation::Zero, Relation::Positive));
}

#[test]
fn the_last_part_of_a_clause_is_seen() {
    fn shortened(formula: &Formula) -> Formula {
        match formula {
            Formula::Any(parts) if parts.len() > 1 => Formula::Any(parts[..parts.len() - 1].to_vec()),
            Formula::All(parts) => Formula::All(parts.iter().map(shortened).collect()),
            other => other.clone(),
        }
    }
    is_caught(Shape::Integer, |q| Question { formula: shortened(&q.formula), ..q.clone() });
}

#[test]
fn the_ends_of_ranges_are_seen() {
    is_caught(Shape::Integer, |q| {
        let mut changed = q.clone();
        for variable in changed.variables.iter_mut().filter(|v| v.lower < v.upper) {
            variable.upper = &variable.upper - &Rational::ONE;
        }
        changed
    });
    is_caught(Shape::Mixed, |q| {
        let mut changed = q.clone();
        for variable in changed.variables.iter_mut().filter(|v| v.kind == Kind::Real && v.lower < v.upper) {
            variable.lower = &variable.lower + &Rational::new(1, 1 << 40).unwrap();
        }
        changed
    });
}

#[test]
fn rounded_numbers_are_seen() {
    let rounded = |q: &Question| {
        let change = |atom: &Atom| {
            let near = |value: &Rational| Rational::from_f64(value.to_f64()).unwrap();
            let terms = atom.form.terms().iter().map(|(s, a)| (*s, near(a))).collect();
            Formula::Atom(Atom { form: Linear::new(terms, near(atom.form.constant())), relation: atom.relation })
        };
        Question { formula: with_atoms(&q.formula, &change), ..q.clone() }
    };
    is_caught(Shape::Integer, rounded);
    is_caught(Shape::Real, rounded);
}

#[test]
fn rounded_weights_are_seen() {
    is_caught(Shape::Integer, |q| {
        with_networks(q, |network| {
            let near = |numbers: &[f64]| numbers.iter().map(|w| f64::from(*w as f32)).collect();
            let near =
                |l: &Layer| Layer::new(l.input_len(), near(&l.weights()), near(l.bias()), l.activation()).unwrap();
            let mut rounded = Network::new(network.layers().iter().map(near).collect()).unwrap();
            if let Some(given) = network.input_normalisation() {
                rounded = rounded.with_input_normalisation(given.clone()).unwrap();
            }
            if let Some(given) = network.output_normalisation() {
                rounded = rounded.with_output_normalisation(given.clone()).unwrap();
            }
            rounded
        })
    });
}

#[test]
fn normalisations_are_seen() {
    for shape in [Shape::Integer, Shape::Real] {
        is_caught(shape, |q| with_networks(q, |network| Network::new(network.layers().to_vec()).unwrap()));
    }
}
