//! A question's box in floats, and where the bounds of its networks' neurons lie in a node's data.

use std::sync::Arc;

use surefoot_linear::Formula;
use surefoot_num::Rational;

use super::compile::{Compiled, Compiler};
use crate::bounds::Setting;
use crate::question::{Application, Kind, Question, Variable};

/// Compiles a question, given how its applications are laid out; `None` when a variable has no values.
pub(crate) fn compile<'q>(
    question: &'q Question,
    tracked: &'q [Formula],
    mut setting: impl FnMut(&Application, &[f64], usize) -> Arc<Setting>,
) -> Option<Compiled<'q>> {
    let n = question.variables.len();
    let (mut lower, mut upper, mut inner) = (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
    for variable in &question.variables {
        let (l, u, within) = ends(variable)?;
        lower.push(l);
        upper.push(u);
        inner.push(within);
    }
    let magnitude: Vec<f64> = lower.iter().zip(&upper).map(|(l, u): (&f64, &f64)| l.abs().max(u.abs())).collect();
    let mut data_len = 2 * n;
    let mut settings = Vec::with_capacity(question.applications.len());
    for application in &question.applications {
        let setting = setting(application, &magnitude, data_len);
        data_len = setting.end();
        settings.push(setting);
    }
    Some(Compiler::new(question, lower, upper, inner, settings, data_len).finish(tracked))
}

/// The bounds of a variable as floats, rounded outward; and rounded inward. `None` when it has no values.
pub(crate) fn ends(variable: &Variable) -> Option<(f64, f64, (f64, f64))> {
    let Variable { kind, lower, upper } = variable;
    if lower > upper {
        return None;
    }
    let (l, u) = match kind {
        Kind::Integer => (lower.ceil().to_f64(), upper.floor().to_f64()),
        Kind::Real => (rounded_down(lower), rounded_up(upper)),
    };
    let inner = match kind {
        Kind::Integer => (l, u),
        Kind::Real => (rounded_up(lower), rounded_down(upper)),
    };
    (l <= u).then_some((l, u, inner))
}

/// A float that is at most the value.
fn rounded_down(value: &Rational) -> f64 {
    let float = value.to_f64();
    match Rational::from_f64(float) {
        Some(exact) if exact <= *value => float,
        _ => float.next_down(),
    }
}

/// A float that is at least the value.
fn rounded_up(value: &Rational) -> f64 {
    -rounded_down(&-value)
}
