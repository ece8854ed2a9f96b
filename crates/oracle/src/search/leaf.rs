//! Exact decision of a region in which every neuron's phase is known.
//!
//! There the networks are affine, so what must hold is a conjunction of linear rows over the variables: the required
//! atoms with outputs replaced by their exact affine forms ([`ExactNetwork::walk`](surefoot_network::ExactNetwork::walk)), and the
//! phases that the branch assumed. Phases that follow from bounds need no rows: they hold on the whole region.

use surefoot_linear::{Atom, Linear, Symbol};
use surefoot_network::eval::{Neuron, PreActivation};
use surefoot_num::Rational;

use super::compiled::Compiled;
use super::region::Region;
use crate::proof::Source;
use crate::question::Question;
use surefoot_lp::{Feasibility, Program};

/// The program of a region without open disjunctions, and without unstable neurons in the applications that are `live`, and
/// where its rows come from: one for each phase that the branch assumed, or for `every` phase; `None` when `stop` says so before it is built.
pub(crate) fn exact_program(
    question: &Question,
    compiled: &Compiled<'_>,
    region: &Region,
    required: &[u32],
    live: &dyn Fn(usize) -> bool,
    every: bool,
    stop: &dyn Fn() -> bool,
) -> Option<(Program, Vec<Source>)> {
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
    let mut sources: Vec<Source> = Vec::new();
    for (application, setting) in compiled.settings.iter().enumerate() {
        if !live(application) {
            // Nothing depends on its outputs, and its neurons may be unstable.
            outputs.extend(std::iter::repeat_n(Linear::default(), setting.output_magnitude.len()));
            continue;
        }
        let assumed = |z: &PreActivation<'_>| {
            let same = |a: &&std::sync::Arc<super::assume::Assumption>| {
                a.application == application && a.layer == z.layer && a.neuron == z.neuron
            };
            region.assumed.iter().find(same)
        };
        let phase = |z: &PreActivation<'_>| {
            if z.neuron == 0 && stop() {
                return Err(Stopped);
            }
            if let Some(assumed) = assumed(z) {
                rows.push(Atom::at_least_zero(if assumed.above { z.form() } else { -&z.form() }));
                sources.push(assumed.source());
            }
            let (low, _) = setting.range(z.layer);
            let inactive = z.relu && region.data[low.start + z.neuron] < 0.0;
            if every && z.relu {
                rows.push(Atom::at_least_zero(if inactive { -&z.form() } else { z.form() }));
                let (layer, neuron) = (z.layer, z.neuron);
                sources.push(Source::Range { application, layer, neuron, at: 0.0, above: !inactive });
            }
            Ok(if inactive { Neuron::Inactive } else { Neuron::Active })
        };
        outputs.extend(setting.folded.prepared.exact.as_ref()?.walk(&setting.folded.inputs, phase).ok()?);
    }
    let replace = |symbol: Symbol| symbol.index().checked_sub(n).map(|output| outputs[output].clone());
    for &part in required {
        let atom = compiled.atoms[part as usize].as_ref().expect("required parts are atoms");
        rows.push(Atom { form: atom.form.substitute(&replace), relation: atom.relation });
        sources.push(Source::Part(part));
    }
    Some((Program { bounds, rows }, sources))
}

/// The search stops before the walk has come to its end.
struct Stopped;

/// A feasible program's point with a fraction where an integer is wanted: the variable and its value.
pub(crate) fn fractional(compiled: &Compiled<'_>, feasibility: &Feasibility) -> Option<(usize, Rational)> {
    let Feasibility::Feasible(point) = feasibility else { return None };
    let whole = |v: &usize| compiled.integral[*v] && !point[*v].is_integer();
    (0..point.len()).find(whole).map(|v| (v, point[v].clone()))
}
