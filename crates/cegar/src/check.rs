//! Is an abstract path real? (Vinzent et al., *Policy-Specific Abstraction Predicate Selection in Neural Policy Safety
//! Verification*, section 3.)
//!
//! First whatever the policy says: is there a concrete path along the rules, step by step, that ends as it should? If not, the
//! first step that cannot be taken is the source of spuriousness. Then with the policy: is there one along which it chooses these
//! labels? If not, the first step such that no concretisation follows the policy through it.
//!
//! Only the first abstract state is asserted. That is sound for verdicts: a concretisation is a run of the model, whichever
//! abstract states it visits. What refinement makes of a concretisation that leaves the abstract path is its business.

use surefoot_abstraction::{Cell, PredicateSet, System};
use surefoot_limits::{Stop, Unit};
use surefoot_linear::{Formula, Symbol};
use surefoot_model::State;
use surefoot_num::Rational;
use surefoot_oracle::{Answer, Limits, Oracle};

use crate::options::PathCheck;
use crate::path::{AbstractPath, Unrolled};

/// What became of a path.
#[derive(Debug, Clone)]
pub enum Checked {
    /// It is real: the states of a run.
    Real(Vec<State>),
    /// No concrete path along the first steps can take this step (the end, if it is one more than there are). The states are
    /// those of one that comes so far.
    Step {
        /// The step.
        step: usize,
        /// States up to its source.
        states: Vec<State>,
    },
    /// No concrete path along all steps follows the policy through this step (or the one that was looked at does not).
    Policy {
        /// The step.
        step: usize,
        /// States of a concrete path along all steps that follows the policy before it.
        states: Vec<State>,
    },
    /// The oracle met a limit.
    Unknown(Stop),
}

/// Where concrete paths may start.
#[derive(Debug, Clone)]
enum Origin {
    Condition(Formula),
    State,
}

/// A start with values for which it satisfies what was asked so far.
#[derive(Debug, Clone)]
struct Candidate {
    origin: Origin,
    point: Vec<Rational>,
}

/// Checks paths.
pub struct Checker<'a, 'm, O> {
    /// What is abstracted.
    pub system: &'a System<'m>,
    /// By which predicates.
    pub predicates: &'a PredicateSet,
    /// Who answers.
    pub oracle: &'a mut O,
    /// For all questions.
    pub limits: &'a Limits,
    /// Which concretisations are looked at.
    pub mode: PathCheck,
    /// Nodes per question about a path under the policy.
    pub path_nodes: u64,
}

impl<O: Oracle> Checker<'_, '_, O> {
    /// Checks a path.
    pub fn check(&mut self, path: &AbstractPath) -> Checked {
        let cell = self.system.cell(self.predicates, &path.states[0]);
        let unrolled = Unrolled::new(path, &cell);
        match self.along(path, &unrolled, &cell) {
            Ok((alive, whole)) => self.follow(&unrolled, alive, &whole),
            Err(checked) => checked,
        }
    }

    /// Checks a path whatever the policy says: where all steps can be taken it counts as real.
    pub fn check_steps(&mut self, path: &AbstractPath) -> Checked {
        let cell = self.system.cell(self.predicates, &path.states[0]);
        let unrolled = Unrolled::new(path, &cell);
        match self.along(path, &unrolled, &cell) {
            Ok((alive, _)) => Checked::Real(unrolled.states(&alive[0].point)),
            Err(checked) => checked,
        }
    }

    /// Concrete paths along all steps, whatever the policy says, at least one; and what they satisfy.
    fn along(
        &mut self,
        path: &AbstractPath,
        unrolled: &Unrolled<'_>,
        cell: &Cell,
    ) -> Result<(Vec<Candidate>, Formula), Checked> {
        let mut property = vec![unrolled.at(0, &cell.formula())];
        let mut alive = self.candidates(unrolled, cell).map_err(Checked::Unknown)?;
        let n = path.steps.len();
        for step in 0..=n {
            let part = if step < n { unrolled.enabled(step) } else { unrolled.end(self.system) };
            property.push(part.clone());
            let whole = Formula::all(property.iter().cloned());
            let mut next = Vec::new();
            for candidate in &alive {
                next.extend(self.extend(unrolled, candidate, &part, &whole, 0..0).map_err(Checked::Unknown)?);
            }
            if next.is_empty() {
                let mut states = alive.first().map(|c| unrolled.states(&c.point)).unwrap_or_default();
                states.truncate(step + 1);
                return Err(Checked::Step { step, states });
            }
            alive = next;
        }
        Ok((alive, Formula::all(property)))
    }

    /// The start state and choices of some concrete path that begins in the first abstract state, has a property, and follows the policy
    /// in the given steps.
    pub(crate) fn exists(
        &mut self,
        path: &AbstractPath,
        unrolled: &Unrolled<'_>,
        property: &Formula,
        decided: std::ops::Range<usize>,
    ) -> Result<Option<Vec<Rational>>, Stop> {
        let cell = self.system.cell(self.predicates, &path.states[0]);
        let whole = Formula::all([unrolled.at(0, &cell.formula()), property.clone()]);
        for candidate in self.candidates(unrolled, &cell)? {
            if let Some(found) = self.extend(unrolled, &candidate, &whole, &whole, decided.clone())? {
                return Ok(Some(found.point));
            }
        }
        Ok(None)
    }

    /// Starts in the cell of the first abstract state.
    fn candidates(&mut self, unrolled: &Unrolled<'_>, cell: &Cell) -> Result<Vec<Candidate>, Stop> {
        let mut candidates = Vec::new();
        for state in self.system.start_states().iter().filter(|state| cell.contains(state)) {
            let mut point = state.0.to_vec();
            point.extend(unrolled.variables[point.len()..].iter().map(|choice| choice.lower.clone()));
            candidates.push(Candidate { origin: Origin::State, point });
        }
        let inside = unrolled.at(0, &cell.formula());
        for condition in self.system.start_conditions() {
            let condition = unrolled.at(0, condition);
            let question = unrolled.question(Formula::all([inside.clone(), condition.clone()]), 0..0);
            match self.oracle.decide(&question, self.limits) {
                Answer::Sat(point) => candidates.push(Candidate { origin: Origin::Condition(condition), point }),
                Answer::Unsat => {}
                Answer::Unknown(limit) => return Err(limit),
            }
        }
        Ok(candidates)
    }

    /// The candidate with values that satisfy the whole property and for which the policy chooses as it should in the given steps; `part`
    /// is what its values may not satisfy yet.
    fn extend(
        &mut self,
        unrolled: &Unrolled<'_>,
        candidate: &Candidate,
        part: &Formula,
        whole: &Formula,
        decided: std::ops::Range<usize>,
    ) -> Result<Option<Candidate>, Stop> {
        let holds = |formula: &Formula| formula.eval(&|symbol: Symbol| candidate.point[symbol.index()].clone());
        if decided.is_empty() && holds(part) {
            return Ok(Some(candidate.clone()));
        }
        let fixed = matches!(candidate.origin, Origin::State);
        let slots = self.system.model().slots.len();
        if fixed && decided.is_empty() && candidate.point.len() == slots {
            return Ok(None);
        }
        let condition = match &candidate.origin {
            Origin::Condition(condition) => condition.clone(),
            Origin::State => Formula::truth(),
        };
        let mut question = unrolled.question(Formula::all([condition, whole.clone()]), decided);
        if fixed {
            for (variable, value) in question.variables.iter_mut().zip(&candidate.point).take(slots) {
                (variable.lower, variable.upper) = (value.clone(), value.clone());
            }
        }
        let nodes = if question.applications.is_empty() { self.limits.nodes } else { Some(self.path_nodes) };
        match self.oracle.decide(&question, &Limits { nodes, ..self.limits.clone() }) {
            Answer::Sat(point) => Ok(Some(Candidate { origin: candidate.origin.clone(), point })),
            Answer::Unsat => Ok(None),
            Answer::Unknown(limit) => Err(limit),
        }
    }

    /// How far the policy goes along.
    fn follow(&mut self, unrolled: &Unrolled<'_>, mut alive: Vec<Candidate>, whole: &Formula) -> Checked {
        let n = unrolled.decisions();
        let mut followed: Vec<usize> = Vec::new();
        if self.mode == PathCheck::Single {
            alive.truncate(1);
        }
        for candidate in &alive {
            followed.push(self.followed(unrolled, &candidate.point, 0));
        }
        loop {
            let (best, through) = best(&followed);
            if through == n {
                return Checked::Real(unrolled.states(&alive[best].point));
            }
            let spurious = |alive: &[Candidate]| {
                let states = unrolled.states(&alive[best].point);
                Checked::Policy { step: through, states }
            };
            if self.mode == PathCheck::Single {
                return spurious(&alive);
            }
            // Someone has to go one step further.
            let mut next = Vec::new();
            for (candidate, followed) in alive.iter().zip(&followed) {
                if *followed > through {
                    next.push(candidate.clone());
                    continue;
                }
                match self.extend(unrolled, candidate, whole, whole, 0..through + 1) {
                    Ok(more) => next.extend(more),
                    // Soundness: the path counts as spurious where that is not known; the concretisation at hand does not follow the
                    // policy, and separating it from the abstract path's witness is progress whichever it is.
                    Err(Stop::Most(Unit::Nodes, _)) => {}
                    Err(limit) => return Checked::Unknown(limit),
                }
            }
            if next.is_empty() {
                return spurious(&alive);
            }
            followed = next.iter().map(|c| self.followed(unrolled, &c.point, 0)).collect();
            alive = next;
        }
    }

    /// Through how many steps the policy chooses as it should for given values, from a step on.
    fn followed(&mut self, unrolled: &Unrolled<'_>, point: &[Rational], from: usize) -> usize {
        let n = unrolled.decisions();
        (from..n).find(|step| !self.chooses(unrolled, point, *step)).unwrap_or(n)
    }

    fn chooses(&mut self, unrolled: &Unrolled<'_>, point: &[Rational], step: usize) -> bool {
        if unrolled.choosers(step).is_none() {
            return true;
        }
        let mut question = unrolled.question(Formula::truth(), step..step + 1);
        for (variable, value) in question.variables.iter_mut().zip(point) {
            (variable.lower, variable.upper) = (value.clone(), value.clone());
        }
        matches!(self.oracle.decide(&question, &Limits::default()), Answer::Sat(_))
    }
}

/// The candidate that follows the policy farthest; the first of equals.
fn best(followed: &[usize]) -> (usize, usize) {
    let most = followed.iter().copied().max().unwrap_or(0);
    (followed.iter().position(|f| *f == most).unwrap_or(0), most)
}
