//! One step: enabled operators, and what they do.

use surefoot_num::Rational;

use super::{EvalError, Interpreter, ModelError, ModelErrorKind, State};
use crate::model::{
    AssignedTerm, Assignment, Destination, Domain, LabelId, Operator, Participant, SlotId, Target, TransientId,
    numbered,
};
use crate::term::TermId;

/// A sum of probabilities this close to one is normalised (with a warning when the model is read).
pub const PROBABILITY_TOLERANCE: (i64, i64) = (1, 1_000_000_000);

/// The most values a non-deterministic assignment may range over.
pub(super) const MAX_INTERVAL: i64 = 1_000_000;

/// The most operators of one vector, and the most outcomes of one operator, in one state. Products of many automata reach
/// any number; a state with more is beyond exploring one by one.
pub const MAX_PRODUCT: usize = 1 << 20;

/// A way to take an outcome: the state it leads to, and the transient values on the way.
#[derive(Debug, Clone)]
pub(super) struct Fork {
    pub(super) state: State,
    pub(super) transients: Vec<(TransientId, Rational)>,
    /// A transient variable that got two different values at once.
    pub(super) conflict: Option<TransientId>,
}

/// One probabilistic outcome of an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Its probability, positive.
    pub probability: Rational,
    /// The destination taken by each participant.
    pub destinations: Vec<u32>,
    /// The states it may lead to: several where assignments are non-deterministic.
    pub successors: Vec<State>,
}

/// An enabled operator and its outcomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The operator.
    pub operator: Operator,
    /// Its label; `None` = silent.
    pub label: Option<LabelId>,
    /// Its outcomes, in the order of the destinations, the last participant's changing fastest.
    pub outcomes: Vec<Outcome>,
}

impl Interpreter<'_> {
    /// The operators enabled in a state, in the order of vectors and edges, the last participant's changing fastest.
    ///
    /// Source locations come before guards: where a participant has no edge at its location, no guard of the vector is
    /// evaluated, so none can fail.
    ///
    /// # Errors
    /// Where a guard has no value.
    pub fn enabled_operators(&self, state: &State) -> Result<Vec<Operator>, ModelError> {
        let mut operators = Vec::new();
        for (v, vector) in self.model.vectors.iter().enumerate() {
            let leaves = |participant: &Participant, e: u32| {
                let edge = &self.model.instances[participant.instance].edges[e as usize];
                state.0[participant.instance] == Rational::from(i64::from(edge.source))
            };
            if !vector.participants.iter().all(|p| p.edges.iter().any(|e| leaves(p, *e))) {
                continue;
            }
            let mut candidates: Vec<Vec<u32>> = Vec::new();
            for participant in &vector.participants {
                let instance = &self.model.instances[participant.instance];
                let mut enabled = Vec::new();
                for e in participant.edges.iter().filter(|e| leaves(participant, **e)) {
                    let edge = &instance.edges[*e as usize];
                    if self.holds(edge.guard, state).map_err(|error| self.failure(error, state, None))? {
                        enabled.push(*e);
                    }
                }
                let none = enabled.is_empty();
                candidates.push(enabled);
                if none {
                    break;
                }
            }
            if product(candidates.iter().map(Vec::len)).is_none() {
                let span = None;
                let kind = ModelErrorKind::TooManyOperators;
                return Err(ModelError { kind, state: state.clone(), operator: None, span });
            }
            let mut partial: Vec<Vec<u32>> = vec![Vec::new()];
            for enabled in candidates {
                partial = partial
                    .iter()
                    .flat_map(|prefix| enabled.iter().map(move |e| prefix.iter().copied().chain([*e]).collect()))
                    .collect();
            }
            operators.extend(partial.into_iter().map(|edges| Operator { vector: numbered(v), edges }));
        }
        Ok(operators)
    }

    /// All enabled operators with their outcomes, whatever a policy says.
    ///
    /// # Errors
    /// [`ModelError`] at the first error of the model.
    pub fn choices(&self, state: &State) -> Result<Vec<Choice>, ModelError> {
        self.enabled_operators(state)?.into_iter().map(|operator| self.choice(state, operator)).collect()
    }

    /// What an enabled operator does.
    ///
    /// # Errors
    /// [`ModelError`] where a probability or an update is in error.
    pub fn choice(&self, state: &State, operator: Operator) -> Result<Choice, ModelError> {
        let label = self.model.vectors[operator.vector as usize].label;
        let outcomes = self
            .products(state, &operator)?
            .into_iter()
            .map(|(probability, destinations)| {
                let successors = self.successors(state, &operator, &destinations)?;
                Ok(Outcome { probability, destinations, successors })
            })
            .collect::<Result<_, ModelError>>()?;
        Ok(Choice { operator, label, outcomes })
    }

    /// The combinations of destinations that have a positive probability, with it.
    pub(super) fn products(&self, state: &State, operator: &Operator) -> Result<Vec<(Rational, Vec<u32>)>, ModelError> {
        let vector = &self.model.vectors[operator.vector as usize];
        let mut distributions: Vec<Vec<Rational>> = Vec::new();
        for (participant, e) in vector.participants.iter().zip(&operator.edges) {
            distributions.push(self.probabilities(state, participant.instance, *e, operator)?);
        }
        if product(distributions.iter().map(|d| d.iter().filter(|p| !p.is_zero()).count())).is_none() {
            let kind = ModelErrorKind::TooManyOutcomes;
            return Err(ModelError { kind, state: state.clone(), operator: Some(operator.clone()), span: None });
        }
        let mut products: Vec<(Rational, Vec<u32>)> = vec![(Rational::ONE, Vec::new())];
        for probabilities in distributions {
            products = products
                .iter()
                .flat_map(|(probability, taken)| {
                    probabilities.iter().enumerate().map(move |(d, p)| {
                        (probability * p, taken.iter().copied().chain([numbered(d)]).collect::<Vec<_>>())
                    })
                })
                .filter(|(probability, _)| !probability.is_zero())
                .collect();
        }
        Ok(products)
    }

    /// The probabilities of the destinations of an operator's edge, checked to be a distribution.
    ///
    /// # Errors
    /// [`ModelError`] where they are none.
    pub fn probabilities(
        &self,
        state: &State,
        instance: usize,
        edge: u32,
        operator: &Operator,
    ) -> Result<Vec<Rational>, ModelError> {
        let instance = &self.model.instances[instance];
        let edge = &instance.edges[edge as usize];
        let error =
            |kind| ModelError { kind, state: state.clone(), operator: Some(operator.clone()), span: Some(edge.span) };
        let mut values = Vec::with_capacity(edge.destinations.len());
        for destination in &edge.destinations {
            let value = self
                .eval(destination.probability, state)
                .map_err(|failure| self.failure(failure, state, Some(operator)))?;
            if value.signum() < 0 {
                let automaton = instance.name.to_string();
                return Err(error(ModelErrorKind::NegativeProbability { automaton, value }));
            }
            values.push(value);
        }
        normalise(&mut values)
            .map_err(|sum| error(ModelErrorKind::ProbabilitySum { automaton: instance.name.to_string(), sum }))?;
        Ok(values)
    }

    /// The states that an outcome of an enabled operator may lead to: the destination of each participant is given.
    ///
    /// # Errors
    /// [`ModelError`] where an update is in error.
    pub fn successors(&self, source: &State, operator: &Operator, taken: &[u32]) -> Result<Vec<State>, ModelError> {
        let mut states = Vec::new();
        for Fork { state, .. } in self.forks(source, operator, taken)? {
            if !states.contains(&state) {
                states.push(state);
            }
        }
        Ok(states)
    }

    /// The ways to take an outcome of an enabled operator: several where assignments are non-deterministic.
    pub(super) fn forks(&self, source: &State, operator: &Operator, taken: &[u32]) -> Result<Vec<Fork>, ModelError> {
        let vector = &self.model.vectors[operator.vector as usize];
        let destinations: Vec<&Destination> = vector
            .participants
            .iter()
            .zip(&operator.edges)
            .zip(taken)
            .map(|((p, e), d)| &self.model.instances[p.instance].edges[*e as usize].destinations[*d as usize])
            .collect();
        let mut indices: Vec<i64> = destinations.iter().flat_map(|d| d.assignments.iter().map(|a| a.index)).collect();
        indices.sort_unstable();
        indices.dedup();
        // Non-deterministic values fork the run: each fork is a state with its transient values.
        let mut forks = vec![Fork { state: source.clone(), transients: Vec::new(), conflict: None }];
        for index in indices {
            let now: Vec<&Assignment> =
                destinations.iter().flat_map(|d| d.assignments.iter().filter(|a| a.index == index)).collect();
            let mut next = Vec::new();
            for fork in &forks {
                self.assign(source, operator, fork, &now, &mut next)?;
            }
            forks = next;
        }
        for Fork { state, .. } in &mut forks {
            for (participant, destination) in vector.participants.iter().zip(&destinations) {
                state.0[participant.instance] = Rational::from(i64::from(destination.location));
            }
            self.check_domains(source, operator, state, &destinations)?;
        }
        Ok(forks)
    }

    /// Does all assignments of one index at once: every value is read in the state of the fork.
    fn assign(
        &self,
        source: &State,
        operator: &Operator,
        Fork { state, transients, conflict }: &Fork,
        now: &[&Assignment],
        next: &mut Vec<Fork>,
    ) -> Result<(), ModelError> {
        let mut conflict = *conflict;
        let value_of = |term: TermId| {
            self.eval_with(term, state, transients).map_err(|error| self.failure(error, source, Some(operator)))
        };
        let mut written: Vec<(SlotId, Vec<Rational>)> = Vec::new();
        let mut new_transients = transients.to_vec();
        for assignment in now {
            let error = |kind| ModelError {
                kind,
                state: source.clone(),
                operator: Some(operator.clone()),
                span: Some(assignment.span),
            };
            let slot = match &assignment.target {
                Target::Slot(slot) => *slot,
                Target::Transient(transient) => {
                    if let AssignedTerm::Value(term) = assignment.value {
                        let value = value_of(term)?;
                        super::eval::check_transient(&self.model.transients[transient.0 as usize], &value)
                            .map_err(|kind| error(ModelErrorKind::Evaluation(kind)))?;
                        let other = new_transients[transients.len()..].iter().find(|(id, _)| id == transient);
                        if other.is_some_and(|(_, other)| *other != value) {
                            conflict = Some(*transient);
                        }
                        new_transients.push((*transient, value));
                    }
                    continue;
                }
                Target::Cell { base, dimensions } => {
                    let mut offset = 0u32;
                    for (length, index) in dimensions {
                        let index = value_of(*index)?;
                        let position = index.to_i64().and_then(|i| u32::try_from(i).ok()).filter(|i| i < length);
                        let position = position.ok_or_else(|| {
                            error(ModelErrorKind::Evaluation(super::EvalErrorKind::IndexOutOfRange {
                                index,
                                length: *length as usize,
                            }))
                        })?;
                        offset = offset * length + position;
                    }
                    SlotId(base.0 + offset)
                }
            };
            let values = match assignment.value {
                AssignedTerm::Value(term) => vec![value_of(term)?],
                AssignedTerm::Interval(lower, upper) => {
                    self.interval_values(slot, value_of(lower)?, value_of(upper)?).map_err(error)?
                }
            };
            match written.iter().find(|(other, _)| *other == slot) {
                Some((_, previous)) if *previous == values => {}
                Some(_) => {
                    let name = self.model.slots[slot.index()].name.to_string();
                    return Err(error(ModelErrorKind::ConflictingAssignment(name)));
                }
                None => written.push((slot, values)),
            }
        }
        if product(written.iter().map(|(_, values)| values.len())).is_none() {
            let kind = ModelErrorKind::TooManyOutcomes;
            return Err(ModelError { kind, state: source.clone(), operator: Some(operator.clone()), span: None });
        }
        let mut results = vec![state.clone()];
        for (slot, values) in &written {
            results = results
                .iter()
                .flat_map(|result| {
                    values.iter().map(move |value| {
                        let mut result = result.clone();
                        result.0[slot.index()] = value.clone();
                        result
                    })
                })
                .collect();
        }
        let transients = &new_transients;
        next.extend(results.into_iter().map(|state| Fork { state, transients: transients.clone(), conflict }));
        Ok(())
    }

    /// The values of a slot's domain in a closed interval.
    fn interval_values(&self, slot: SlotId, lower: Rational, upper: Rational) -> Result<Vec<Rational>, ModelErrorKind> {
        let slot = &self.model.slots[slot.index()];
        let variable = slot.name.to_string();
        let Some((domain_lower, domain_upper)) = slot.domain.int_bounds() else {
            return Err(ModelErrorKind::InfiniteInterval(variable));
        };
        let first = lower.ceil().max(Rational::from(domain_lower)).to_i64();
        let last = upper.floor().min(Rational::from(domain_upper)).to_i64();
        match (first, last) {
            (Some(first), Some(last)) if first <= last => {
                if last.checked_sub(first).is_none_or(|width| width >= MAX_INTERVAL) {
                    return Err(ModelErrorKind::HugeInterval(variable));
                }
                Ok((first..=last).map(Rational::from).collect())
            }
            _ => Err(ModelErrorKind::EmptyInterval { variable, lower, upper }),
        }
    }

    fn check_domains(
        &self,
        source: &State,
        operator: &Operator,
        state: &State,
        destinations: &[&Destination],
    ) -> Result<(), ModelError> {
        for (i, (slot, value)) in self.model.slots.iter().zip(&state.0).enumerate() {
            if slot.domain.contains(value) {
                continue;
            }
            let mut assignments = destinations.iter().flat_map(|d| &d.assignments);
            let span = assignments.rfind(|a| may_write(&a.target, SlotId::at(i))).map(|a| a.span);
            let kind = ModelErrorKind::OutOfDomain {
                variable: slot.name.to_string(),
                value: value.clone(),
                domain: Domain::describe(&slot.domain),
            };
            return Err(ModelError { kind, state: source.clone(), operator: Some(operator.clone()), span });
        }
        Ok(())
    }

    pub(crate) fn failure(&self, error: EvalError, state: &State, operator: Option<&Operator>) -> ModelError {
        ModelError {
            kind: ModelErrorKind::Evaluation(error.kind),
            state: state.clone(),
            operator: operator.cloned(),
            span: error.span,
        }
    }
}

/// The product of some counts, up to [`MAX_PRODUCT`].
fn product(counts: impl Iterator<Item = usize>) -> Option<usize> {
    let mut product = Some(1usize);
    for count in counts {
        if count == 0 {
            return Some(0);
        }
        product = product.and_then(|p| p.checked_mul(count)).filter(|p| *p <= MAX_PRODUCT);
    }
    product
}

fn may_write(target: &Target, slot: SlotId) -> bool {
    match target {
        Target::Slot(written) => *written == slot,
        Target::Transient(_) => false,
        Target::Cell { base, dimensions } => {
            let size: u32 = dimensions.iter().map(|(length, _)| length).product();
            (base.0..base.0 + size).contains(&slot.0)
        }
    }
}

/// Scales values whose sum is within the tolerance of one; other sums are returned as an error.
///
/// # Errors
/// The sum, when it is not close to one.
pub fn normalise(values: &mut [Rational]) -> Result<bool, Rational> {
    let sum: Rational = values.iter().cloned().sum();
    if sum == Rational::ONE {
        return Ok(false);
    }
    let tolerance = Rational::new(PROBABILITY_TOLERANCE.0, PROBABILITY_TOLERANCE.1).expect("not zero");
    if (&sum - &Rational::ONE).abs() > tolerance {
        return Err(sum);
    }
    for value in values {
        *value = value.checked_div(&sum).expect("the sum is close to one");
    }
    Ok(true)
}
