//! The paths that go on from a path by one step.
//!
//! A step is taken for granted if a known start state and choices take it: those of the path, or of another step from its end. Otherwise
//! the oracle is asked for some. What is found is a function of the path alone, so that paths can be extended in any order.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use surefoot_abstraction::chooser::chosen;
use surefoot_abstraction::{Chooser, Rule, System, domain_variable};
use surefoot_limits::Stop;
use surefoot_linear::{Formula, Linear, Space, Symbol};
use surefoot_model::LabelId;
use surefoot_num::Rational;
use surefoot_oracle::{Answer, KeepStatistics, Limits, Oracle, Statistics};

use crate::paths::{Extended, Origin, Path, PathId, Paths, over};

/// What goes on from a path.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    /// Real paths with one more step. If one ends unsafely, it is the last, with a point for which it does.
    pub children: Vec<(Path, Option<Vec<Rational>>)>,
    /// A limit that was met: then a child may be missing.
    pub stopped: Option<Stop>,
    /// Work done.
    pub work: Statistics,
}

/// Extends paths.
pub(crate) struct Expander<'a, 'm> {
    pub system: &'a System<'m>,
    pub paths: &'a Paths,
    pub limits: &'a Limits,
}

impl Expander<'_, '_> {
    /// All real paths that extend one.
    pub(crate) fn expand(
        &self,
        id: PathId,
        rules: &[Arc<Rule>],
        oracle: &mut (impl Oracle + KeepStatistics),
    ) -> Expansion {
        let before = oracle.statistics();
        let mut expansion = Expansion::default();
        let mut steps =
            Steps { expander: self, id, points: vec![self.paths.get(id).point.clone()], decided: FxHashMap::default() };
        for rule in rules {
            if let Some(limit) = self.limits.stop_now() {
                expansion.stopped = Some(limit);
                break;
            }
            let Some(extended) = Extended::new(self.paths.get(id), rule) else { continue };
            let child = match steps.point(rule, &extended, oracle) {
                Ok(Some(point)) => steps.child(rule, extended, point),
                Ok(None) => continue,
                Err(limit) => {
                    expansion.stopped = Some(limit);
                    continue;
                }
            };
            let end = self.unsafe_point(Some(id), &child, oracle);
            let is_unsafe = matches!(end, Ok(Some(_)));
            expansion.stopped = expansion.stopped.or(end.as_ref().err().copied());
            expansion.children.push((child, end.ok().flatten()));
            if is_unsafe {
                break;
            }
        }
        expansion.work = oracle.statistics().since(&before);
        expansion
    }

    /// A point for which a real path ends in an unsafe state.
    pub(crate) fn unsafe_point(
        &self,
        before: Option<PathId>,
        path: &Path,
        oracle: &mut impl Oracle,
    ) -> Result<Option<Vec<Rational>>, Stop> {
        let reach = path.at_end(self.system.reach());
        if reach.is_falsity() {
            return Ok(None);
        }
        if holds(&reach, &path.point) {
            return Ok(Some(path.point.clone()));
        }
        let property = [path.condition.clone(), reach];
        let question = match before {
            Some(id) => self.paths.question(id, &path.space, property, path.decision.as_deref()),
            None => {
                let mut question = over(&path.space);
                question.formula = Formula::all(property);
                question
            }
        };
        some_point(oracle.decide(&question, self.limits))
    }
}

/// The steps from the end of one path.
struct Steps<'e, 'a, 'm> {
    expander: &'e Expander<'a, 'm>,
    id: PathId,
    /// Points of the path.
    points: Vec<Vec<Rational>>,
    /// Whether the policy chooses a label for a point.
    decided: FxHashMap<(usize, Option<LabelId>), bool>,
}

impl Steps<'_, '_, '_> {
    fn path(&self) -> &Path {
        self.expander.paths.get(self.id)
    }

    fn child(&self, rule: &Rule, extended: Extended, point: Vec<Rational>) -> Path {
        let Extended { space, values, condition, decision } = extended;
        let (origin, depth, base) = (Origin::Step(self.id), self.path().depth + 1, self.path().base);
        Path { origin, depth, base, locations: rule.after.clone(), values, space, condition, decision, point }
    }

    /// A point of the path with choices that takes a step.
    fn point(
        &mut self,
        rule: &Rule,
        extended: &Extended,
        oracle: &mut impl Oracle,
    ) -> Result<Option<Vec<Rational>>, Stop> {
        for known in 0..self.points.len() {
            let point = self.with_choices(rule, &self.points[known]);
            if holds(&extended.condition, &point) && self.chooses(known, rule, oracle) {
                return Ok(Some(point));
            }
        }
        let paths = self.expander.paths;
        // Nothing to vary: the point is the only one.
        if extended.space.is_empty() {
            return Ok(None);
        }
        let property = [extended.condition.clone()];
        let question = paths.question(self.id, &extended.space, property, extended.decision.as_deref());
        let found = some_point(oracle.decide(&question, self.expander.limits))?;
        if let Some(point) = &found {
            self.points.push(point[..self.path().space.len()].to_vec());
        }
        Ok(found)
    }

    /// A point with the smallest choices.
    fn with_choices(&self, rule: &Rule, point: &[Rational]) -> Vec<Rational> {
        let (values, own) = (&self.path().values, point.len());
        let mut point = point.to_vec();
        for (symbol, domain) in &rule.choices {
            let value = |symbol: Symbol| match values.get(symbol.index()) {
                Some(form) => form.eval(|s| point[s.index()].clone()),
                None => {
                    let earlier = rule.choices.iter().position(|(choice, _)| *choice == symbol);
                    earlier.and_then(|choice| point.get(own + choice).cloned()).unwrap_or_default()
                }
            };
            let limit = rule.limits.iter().find(|limit| limit.symbol == *symbol);
            let smallest = domain_variable(domain).lower;
            let least = limit.map_or_else(|| smallest.clone(), |limit| limit.lower.eval(value).ceil());
            point.push(least.max(smallest));
        }
        point
    }

    /// Whether the policy chooses a rule's label at a known point.
    fn chooses(&mut self, known: usize, rule: &Rule, oracle: &mut impl Oracle) -> bool {
        let Some(choosers) = &rule.choosers else { return true };
        if let Some(decided) = self.decided.get(&(known, rule.label)) {
            return *decided;
        }
        let decided = chosen_at(choosers, &self.path().values, &self.points[known], oracle);
        self.decided.insert((known, rule.label), decided);
        decided
    }
}

/// Whether a label is chosen in the state that some values have at a point.
pub(crate) fn chosen_at(choosers: &[Chooser], values: &[Linear], point: &[Rational], oracle: &mut impl Oracle) -> bool {
    let value = |symbol: Symbol| {
        let form = values.get(symbol.index())?;
        Some(Linear::constant_form(form.eval(|s| point[s.index()].clone())))
    };
    let mut question = over(&Space::default());
    question.formula = chosen(&mut question, choosers, &value);
    matches!(oracle.decide(&question, &Limits::default()), Answer::Sat(_))
}

/// Whether a formula holds at a point.
pub(crate) fn holds(formula: &Formula, point: &[Rational]) -> bool {
    formula.eval(&|symbol: Symbol| point[symbol.index()].clone())
}

/// The point of an answer.
pub(crate) fn some_point(answer: Answer) -> Result<Option<Vec<Rational>>, Stop> {
    match answer {
        Answer::Sat(point) => Ok(Some(point)),
        Answer::Unsat => Ok(None),
        Answer::Unknown(limit) => Err(limit),
    }
}
