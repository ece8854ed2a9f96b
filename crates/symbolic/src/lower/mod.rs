//! Models lowered to linear formulas: the one pass that all symbolic engines use.
//!
//! [`Lowering`] turns terms into formulas and cases, operators into guards and cases of updates, policies and properties
//! into formulas. Symbols are those of its [`Space`]: slots of the state vector first.
//!
//! **What is supported.** Linear arithmetic; `min`, `max`, `abs`, `sgn`, `ite` and computed array indices by cases; products,
//! quotients, remainders, rounding and powers by the values of a small-domain operand; Booleans as 0/1; transient
//! variables through their definitions. Everything else is refused with its place.
//!
//! **What holds.** In every state of the domains, formulas and cases say exactly what the reference interpreter does; the
//! tests compare them state by state. Where a term has no value (division by zero, an index out of range), its
//! [`Condition::defined`] fails; that is for the engines to look for, as for updates that leave their domain.

mod arithmetic;
mod cases;
mod environment;
mod errors;
mod meaning;
mod operator;
mod outcome;
mod path;
mod policy;
mod property;
mod refusal;
mod select;
mod term;
mod update;
mod written;

use surefoot_linear::{Formula, Interval, Space, Symbol, SymbolRange};
use surefoot_model::policy::{Outputs, Policy};
use surefoot_model::{Model, TermId};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Span;

pub use cases::Case;
pub use operator::SymbolicOperator;
pub use outcome::{ChoiceBounds, ChoiceSymbol, Probability, SymbolicOutcome, UpdateCase};
pub use policy::{SymbolicNetwork, SymbolicPolicy};
pub use property::SymbolicSafety;
pub use refusal::MAX_CASES;

use environment::{Environment, NetworkOutputs};
use meaning::Meaning;
use refusal::{Obstacle, Refusal};
use term::{Memo, Translator};

/// A condition of the model: where it holds, and where it has a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// It has a value, and that is true.
    pub holds: Formula,
    /// It has a value.
    pub defined: Formula,
}

impl Condition {
    /// Always true.
    #[must_use]
    pub fn truth() -> Self {
        Self { holds: Formula::truth(), defined: Formula::truth() }
    }

    fn of(meaning: &Meaning) -> Self {
        let holds = Formula::all([meaning.truth().clone(), meaning.defined.clone()]);
        Self { holds, defined: meaning.defined.clone() }
    }

    /// Both, the second looked at only where the first holds.
    #[must_use]
    pub fn and_then(&self, space: &Space, other: &Self) -> Self {
        Self {
            holds: Formula::all([self.holds.clone(), other.holds.clone()]),
            defined: Formula::all([self.defined.clone(), space.implies(&self.holds, other.defined.clone())]),
        }
    }
}

/// Lowers the parts of a model, each when it is asked for; terms that occur again are remembered.
#[derive(Debug, Clone)]
pub struct Lowering<'m> {
    model: &'m Model,
    policy: Option<&'m Policy>,
    space: Space,
    outputs: Option<NetworkOutputs<'m>>,
    /// Terms in the state before a step.
    memo: Memo,
}

impl<'m> Lowering<'m> {
    /// Prepares the lowering of a model, under a policy where there is one. The outputs of a policy that computes
    /// transient variables become symbols after the slots.
    ///
    /// # Errors
    /// A condition of the policy's networks that cannot be lowered.
    pub fn new(model: &'m Model, policy: Option<&'m Policy>) -> Result<Self, Diagnostic> {
        let space = model.space();
        let mut lowering = Self { model, policy, space, outputs: None, memo: Memo::default() };
        if let Some(policy) = policy
            && let Outputs::Transients(transients) = &policy.outputs
        {
            let first = Symbol::at(lowering.space.len());
            // Soundness: conditions of networks do not read outputs, so they are lowered before there are any.
            let covered = lowering.covered(policy)?;
            for _ in transients {
                lowering.space.push(SymbolRange { integer: false, bounds: Interval::default() });
            }
            lowering.outputs = Some(NetworkOutputs::new(model, policy, first, covered));
            lowering.memo.clear();
        }
        Ok(lowering)
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The symbols.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Lowers a Boolean term. `span` and `what` say where it stands, for refusals.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn condition(&mut self, term: TermId, span: Option<Span>, what: &str) -> Result<Condition, Diagnostic> {
        let meaning = self.meaning(term).map_err(|refusal| refusal.at(self.model, span, what))?;
        Ok(Condition::of(&meaning))
    }

    /// Lowers a numeric (or Boolean, as 0/1) term to cases: exactly one holds wherever the term has a value, which the
    /// formula says. `span` and `what` say where it stands, for refusals.
    ///
    /// # Errors
    /// What cannot be lowered, with its place.
    pub fn cases(&mut self, term: TermId, span: Option<Span>, what: &str) -> Result<(Vec<Case>, Formula), Diagnostic> {
        let meaning = self.meaning(term).map_err(|refusal| refusal.at(self.model, span, what))?;
        Ok((meaning.cases(&self.space).into_owned(), meaning.defined.clone()))
    }

    /// A term in the state before a step.
    fn meaning(&mut self, term: TermId) -> Result<std::sync::Arc<Meaning>, Refusal> {
        let environment = Environment::default();
        let mut translator = Translator {
            model: self.model,
            space: &self.space,
            outputs: self.outputs.as_ref(),
            environment: &environment,
            memo: &mut self.memo,
        };
        translator.meaning(term)
    }
}
