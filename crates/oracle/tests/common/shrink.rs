//! The smallest question that still shows a fault: whatever makes the text shorter and keeps the fault is taken.

use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Application, Kind, Question, Variable};

use super::reduce::smaller_networks;
use super::show::show;

/// How many questions are tried at most.
const ATTEMPTS: usize = 5000;

/// A smaller question on which the check still complains, and what it says; the given one if nothing smaller does.
pub(crate) fn shrink(question: &Question, check: &impl Fn(&Question) -> Option<String>) -> (Question, String) {
    let mut said = check(question).expect("a question to shrink fails");
    let (mut best, mut length) = (question.clone(), show(question).len());
    let mut attempts = 0;
    'again: loop {
        for candidate in smaller(&best) {
            let candidate_length = show(&candidate).len();
            if candidate_length >= length || candidate.check().is_err() {
                continue;
            }
            attempts += 1;
            if attempts > ATTEMPTS {
                break 'again;
            }
            if let Some(text) = check(&candidate) {
                (best, length, said) = (candidate, candidate_length, text);
                continue 'again;
            }
        }
        break;
    }
    (best, said)
}

/// Questions with one thing less, what saves most first.
fn smaller(question: &Question) -> Vec<Question> {
    let mut found = Vec::new();
    found.extend((0..question.applications.len()).map(|index| without_application(question, index)));
    found.extend(smaller_formulas(&question.formula).into_iter().map(|f| with_formula(question, f)));
    found.extend((0..question.variables.len()).flat_map(|index| smaller_variable(question, index)));
    found.extend(smaller_networks(question));
    for (index, application) in question.applications.iter().enumerate() {
        for (input, form) in application.inputs.iter().enumerate() {
            for simpler in smaller_forms(form).into_iter().chain([Linear::default()]) {
                let mut inputs = application.inputs.to_vec();
                inputs[input] = simpler;
                let mut less = question.clone();
                less.applications[index].inputs = inputs.into();
                found.push(less);
            }
        }
    }
    found
}

fn with_formula(question: &Question, formula: Formula) -> Question {
    Question { formula, ..question.clone() }
}

/// Puts a constant in for symbols from one on, and moves the symbols after them.
pub(crate) fn remove_symbols(formula: &Formula, first: usize, count: usize, value: &Rational) -> Formula {
    formula.substitute(&|symbol| removed(symbol, first, count, value))
}

fn removed(symbol: Symbol, first: usize, count: usize, value: &Rational) -> Option<Linear> {
    match symbol.index() {
        before if before < first => None,
        at if at < first + count => Some(Linear::constant_form(value.clone())),
        _ => Some(Linear::symbol(Symbol::at(symbol.index() - count))),
    }
}

fn without_application(question: &Question, index: usize) -> Question {
    let mut less = question.clone();
    let gone = less.applications.remove(index);
    let first = question.output(index, 0).index();
    less.formula = remove_symbols(&question.formula, first, gone.network.output_len(), &Rational::ZERO);
    less
}

/// The variable fixed, with half its range, with whole bounds, or an integer.
fn smaller_variable(question: &Question, index: usize) -> Vec<Question> {
    let Variable { kind, lower, upper } = question.variables[index].clone();
    let middle = (&(&lower + &upper) * &Rational::new(1, 2).unwrap()).floor();
    let mut found = Vec::new();
    for value in [Rational::ZERO, Rational::ONE, lower.clone(), middle.clone(), upper.clone()] {
        if lower <= value && value <= upper {
            found.push(without_variable(question, index, &value));
        }
    }
    let mut with = |variable: Variable| {
        let mut less = question.clone();
        less.variables[index] = variable;
        found.push(less);
    };
    with(Variable { kind, lower: lower.clone(), upper: middle.clone() });
    with(Variable { kind, lower: &middle + &Rational::ONE, upper: upper.clone() });
    with(Variable { kind, lower: lower.ceil(), upper: upper.floor() });
    with(Variable { kind, lower: lower.floor(), upper: upper.ceil() });
    with(Variable { kind: Kind::Integer, lower: lower.ceil(), upper: upper.floor() });
    // As many digits as before, but the text must get shorter: only from `integer` to `real`.
    with(Variable { kind: Kind::Real, lower, upper });
    found
}

fn without_variable(question: &Question, index: usize, value: &Rational) -> Question {
    let mut less = question.clone();
    less.variables.remove(index);
    for application in &mut less.applications {
        let inputs = application.inputs.iter().map(|form| form.substitute(&|s| removed(s, index, 1, value))).collect();
        *application = Application { network: Arc::clone(&application.network), inputs };
    }
    less.formula = remove_symbols(&question.formula, index, 1, value);
    less
}

fn smaller_formulas(formula: &Formula) -> Vec<Formula> {
    let parts = match formula {
        Formula::Atom(Atom { form, relation }) => {
            let forms = smaller_forms(form).into_iter();
            return forms.map(|form| Formula::Atom(Atom { form, relation: *relation })).collect();
        }
        Formula::All(parts) | Formula::Any(parts) => parts,
    };
    let join = |parts: Vec<Formula>| match formula {
        Formula::Any(_) => Formula::Any(parts),
        _ => Formula::All(parts),
    };
    let mut found = parts.clone();
    for index in 0..parts.len() {
        let mut rest = parts.clone();
        rest.remove(index);
        found.push(join(rest));
    }
    for (index, part) in parts.iter().enumerate() {
        for less in smaller_formulas(part) {
            let mut changed = parts.clone();
            changed[index] = less;
            found.push(join(changed));
        }
    }
    found
}

/// Fewer terms, simpler numbers.
fn smaller_forms(form: &Linear) -> Vec<Linear> {
    let mut found = Vec::new();
    for simpler in smaller_numbers(form.constant()) {
        found.push(Linear::new(form.terms().to_vec(), simpler));
    }
    for (index, (symbol, a)) in form.terms().iter().enumerate() {
        for simpler in smaller_numbers(a) {
            let mut terms = form.terms().to_vec();
            terms[index] = (*symbol, simpler);
            found.push(Linear::new(terms, form.constant().clone()));
        }
    }
    found
}

fn smaller_numbers(value: &Rational) -> Vec<Rational> {
    let nearest = Rational::from_f64((value.to_f64() * 4.0).round() / 4.0);
    let fixed = [Rational::ZERO, Rational::from(value.signum()), value.floor(), value.ceil()];
    fixed.into_iter().chain(nearest).collect()
}
