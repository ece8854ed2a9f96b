//! Probabilities asked for, reduced to reachability.
//!
//! Every path formula becomes an until, or the complement of one for the opposite scheduler (Baier and Katoen, *Principles of
//! Model Checking*, chapter 10):
//!
//! | formula | probability |
//! |---|---|
//! | `F b` | `true U b` |
//! | `a U b` | itself |
//! | `G b` | `1 - (true U ¬b)` |
//! | `a W b` | `1 - (¬b U ¬a ∧ ¬b)` |
//! | `a R b` | `1 - (¬a U ¬b)` |
//!
//! `Pmax` of a complement is one minus `Pmin` and the other way round. Step bounds carry over unchanged.
//!
//! Expected sums up to a state (`Emin`, `Emax`) are quantities of their own kind: [`Expected`].
//!
//! Over several start states a property takes the largest value (PlaJA's `PA`, filter `max`), the smallest (`min`), asks all or
//! some of them (`∀`, `∃` over comparisons), or needs there to be one (`values`).

use surefoot_jani::syntax::{Accumulation, BinaryOp, ExpectedOp, FilterFunction, PathOp, PathQuantifier};
use surefoot_model::TermId;
use surefoot_model::lower::Lowered;
use surefoot_model::property::{ExpectedSum, Filter, PathFormula, Values};
use surefoot_num::{Direction, Rational};
use surefoot_text::diagnostic::Diagnostic;

/// How the values of several start states become one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// There must be one start state.
    Single,
    /// The comparison must hold in all of them.
    All,
    /// The comparison must hold in some of them.
    Some,
}

/// A comparison with a number, the probability on the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threshold {
    /// One of `<`, `≤`, `>`, `≥`, `=`, `≠`.
    pub op: BinaryOp,
    /// The number.
    pub bound: Rational,
}

/// A probability asked for.
#[derive(Debug, Clone)]
pub struct Quantity {
    /// Which scheduler of the until.
    pub direction: Direction,
    /// What must hold before; `None` = anything.
    pub left: Option<TermId>,
    /// What must be reached.
    pub right: TermId,
    /// Whether the probability is one minus that of the until.
    pub complement: bool,
    /// Within so many steps.
    pub steps: Option<u64>,
    /// Over several start states.
    pub aggregate: Aggregate,
    /// What the probability is compared with.
    pub threshold: Option<Threshold>,
    /// States in which the until is decided: their moves do not matter.
    pub decided: TermId,
}

/// An expected sum asked for.
#[derive(Debug, Clone)]
pub struct Expected {
    /// The largest or the smallest over schedulers.
    pub direction: Direction,
    /// What is added up.
    pub value: TermId,
    /// When it is.
    pub accumulate: Accumulation,
    /// Until when.
    pub reach: TermId,
    /// Over several start states.
    pub aggregate: Aggregate,
    /// What it is compared with.
    pub threshold: Option<Threshold>,
}

impl Expected {
    /// The expected sum a filter asks for; `None` when it asks for none.
    ///
    /// # Errors
    /// Aggregations that are not supported, by name.
    pub fn of_filter(filter: &Filter) -> Result<Option<Self>, Diagnostic> {
        let (sum, threshold) = match &filter.values {
            Values::Expected(sum) => (sum, None),
            Values::CompareExpected(op, sum, bound) => (sum, Some(Threshold { op: *op, bound: bound.clone() })),
            Values::Path(_) | Values::Compare(..) | Values::State(_) => return Ok(None),
        };
        let ExpectedSum { op, value, accumulate, reach } = *sum;
        let direction = match op {
            ExpectedOp::Emax => Direction::Max,
            ExpectedOp::Emin => Direction::Min,
        };
        let aggregate = aggregate(filter, threshold.is_some(), "expected values")?;
        Ok(Some(Self { direction, value, accumulate, reach, aggregate, threshold }))
    }
}

/// How a filter makes one answer of the values, or truth values, of several start states.
fn aggregate(filter: &Filter, compared: bool, of: &str) -> Result<Aggregate, Diagnostic> {
    Ok(match (filter.function, compared) {
        (FilterFunction::Values, _) => Aggregate::Single,
        (FilterFunction::Max, false) => Aggregate::Max,
        (FilterFunction::Min, false) => Aggregate::Min,
        (FilterFunction::Forall, true) => Aggregate::All,
        (FilterFunction::Exists, true) => Aggregate::Some,
        // Of a single truth value, the largest and the smallest are itself.
        (FilterFunction::Max | FilterFunction::Min, true) => Aggregate::Single,
        (other, _) => {
            let message = format!("the filter \"{}\" over {of} is not supported", other.symbol());
            return Err(Diagnostic::error(filter.span, message)
                .refusal()
                .with_help("use \"max\", \"min\" or \"values\""));
        }
    })
}

impl Quantity {
    /// The largest probability to reach a state, over all start states and schedulers.
    #[must_use]
    pub fn unsafety(right: TermId) -> Self {
        Self {
            direction: Direction::Max,
            left: None,
            right,
            complement: false,
            steps: None,
            aggregate: Aggregate::Max,
            threshold: None,
            decided: right,
        }
    }

    /// The probability a filter asks for; `None` when it asks for none.
    ///
    /// # Errors
    /// Aggregations that are not supported, by name.
    pub fn of_filter(lowered: &mut Lowered, filter: &Filter) -> Result<Option<Self>, Diagnostic> {
        let (formula, threshold) = match &filter.values {
            Values::Path(formula) => (formula, None),
            Values::Compare(op, formula, bound) => (formula, Some(Threshold { op: *op, bound: bound.clone() })),
            Values::State(_) | Values::Expected(_) | Values::CompareExpected(..) => return Ok(None),
        };
        let Some(mut quantity) = Self::of_formula(lowered, formula) else { return Ok(None) };
        quantity.aggregate = aggregate(filter, threshold.is_some(), "probabilities")?;
        quantity.threshold = threshold;
        Ok(Some(quantity))
    }

    fn of_formula(lowered: &mut Lowered, formula: &PathFormula) -> Option<Self> {
        let asked = match formula.quantifier {
            PathQuantifier::Pmax => Direction::Max,
            PathQuantifier::Pmin => Direction::Min,
            PathQuantifier::Forall | PathQuantifier::Exists => return None,
        };
        let opposite = match asked {
            Direction::Max => Direction::Min,
            Direction::Min => Direction::Max,
        };
        let terms = &mut lowered.model.terms;
        let right = formula.right;
        let always = terms.bool(true);
        let left = formula.left.unwrap_or(always);
        let (left, right, complement) = match formula.op {
            PathOp::Finally => (None, right, false),
            PathOp::Until => (Some(left), right, false),
            PathOp::Globally => (None, terms.not(right), true),
            PathOp::WeakUntil => {
                let (not_left, not_right) = (terms.not(left), terms.not(right));
                (Some(not_right), terms.and(not_left, not_right), true)
            }
            PathOp::Release => (Some(terms.not(left)), terms.not(right), true),
        };
        let left = left.filter(|left| *left != always);
        let decided = match left {
            None => right,
            Some(left) => {
                let not_left = terms.not(left);
                terms.or(right, not_left)
            }
        };
        Some(Self {
            direction: if complement { opposite } else { asked },
            left,
            right,
            complement,
            steps: formula.steps,
            aggregate: Aggregate::Single,
            threshold: None,
            decided,
        })
    }
}
