//! Where the policy's choice changes between two points: along the segment, from one linear region of the network to the next.
//!
//! On the segment `p + t (q - p)` every neuron is an affine function of `t` up to the next point at which one changes its sign, and
//! so is every output. The first `t` at which the permitted labels change is a zero of a difference of two outputs; that
//! difference, as a function of the parameters in the region where this happens, is the cut.
//!
//! Progress: along the segment the cut's form is affine, zero at that `t` and not constant, so it tells `p` from `q`. There
//! are finitely many regions and pairs of outputs, hence finitely many forms, and none cuts the same piece twice: cutting
//! ends.

use std::convert::Infallible;

use surefoot_linear::{Linear, Symbol};
use surefoot_model::policy::{Ties, plaja_tolerance};
use surefoot_network::eval::{Neuron, PreActivation};
use surefoot_num::{IBig, Rational};

use super::Prepared;
use super::choice::permitted_outputs;
use crate::region::Cut;

/// Who is compared with whom, and how ties go.
#[derive(Debug, Clone, Copy)]
pub struct Contest<'c> {
    /// The outputs in the running.
    pub candidates: &'c [usize],
    /// How ties are broken.
    pub ties: Ties,
}

impl Contest<'_> {
    /// What is added to an output before it is compared.
    pub(super) fn tolerance(&self) -> Rational {
        match self.ties {
            Ties::First | Ties::Any => Rational::ZERO,
            Ties::Plaja => plaja_tolerance(),
        }
    }

    /// The pairs whose difference (plus the tolerance) is compared with zero: with ties to the first, "not below" one way is
    /// "above" the other way.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let all = self.candidates.iter().flat_map(|a| self.candidates.iter().map(move |b| (*a, *b)));
        all.filter(|(a, b)| if self.ties == Ties::First { a < b } else { a != b }).collect()
    }
}

/// The parameter of the segment.
const T: Symbol = Symbol(0);

/// The slope of a form of the parameter alone.
fn slope(form: &Linear) -> Rational {
    form.terms().first().map_or(Rational::ZERO, |(_, slope)| slope.clone())
}

/// The cut between two points with different permitted outputs; `None` if they are not different.
#[must_use]
pub fn walk(
    prepared: &Prepared,
    inputs: &[Linear],
    contest: &Contest<'_>,
    p: &[Rational],
    q: &[Rational],
) -> Option<Cut> {
    let along = |form: &Linear| {
        let (start, end) = (form.eval(|s| p[s.index()].clone()), form.eval(|s| q[s.index()].clone()));
        Linear::new(vec![(T, &end - &start)], start)
    };
    let line: Vec<Linear> = inputs.iter().map(along).collect();
    let tolerance = contest.tolerance();
    let mut t = Rational::ZERO;
    let mut first: Option<Vec<usize>> = None;
    while t <= Rational::ONE {
        let mut next = Rational::ONE;
        let outputs: Result<Vec<Linear>, Infallible> = prepared.affine().walk(&line, |z| {
            let active = !z.relu || sign_after(z, &t, &mut next);
            Ok(if active { Neuron::Active } else { Neuron::Inactive })
        });
        let Ok(outputs) = outputs;
        let permitted = |t: &Rational| {
            let values: Vec<Rational> = outputs.iter().map(|output| output.eval(|_| t.clone())).collect();
            permitted_outputs(&values, contest)
        };
        let start = first.get_or_insert_with(|| permitted(&t)).clone();
        let mut roots: Vec<(Rational, usize, usize)> = Vec::new();
        for (a, b) in contest.pairs() {
            let difference = &outputs[a] - &outputs[b];
            if let Some(root) = (-&(difference.constant() + &tolerance)).checked_div(&slope(&difference))
                && t <= root
                && root <= next
            {
                roots.push((root, a, b));
            }
        }
        roots.sort();
        for (i, (root, _, _)) in roots.iter().enumerate() {
            let after = roots[i + 1..].iter().map(|(r, _, _)| r).find(|r| *r > root).unwrap_or(&next);
            if permitted(root) != start || permitted(&middle(root, after)) != start {
                let pairs: Vec<(usize, usize)> =
                    roots.iter().filter(|(r, _, _)| r == root).map(|(_, a, b)| (*a, *b)).collect();
                let inside = middle(&t, &next);
                let inside: Vec<Rational> = p.iter().zip(q).map(|(p, q)| p + &(&(q - p) * &inside)).collect();
                return Some(cut_at(prepared, inputs, &tolerance, &inside, &pairs, p, q));
            }
        }
        if next == Rational::ONE {
            return None;
        }
        t = next;
    }
    None
}

fn middle(a: &Rational, b: &Rational) -> Rational {
    &(a + b) * &Rational::new(1, 2).expect("not zero")
}

/// The sign of a neuron just after `t`; where it changes later is noted.
fn sign_after(z: &PreActivation<'_>, t: &Rational, next: &mut Rational) -> bool {
    let (slope, constant) = z.along(T);
    let value = slope * t.numerator() + constant * IBig::from(t.denominator());
    let rises = *slope > IBig::ZERO;
    // It changes later if it is below and rises, or above and falls.
    let below = value < IBig::ZERO;
    if !slope.is_zero() && !value.is_zero() && below == rises {
        let magnitude = slope.clone().into_parts().1;
        let root = Rational::from_big_parts(if rises { -constant } else { constant.clone() }, magnitude);
        *next = root.expect("the slope is not zero").min(next.clone());
    }
    if value.is_zero() { rises } else { !below }
}

/// The cut for one of several pairs whose difference is zero at the same place, in the region around a point.
fn cut_at(
    prepared: &Prepared,
    inputs: &[Linear],
    tolerance: &Rational,
    inside: &[Rational],
    pairs: &[(usize, usize)],
    p: &[Rational],
    q: &[Rational],
) -> Cut {
    let outputs = prepared.affine().walk_around(inputs, |s| inside[s.index()].clone());
    let difference = |(a, b): &(usize, usize)| -> Linear {
        let tolerance = Linear::constant_form(tolerance.clone());
        &(&outputs[*a] - &outputs[*b]) + &tolerance
    };
    let not_below = |form: &Linear, point: &[Rational]| form.eval(|s: Symbol| point[s.index()].clone()).signum() >= 0;
    let forms: Vec<Linear> = pairs.iter().map(difference).collect();
    match forms.iter().find(|form| not_below(form, p) != not_below(form, q)) {
        Some(form) => Cut { form: form.clone(), border_apart: false },
        None => Cut { form: forms[0].clone(), border_apart: true },
    }
}
