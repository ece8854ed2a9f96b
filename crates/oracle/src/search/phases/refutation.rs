//! Whether prices refute a region: the sum that they stand for, in outward-rounded arithmetic.
//!
//! Every wanted point satisfies `score >= 0` for the scores and `row >= 0` for the rows that must hold. So it satisfies any
//! [sum](crate::search::sum) of them. [`crate::bounds::priced`] bounds the scores of that sum from above by a row over the variables, which uses
//! some of the phases that are taken for granted; if that row is negative on the whole box there is no such point.

use crate::bounds::neurons::concretise;
use crate::bounds::priced::{PricedRow, Prices, RegionErrors, Used};
use crate::search::compiled::Compiled;
use crate::search::region::Region;
use crate::search::sum::{Multiple, Sum};

/// Adds up; holds scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Refuter {
    sum: Sum,
    row: PricedRow,
    /// How wrong sums over the region that is searched may be, one per application.
    errors: Vec<RegionErrors>,
    /// The largest sizes of the variables in it.
    magnitude: Vec<f64>,
    /// The phases that the last sum rests on, with their applications.
    pub(crate) used: Vec<(usize, Used)>,
}

impl Refuter {
    /// Prepares for a region whose neurons were bounded.
    pub(crate) fn reset(&mut self, compiled: &Compiled<'_>, region: &Region, live: &dyn Fn(usize) -> bool) {
        let n = compiled.integral.len();
        let (lower, upper) = region.data[..2 * n].split_at(n);
        self.magnitude.clear();
        self.magnitude.extend(lower.iter().zip(upper).map(|(l, u)| l.abs().max(u.abs())));
        self.errors.resize_with(compiled.settings.len(), RegionErrors::default);
        for (application, setting) in compiled.settings.iter().enumerate().filter(|(application, _)| live(*application))
        {
            self.errors[application].measure(setting, &region.data, &self.magnitude);
        }
    }

    /// The largest value of the sum on the region's box; a negative one refutes all points of the region in which the used neurons
    /// have the phases that `prices` say. Prices are one per application; those of applications that no part with a multiplier
    /// depends on are not looked at, unless a slope is given.
    pub(crate) fn maximum(
        &mut self,
        compiled: &Compiled<'_>,
        region: &Region,
        multiples: &[Multiple],
        prices: &[Prices],
    ) -> f64 {
        let n = compiled.integral.len();
        self.used.clear();
        let errors = &self.errors;
        self.sum.of(compiled, multiples, |application| &errors[application].start_magnitude);
        for (application, setting) in compiled.settings.iter().enumerate() {
            let prices = &prices[application];
            let form = &mut self.sum.forms[application];
            if form.is_empty() {
                if prices.are_zero() {
                    continue;
                }
                form.resize(setting.folded.layer(setting.folded.start()).weights.stride(), 0.0);
            }
            self.row.carry(setting, &self.errors[application], &region.data, prices, form);
            self.sum.carried(&self.row.coefficients[..n], self.row.constant, self.row.slack);
            self.used.extend(self.row.used.iter().map(|used| (application, *used)));
        }
        let (lower, upper) = region.data[..2 * n].split_at(n);
        concretise(&self.sum.linear, lower, upper, self.sum.constant, self.sum.settled_slack(&self.magnitude))
    }
}
