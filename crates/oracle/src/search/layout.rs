//! A question's box in floats, and where the bounds of its networks' neurons lie in a node's data.

use std::sync::Arc;

use surefoot_linear::Formula;

use super::compile::Compiler;
use super::compiled::Compiled;
use crate::bounds::Setting;
use crate::question::{Application, Question};

/// Compiles a question, given how its applications are laid out; `None` when a variable has no values.
pub(crate) fn compile<'q>(
    question: &'q Question,
    tracked: &'q [Formula],
    mut setting: impl FnMut(&Application, &[f64], usize) -> Arc<Setting>,
) -> Option<Compiled<'q>> {
    let n = question.variables.len();
    let (mut lower, mut upper, mut inner) = (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
    for variable in &question.variables {
        let (l, u, within) = variable.ends()?;
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
