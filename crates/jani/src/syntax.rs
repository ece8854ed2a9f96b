//! The syntax tree of JANI models and properties.
//!
//! Expressions live in one arena, the [`Pool`]: every node is pushed after its operands, so **operands have
//! smaller ids than the node that uses them**, and a subtree is the contiguous range of ids from its first
//! leaf to its root ([`Pool::subtree`]). Every pass over expressions is therefore a loop over indices: no
//! recursion, whatever the nesting depth, when typing, lowering, printing or dropping.

use std::path::PathBuf;
use std::sync::Arc;

use surefoot_num::Rational;

use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{Name, Span, Spanned};

/// An expression in a [`Pool`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named after the JANI operators")]
pub enum UnaryOp {
    Not,
    Floor,
    Ceil,
    Abs,
    Sgn,
    Trc,
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named after the JANI operators")]
pub enum BinaryOp {
    Or,
    And,
    Implies,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
    Log,
    Min,
    Max,
}

/// Quantifiers over paths and probabilities in properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathQuantifier {
    /// Minimal probability over schedulers.
    Pmin,
    /// Maximal probability over schedulers.
    Pmax,
    /// On all paths.
    Forall,
    /// On some path.
    Exists,
}

/// Expected values in properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExpectedOp {
    /// Minimal over schedulers.
    Emin,
    /// Maximal over schedulers.
    Emax,
}

/// When the value of an expression is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Accumulation {
    /// Whenever a transition is taken, after all its assignments.
    pub steps: bool,
    /// Whenever a state is left, in that state.
    pub exit: bool,
    /// While time passes: never in the models that are read here.
    pub time: bool,
}

/// Path formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathOp {
    /// `F right`.
    Finally,
    /// `G right`.
    Globally,
    /// `left U right`.
    Until,
    /// `left W right` (weak until).
    WeakUntil,
    /// `left R right`.
    Release,
}

/// Sets of states named by properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StateSet {
    /// The initial states.
    Initial,
    /// States without moves.
    Deadlock,
}

/// The aggregation of a `filter` property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named after the JANI functions")]
pub enum FilterFunction {
    Min,
    Max,
    Sum,
    Avg,
    Count,
    Argmin,
    Argmax,
    Values,
    Forall,
    Exists,
}

/// A location of an automaton instance in a state condition or a list of start states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocationRef {
    /// The automaton's name.
    pub automaton: Name,
    /// Which of its occurrences among the system's elements, from 0; `None` when not given.
    pub index: Option<Spanned<u32>>,
    /// The location's name.
    pub location: Name,
}

/// One expression node; operands are ids of earlier nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// `true`, `false`.
    Bool(bool),
    /// A number, exactly as written.
    Number(Rational),
    /// `{"constant": "e"}` or `"π"`.
    MathConstant(Arc<str>),
    /// A variable, constant or function parameter.
    Identifier(Arc<str>),
    /// An operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `ite`: condition, then, else.
    IfThenElse(ExprId, ExprId, ExprId),
    /// `aa`: array, index.
    ArrayAccess(ExprId, ExprId),
    /// `av`.
    ArrayValue(Vec<ExprId>),
    /// `ac`: the variable, the length, the element expression over the variable.
    ArrayConstructor(Name, ExprId, ExprId),
    /// `call` of a function.
    Call(Name, Vec<ExprId>),
    /// PlaJA's `state-condition`: locations and an expression, both optional, in conjunction.
    StateCondition(Vec<LocationRef>, Option<ExprId>),
    /// `{"op": "initial"}` and the like, in properties.
    StateSet(StateSet),
    /// A path or probability quantifier applied to a path formula, in properties.
    Quantified(PathQuantifier, ExprId),
    /// A path formula: the left operand only where the operator has one, in properties.
    Path(PathOp, Option<ExprId>, ExprId),
    /// A path formula that must be decided within a number of steps, in properties.
    StepBound {
        /// The path formula.
        path: ExprId,
        /// The bound.
        upper: ExprId,
        /// Whether the bound itself is excluded.
        exclusive: bool,
    },
    /// The expected sum of the values of an expression up to a state, in properties.
    Expected {
        /// Over which schedulers.
        op: ExpectedOp,
        /// When it is added up.
        accumulate: Accumulation,
        /// What is added up.
        value: ExprId,
        /// Until when.
        reach: ExprId,
    },
}

/// The arena of expressions of one model with its properties.
#[derive(Debug, Clone, Default)]
pub struct Pool {
    nodes: Vec<Expr>,
    spans: Vec<Span>,
    /// Smallest id of the node's subtree.
    first: Vec<u32>,
}

impl Pool {
    /// Adds a node whose operands are already there.
    ///
    /// # Panics
    /// If an operand is not in the arena yet: that would break post-order.
    pub fn push(&mut self, node: Expr, span: Span) -> ExprId {
        let id = u32::try_from(self.nodes.len()).expect("fewer than 2^32 expression nodes");
        let mut first = id;
        node.for_each_operand(|operand| {
            assert!(operand.0 < id, "operands come before their node");
            first = first.min(self.first[operand.0 as usize]);
        });
        self.nodes.push(node);
        self.spans.push(span);
        self.first.push(first);
        ExprId(id)
    }

    /// The node of an id.
    #[must_use]
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.0 as usize]
    }

    /// Where the node was written.
    #[must_use]
    pub fn span(&self, id: ExprId) -> Span {
        self.spans[id.0 as usize]
    }

    /// The ids of a subtree, operands first, the root last.
    pub fn subtree(&self, root: ExprId) -> impl Iterator<Item = ExprId> + use<> {
        (self.first[root.0 as usize]..=root.0).map(ExprId)
    }

    /// Removes all nodes but the first `len`, which nothing must refer to any more.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
        self.spans.truncate(len);
        self.first.truncate(len);
    }

    /// All nodes.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes")).map(ExprId)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

impl Expr {
    /// Calls `f` on each operand, left to right.
    pub fn for_each_operand(&self, mut f: impl FnMut(ExprId)) {
        match self {
            Self::Bool(_) | Self::Number(_) | Self::MathConstant(_) | Self::Identifier(_) | Self::StateSet(_) => {}
            Self::Unary(_, a) | Self::Quantified(_, a) => f(*a),
            Self::Binary(_, a, b) | Self::ArrayAccess(a, b) | Self::ArrayConstructor(_, a, b) => {
                f(*a);
                f(*b);
            }
            Self::IfThenElse(a, b, c) => {
                f(*a);
                f(*b);
                f(*c);
            }
            Self::ArrayValue(items) | Self::Call(_, items) => items.iter().copied().for_each(f),
            Self::StateCondition(_, a) => a.iter().copied().for_each(f),
            Self::StepBound { path, upper, .. } => {
                f(*path);
                f(*upper);
            }
            Self::Expected { value, reach, .. } => {
                f(*value);
                f(*reach);
            }
            Self::Path(_, a, b) => {
                a.iter().copied().for_each(&mut f);
                f(*b);
            }
        }
    }
}

/// The base of a bounded type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the JANI types")]
pub enum NumericBase {
    Int,
    Real,
}

/// A type as written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the JANI types")]
pub enum TypeKind {
    Bool,
    Int,
    Real,
    Clock,
    Continuous,
    Bounded { base: NumericBase, lower: Option<ExprId>, upper: Option<ExprId> },
    Array(Box<Type>),
}

/// A type with its place.
pub type Type = Spanned<TypeKind>;

/// Which kind of model. The reader refuses all others by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelKind {
    /// Labelled transition system.
    Lts,
    /// Discrete-time Markov chain.
    Dtmc,
    /// Markov decision process.
    Mdp,
}

/// A constant; without value it must be given from outside.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct ConstantDeclaration {
    pub name: Name,
    pub ty: Type,
    pub value: Option<ExprId>,
}

/// A variable; without initial value any value of the type is possible.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct VariableDeclaration {
    pub name: Name,
    pub ty: Type,
    pub transient: bool,
    pub initial_value: Option<ExprId>,
}

/// A function of the `functions` feature.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct FunctionDeclaration {
    pub name: Name,
    pub ty: Type,
    pub parameters: Vec<(Name, Type)>,
    pub body: ExprId,
}

/// The right-hand side of an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssignedValue {
    /// The value of an expression.
    Expression(ExprId),
    /// PlaJA: any value of the closed interval.
    Interval(ExprId, ExprId),
}

/// An assignment. `reference` is an [`Expr::Identifier`] or a (nested) [`Expr::ArrayAccess`].
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct Assignment {
    pub reference: ExprId,
    pub value: AssignedValue,
    pub index: i64,
    pub span: Span,
}

/// A location, with the values transient variables have in it.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct Location {
    pub name: Name,
    /// Reference and value.
    pub transient_values: Vec<(ExprId, ExprId)>,
}

/// A destination of an edge.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct Destination {
    pub location: Name,
    pub probability: Option<ExprId>,
    pub assignments: Vec<Assignment>,
    pub span: Span,
}

/// An edge; without action it is silent.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct Edge {
    pub location: Name,
    pub action: Option<Name>,
    pub guard: Option<ExprId>,
    pub destinations: Vec<Destination>,
    pub span: Span,
}

/// An automaton.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct Automaton {
    pub name: Name,
    pub variables: Vec<VariableDeclaration>,
    pub functions: Vec<FunctionDeclaration>,
    pub restrict_initial: Option<ExprId>,
    pub locations: Vec<Location>,
    pub initial_locations: Vec<Name>,
    pub edges: Vec<Edge>,
}

/// An automaton instance of the system.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct Element {
    pub automaton: Name,
    pub input_enable: Vec<Name>,
}

/// A synchronisation vector: one action (or none) per element.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct Sync {
    pub synchronise: Vec<Option<Name>>,
    pub result: Option<Name>,
    pub span: Span,
}

/// The composition. `syncs` is `None` when the member is absent.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct System {
    pub elements: Vec<Element>,
    pub syncs: Option<Vec<Sync>>,
    pub span: Span,
}

/// One start state of PlaJA's `states-values`; what is not listed has its initial value.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct StateValues {
    pub locations: Vec<LocationRef>,
    /// Reference (as in [`Assignment`]) and value.
    pub variables: Vec<(ExprId, ExprId)>,
    pub span: Span,
}

/// The start set of a `PA` property.
#[derive(Debug, Clone)]
pub enum Start {
    /// All states that satisfy a condition.
    Condition(ExprId),
    /// The states listed.
    States(Vec<StateValues>),
}

/// The objective of a `PA` property; only the goal matters for verification.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "named after the PlaJA members")]
pub struct Objective {
    pub goal: Option<ExprId>,
    pub goal_potential: Option<ExprId>,
    pub step_reward: Option<ExprId>,
    /// Whether runs end where the goal is reached; ours, not PlaJA's.
    pub goal_terminal: bool,
}

/// PlaJA's safety property: can `reach` be reached from `start` under the policy?
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the PlaJA members")]
pub struct PaProperty {
    pub start: Option<Start>,
    pub reach: Option<ExprId>,
    pub objective: Option<Objective>,
    pub predicates: Option<Vec<ExprId>>,
    /// The policy interface, resolved against the folder of the file that names it.
    pub file: Option<Spanned<PathBuf>>,
}

/// What a property says.
#[derive(Debug, Clone)]
pub enum PropertyBody {
    /// A JANI `filter`: the aggregation, the values (a formula or a comparison of formulas) and the states.
    Filter {
        /// The aggregation.
        function: FilterFunction,
        /// What is asked of each state.
        values: ExprId,
        /// Of which states.
        states: ExprId,
    },
    /// PlaJA's safety property.
    Pa(Box<PaProperty>),
    /// Well-formed, but of a kind that is refused by name when it is asked for.
    Unsupported(Box<Diagnostic>),
}

/// A property.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct Property {
    pub name: Name,
    pub body: PropertyBody,
    pub span: Span,
}

/// A model with its properties (those of additional files appended).
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the JANI members")]
pub struct Model {
    pub name: Name,
    pub kind: ModelKind,
    pub features: Vec<Name>,
    pub actions: Vec<Name>,
    pub constants: Vec<ConstantDeclaration>,
    pub variables: Vec<VariableDeclaration>,
    pub functions: Vec<FunctionDeclaration>,
    pub restrict_initial: Option<ExprId>,
    pub automata: Vec<Automaton>,
    pub system: System,
    pub properties: Vec<Property>,
    /// All expressions of the above.
    pub pool: Pool,
}
