//! Operators: source locations, guards, and outcomes.
//!
//! A vector may stand for millions of operators, so they are listed per vector, with a limit, and lowered one by one.
//! What can be said of a vector as a whole (where a label is applicable, where guards have values) is said without listing:
//! an operator is one edge per participant, so "some operator is enabled" is "every participant has an enabled edge".

use surefoot_linear::{Formula, Linear, Region, Symbol};
use surefoot_model::model::{Edge, Operator, Participant};
use surefoot_model::{LabelId, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use super::outcome::SymbolicOutcome;
use super::path::Path;
use super::{Condition, Lowering};

/// An operator over symbols.
///
/// The sources say where instances are; the guard and everything else reads the locations of other instances only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolicOperator {
    /// The vector and an edge per participant.
    pub operator: Operator,
    /// The label; `None` = silent.
    pub label: Option<LabelId>,
    /// Instances and the locations they must be at.
    pub sources: Vec<(usize, u32)>,
    /// The guards of all edges, looked at in the order of the participants.
    pub guard: Condition,
    /// Where sources and guard hold: the probabilities have values and are a distribution.
    pub distribution: Formula,
    /// The outcomes that are possible in some state. All they say is meant where sources and guard hold.
    pub outcomes: Vec<SymbolicOutcome>,
}

impl Lowering<'_> {
    /// The operators of a vector that can be enabled, as far as their guards tell at a glance: in some state, or in one with
    /// the given locations (one per instance), which are mostly far fewer.
    ///
    /// # Errors
    /// A guard that cannot be lowered; or more than `most` operators, with the vector's label and participants.
    pub fn operators(
        &mut self,
        vector: u32,
        locations: Option<&[u32]>,
        most: usize,
    ) -> Result<Vec<Operator>, Diagnostic> {
        let participants = &self.model.vectors[vector as usize].participants;
        let mut guards: Vec<Vec<(u32, Formula)>> = Vec::new();
        for participant in participants {
            let mut own = Vec::new();
            for e in &participant.edges {
                let source = self.edge(participant, *e).source;
                if locations.is_some_and(|locations| locations[participant.instance] != source) {
                    continue;
                }
                let guard = self.edge_guard(participant, *e)?.holds;
                let guard = match locations {
                    Some(locations) => self.at_all_locations(&guard, locations),
                    None => self.at_locations(&guard, &[(participant.instance, source)]),
                };
                own.push((*e, guard));
            }
            guards.push(own);
        }
        // Depth first, so the last participant's edges change fastest. Prefixes count too: many may lead nowhere.
        let limit = most.saturating_mul(participants.len().max(1));
        let (mut found, mut visited) = (Vec::new(), 0usize);
        let mut work = vec![(Vec::new(), Path::new(&self.space))];
        while let Some((edges, path)) = work.pop() {
            visited += 1;
            if found.len() >= most && edges.len() == participants.len() || visited > limit.saturating_add(1) {
                return Err(self.too_many(vector, most));
            }
            let Some(candidates) = guards.get(edges.len()) else {
                found.push(Operator { vector, edges });
                continue;
            };
            for (e, guard) in candidates.iter().rev() {
                if let Some(path) = path.and(guard) {
                    work.push((edges.iter().copied().chain([*e]).collect(), path));
                }
            }
        }
        Ok(found)
    }

    fn too_many(&self, vector: u32, most: usize) -> Diagnostic {
        let vector = &self.model.vectors[vector as usize];
        let label = vector.label.map_or("silent".to_owned(), |l| format!("'{}'", self.model.labels[l.0 as usize]));
        let names: Vec<&str> = vector.participants.iter().map(|p| &*self.model.instances[p.instance].name).collect();
        let first = vector.participants.first().expect("vectors have participants");
        let span = first.edges.first().map(|e| self.edge(first, *e).span);
        let message = format!(
            "the synchronisation vector of the {label} action of {} stands for more than {most} operators",
            names.join(", ")
        );
        let error = span.map_or_else(|| Diagnostic::error_anywhere(&message), |span| Diagnostic::error(span, &message));
        error.refusal().with_help("merge edges or automata, or use an engine that explores states one by one")
    }

    /// Lowers an operator.
    ///
    /// # Errors
    /// What cannot be lowered, at its edge or assignment.
    pub fn operator(&mut self, operator: &Operator) -> Result<SymbolicOperator, Diagnostic> {
        let model = self.model;
        let vector = &model.vectors[operator.vector as usize];
        let chosen: Vec<(&Participant, u32)> = vector.participants.iter().zip(operator.edges.iter().copied()).collect();
        let edges: Vec<&Edge> = chosen.iter().map(|(p, e)| self.edge(p, *e)).collect();
        let sources: Vec<(usize, u32)> = chosen.iter().zip(&edges).map(|((p, _), e)| (p.instance, e.source)).collect();
        let mut guard = Condition::truth();
        for (participant, e) in &chosen {
            let own = self.edge_guard(participant, *e)?;
            guard = guard.and_then(&self.space, &own);
        }
        let here = |lowering: &Self, formula: &Formula| lowering.at_locations(formula, &sources);
        guard = Condition { holds: here(self, &guard.holds), defined: here(self, &guard.defined) };
        let label = vector.label;
        let Some(enabled) = Path::new(&self.space).and(&guard.holds).map(|path| path.condition) else {
            guard.holds = Formula::falsity();
            let (distribution, outcomes) = (Formula::truth(), Vec::new());
            return Ok(SymbolicOperator { operator: operator.clone(), label, sources, guard, distribution, outcomes });
        };
        guard.holds = enabled;
        let mut distribution = Vec::new();
        for edge in edges.iter().filter(|edge| !edge.constant_probabilities) {
            distribution.push(self.distribution(edge, operator)?);
        }
        let mut region = Region::new(&self.space);
        let distribution = here(self, &Formula::all(distribution));
        let distribution = if region.assume(&guard.holds) { region.simplify(&distribution) } else { distribution };
        let outcomes = self.outcomes(operator, &edges, &sources, &guard.holds)?;
        Ok(SymbolicOperator { operator: operator.clone(), label, sources, guard, distribution, outcomes })
    }

    /// Where a label has an enabled operator: in all states, or in those with the given locations (one per instance).
    ///
    /// # Errors
    /// A guard that cannot be lowered.
    pub fn applicable(&mut self, label: LabelId, locations: Option<&[u32]>) -> Result<Formula, Diagnostic> {
        let model = self.model;
        let mut vectors = Vec::new();
        for vector in model.vectors.iter().filter(|vector| vector.label == Some(label)) {
            let mut participants = Vec::new();
            for participant in &vector.participants {
                participants.push(self.some_enabled(participant)?);
            }
            vectors.push(Formula::all(participants));
        }
        let applicable = Formula::any(vectors);
        Ok(locations.map_or_else(|| applicable.clone(), |locations| self.at_all_locations(&applicable, locations)))
    }

    /// Where the guards of a vector's edges have values, as far as they are looked at: those at the current locations, of
    /// one participant after the other while each has an enabled edge.
    ///
    /// # Errors
    /// A guard that cannot be lowered.
    pub fn guards_defined(&mut self, vector: u32) -> Result<Formula, Diagnostic> {
        let participants = &self.model.vectors[vector as usize].participants;
        let (mut leaves, mut enabled, mut defined) = (Vec::new(), Vec::new(), Vec::new());
        for participant in participants {
            let mut own = Vec::new();
            let mut sources = Vec::new();
            for e in &participant.edges {
                let guard = self.edge_guard(participant, *e)?;
                let at = self.at(participant.instance, self.edge(participant, *e).source);
                own.push(self.space.implies(&at, guard.defined));
                sources.push(at);
            }
            leaves.push(Formula::any(sources));
            defined.push(self.space.implies(&Formula::all(enabled.iter().cloned()), Formula::all(own)));
            enabled.push(self.some_enabled(participant)?);
        }
        Ok(self.space.implies(&Formula::all(leaves), Formula::all(defined)))
    }

    /// Where a participant has an enabled edge.
    fn some_enabled(&mut self, participant: &Participant) -> Result<Formula, Diagnostic> {
        let mut edges = Vec::new();
        for e in &participant.edges {
            let guard = self.edge_guard(participant, *e)?.holds;
            let source = self.edge(participant, *e).source;
            let guard = self.at_locations(&guard, &[(participant.instance, source)]);
            edges.push(Formula::all([self.at(participant.instance, source), guard]));
        }
        Ok(Formula::any(edges))
    }

    /// The guard of an edge, in all locations.
    fn edge_guard(&mut self, participant: &Participant, e: u32) -> Result<Condition, Diagnostic> {
        let edge = self.edge(participant, e);
        let (guard, span) = (edge.guard, edge.span);
        self.meaning(guard).map(|meaning| Condition::of(&meaning)).map_err(|refusal| {
            let name = &self.model.instances[participant.instance].name;
            let what = match self.edge(participant, e).number {
                Some(number) => format!("the guard of edge {number} of '{name}'"),
                None => format!("the guard of an implicit loop of '{name}'"),
            };
            refusal.at(self.model, Some(span), &what)
        })
    }

    /// Where the probabilities of an edge have values, none of them negative, that sum to one (or almost).
    fn distribution(&mut self, edge: &Edge, operator: &Operator) -> Result<Formula, Diagnostic> {
        let result = self.lower_distribution(edge);
        result.map_err(|refusal| {
            let what = format!("a probability of {}", self.model.describe_operator(operator));
            refusal.at(self.model, Some(edge.span), &what)
        })
    }

    fn lower_distribution(&mut self, edge: &Edge) -> Result<Formula, super::refusal::Refusal> {
        let zero = Linear::default();
        let mut sum = super::cases::certain(zero.clone());
        let mut parts = Vec::new();
        for destination in &edge.destinations {
            let meaning = self.meaning(destination.probability)?;
            let cases = meaning.cases(&self.space);
            parts.push(meaning.defined.clone());
            let paths = cases.iter().filter_map(|case| Some((Path::new(&self.space).and(&case.condition)?, case)));
            parts.extend(paths.map(|(path, case)| path.implies(&self.space.at_most(&zero, &case.value))));
            let add = surefoot_model::term::ArithOp::Add;
            sum = super::arithmetic::binary(&self.space, add, &sum, &cases)?.0;
        }
        let (numerator, denominator) = surefoot_model::interpret::PROBABILITY_TOLERANCE;
        let tolerance = Rational::new(numerator, denominator).expect("not zero");
        let bound = |value: Rational| Linear::constant_form(value);
        let (low, high) = (bound(&Rational::ONE - &tolerance), bound(&Rational::ONE + &tolerance));
        parts.extend(sum.iter().filter_map(|case| Some((Path::new(&self.space).and(&case.condition)?, case))).map(
            |(path, case)| {
                let above = self.space.at_most(&low, &case.value);
                path.implies(&Formula::all([above, self.space.at_most(&case.value, &high)]))
            },
        ));
        Ok(Formula::all(parts))
    }

    /// Where a probability is positive, if it has a value.
    pub(super) fn positive(&mut self, probability: TermId) -> Result<Formula, super::refusal::Refusal> {
        let meaning = self.meaning(probability)?;
        let cases = meaning.cases(&self.space);
        let paths = cases.iter().filter_map(|case| Some((Path::new(&self.space).and(&case.condition)?, case)));
        let positive = paths.map(|(path, case)| {
            let positive = path.region.simplify(&self.space.below(&Linear::default(), &case.value));
            Formula::all([path.condition, positive])
        });
        Ok(Formula::any(positive))
    }

    /// An edge of a participant.
    pub(super) fn edge<'e>(&self, participant: &Participant, e: u32) -> &'e Edge
    where
        Self: 'e,
    {
        &self.model.instances[participant.instance].edges[e as usize]
    }

    /// The atom that an instance is at a location.
    #[must_use]
    pub fn at(&self, instance: usize, location: u32) -> Formula {
        self.space.equals(&Linear::symbol(Symbol::at(instance)), &Rational::from(i64::from(location)))
    }

    /// A formula in states with the given locations, one per instance.
    #[must_use]
    pub fn at_all_locations(&self, formula: &Formula, locations: &[u32]) -> Formula {
        let all: Vec<(usize, u32)> = locations.iter().copied().enumerate().collect();
        self.at_locations(formula, &all)
    }

    /// A formula where some instances are at given locations.
    pub(super) fn at_locations(&self, formula: &Formula, locations: &[(usize, u32)]) -> Formula {
        self.space.substitute(formula, &|symbol| {
            let known = locations.iter().find(|(instance, _)| *instance == symbol.index())?;
            Some(Linear::constant_form(Rational::from(i64::from(known.1))))
        })
    }
}
