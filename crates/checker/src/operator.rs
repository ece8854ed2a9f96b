//! The operators that leave given locations, laid out for checking: guards in order, outcomes with their assignments.

use rustc_hash::FxHashMap;
use surefoot_model::model::{Assignment, Operator};
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::{LabelId, Model, TermId};
use surefoot_num::Rational;

/// More operators at one vector of locations are refused.
const MOST_OPERATORS: usize = 100_000;
/// More outcomes of one operator are refused.
const MOST_OUTCOMES: usize = 1 << 16;

/// An operator by what it is made of: its label, and the edge of each participant as the automaton lists them.
pub type Name = (Option<LabelId>, Vec<(usize, Option<usize>)>);

/// An operator at given locations.
#[derive(Debug)]
pub struct Op<'m> {
    /// It, for the interpreter.
    pub operator: Operator,
    /// Its number in the certificate, if it has one.
    pub number: Option<u32>,
    /// The policy's output that its label is; `None` for moves of the environment.
    pub output: Option<usize>,
    /// Guards, in the order of participants.
    pub guards: Vec<TermId>,
    /// Outcomes that are possible.
    pub outcomes: Vec<Outcome<'m>>,
}

/// What an operator may do.
#[derive(Debug)]
pub struct Outcome<'m> {
    /// New locations, by instance.
    pub locations: Vec<(usize, u32)>,
    /// Its probability, where that is a constant.
    pub probability: Option<Rational>,
    /// The factors of its probability.
    pub factors: Vec<TermId>,
    /// Its assignments, by participant and in each by index.
    pub assignments: Vec<&'m [Assignment]>,
}

/// Operators by their locations.
#[derive(Debug)]
pub struct Operators<'m> {
    model: &'m Model,
    /// For each label that it is an output of the policy.
    outputs: FxHashMap<LabelId, usize>,
    /// Operators that the certificate numbers.
    numbers: FxHashMap<Name, u32>,
    places: FxHashMap<Box<[i64]>, u32>,
    at: Vec<Vec<Op<'m>>>,
}

impl<'m> Operators<'m> {
    /// None yet, for a model under a policy.
    ///
    /// # Errors
    /// Where the policy does not choose labels.
    pub fn new(model: &'m Model, policy: Option<&Policy>) -> Result<Self, String> {
        let outputs = match policy.map(|policy| &policy.outputs) {
            None => FxHashMap::default(),
            Some(Outputs::Labels(labels)) => labels.iter().enumerate().map(|(i, label)| (*label, i)).collect(),
            Some(Outputs::Transients(_)) => {
                return Err("certificates of regions are for policies that choose actions".to_owned());
            }
        };
        Ok(Self { model, outputs, numbers: FxHashMap::default(), places: FxHashMap::default(), at: Vec::new() })
    }

    /// Numbers an operator.
    ///
    /// # Errors
    /// Where it has a number already.
    pub fn number(&mut self, name: Name, number: u32) -> Result<(), String> {
        match self.numbers.insert(name, number) {
            None => Ok(()),
            Some(before) => Err(format!("this is operator {before} again")),
        }
    }

    /// Lays out the operators at given locations, once; all numbers have been given.
    ///
    /// # Errors
    /// Where there are too many.
    pub fn prepare(&mut self, locations: &[i64]) -> Result<(), String> {
        if self.places.contains_key(locations) {
            return Ok(());
        }
        let mut found = Vec::new();
        for vector in self.model.vector_numbers() {
            self.of_vector(vector, locations, &mut found)?;
        }
        let place = u32::try_from(self.at.len()).map_err(|_| "too many locations".to_owned())?;
        self.places.insert(locations.into(), place);
        self.at.push(found);
        Ok(())
    }

    /// The number of locations that were prepared.
    ///
    /// # Panics
    /// Where they were not.
    #[must_use]
    pub fn place(&self, locations: &[i64]) -> u32 {
        self.places[locations]
    }

    /// The operators at locations, by their number; none where no locations were prepared.
    #[must_use]
    pub fn at(&self, place: u32) -> &[Op<'m>] {
        self.at.get(place as usize).map_or(&[], Vec::as_slice)
    }

    fn of_vector(&self, vector: u32, locations: &[i64], found: &mut Vec<Op<'m>>) -> Result<(), String> {
        let participants = &self.model.vectors[vector as usize].participants;
        let mut combinations: Vec<Vec<u32>> = vec![Vec::new()];
        for participant in participants {
            let edges = &self.model.instances[participant.instance].edges;
            let leaving = |e: &&u32| i64::from(edges[**e as usize].source) == locations[participant.instance];
            let leaving: Vec<u32> = participant.edges.iter().filter(leaving).copied().collect();
            if combinations.len().saturating_mul(leaving.len()).saturating_add(found.len()) > MOST_OPERATORS {
                return Err(format!("more than {MOST_OPERATORS} operators leave one vector of locations"));
            }
            let with = |taken: &Vec<u32>| {
                leaving.iter().map(|e| taken.iter().copied().chain([*e]).collect()).collect::<Vec<_>>()
            };
            combinations = combinations.iter().flat_map(with).collect();
        }
        for edges in combinations {
            found.push(self.laid_out(Operator { vector, edges })?);
        }
        Ok(())
    }

    fn laid_out(&self, operator: Operator) -> Result<Op<'m>, String> {
        let vector = &self.model.vectors[operator.vector as usize];
        let edges: Vec<_> = vector
            .participants
            .iter()
            .zip(&operator.edges)
            .map(|(participant, e)| {
                let instance = &self.model.instances[participant.instance];
                (participant.instance, &instance.edges[*e as usize])
            })
            .collect();
        let name = (vector.label, edges.iter().map(|(instance, edge)| (*instance, edge.number)).collect());
        let mut outcomes = vec![Outcome {
            locations: Vec::new(),
            probability: Some(Rational::ONE),
            factors: Vec::new(),
            assignments: Vec::new(),
        }];
        for (instance, edge) in &edges {
            if outcomes.len().saturating_mul(edge.destinations.len()) > MOST_OUTCOMES {
                return Err(format!("an operator has more than {MOST_OUTCOMES} outcomes"));
            }
            let mut next = Vec::new();
            for before in &outcomes {
                for destination in &edge.destinations {
                    let own = self.model.terms.constant(destination.probability);
                    if own.as_ref().is_some_and(Rational::is_zero) {
                        continue;
                    }
                    let probability = before.probability.as_ref().zip(own).map(|(a, b)| a * &b);
                    next.push(Outcome {
                        locations: with(&before.locations, (*instance, destination.location)),
                        probability,
                        factors: with(&before.factors, destination.probability),
                        assignments: with(&before.assignments, &*destination.assignments),
                    });
                }
            }
            outcomes = next;
        }
        Ok(Op {
            number: self.numbers.get(&name).copied(),
            output: vector.label.and_then(|label| self.outputs.get(&label).copied()),
            guards: edges.iter().map(|(_, edge)| edge.guard).collect(),
            operator,
            outcomes,
        })
    }

    /// What an operator is made of.
    #[must_use]
    pub fn name(model: &Model, operator: &Operator) -> Name {
        let vector = &model.vectors[operator.vector as usize];
        let edges = vector.participants.iter().zip(&operator.edges);
        let edge = |(participant, e): (&surefoot_model::model::Participant, &u32)| {
            (participant.instance, model.instances[participant.instance].edges[*e as usize].number)
        };
        (vector.label, edges.map(edge).collect())
    }
}

fn with<T: Clone>(before: &[T], next: T) -> Vec<T> {
    before.iter().cloned().chain([next]).collect()
}
