//! Which neuron's range to split, where neurons are smooth.
//!
//! The lines around a smooth neuron are as far apart as its range is wide. Halving a variable narrows the ranges of many neurons a
//! little; cutting one neuron's range narrows that one, and adds a half-space to the region. What either gains is estimated: a
//! variable's [influence](super::branch), and for a cut the neuron's multiplier in the score at stake times what its gap loses on
//! average over its range. A ReLU's only cut is at zero, and leaves no gap at all; a smooth function has places where it begins to be
//! flat ([`activation::knees`]), and the middle.
//!
//! An estimate in favour of a cut is not enough: the rows of other neurons make no use of the half-space, so cuts one after another
//! gain less than variables do. They pay where there are many more variables than neurons that cost anything: in one family of
//! a hundred inputs before eight neurons 40 regions instead of more than 400,000, though not in every such family.
//!
//! **Termination.** A branch cuts ranges a limited number of times; all other splits are of variables, which integers bear finitely
//! often, and reals until they are narrow.

use surefoot_num::FloatInterval;

use super::assume::Cut;
use super::branch::Stake;
use super::engine::Search;
use super::goal::Goal;
use super::region::Region;
use crate::bounds::activation;

/// This share of a range must be left on either side of a cut.
const LEAST_SHARE: f64 = 0.02;

/// A neuron with less than this share of the most costly one's gap costs nothing.
const CHEAP: f64 = 0.01;

/// Free variables for each neuron that costs anything.
const VARIABLES_PER_NEURON: usize = 2;

/// A neuron of the question's networks, its range, and how far the lines around it are apart.
#[derive(Debug, Clone, Copy)]
struct Costly {
    application: usize,
    layer: usize,
    neuron: usize,
    /// The gap times the multiplier in the score at stake.
    cost: f64,
}

impl<G: Goal> Search<'_, G> {
    /// The cut of a smooth neuron's range for the sake of what is at stake, if that is thought to gain more than `influence`.
    pub(crate) fn best_cut(&self, region: &Region, stake: Stake, influence: f64) -> Option<Cut> {
        let n = self.task.compiled.integral.len();
        let free = (0..n).filter(|v| region.data[*v] < region.data[n + v]).count();
        let mut neurons = Vec::new();
        self.costly(region, stake, &mut neurons);
        // The first of equals, so that the choice does not depend on anything else.
        let most = neurons.iter().copied().reduce(|one, other| if other.cost > one.cost { other } else { one })?;
        let count = neurons.iter().filter(|neuron| neuron.cost > CHEAP * most.cost).count();
        if most.cost <= influence || count * VARIABLES_PER_NEURON > free {
            return None;
        }
        let (at, left) = self.place(region, most)?;
        let Costly { application, layer, neuron, cost } = most;
        (cost * (1.0 - left) > influence).then_some(Cut { application, layer, neuron, at })
    }

    /// The smooth neurons whose ranges can be cut.
    fn costly(&self, region: &Region, stake: Stake, neurons: &mut Vec<Costly>) {
        let compiled = self.task.compiled;
        for (application, setting) in compiled.settings.iter().enumerate() {
            let Some(form) = self.work.form_at_stake(compiled, application, stake) else { continue };
            let backward = &self.work.bounders[application].backward;
            for layer in (0..setting.folded.depth()).filter(|l| setting.folded.layer(*l).is_smooth()) {
                let (low, high) = setting.range(layer);
                let (multipliers, matrices) = (backward.kept(layer).row(form), setting.folded.layer(layer));
                for (neuron, multiplier) in multipliers.iter().enumerate().take(matrices.len()) {
                    let (l, u) = (region.data[low.start + neuron], region.data[high.start + neuron]);
                    let finite = u - l < f64::INFINITY;
                    if finite && !activation::is_settled(matrices.activation, l, u) {
                        let cost = multiplier.abs() * backward.gap(layer, neuron);
                        neurons.push(Costly { application, layer, neuron, cost });
                    }
                }
            }
        }
    }

    /// Where to cut a neuron's range, and the share of its gap that is left on average.
    fn place(&self, region: &Region, costly: Costly) -> Option<(f64, f64)> {
        let Costly { application, layer, neuron, .. } = costly;
        let setting = &self.task.compiled.settings[application];
        let (low, high) = setting.range(layer);
        let (l, u) = (region.data[low.start + neuron], region.data[high.start + neuron]);
        let matrices = setting.folded.layer(layer);
        let gap = |l: f64, u: f64| {
            let over = FloatInterval { lower: l, upper: u };
            activation::lines(matrices.activation, matrices.len(), over).gap(l, u)
        };
        let whole = self.work.bounders[application].backward.gap(layer, neuron) * (u - l);
        let left = |at: f64| (gap(l, at) * (at - l) + gap(at, u) * (u - at)) / whole;
        let inside = |at: &f64| at - l > LEAST_SHARE * (u - l) && u - at > LEAST_SHARE * (u - l);
        let places = activation::knees(matrices.activation).iter().copied().chain([0.5 * l + 0.5 * u]);
        places.filter(inside).map(|at| (at, left(at))).min_by(|one, other| one.1.total_cmp(&other.1))
    }
}
