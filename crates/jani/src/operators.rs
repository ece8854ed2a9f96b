//! The names of JANI's operators, and what each of them is.
//!
//! JANI writes operators as Unicode symbols. Look-alikes (`and`, `<=`) are known only to be told apart from them:
//! reading `!=` as something it might not mean would be worse than refusing it.

use crate::syntax::{BinaryOp, ExpectedOp, FilterFunction, PathOp, PathQuantifier, StateSet, UnaryOp};

/// What an `op` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Unary(UnaryOp),
    Binary(BinaryOp),
    IfThenElse,
    ArrayAccess,
    ArrayValue,
    ArrayConstructor,
    Call,
    StateCondition,
    Let,
    StateSet(StateSet),
    Quantifier(PathQuantifier),
    Expected(ExpectedOp),
    Path(PathOp),
    /// Known, but not supported: what it is, and what to do about it.
    Refused(&'static str, &'static str),
    /// Known, but not inside an expression: where it belongs.
    Elsewhere(&'static str),
}

const UNARY: [(&str, UnaryOp); 6] = [
    ("¬", UnaryOp::Not),
    ("floor", UnaryOp::Floor),
    ("ceil", UnaryOp::Ceil),
    ("abs", UnaryOp::Abs),
    ("sgn", UnaryOp::Sgn),
    ("trc", UnaryOp::Trc),
];

const BINARY: [(&str, BinaryOp); 18] = [
    ("∧", BinaryOp::And),
    ("=", BinaryOp::Eq),
    ("≠", BinaryOp::Ne),
    ("≤", BinaryOp::Le),
    ("+", BinaryOp::Add),
    ("∨", BinaryOp::Or),
    ("-", BinaryOp::Sub),
    ("<", BinaryOp::Lt),
    ("≥", BinaryOp::Ge),
    (">", BinaryOp::Gt),
    ("*", BinaryOp::Mul),
    ("/", BinaryOp::Div),
    ("min", BinaryOp::Min),
    ("max", BinaryOp::Max),
    ("⇒", BinaryOp::Implies),
    ("%", BinaryOp::Mod),
    ("pow", BinaryOp::Pow),
    ("log", BinaryOp::Log),
];

const QUANTIFIERS: [(&str, PathQuantifier); 4] = [
    ("Pmin", PathQuantifier::Pmin),
    ("Pmax", PathQuantifier::Pmax),
    ("∀", PathQuantifier::Forall),
    ("∃", PathQuantifier::Exists),
];

const EXPECTED: [(&str, ExpectedOp); 2] = [("Emin", ExpectedOp::Emin), ("Emax", ExpectedOp::Emax)];

const PATHS: [(&str, PathOp); 5] = [
    ("F", PathOp::Finally),
    ("G", PathOp::Globally),
    ("U", PathOp::Until),
    ("W", PathOp::WeakUntil),
    ("R", PathOp::Release),
];

const STATE_SETS: [(&str, StateSet); 2] = [("initial", StateSet::Initial), ("deadlock", StateSet::Deadlock)];

const OTHERS: [(&str, Operator); 6] = [
    ("ite", Operator::IfThenElse),
    ("aa", Operator::ArrayAccess),
    ("av", Operator::ArrayValue),
    ("ac", Operator::ArrayConstructor),
    ("call", Operator::Call),
    ("state-condition", Operator::StateCondition),
];

const FILTERS: [(&str, FilterFunction); 10] = [
    ("min", FilterFunction::Min),
    ("max", FilterFunction::Max),
    ("sum", FilterFunction::Sum),
    ("avg", FilterFunction::Avg),
    ("count", FilterFunction::Count),
    ("argmin", FilterFunction::Argmin),
    ("argmax", FilterFunction::Argmax),
    ("values", FilterFunction::Values),
    ("∀", FilterFunction::Forall),
    ("∃", FilterFunction::Exists),
];

const SAFETY: &str =
    "Surefoot answers probabilities (Pmin, Pmax), expected sums up to a state (Emin, Emax) and reachability (∀, ∃)";
const NO_CURVES: &str = "numbers are exact here; use a piecewise linear approximation";
const TIMED: &str = "only lts, dtmc and mdp models are supported";

const REFUSED: [(&str, &str, &str); 24] = [
    ("Smin", "minimal steady-state values", SAFETY),
    ("Smax", "maximal steady-state values", SAFETY),
    ("timelock", "states in which time is stuck", TIMED),
    ("multi", "trade-off properties", SAFETY),
    ("quantile", "quantile properties", SAFETY),
    ("problem-instance", "a dump of a path query", "it is a debugging aid of PlaJA, not a property"),
    ("der", "derivatives of continuous variables", TIMED),
    ("sin", "trigonometric functions", NO_CURVES),
    ("cos", "trigonometric functions", NO_CURVES),
    ("tan", "trigonometric functions", NO_CURVES),
    ("cot", "trigonometric functions", NO_CURVES),
    ("sec", "trigonometric functions", NO_CURVES),
    ("csc", "trigonometric functions", NO_CURVES),
    ("asin", "trigonometric functions", NO_CURVES),
    ("acos", "trigonometric functions", NO_CURVES),
    ("atan", "trigonometric functions", NO_CURVES),
    ("sinh", "hyperbolic functions", NO_CURVES),
    ("cosh", "hyperbolic functions", NO_CURVES),
    ("tanh", "hyperbolic functions", NO_CURVES),
    (
        "nondet",
        "non-deterministic selection",
        "give the assignment \"lower-bound\" and \"upper-bound\" instead of \"value\"",
    ),
    ("dv", "values of datatypes", "use one variable per field"),
    ("da", "access to fields of datatypes", "use one variable per field"),
    ("oa", "access to optional values", "use a variable and a Boolean that says whether it is there"),
    ("ov", "optional values", "use a variable and a Boolean that says whether it is there"),
];

const LOOK_ALIKES: [(&str, &str); 41] = [
    ("and", "∧"),
    ("&&", "∧"),
    ("&", "∧"),
    ("/\\", "∧"),
    ("⋀", "∧"),
    ("or", "∨"),
    ("||", "∨"),
    ("|", "∨"),
    ("\\/", "∨"),
    ("v", "∨"),
    ("not", "¬"),
    ("!", "¬"),
    ("~", "¬"),
    ("!=", "≠"),
    ("<>", "≠"),
    ("/=", "≠"),
    ("==", "="),
    ("<->", "="),
    ("<=>", "="),
    ("iff", "="),
    ("⇔", "="),
    ("<=", "≤"),
    ("=<", "≤"),
    (">=", "≥"),
    ("->", "⇒"),
    ("=>", "⇒"),
    ("→", "⇒"),
    ("implies", "⇒"),
    ("mod", "%"),
    ("×", "*"),
    ("·", "*"),
    ("÷", "/"),
    ("−", "-"),
    ("^", "pow"),
    ("**", "pow"),
    ("if", "ite"),
    ("?:", "ite"),
    ("sign", "sgn"),
    ("ceiling", "ceil"),
    ("forall", "∀"),
    ("exists", "∃"),
];

/// What `name` stands for.
pub(crate) fn lookup(name: &str) -> Option<Operator> {
    fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
        table.iter().find(|(symbol, _)| *symbol == name).map(|(_, op)| *op)
    }
    find(&BINARY, name)
        .map(Operator::Binary)
        .or_else(|| find(&UNARY, name).map(Operator::Unary))
        .or_else(|| find(&OTHERS, name))
        .or_else(|| find(&QUANTIFIERS, name).map(Operator::Quantifier))
        .or_else(|| find(&EXPECTED, name).map(Operator::Expected))
        .or_else(|| find(&PATHS, name).map(Operator::Path))
        .or_else(|| find(&STATE_SETS, name).map(Operator::StateSet))
        .or_else(|| {
            REFUSED.iter().find(|refused| refused.0 == name).map(|(_, what, help)| Operator::Refused(what, help))
        })
        .or(match name {
            "let" => Some(Operator::Let),
            "filter" => Some(Operator::Elsewhere("the outermost operator of a property")),
            "PA" => Some(Operator::Elsewhere("the outermost operator of a property")),
            "objective" => Some(Operator::Elsewhere("the \"objective\" of a PA property")),
            "states-values" => Some(Operator::Elsewhere("the \"start\" of a PA property")),
            _ => None,
        })
}

/// The operator a look-alike was meant for.
pub(crate) fn look_alike(name: &str) -> Option<&'static str> {
    LOOK_ALIKES.iter().find(|(alike, _)| alike.eq_ignore_ascii_case(name)).map(|(_, symbol)| *symbol)
}

/// The names an expression's `op` can have.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let all = [
        &BINARY.map(|p| p.0)[..],
        &UNARY.map(|p| p.0),
        &OTHERS.map(|p| p.0),
        &QUANTIFIERS.map(|p| p.0),
        &EXPECTED.map(|p| p.0),
        &STATE_SETS.map(|p| p.0),
    ];
    all.concat().into_iter()
}

/// The filter function of that name.
pub(crate) fn filter_function(name: &str) -> Option<FilterFunction> {
    FILTERS.iter().find(|(symbol, _)| *symbol == name).map(|(_, function)| *function)
}

/// The names of the filter functions.
pub(crate) fn filter_functions() -> impl Iterator<Item = &'static str> {
    FILTERS.iter().map(|(symbol, _)| *symbol)
}

macro_rules! symbols {
    ($($type:ty: $table:ident),*) => {$(
        impl $type {
            /// How JANI writes it.
            #[must_use]
            pub fn symbol(self) -> &'static str {
                $table.iter().find(|(_, op)| *op == self).map_or("", |(symbol, _)| symbol)
            }
        }
    )*};
}

symbols!(UnaryOp: UNARY, BinaryOp: BINARY, PathQuantifier: QUANTIFIERS, PathOp: PATHS, StateSet: STATE_SETS);
symbols!(FilterFunction: FILTERS, ExpectedOp: EXPECTED);

impl UnaryOp {
    /// Whether JANI has it only with the feature `derived-operators`.
    #[must_use]
    pub fn is_derived(self) -> bool {
        matches!(self, Self::Abs | Self::Sgn | Self::Trc)
    }
}

impl BinaryOp {
    /// Whether JANI has it only with the feature `derived-operators`.
    #[must_use]
    pub fn is_derived(self) -> bool {
        matches!(self, Self::Gt | Self::Ge | Self::Implies | Self::Min | Self::Max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_operator() {
        for name in names() {
            assert!(lookup(name).is_some(), "{name}");
            assert_eq!(look_alike(name), None, "{name}");
        }
        for (alike, symbol) in LOOK_ALIKES {
            assert!(lookup(symbol).is_some(), "{symbol}");
            assert_eq!(lookup(alike), None, "{alike}");
        }
        for (name, op) in BINARY {
            assert_eq!(op.symbol(), name);
        }
        for (name, function) in FILTERS {
            assert_eq!(function.symbol(), name);
            assert_eq!(filter_function(name), Some(function));
        }
    }
}
