//! Witnesses: points that are tried, and certified before they count.

use surefoot_num::{Random, Rational};

use super::compiled::Compiled;
use super::engine::Search;
use super::goal::Witnesses;
use super::points::{exact_point, exactly};
use super::region::Region;
use crate::proof::Step;

impl<G: Witnesses> Search<'_, G> {
    /// The exact point, if it is a witness that ends the search.
    ///
    /// Boxes of reals are rounded outward, so a point on their rim may lie outside the variable's bounds; it is moved
    /// onto them.
    pub(crate) fn accept(&mut self, id: u64, point: &[f64]) -> Option<Vec<Rational>> {
        self.statistics.points += 1;
        let (question, compiled) = (self.task.question, self.task.compiled);
        if self.task.is_inside(point) {
            self.work.certifier.eval(compiled, point);
            let Some(holds) = self.work.certifier.holds(compiled, compiled.root, &question.formula, point) else {
                self.leave_point(point);
                return None;
            };
            let exact = holds.then(|| exact_point(point))?;
            return self.take(id, point, exact, true);
        }
        let mut exact = exact_point(point);
        for (value, variable) in exact.iter_mut().zip(&question.variables) {
            *value = value.clone().max(variable.lower.clone()).min(variable.upper.clone());
        }
        match exactly(compiled, &question.formula, &exact) {
            Some(true) => self.take(id, point, exact, false),
            Some(false) => None,
            None => {
                self.leave_point(point);
                None
            }
        }
    }

    /// A witness ends the search, or the goal takes note of it.
    pub(crate) fn take(
        &mut self,
        id: u64,
        point: &[f64],
        exact: Vec<Rational>,
        by_floats: bool,
    ) -> Option<Vec<Rational>> {
        self.announce(Step::Found { region: id, point: &exact });
        G::take(self, point, exact, by_floats)
    }

    /// Climbs from the middle of the region, or from a random point of it if there is a seed: so seeds lead to different
    /// witnesses.
    pub(crate) fn climb_from_anywhere(&mut self, region: &Region, id: u64, steps: usize) -> Option<Vec<Rational>> {
        if self.options.seed == 0 {
            return self.climb(region, id, None, steps);
        }
        let n = self.task.compiled.integral.len();
        let mut random = Random::new(self.options.seed);
        let start: Vec<f64> = (0..n).map(|v| between(&mut random, region.data[v], region.data[n + v])).collect();
        self.climb(region, id, Some(&start), steps)
    }

    /// Climbs from a point of the region, or its middle, towards a witness.
    pub(crate) fn climb(
        &mut self,
        region: &Region,
        id: u64,
        start: Option<&[f64]>,
        steps: usize,
    ) -> Option<Vec<Rational>> {
        let mut local = std::mem::take(&mut self.work.local);
        let mut found = None;
        let (kernel, compiled) = (self.work.kernel, self.task.compiled);
        let evaluated = local.climb(kernel, compiled, region, start, steps, &mut |point| {
            let known = self.task.goal.taken();
            found = self.accept(id, point);
            // A new assignment ends the climb too: what others there are, the halves of the region tell.
            found.is_some() || self.task.goal.taken() > known
        });
        self.work.local = local;
        self.statistics.points += evaluated;
        found
    }

    /// Goes through all integer points of a region if they are few: `None` when they are many or not all variables are
    /// integers or fixed.
    pub(crate) fn point_by_point(&mut self, region: &Region, id: u64) -> Option<Option<Vec<Rational>>> {
        let n = self.task.compiled.integral.len();
        if !few_points(self.task.compiled, region, self.options.enumerate) {
            return None;
        }
        let mut point = region.data[..n].to_vec();
        loop {
            if let Some(found) = self.accept(id, &point) {
                return Some(Some(found));
            }
            let mut v = 0;
            loop {
                if v == n {
                    return Some(None);
                }
                if point[v] < region.data[n + v] {
                    point[v] += 1.0;
                    break;
                }
                point[v] = region.data[v];
                v += 1;
            }
        }
    }
}

/// A random number of an interval.
pub(super) fn between(random: &mut Random, lower: f64, upper: f64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
    let share = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    lower + share * (upper - lower)
}

/// Whether a region consists of at most `most` points. A real variable that is fixed counts as one value only if its
/// bounds are that value exactly.
fn few_points(compiled: &Compiled<'_>, region: &Region, most: f64) -> bool {
    let n = compiled.integral.len();
    let mut count = 1.0;
    for v in 0..n {
        let width = region.data[n + v] - region.data[v];
        if width > 0.0 {
            if !compiled.integral[v] {
                return false;
            }
            count *= width + 1.0;
            if count > most {
                return false;
            }
        }
    }
    true
}
