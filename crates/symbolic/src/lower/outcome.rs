//! Outcomes of an operator: a destination per participant, a probability, and cases of the update.

use surefoot_linear::{Formula, Linear, Region, Space, Symbol, SymbolRange};
use surefoot_model::model::{AssignedTerm, Assignment, Destination, Domain, Edge, Operator, Target};
use surefoot_model::{SlotId, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use super::refusal::{MAX_CASES, Refusal};
use super::update::Updates;
use super::{Lowering, Obstacle};

/// How likely an outcome is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probability {
    /// A number, positive.
    Constant(Rational),
    /// The product of the values of terms, one per participant; each participant's are first scaled to sum to one, where
    /// they only almost do.
    Product(Vec<TermId>),
}

/// A value that a non-deterministic assignment chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceSymbol {
    /// Its symbol: after all symbols of the [`Space`], numbered per outcome.
    pub symbol: Symbol,
    /// The domain of the variable assigned to: the value is always in it.
    pub domain: Domain,
}

/// Bounds on a choice, besides its domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChoiceBounds {
    /// The choice.
    pub symbol: Symbol,
    /// Smallest value, over the state before the step and earlier choices.
    pub lower: Linear,
    /// Largest value.
    pub upper: Linear,
}

/// What an outcome does under a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateCase {
    /// Over the state before the step, and choices where later assignments depend on them.
    pub condition: Formula,
    /// New values of the variables that change, over the state before the step and choices, by ascending slot.
    pub update: Vec<(SlotId, Linear)>,
    /// The choices made in this case.
    pub choices: Vec<ChoiceBounds>,
    /// Where the condition holds: all new values are in their domains.
    pub in_domain: Formula,
}

/// An outcome over symbols. Everything is meant where the operator's sources and guard hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolicOutcome {
    /// The destination taken by each participant.
    pub destinations: Vec<u32>,
    /// How likely it is.
    pub probability: Probability,
    /// Where its probability is positive.
    pub possible: Formula,
    /// Instances and the locations they go to.
    pub locations: Vec<(usize, u32)>,
    /// The choices of non-deterministic assignments.
    pub choices: Vec<ChoiceSymbol>,
    /// Where all assignments have values, do not contradict each other, and leave a value to choose. It may read choices: the
    /// outcome is an error where the formula fails for some values (of their domains) that they have.
    pub defined: Formula,
    /// Cases: where the outcome is defined, exactly one holds (for given values of the choices).
    pub cases: Vec<UpdateCase>,
}

impl ChoiceBounds {
    /// The bounds as a formula.
    #[must_use]
    pub fn formula(&self, space: &Space) -> Formula {
        let symbol = Linear::symbol(self.symbol);
        Formula::all([space.at_most(&self.lower, &symbol), space.at_most(&symbol, &self.upper)])
    }
}

impl Lowering<'_> {
    /// The outcomes of an operator: the product of the destinations, the last participant's changing fastest.
    pub(super) fn outcomes(
        &mut self,
        operator: &Operator,
        edges: &[&Edge],
        sources: &[(usize, u32)],
        guard: &Formula,
    ) -> Result<Vec<SymbolicOutcome>, Diagnostic> {
        let span = edges.first().map(|edge| edge.span);
        let mut products: Vec<Vec<u32>> = vec![Vec::new()];
        for edge in edges {
            let possible = |d: &u32| {
                let probability = self.model.terms.constant(edge.destinations[*d as usize].probability);
                probability.is_none_or(|p| !p.is_zero())
            };
            let taken: Vec<u32> = edge.destination_numbers().filter(possible).collect();
            if products.len().saturating_mul(taken.len()) > MAX_CASES {
                let what = format!("the outcomes of {}", self.model.describe_operator(operator));
                return Err(Refusal::from(Obstacle::Cases).at(self.model, span, &what));
            }
            products = products
                .iter()
                .flat_map(|prefix| taken.iter().map(move |d| prefix.iter().copied().chain([*d]).collect()))
                .collect();
        }
        let mut outcomes = Vec::new();
        for destinations in products {
            let outcome = self.outcome(operator, edges, sources, guard, destinations)?;
            if !outcome.possible.is_falsity() {
                outcomes.push(outcome);
            }
        }
        Ok(outcomes)
    }

    fn outcome(
        &mut self,
        operator: &Operator,
        edges: &[&Edge],
        sources: &[(usize, u32)],
        guard: &Formula,
        destinations: Vec<u32>,
    ) -> Result<SymbolicOutcome, Diagnostic> {
        let taken: Vec<&Destination> =
            edges.iter().zip(&destinations).map(|(edge, d)| &edge.destinations[*d as usize]).collect();
        let terms: Vec<TermId> = taken.iter().map(|d| d.probability).collect();
        let constants: Option<Vec<Rational>> = terms.iter().map(|term| self.model.terms.constant(*term)).collect();
        let probability = match constants {
            Some(values) => Probability::Constant(values.iter().fold(Rational::ONE, |product, p| &product * p)),
            None => Probability::Product(terms.clone()),
        };
        let mut possible = Vec::new();
        for (edge, term) in edges.iter().zip(&terms) {
            if !edge.constant_probabilities {
                let positive = self.positive(*term).map_err(|refusal| {
                    let what = format!("a probability of {}", self.model.describe_operator(operator));
                    refusal.at(self.model, Some(edge.span), &what)
                })?;
                possible.push(self.at_locations(&positive, sources));
            }
        }
        let locations = sources.iter().zip(&taken).map(|((instance, _), d)| (*instance, d.location)).collect();
        let assignments: Vec<&Assignment> = taken.iter().flat_map(|d| &d.assignments).collect();
        let (space, choices) = self.choice_space(&assignments);
        let mut region = Region::new(&space);
        let at = sources.iter().map(|(instance, location)| self.at(*instance, *location));
        let enabled = Formula::all(at.chain([guard.clone()]));
        let possible = if region.assume(&enabled) {
            let possible = region.simplify(&Formula::all(possible));
            if region.assume(&possible) { possible } else { Formula::falsity() }
        } else {
            Formula::falsity()
        };
        let (mut defined, mut cases) = (Formula::truth(), Vec::new());
        if !possible.is_falsity() {
            let symbols: Vec<Symbol> = choices.iter().map(|choice| choice.symbol).collect();
            let updates = Updates::new(self.model, self.outputs.as_ref(), region, &assignments, &symbols);
            (defined, cases) = updates.run(&mut self.memo).map_err(|(refusal, span)| {
                let what = format!("an assignment of {}", self.model.describe_operator(operator));
                refusal.at(self.model, span.or(edges.first().map(|edge| edge.span)), &what)
            })?;
        }
        Ok(SymbolicOutcome { destinations, probability, possible, locations, choices, defined, cases })
    }

    /// A symbol for every non-deterministic assignment, in the order of the assignments.
    fn choice_space(&self, assignments: &[&Assignment]) -> (Space, Vec<ChoiceSymbol>) {
        let mut space = self.space.clone();
        let mut choices = Vec::new();
        for assignment in assignments {
            let AssignedTerm::Interval(..) = assignment.value else { continue };
            let slot = match &assignment.target {
                // All cells of an array have the same domain.
                Target::Slot(slot) | Target::Cell { base: slot, .. } => *slot,
                Target::Transient(_) => unreachable!("refused when the model is read"),
            };
            let domain = self.model.slots[slot.index()].domain.clone();
            let symbol = space.push(SymbolRange::from(&domain));
            choices.push(ChoiceSymbol { symbol, domain });
        }
        (space, choices)
    }
}
