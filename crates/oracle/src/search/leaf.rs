//! Exact decision of a region in which every neuron's phase is known.
//!
//! There the networks are affine, so what must hold is a conjunction of linear rows over the variables: the required
//! atoms with outputs replaced by their exact affine forms, and the phases that the branch assumed. Phases that follow
//! from bounds need no rows: they hold on the whole region.

use surefoot_linear::{Atom, Linear, Symbol};
use surefoot_num::Rational;

use super::compile::Compiled;
use super::region::Region;
use crate::bounds::Setting;
use crate::question::Question;
use surefoot_lp::{Feasibility, Program};

/// The program of a region without open disjunctions, and without unstable neurons in the applications that are `live`;
/// `None` when `stop` says so before it is built.
pub(crate) fn exact_program(
    question: &Question,
    compiled: &Compiled<'_>,
    region: &Region,
    required: &[u32],
    live: &dyn Fn(usize) -> bool,
    stop: &dyn Fn() -> bool,
) -> Option<Program> {
    let n = compiled.integral.len();
    let exact = |value: f64| Rational::from_f64(value).expect("boxes are finite");
    let bounds = (0..n)
        .map(|v| {
            let variable = &question.variables[v];
            (exact(region.data[v]).max(variable.lower.clone()), exact(region.data[n + v]).min(variable.upper.clone()))
        })
        .collect();
    let mut outputs: Vec<Linear> = Vec::new();
    let mut rows: Vec<Atom> = Vec::new();
    for (application, setting) in compiled.settings.iter().enumerate() {
        if !live(application) {
            // Nothing depends on its outputs, and its neurons may be unstable.
            outputs.extend(std::iter::repeat_n(Linear::default(), setting.output_magnitude.len()));
            continue;
        }
        let assumed = |layer: usize, neuron: usize| {
            let same = |a: &&std::sync::Arc<super::assume::Assumption>| {
                a.application == application && a.layer == layer && a.neuron == neuron
            };
            region.assumed.iter().find(same).map(|a| a.active)
        };
        let mut visit = |layer, neuron, form: &Linear| {
            if let Some(active) = assumed(layer, neuron) {
                rows.push(Atom::at_least_zero(if active { form.clone() } else { -form }));
            }
        };
        outputs.extend(forms(question, application, setting, region, &mut visit, stop)?);
    }
    let replace = |symbol: Symbol| symbol.index().checked_sub(n).map(|output| outputs[output].clone());
    for &part in required {
        let atom = compiled.atoms[part as usize].as_ref().expect("required parts are atoms");
        rows.push(Atom { form: atom.form.substitute(&replace), relation: atom.relation });
    }
    Some(Program { bounds, rows })
}

/// The outputs of an application as affine forms over the variables; calls `visit` on every neuron's pre-activation.
fn forms(
    question: &Question,
    application: usize,
    setting: &Setting,
    region: &Region,
    visit: &mut impl FnMut(usize, usize, &Linear),
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Linear>> {
    let network = &question.applications[application].network;
    let mut values: Vec<Linear> = (0..network.input_len()).map(|j| setting.folded.exact_input(j)).collect();
    for (index, layer) in network.layers().iter().enumerate() {
        if stop() {
            return None;
        }
        let (low, _) = setting.range(index);
        let relu = setting.folded.layer(index).relu;
        let neuron = |(i, (weights, bias)): (usize, (&[f64], f64))| {
            let exact = |value: f64| Rational::from_f64(value).expect("parameters are finite");
            let mut terms = Vec::new();
            let mut constant = exact(bias);
            for (w, value) in weights.iter().zip(&values).filter(|(w, _)| **w != 0.0) {
                let w = exact(*w);
                constant = &constant + &(&w * value.constant());
                terms.extend(value.terms().iter().map(|(symbol, a)| (*symbol, &w * a)));
            }
            let form = Linear::new(terms, constant);
            visit(index, i, &form);
            let inactive = relu && region.data[low.start + i] < 0.0;
            if inactive { Linear::default() } else { form }
        };
        values = layer.rows().enumerate().map(neuron).collect();
    }
    Some(match network.output_normalisation() {
        None => values,
        Some(normalisation) => {
            let scaled = values.iter().zip(normalisation.scale()).zip(normalisation.offset());
            scaled
                .map(|((value, scale), offset)| Linear::constant_form(offset.clone()).plus_scaled(value, scale))
                .collect()
        }
    })
}

/// A feasible program's point with a fraction where an integer is wanted: the variable and its value.
pub(crate) fn fractional(compiled: &Compiled<'_>, feasibility: &Feasibility) -> Option<(usize, Rational)> {
    let Feasibility::Feasible(point) = feasibility else { return None };
    let whole = |v: &usize| compiled.integral[*v] && !point[*v].is_integer();
    (0..point.len()).find(whole).map(|v| (v, point[v].clone()))
}
