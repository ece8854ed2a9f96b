//! Random formulas for random questions.
//!
//! A constraint drawn blindly is nearly always far from true or far from false. So most constants are chosen to make
//! the form zero at some point of the box, often a corner, and some to make it zero where it is largest: then `>=` has
//! few witnesses, and `>` fewer or none.

use surefoot_fixtures::Random;
use surefoot_linear::{Atom, Formula, Linear, Relation, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Kind, Question, Ties};

use super::generate::number;
use super::int;

/// What constraints are drawn from.
struct Context<'q> {
    question: &'q Question,
    /// The value of every symbol at some point of the box.
    values: Vec<Rational>,
}

/// A formula over the variables and outputs of a question.
pub(crate) fn random_formula(random: &mut Random, question: &Question) -> Formula {
    let point = random_point(random, question);
    let context = Context { question, values: question.symbol_values(&point) };
    let parts: Vec<Formula> = (0..*random.pick(&[0, 1, 1, 2, 2, 3, 4])).map(|_| context.part(random)).collect();
    // Nested and constant parts are legal, whoever writes them.
    if random.percent(10) { Formula::All(vec![Formula::All(parts), Formula::truth()]) } else { Formula::all(parts) }
}

/// A point of the box, if there is one.
pub(crate) fn random_point(random: &mut Random, question: &Question) -> Vec<Rational> {
    let corner = random.percent(40);
    let mut point = Vec::new();
    for variable in &question.variables {
        let part = match corner {
            true => int(random.between(0, 1)),
            false => Rational::new(random.between(0, 12), 12).unwrap(),
        };
        let value = &variable.lower + &(&(&variable.upper - &variable.lower) * &part);
        point.push(match variable.kind {
            Kind::Integer if value.floor() >= variable.lower => value.floor(),
            Kind::Integer => value.ceil(),
            Kind::Real => value,
        });
    }
    point
}

impl Context<'_> {
    fn part(&self, random: &mut Random) -> Formula {
        let applications = self.question.applications.len();
        match random.below(10) {
            0..=2 if applications > 0 => self.chosen(random, applications),
            3 => self.cycle(random),
            4 => self.optimum(random),
            5 | 6 => self.nested(random, 2),
            _ => self.atom(random),
        }
    }

    fn atom(&self, random: &mut Random) -> Formula {
        let form = self.form(random);
        let relation = match random.below(10) {
            0..=3 => Relation::AtLeastZero,
            4..=6 => Relation::Positive,
            7 => Relation::Zero,
            _ => Relation::NonZero,
        };
        let here = form.eval(|symbol| self.values[symbol.index()].clone());
        let constant = match random.below(10) {
            0..=5 => -here,
            6 => &-here + &number(random),
            7 => &-here - &Rational::new(1, 1 << 40).unwrap(),
            _ => number(random),
        };
        let form = &form + &Linear::constant_form(constant);
        // Unlike `Formula::atom`, this keeps constant forms.
        Formula::Atom(Atom { form, relation })
    }

    /// A form without constant: variables, one output, a difference of outputs, or all mixed.
    fn form(&self, random: &mut Random) -> Linear {
        let (variables, symbols) = (self.question.variables.len(), self.question.symbols());
        let outputs = symbols - variables;
        if symbols == 0 {
            return Linear::default();
        }
        let output = |random: &mut Random| Symbol::at(variables + random.below(outputs));
        let any = |random: &mut Random| (Symbol::at(random.below(symbols)), number(random));
        let sign = |random: &mut Random| int(*random.pick(&[-1, 1]));
        let terms = match random.below(6) {
            0 if outputs > 0 => vec![(output(random), sign(random))],
            1 if outputs > 0 => vec![(output(random), Rational::ONE), (output(random), int(-1))],
            2 | 3 => vec![any(random), any(random), any(random)],
            _ if variables > 0 => {
                let variable = |random: &mut Random| (Symbol::at(random.below(variables)), sign(random));
                (0..1 + random.below(2)).map(|_| variable(random)).collect()
            }
            _ => vec![any(random)],
        };
        Linear::new(terms, Rational::ZERO)
    }

    fn nested(&self, random: &mut Random, depth: usize) -> Formula {
        if depth == 0 || random.percent(20) {
            return self.atom(random);
        }
        let parts: Vec<Formula> = (0..2 + random.below(2)).map(|_| self.nested(random, depth - 1)).collect();
        match random.below(5) {
            0 | 1 => Formula::all(parts),
            2 => Formula::all(parts).negated(),
            _ => Formula::any(parts),
        }
    }

    fn chosen(&self, random: &mut Random, applications: usize) -> Formula {
        let application = random.below(applications);
        let labels = self.question.applications[application].network.output_len();
        let ties = match random.below(5) {
            0 | 1 => Ties::First,
            2 | 3 => Ties::Any,
            _ => Ties::Within(number(random).abs()),
        };
        // The label that the point chooses, or one that it may not choose.
        let first = self.question.output(application, 0).index();
        let best = (0..labels).max_by_key(|label| self.values[first + label].clone()).unwrap();
        let label = if random.percent(50) { best } else { random.below(labels) };
        let conditions: Option<Vec<Formula>> =
            random.percent(40).then(|| (0..labels).map(|_| self.nested(random, 1)).collect());
        let applicable = |label: usize| conditions.as_ref().map_or(Formula::truth(), |given| given[label].clone());
        let chosen = self.question.chosen(application, label, &ties, applicable);
        if random.percent(10) { chosen.negated() } else { chosen }
    }

    /// `x < y <= z <= x`, which no bound of one variable refutes; or, with `<=` only, what forces them to be equal.
    fn cycle(&self, random: &mut Random) -> Formula {
        let variables = self.question.variables.len();
        if variables < 2 {
            return self.atom(random);
        }
        let mut order: Vec<Symbol> = Symbol::first(variables).collect();
        order.truncate(2 + random.below(variables - 1));
        let strict = random.percent(60);
        let steps = order.iter().zip(order.iter().cycle().skip(1)).enumerate();
        Formula::all(steps.map(|(index, (x, y))| {
            let relation = if strict && index == 0 { Relation::Positive } else { Relation::AtLeastZero };
            Formula::atom(Atom { form: &Linear::symbol(*y) - &Linear::symbol(*x), relation })
        }))
    }

    /// At least, or more than, the largest of what a form is at some points: at all of them, if they are integers.
    fn optimum(&self, random: &mut Random) -> Formula {
        let form = self.form(random);
        let points = all_points(self.question)
            .unwrap_or_else(|| (0..20).map(|_| random_point(random, self.question)).collect::<Vec<_>>());
        let value = |point: &Vec<Rational>| {
            let values = self.question.symbol_values(point);
            form.eval(|symbol| values[symbol.index()].clone())
        };
        let Some(largest) = points.iter().map(value).max() else { return self.atom(random) };
        let relation = if random.percent(50) { Relation::AtLeastZero } else { Relation::Positive };
        Formula::Atom(Atom { form: &form - &Linear::constant_form(largest), relation })
    }
}

/// All points of the box; `None` if some variable is real.
pub(crate) fn all_points(question: &Question) -> Option<Vec<Vec<Rational>>> {
    let mut points: Vec<Vec<Rational>> = vec![Vec::new()];
    for variable in &question.variables {
        if variable.kind == Kind::Real {
            return None;
        }
        let (lower, upper) = (variable.lower.ceil().to_i64()?, variable.upper.floor().to_i64()?);
        let with = |point: &Vec<Rational>, value: i64| point.iter().cloned().chain([int(value)]).collect();
        points = points.iter().flat_map(|point| (lower..=upper).map(move |value| with(point, value))).collect();
    }
    Some(points)
}
