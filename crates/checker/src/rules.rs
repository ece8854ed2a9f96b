//! What a check is about: the model, the policy, the question, and the invariant of the certificate.
//!
//! Everything here stays as it is during a check; what trees add on the way (formulas) and scratch space is in a [`Workspace`].

use rustc_hash::FxHashSet;
use surefoot_certificate::token::Place;
use surefoot_model::policy::{Outputs, Policy, Ties};
use surefoot_model::{Model, Term, TermId, TermPool};
use surefoot_network::Evaluator;
use surefoot_problem::Problem;

use crate::formula::Formulas;
use crate::network::prepared::Scores;
use crate::network::{Bounded, Prepared};
use crate::node::Node;
use crate::operator::Operators;
use crate::subject::exact_networks;
use crate::values::{Bounds, Values};

/// Terms that nest deeper are refused: they are evaluated over boxes by recursion.
const MOST_NESTED: u32 = 400;

/// How deep terms nest; chains of conjunctions and of disjunctions count once.
fn depth(terms: &TermPool) -> u32 {
    let mut depths: Vec<u32> = Vec::with_capacity(terms.len());
    for id in (0u32..).map(TermId).take(terms.len()) {
        let mut deepest = 0;
        terms.for_each_operand(id, |operand| {
            let chain = matches!(
                (terms.get(id), terms.get(operand)),
                (Term::And(..), Term::And(..)) | (Term::Or(..), Term::Or(..))
            );
            deepest = deepest.max(depths[operand.0 as usize] + u32::from(!chain));
        });
        depths.push(deepest);
    }
    depths.into_iter().max().unwrap_or(0)
}

/// A set of states: bounds of slots, and formulas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Region {
    /// Slots with their bounds, ascending; the others have all values of their domain.
    pub bounds: Vec<(u32, i64, i64)>,
    /// Formulas that hold.
    pub formulas: Vec<u32>,
}

/// States by the values of some slots; the others have any value.
#[derive(Debug, Clone, Default)]
pub struct States {
    /// The slots, ascending.
    pub kept: Vec<u32>,
    /// Their values.
    pub values: FxHashSet<Box<[i64]>>,
}

/// What is asked, and how the model is meant.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'p> {
    /// The model.
    pub model: &'p Model,
    /// The policy.
    pub policy: Option<&'p Policy>,
    /// What must not be reached.
    pub target: TermId,
    /// States that satisfy this have no moves.
    pub terminal: Option<TermId>,
    /// Whether nothing moves at all.
    pub initial_only: bool,
    /// Whether operators are absent where they are in error.
    pub assume_no_errors: bool,
}

impl<'p> Asked<'p> {
    /// What a problem asks.
    ///
    /// # Errors
    /// Where regions cannot answer that.
    pub fn new(problem: &'p Problem, assume_no_errors: bool) -> Result<Self, String> {
        let query = &problem.query;
        let target = query.target.ok_or_else(|| "the property does not say what is not to be reached".to_owned())?;
        if !problem.model().is_discrete() {
            return Err("certificates of regions are for models without real variables".to_owned());
        }
        if depth(&problem.model().terms) > MOST_NESTED {
            return Err(format!("certificates of regions are for models whose terms nest at most {MOST_NESTED} deep"));
        }
        if problem.policy().is_some_and(|policy| policy.ties == Ties::Plaja) {
            return Err("there are no certificates for ties within a tolerance".to_owned());
        }
        Ok(Self {
            model: problem.model(),
            policy: problem.policy(),
            target,
            terminal: query.goal.filter(|_| query.goal_terminal),
            initial_only: query.initial_only,
            assume_no_errors,
        })
    }

    /// The box of all states.
    #[must_use]
    pub fn everything(&self) -> Vec<Bounds> {
        let bounds = |slot: &surefoot_model::model::Slot| slot.domain.int_bounds().unwrap_or((0, -1));
        self.model.slots.iter().map(bounds).collect()
    }

    /// How many slots are locations.
    #[must_use]
    pub fn locations(&self) -> usize {
        self.model.instances.len()
    }
}

/// The rules of a check.
#[derive(Debug)]
pub struct Rules<'p> {
    /// What is asked.
    pub asked: Asked<'p>,
    /// The operators.
    pub operators: Operators<'p>,
    /// The regions.
    pub regions: Vec<Region>,
    /// The states.
    pub states: States,
    /// The networks laid out, or why not.
    pub(crate) networks: Vec<Result<Prepared, String>>,
}

/// What trees add, scratch space, and how exactly rows must decide.
#[derive(Debug)]
pub struct Workspace {
    /// The formulas.
    pub formulas: Formulas,
    /// A row decides only below this times the sum of its sizes, negated: nothing for a checker.
    pub margin: f64,
    pub(crate) scores: Vec<Scores>,
    pub(crate) bounded: Bounded,
    pub(crate) evaluators: Vec<Evaluator>,
}

impl Workspace {
    /// The neurons that were bounded last.
    #[must_use]
    pub fn bounded(&self) -> &Bounded {
        &self.bounded
    }
}

impl<'p> Rules<'p> {
    /// Rules without an invariant yet.
    ///
    /// # Errors
    /// Where the policy does not choose labels, or has networks that certificates are not about.
    pub fn new(asked: Asked<'p>) -> Result<Self, String> {
        asked.policy.map_or(Ok(()), exact_networks)?;
        let operators = Operators::new(asked.model, asked.policy)?;
        let networks = asked.policy.map_or_else(Vec::new, |policy| policy.networks.iter().map(Prepared::new).collect());
        Ok(Self { asked, operators, regions: Vec::new(), states: States::default(), networks })
    }

    /// Scratch space.
    #[must_use]
    pub fn workspace(&self, formulas: Formulas, margin: f64) -> Workspace {
        let networks = self.asked.policy.map_or(&[][..], |policy| &policy.networks);
        Workspace {
            formulas,
            margin,
            scores: vec![Scores::default(); networks.len()],
            bounded: Bounded::default(),
            evaluators: networks.iter().map(|network| Evaluator::new(&network.network)).collect(),
        }
    }

    /// The network that is asked in a node, laid out.
    #[must_use]
    pub fn prepared(&self, node: &Node) -> Option<&Prepared> {
        self.networks[node.network?].as_ref().ok()
    }

    /// How many outputs the policy has.
    #[must_use]
    pub fn outputs(&self) -> usize {
        match self.asked.policy.map(|policy| &policy.outputs) {
            Some(Outputs::Labels(labels)) => labels.len(),
            _ => 0,
        }
    }

    /// A region.
    ///
    /// # Errors
    /// Where there is none of that number.
    pub fn region(&self, region: u32) -> Result<&Region, String> {
        self.regions.get(region as usize).ok_or_else(|| format!("there is no region {region}"))
    }

    /// Whether all states that the values stand for are in a place.
    ///
    /// # Errors
    /// Why not, as far as can be told.
    pub fn is_inside(&self, values: &Values<'_>, place: Place, formulas: &Formulas) -> Result<(), String> {
        match place {
            Place::States => self.is_state(values),
            Place::Region(number) => {
                let region = self.region(number)?;
                for (slot, lower, upper) in &region.bounds {
                    let (low, high) = values.range(&values.slot(surefoot_model::SlotId(*slot)));
                    if low < (*lower).into() || high > (*upper).into() {
                        let name = &self.asked.model.slots[*slot as usize].name;
                        return Err(format!("'{name}' may be outside its bounds in region {number}"));
                    }
                }
                for formula in &region.formulas {
                    if formulas.truth(*formula, values) != Some(true) {
                        return Err(format!("formula {formula} of region {number} may be false"));
                    }
                }
                Ok(())
            }
        }
    }

    fn is_state(&self, values: &Values<'_>) -> Result<(), String> {
        let value = |slot: &u32| {
            let slot = surefoot_model::SlotId(*slot);
            let (lower, upper) = values.range(&values.slot(slot));
            let value = if lower == upper { lower.to_i64() } else { None };
            value.ok_or_else(|| {
                format!("'{}' has no single value to look up", self.asked.model.slots[slot.index()].name)
            })
        };
        if self.states.kept.is_empty() {
            return Err("there are no states".to_owned());
        }
        let values = self.states.kept.iter().map(value).collect::<Result<Box<[i64]>, _>>()?;
        if self.states.values.contains(&values) { Ok(()) } else { Err(format!("{values:?} is not among the states")) }
    }

    /// Whether a point is in a place.
    #[must_use]
    pub fn holds_at(&self, point: &[i64], place: Place, formulas: &Formulas) -> bool {
        match place {
            Place::Region(number) => self.regions.get(number as usize).is_some_and(|region| {
                let within = |(slot, lower, upper): &(u32, i64, i64)| {
                    let value = point[*slot as usize];
                    *lower <= value && value <= *upper
                };
                region.bounds.iter().all(within) && region.formulas.iter().all(|f| formulas.holds_at(*f, point))
            }),
            Place::States => {
                let values: Box<[i64]> = self.states.kept.iter().map(|slot| point[*slot as usize]).collect();
                !self.states.kept.is_empty() && self.states.values.contains(&values)
            }
        }
    }
}
