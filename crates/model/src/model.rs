//! The lowered model: one flat state vector, automaton instances and synchronisation vectors.
//!
//! **State vector.** One slot per automaton instance for its location (a number from 0), then one slot per variable:
//! globals in order, then the locals of each instance, arrays flattened row by row, booleans as 0/1.
//!
//! **Operators.** An operator is one candidate edge for every participant of a [`Vector`]. Silent edges and edges of a
//! system without synchronisation are vectors with one participant. Operators are not written out: a vector of
//! fifteen automata with three edges each stands for millions.

use std::ops::Range;
use std::sync::Arc;

pub use surefoot_jani::syntax::ModelKind;
use surefoot_linear::{Interval, Space, Symbol, SymbolRange};
use surefoot_num::Rational;
use surefoot_text::source::Span;

use crate::term::{ScalarType, TermId, TermPool};

/// A position of the state vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(pub u32);

/// A transient variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TransientId(pub u32);

/// An action label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

impl SlotId {
    /// The slot of an index into a state vector.
    ///
    /// # Panics
    /// Beyond 2^32, as for the other ids: what is numbered fits the memory many times over before.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self(numbered(index))
    }

    /// The index into a state vector.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl TransientId {
    /// The transient variable of an index.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self(numbered(index))
    }
}

impl LabelId {
    /// The label of an index.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self(numbered(index))
    }
}

/// The number of a part of a model: a slot, location, edge, destination or vector.
pub(crate) fn numbered(index: usize) -> u32 {
    u32::try_from(index).expect("a model has fewer than 2^32 parts of a kind")
}

/// The values a slot may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Domain {
    /// 0 and 1.
    Bool,
    /// Integers from `lower` to `upper`.
    Int {
        /// Smallest value.
        lower: i64,
        /// Largest value.
        upper: i64,
    },
    /// Rationals (standing for reals), within bounds where there are any.
    Real {
        /// Smallest value.
        lower: Option<Rational>,
        /// Largest value.
        upper: Option<Rational>,
    },
}

impl From<SlotId> for Symbol {
    fn from(slot: SlotId) -> Self {
        Self(slot.0)
    }
}

impl From<&Domain> for SymbolRange {
    fn from(domain: &Domain) -> Self {
        match domain {
            Domain::Real { lower, upper } => {
                Self { integer: false, bounds: Interval { lower: lower.clone(), upper: upper.clone() } }
            }
            Domain::Bool => Self::integers(0, 1),
            Domain::Int { lower, upper } => Self::integers(*lower, *upper),
        }
    }
}

impl Domain {
    /// The type of values.
    #[must_use]
    pub fn ty(&self) -> ScalarType {
        match self {
            Self::Bool => ScalarType::Bool,
            Self::Int { .. } => ScalarType::Int,
            Self::Real { .. } => ScalarType::Real,
        }
    }

    /// Smallest and largest value of a discrete domain.
    #[must_use]
    pub fn int_bounds(&self) -> Option<(i64, i64)> {
        match self {
            Self::Bool => Some((0, 1)),
            Self::Int { lower, upper } => Some((*lower, *upper)),
            Self::Real { .. } => None,
        }
    }

    /// Whether a value is in the domain.
    #[must_use]
    pub fn contains(&self, value: &Rational) -> bool {
        match self {
            Self::Bool | Self::Int { .. } => {
                let (lower, upper) = self.int_bounds().expect("discrete");
                value.to_i64().is_some_and(|v| lower <= v && v <= upper)
            }
            Self::Real { lower, upper } => {
                lower.as_ref().is_none_or(|l| l <= value) && upper.as_ref().is_none_or(|u| value <= u)
            }
        }
    }

    /// The domain in words.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Bool => "bool".to_owned(),
            Self::Int { lower, upper } => format!("int {lower}..{upper}"),
            Self::Real { lower: None, upper: None } => "real".to_owned(),
            Self::Real { lower, upper } => {
                let show = |b: &Option<Rational>| b.as_ref().map_or("∞".to_owned(), ToString::to_string);
                format!("real {}..{}", show(lower), show(upper))
            }
        }
    }
}

/// A slot of the state vector.
#[derive(Debug, Clone)]
pub struct Slot {
    /// The name for people: `x`, `grid[3]`, `car.speed` for a local, `car` for a location.
    pub name: Arc<str>,
    /// The instance that owns it, for locations and locals.
    pub instance: Option<usize>,
    /// Its values.
    pub domain: Domain,
    /// The initial value; `None` = any value of the domain.
    pub initial: Option<Rational>,
}

/// A transient variable.
#[derive(Debug, Clone)]
pub struct Transient {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: ScalarType,
    /// Its values, where they are bounded.
    pub domain: Option<Domain>,
    /// Its value in a state: what the current locations say, else the initial value.
    pub definition: TermId,
    /// Its initial value: what it has in a transition that does not assign to it.
    pub initial: TermId,
}

/// A location.
#[derive(Debug, Clone)]
pub struct Location {
    /// Its name.
    pub name: Arc<str>,
}

/// What is assigned to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// A slot.
    Slot(SlotId),
    /// A cell of a flattened array: first slot, and length and index of every dimension.
    Cell {
        /// Slot of the first cell.
        base: SlotId,
        /// Length and index term per dimension, outermost first.
        dimensions: Vec<(u32, TermId)>,
    },
    /// A transient variable: visible to later assignments of the same step only.
    Transient(TransientId),
}

/// What is assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignedTerm {
    /// The value of a term.
    Value(TermId),
    /// Any value of a closed interval that is in the variable's domain.
    Interval(TermId, TermId),
}

/// One assignment.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// What is assigned to.
    pub target: Target,
    /// What is assigned.
    pub value: AssignedTerm,
    /// Assignments of a smaller index are done before; those of equal index at once.
    pub index: i64,
    /// Where it was written.
    pub span: Span,
}

/// One outcome of an edge.
#[derive(Debug, Clone)]
pub struct Destination {
    /// The location reached.
    pub location: u32,
    /// Its probability.
    pub probability: TermId,
    /// Assignments, sorted by index.
    pub assignments: Vec<Assignment>,
}

/// An edge of an instance.
#[derive(Debug, Clone)]
pub struct Edge {
    /// Its number in the automaton's list; `None` for the implicit loops of input-enabled actions.
    pub number: Option<usize>,
    /// Source location.
    pub source: u32,
    /// Action; `None` = silent.
    pub action: Option<LabelId>,
    /// Guard.
    pub guard: TermId,
    /// Outcomes.
    pub destinations: Vec<Destination>,
    /// Whether all probabilities are constants (they were then checked when the model was read).
    pub constant_probabilities: bool,
    /// Where it was written.
    pub span: Span,
}

/// An automaton instance.
#[derive(Debug, Clone)]
pub struct Instance {
    /// The automaton's name.
    pub automaton: Arc<str>,
    /// Which occurrence of the automaton this is, from 0.
    pub occurrence: u32,
    /// A name of its own: the automaton's, with the occurrence where there are several.
    pub name: Arc<str>,
    /// Locations.
    pub locations: Vec<Location>,
    /// Where it may start.
    pub initial_locations: Vec<u32>,
    /// Edges, those that can never fire left out.
    pub edges: Vec<Edge>,
}

/// A participant of a vector: an instance and the edges it may take.
#[derive(Debug, Clone)]
pub struct Participant {
    /// Index of the instance.
    pub instance: usize,
    /// Indices into its edges.
    pub edges: Vec<u32>,
}

/// A synchronisation vector, or the silent edges of one instance.
#[derive(Debug, Clone)]
pub struct Vector {
    /// The label; `None` = silent.
    pub label: Option<LabelId>,
    /// Who takes part, in system order; never empty.
    pub participants: Vec<Participant>,
}

impl Vector {
    /// How many operators the vector stands for, saturating.
    #[must_use]
    pub fn operator_count(&self) -> u64 {
        self.participants.iter().fold(1, |n, p| n.saturating_mul(p.edges.len() as u64))
    }
}

/// An operator: a vector and one edge (an index into the instance's edges) per participant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Operator {
    /// Index of the vector.
    pub vector: u32,
    /// Edge per participant.
    pub edges: Vec<u32>,
}

/// A lowered model.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its name.
    pub name: Arc<str>,
    /// Its kind.
    pub kind: ModelKind,
    /// All terms.
    pub terms: TermPool,
    /// The state vector: locations first, then variables.
    pub slots: Vec<Slot>,
    /// Transient variables.
    pub transients: Vec<Transient>,
    /// Action labels.
    pub labels: Vec<Arc<str>>,
    /// Automaton instances.
    pub instances: Vec<Instance>,
    /// Synchronisation vectors.
    pub vectors: Vec<Vector>,
    /// What initial states satisfy besides initial locations and values (`restrict-initial`).
    pub restrict_initial: TermId,
}

impl Edge {
    /// The numbers of its destinations.
    #[must_use]
    pub fn destination_numbers(&self) -> Range<u32> {
        0..numbered(self.destinations.len())
    }
}

impl Instance {
    /// The numbers of its locations.
    #[must_use]
    pub fn location_numbers(&self) -> Range<u32> {
        0..numbered(self.locations.len())
    }
}

impl Model {
    /// The numbers of its vectors.
    #[must_use]
    pub fn vector_numbers(&self) -> Range<u32> {
        0..numbered(self.vectors.len())
    }

    /// The box of its slots: symbol `i` is slot `i`.
    #[must_use]
    pub fn space(&self) -> Space {
        self.slots.iter().map(|slot| SymbolRange::from(&slot.domain)).collect()
    }

    /// The label of a name.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<LabelId> {
        self.labels.iter().position(|l| &**l == name).map(LabelId::at)
    }

    /// The slot of a name.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<SlotId> {
        self.slots.iter().position(|s| &*s.name == name).map(SlotId::at)
    }

    /// Whether every slot is discrete.
    #[must_use]
    pub fn is_discrete(&self) -> bool {
        self.slots.iter().all(|s| s.domain.int_bounds().is_some())
    }

    /// The name of an operator for people: label and edges, as in `go (car: edge 3, light: edge 0)`.
    #[must_use]
    pub fn describe_operator(&self, operator: &Operator) -> String {
        let vector = &self.vectors[operator.vector as usize];
        let label = vector.label.map_or("(silent)", |l| &*self.labels[l.0 as usize]);
        let edges: Vec<String> = vector
            .participants
            .iter()
            .zip(&operator.edges)
            .map(|(p, e)| {
                let instance = &self.instances[p.instance];
                match instance.edges[*e as usize].number {
                    Some(number) => format!("{}: edge {number}", instance.name),
                    None => format!("{}: implicit loop", instance.name),
                }
            })
            .collect();
        format!("{label} ({})", edges.join(", "))
    }
}
