//! Equations between variables solved: two networks with equal inputs become two functions of the same variables.
//!
//! Every linear equation over variables that must hold takes one variable away, the last one of it, which becomes a form over
//! the others. Its bounds stay as bounds of the form. Bounds of both networks are then over the same box, and can be added;
//! as long as the inputs are different variables, nothing is known of a difference of outputs. One network asked twice with
//! equal inputs is asked once.

use std::sync::Arc;

use surefoot_linear::{Atom, Formula, Interval, Linear, Relation, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Application, Kind, Question, Variable};

use super::asked::Query;

/// A query over fewer variables.
#[derive(Debug, Clone)]
pub(super) struct Linked {
    /// What is asked; symbols after its own are products.
    pub(super) question: Question,
    /// The factors of each product, over the question's symbols and products before it.
    pub(super) factors: Vec<(Linear, Linear)>,
    /// The old variables over the new ones.
    back: Vec<Linear>,
    /// Of each new variable, which old one it is.
    free: Vec<usize>,
}

impl Linked {
    /// The query over the variables that are left.
    pub(super) fn new(query: &Query) -> Self {
        let Question { variables, applications, formula } = &query.question;
        let inputs = variables.len();
        let (solved, kept) = solve(formula, variables, query.links);
        let mut forms: Vec<Option<Linear>> = vec![None; inputs];
        // Later equations were solved for variables that earlier ones may have.
        for (variable, form) in solved.iter().rev() {
            forms[*variable] = Some(form.substitute(&|symbol| forms[symbol.index()].clone()));
        }
        let mut place = vec![0; inputs];
        let (mut free, mut old) = (Vec::new(), Vec::new());
        for (index, variable) in variables.iter().enumerate().filter(|(index, _)| forms[*index].is_none()) {
            place[index] = free.len();
            free.push(variable.clone());
            old.push(index);
        }
        let own = |symbol: Symbol| Some(Linear::symbol(Symbol::at(place[symbol.index()])));
        let of_variable = |symbol: Symbol| match &forms[symbol.index()] {
            Some(form) => form.substitute(&own),
            None => Linear::symbol(Symbol::at(place[symbol.index()])),
        };
        let back: Vec<Linear> = Symbol::first(inputs).map(of_variable).collect();
        let applications = applications.iter().map(|application| Application {
            network: application.network.clone(),
            inputs: application
                .inputs
                .iter()
                .map(|form| form.substitute(&|symbol| Some(of_variable(symbol))))
                .collect(),
        });
        let (applications, outputs) = once_each(applications.collect(), query.links);
        // Outputs are where they are computed, and products behind them.
        let computed: usize = applications.iter().map(|application| application.network.output_len()).sum();
        let moved = |symbol: Symbol| match symbol.index().checked_sub(inputs) {
            None => back[symbol.index()].clone(),
            Some(place) => {
                let place = outputs.get(place).copied().unwrap_or(computed + place.saturating_sub(outputs.len()));
                Linear::symbol(Symbol::at(free.len() + place))
            }
        };
        let factors = query.products.iter().map(|(left, right)| (moved(*left), moved(*right))).collect();
        let mut parts: Vec<Formula> = kept.iter().map(|part| part.substitute(&|symbol| Some(moved(symbol)))).collect();
        for (index, variable) in variables.iter().enumerate().filter(|(index, _)| forms[*index].is_some()) {
            bound(&back[index], variable, &mut free, &mut parts);
        }
        let question = Question { variables: free, applications, formula: Formula::all(parts) };
        Self { question, factors, back, free: old }
    }

    /// Of each variable, which old one it is.
    pub(super) fn free(&self) -> impl Iterator<Item = usize> + '_ {
        self.free.iter().copied()
    }

    /// The values of the old variables.
    pub(super) fn full(&self, state: &[Rational]) -> Vec<Rational> {
        self.back.iter().map(|form| form.eval(|symbol| state[symbol.index()].clone())).collect()
    }
}

/// Applications of one network to equal inputs as one: which are left, and of every output the place among theirs.
fn once_each(applications: Vec<Application>, links: bool) -> (Vec<Application>, Vec<usize>) {
    let mut left: Vec<(usize, Application)> = Vec::new();
    let (mut places, mut next) = (Vec::new(), 0);
    for application in applications {
        let same = |(_, other): &&(usize, Application)| {
            links && Arc::ptr_eq(&other.network, &application.network) && other.inputs == application.inputs
        };
        let outputs = application.network.output_len();
        match left.iter().find(same) {
            Some((first, _)) => places.extend(*first..*first + outputs),
            None => {
                places.extend(next..next + outputs);
                left.push((next, application));
                next += outputs;
            }
        }
    }
    (left.into_iter().map(|(_, application)| application).collect(), places)
}

/// Variables with the forms that they equal, each over variables not solved before it; and the parts that are left.
fn solve<'f>(formula: &'f Formula, variables: &[Variable], links: bool) -> (Vec<(usize, Linear)>, Vec<&'f Formula>) {
    let parts = match formula {
        Formula::All(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    };
    let mut solved: Vec<(usize, Linear)> = Vec::new();
    let mut by_variable: Vec<Option<usize>> = vec![None; variables.len()];
    let mut kept = Vec::new();
    for part in parts {
        let equation = match part {
            Formula::Atom(Atom { form, relation: Relation::Zero }) if links && form.terms().len() > 1 => Some(form),
            _ => None,
        };
        let real = |symbol: &Symbol| variables.get(symbol.index()).is_some_and(|v| v.kind == Kind::Real);
        let equation = equation.filter(|form| form.terms().iter().all(|(symbol, _)| real(symbol)));
        let Some(equation) = equation else {
            kept.push(part);
            continue;
        };
        let mut form = equation.clone();
        while form.terms().iter().any(|(symbol, _)| by_variable[symbol.index()].is_some()) {
            form = form.substitute(&|symbol| by_variable[symbol.index()].map(|place| solved[place].1.clone()));
        }
        let Some((pivot, factor)) = form.terms().last().cloned() else {
            // It follows from the others, or contradicts them; which of the two shows when they are put in.
            kept.push(part);
            continue;
        };
        let others = &form - &(&Linear::symbol(pivot) * &factor);
        let inverse = Rational::ONE.checked_div(&factor).unwrap_or_default();
        by_variable[pivot.index()] = Some(solved.len());
        solved.push((pivot.index(), &others * &-&inverse));
    }
    (solved, kept)
}

/// Keeps the bounds of a variable that became a form: as bounds of another one where it is the only one in the form.
fn bound(form: &Linear, variable: &Variable, free: &mut [Variable], parts: &mut Vec<Formula>) {
    let (lower, upper) = (&variable.lower, &variable.upper);
    if let [(symbol, factor)] = form.terms() {
        let shifted = Interval::new(lower - form.constant(), upper - form.constant());
        let inverse = Rational::ONE.checked_div(factor).unwrap_or_default();
        let only = &mut free[symbol.index()];
        let own = Interval::new(only.lower.clone(), only.upper.clone()).intersection(&shifted.scaled(&inverse));
        if let Interval { lower: Some(lower), upper: Some(upper) } = own {
            (only.lower, only.upper) = (lower, upper);
        }
        return;
    }
    let constant = |value: &Rational| Linear::constant_form(value.clone());
    for form in [form - &constant(lower), &constant(upper) - form] {
        parts.push(Formula::atom(Atom::at_least_zero(form)));
    }
}
