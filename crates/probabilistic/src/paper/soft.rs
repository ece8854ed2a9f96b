//! Paths as soft constraints on the start state: what [`super::weighted`] maximises over.

use rustc_hash::FxHashMap;
use surefoot_limits::{Stop, Unit};
use surefoot_linear::{Formula, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Limits, Oracle};

use super::analysis::Member;
use super::compose::Composition;
use super::walk::{Point, Scene, Walk};
use super::weighted::Soft;

/// Questions about sets of paths under the policy, at most: it is not known then which is the best.
const MOST_ASKED: u64 = 500;

/// Paths whatever the policy says: those with the same formula are one constraint.
pub struct Grouped<'a, O> {
    composition: &'a Composition,
    oracle: &'a mut O,
    limits: &'a Limits,
    formulas: Vec<Formula>,
    weights: Vec<Rational>,
    /// Per path, its constraint.
    group: Vec<usize>,
}

impl<'a, O: Oracle> Grouped<'a, O> {
    /// Formulas of paths with their weights.
    pub fn new<'w>(
        composition: &'a Composition,
        oracle: &'a mut O,
        limits: &'a Limits,
        paths: impl Iterator<Item = (Formula, &'w Rational)>,
    ) -> Self {
        let mut numbers: FxHashMap<Formula, usize> = FxHashMap::default();
        let (mut formulas, mut weights, mut group) = (Vec::new(), Vec::new(), Vec::new());
        for (formula, weight) in paths {
            let number = *numbers.entry(formula).or_insert_with_key(|formula| {
                formulas.push(formula.clone());
                weights.push(Rational::ZERO);
                formulas.len() - 1
            });
            weights[number] = &weights[number] + weight;
            group.push(number);
        }
        Self { composition, oracle, limits, formulas, weights, group }
    }

    /// What holds of the paths, from what holds of the constraints.
    #[must_use]
    pub fn spread(&self, holding: &[bool]) -> Vec<bool> {
        self.group.iter().map(|group| holding[*group]).collect()
    }
}

impl<O: Oracle> Soft for Grouped<'_, O> {
    /// Values of the composition's variables.
    type Point = Vec<Rational>;

    fn weights(&self) -> &[Rational] {
        &self.weights
    }

    fn holding(&mut self, point: &Vec<Rational>) -> Vec<bool> {
        self.formulas.iter().map(|formula| formula.eval(&|symbol: Symbol| point[symbol.index()].clone())).collect()
    }

    fn find(&mut self, demanded: &[usize], given_up: &[bool]) -> Result<Option<Vec<Rational>>, Stop> {
        let demanded = demanded.iter().map(|index| self.formulas[*index].clone());
        // With values to choose, that a path is not realised by some of them says nothing.
        let refused = self
            .formulas
            .iter()
            .zip(given_up)
            .filter(|(formula, given_up)| **given_up && self.composition.decides(formula));
        let question = self.composition.question(demanded.chain(refused.map(|(formula, _)| formula.negated())));
        match self.oracle.decide(&question, self.limits) {
            Answer::Sat(values) => Ok(Some(values)),
            Answer::Unsat => Ok(None),
            Answer::Unknown(stop) => Err(stop),
        }
    }
}

/// Paths under the policy.
pub struct UnderPolicy<'a, 'm, O> {
    scene: Scene<'a, 'm>,
    composition: &'a mut Composition,
    oracle: &'a mut O,
    limits: &'a Limits,
    members: &'a [Member],
    weights: Vec<Rational>,
    asked: u64,
}

impl<'a, 'm, O: Oracle> UnderPolicy<'a, 'm, O> {
    /// The paths of a set.
    pub fn new(
        scene: Scene<'a, 'm>,
        composition: &'a mut Composition,
        oracle: &'a mut O,
        limits: &'a Limits,
        members: &'a [Member],
    ) -> Self {
        let weights = members.iter().map(|member| member.probability.clone()).collect();
        Self { scene, composition, oracle, limits, members, weights, asked: 0 }
    }
}

impl<O: Oracle> Soft for UnderPolicy<'_, '_, O> {
    type Point = Point;

    fn weights(&self) -> &[Rational] {
        &self.weights
    }

    fn holding(&mut self, point: &Point) -> Vec<bool> {
        let mut walk = Walk::new(point.clone());
        self.members.iter().map(|member| walk.realises(self.scene, member.end, true)).collect()
    }

    fn find(&mut self, demanded: &[usize], _: &[bool]) -> Result<Option<Point>, Stop> {
        self.asked += 1;
        if self.asked > MOST_ASKED {
            return Err(Stop::Most(Unit::Nodes, MOST_ASKED));
        }
        let ends: Vec<_> = demanded.iter().map(|index| self.members[*index].end).collect();
        let question = self.composition.under_policy(self.scene, &ends);
        match self.oracle.decide(&question, self.limits) {
            Answer::Sat(values) => Ok(Some(self.composition.point(&values))),
            Answer::Unsat => Ok(None),
            Answer::Unknown(stop) => Err(stop),
        }
    }
}
