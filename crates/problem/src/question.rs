//! Properties reduced to reachability, or refused by name.
//!
//! Every question decided here is about one set of start states and one set of target states. An exploration tells
//! one of two things: *some* start state reaches the target (with a run), or *none* does. What that says about the
//! property depends on its shape:
//!
//! | property, per start state `s` | filter | some start reaches the target | none does |
//! |---|---|---|---|
//! | `PA`: never `reach` | all | violated | holds |
//! | `∀ G φ`, target `¬φ` | `∀` | violated | holds |
//! | | `∃`, `values` | violated if there is one start state, else refused | holds |
//! | `∃ F φ`, target `φ` | `∃` | holds | violated |
//! | | `∀`, `values` | holds if there is one start state, else refused | violated |
//! | `φ`, only start states looked at | `∀` | target `¬φ`: violated | holds |
//! | | `∃` | target `φ`: holds | violated |
//! | | `values` | target `¬φ`: violated if there is one start state, else refused | holds |
//!
//! Start sets are never empty (that is an error of its own), so "for all" implies "for some". Probabilities
//! and expected values are [quantities](crate::quantity); the remaining path formulas are [formulas of CTL](Temporal).

use surefoot_jani::syntax::{FilterFunction, PathOp, PathQuantifier};
use surefoot_model::lower::Lowered;
use surefoot_model::property::{Filter, PathFormula, Question, Safety, StartSet, Values};
use surefoot_model::{State, TermId};
use surefoot_temporal::{Ctl, lower};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::option;
use surefoot_text::source::Span;

use crate::quantity::{Expected, Quantity};

/// What reaching the target says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// The target must not be reached.
    Avoid,
    /// The target must not be reached from the one start state; with several, a run decides nothing.
    AvoidFromSingle(FilterFunction),
    /// The target must be reached from some start state.
    Reach,
    /// The target must be reached from the one start state; with several, a run decides nothing.
    ReachFromSingle(FilterFunction),
}

impl Claim {
    /// Whether the target is what should not happen.
    #[must_use]
    pub fn is_avoidance(self) -> bool {
        matches!(self, Self::Avoid | Self::AvoidFromSingle(_))
    }
}

/// A question about all that can happen in time.
#[derive(Debug, Clone)]
pub struct Temporal {
    /// The formula.
    pub formula: Ctl<TermId>,
    /// The question in words, or the formula as it was written.
    pub text: String,
    /// In which start states it must hold.
    pub over: Over,
}

/// In which start states something must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// In all of them.
    All,
    /// In at least one.
    Some,
    /// In the only one there is; several are refused.
    Single,
}

/// A question about reachability.
#[derive(Debug, Clone)]
pub struct Query {
    /// Where runs start.
    pub start: StartSet,
    /// The target.
    pub target: Option<TermId>,
    /// The objective's goal.
    pub goal: Option<TermId>,
    /// Whether goal states have no outgoing moves.
    pub goal_terminal: bool,
    /// Whether only the start states themselves are asked about.
    pub initial_only: bool,
    /// The condition that is always true.
    pub always: TermId,
    /// What reaching the target says; `None` when nothing is claimed.
    pub claim: Option<Claim>,
    /// The probability asked for.
    pub quantity: Option<Quantity>,
    /// The expected sum asked for.
    pub expected: Option<Expected>,
    /// A formula of CTL that decides it, where reaching the target does not.
    pub temporal: Option<Temporal>,
    /// Where the property stands.
    pub span: Option<Span>,
}

impl Query {
    /// Everything from the model's initial states, with no claim.
    #[must_use]
    pub fn anything(lowered: &mut Lowered) -> Self {
        Self {
            start: StartSet { conditions: vec![lowered.initial_condition()], states: Vec::new() },
            target: None,
            goal: None,
            goal_terminal: false,
            initial_only: false,
            always: lowered.model.terms.bool(true),
            claim: None,
            quantity: None,
            expected: None,
            temporal: None,
            span: None,
        }
    }

    /// The query of a lowered property; questions that are no reachability questions keep their target as something to
    /// count, without a claim, and the reason why they cannot be decided.
    #[must_use]
    pub fn of(lowered: &mut Lowered, question: &Question, span: Option<Span>) -> (Self, Option<Diagnostic>) {
        let (mut query, refusal) = match question {
            Question::Safety(safety) => of_safety(lowered, safety, span),
            Question::Filter(filter) => of_filter(lowered, filter),
        };
        query.span = span;
        (query, refusal)
    }

    /// Whether a state is a listed start state.
    #[must_use]
    pub fn lists(&self, state: &State) -> bool {
        self.start.states.contains(state)
    }
}

fn of_safety(lowered: &mut Lowered, safety: &Safety, span: Option<Span>) -> (Query, Option<Diagnostic>) {
    let anything = Query::anything(lowered);
    let refusal = safety.reach.is_none().then(|| {
        let message = "this property has no \"reach\": it does not say which states are unsafe";
        let help = format!(
            "add \"reach\", choose another property with {}, or give it with {}",
            option("property"),
            option("never")
        );
        Diagnostic { span, ..Diagnostic::error_anywhere(message) }.with_help(help)
    });
    let claim = safety.reach.map(|_| Claim::Avoid);
    let quantity = safety.reach.map(Quantity::unsafety);
    let start = safety.start.clone();
    let (target, goal, goal_terminal) = (safety.reach, safety.goal, safety.goal_terminal);
    let query = Query { start, target, goal, goal_terminal, claim, quantity, ..anything };
    (query, refusal)
}

fn of_filter(lowered: &mut Lowered, filter: &Filter) -> (Query, Option<Diagnostic>) {
    let anything = Query::anything(lowered);
    let asked = Quantity::of_filter(lowered, filter).and_then(|quantity| Ok((quantity, Expected::of_filter(filter)?)));
    let query = match asked {
        Ok((quantity, expected)) => Query { quantity, expected, ..anything },
        Err(refusal) => return (anything, Some(refusal)),
    };
    let refuse = |query: Query, message: String, help: &str| {
        (query, Some(Diagnostic::error(filter.span, message).with_help(help)))
    };
    match &filter.values {
        Values::Path(PathFormula { quantifier, steps: Some(_), .. })
            if matches!(quantifier, PathQuantifier::Forall | PathQuantifier::Exists) =>
        {
            let message =
                format!("{} with a step bound is a question about runs, not about probabilities", quantifier.symbol());
            refuse(temporal(query, filter), message, BY_VERIFY)
        }
        Values::Path(formula @ PathFormula { quantifier, op, left, right, .. }) => match (quantifier, op) {
            (PathQuantifier::Forall, PathOp::Globally) => {
                let target = lowered.model.terms.not(*right);
                decided(Query { target: Some(target), ..query }, filter, Some(Claim::Avoid), Claim::AvoidFromSingle)
            }
            (PathQuantifier::Exists, PathOp::Until) if *left == Some(query.always) => {
                let finally = PathFormula { op: PathOp::Finally, left: None, ..formula.clone() };
                of_filter(lowered, &Filter { values: Values::Path(finally), ..filter.clone() })
            }
            (PathQuantifier::Exists, PathOp::Finally) => {
                let claim = |function| match function {
                    FilterFunction::Exists => Claim::Reach,
                    other => Claim::ReachFromSingle(other),
                };
                decided(Query { target: Some(*right), ..query }, filter, None, claim)
            }
            (PathQuantifier::Pmin | PathQuantifier::Pmax, _) => {
                let target = (*op == PathOp::Finally && left.is_none()).then_some(*right);
                let message = format!("this property asks for a probability ({})", quantifier.symbol());
                refuse(Query { target, ..query }, message, "use 'surefoot bounds', or compare it with a number")
            }
            _ => {
                let message = format!(
                    "path formulas of the form {} {} are questions about runs, not about reaching a set of states",
                    quantifier.symbol(),
                    op.symbol()
                );
                refuse(temporal(query, filter), message, BY_VERIFY)
            }
        },
        Values::Expected(sum) => {
            let message = format!("this property asks for an expected value ({})", sum.op.symbol());
            let query = Query { target: Some(sum.reach), ..query };
            refuse(query, message, "use 'surefoot bounds', or compare it with a number")
        }
        // Decided by its quantity.
        Values::Compare(..) | Values::CompareExpected(..) => (query, None),
        Values::State(condition) => {
            let query = Query { initial_only: true, ..query };
            if filter.function == FilterFunction::Exists {
                let query = Query { target: Some(*condition), claim: Some(Claim::Reach), ..query };
                return (query, None);
            }
            let target = lowered.model.terms.not(*condition);
            decided(Query { target: Some(target), ..query }, filter, Some(Claim::Avoid), Claim::AvoidFromSingle)
        }
    }
}

/// What decides questions that are not about reaching states.
const BY_VERIFY: &str = "ask with `surefoot verify` or `surefoot ctl`, which decide it";

/// The formula that a filter asks for, where one over truth values can be asked.
fn temporal(query: Query, filter: &Filter) -> Query {
    let over = match filter.function {
        FilterFunction::Forall => Over::All,
        FilterFunction::Exists => Over::Some,
        FilterFunction::Values => Over::Single,
        _ => return query,
    };
    let Values::Path(path) = &filter.values else { return query };
    let bound = path.steps.map_or(String::new(), |steps| format!("<={steps}"));
    let temporal = lower::path(path).map(|formula| Temporal {
        formula,
        text: format!("the property, of the form {} {}{bound}", path.quantifier.symbol(), path.op.symbol()),
        over,
    });
    Query { temporal, ..query }
}

/// The claim for a filter over truth values: `forall` for the function `∀` where it has one of its own.
fn decided(
    query: Query,
    filter: &Filter,
    forall: Option<Claim>,
    claim: impl Fn(FilterFunction) -> Claim,
) -> (Query, Option<Diagnostic>) {
    match (filter.function, forall) {
        (FilterFunction::Forall, Some(forall)) => (Query { claim: Some(forall), ..query }, None),
        (FilterFunction::Forall | FilterFunction::Exists | FilterFunction::Values, _) => {
            (Query { claim: Some(claim(filter.function)), ..query }, None)
        }
        (other, _) => {
            let message = format!("the filter \"{}\" over truth values is not supported", other.symbol());
            (query, Some(Diagnostic::error(filter.span, message).with_help("use \"∀\", \"∃\" or \"values\"")))
        }
    }
}
