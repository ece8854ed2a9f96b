//! Engines as values: what each is called, what it can answer, and the one list of them.
//!
//! A new engine is a type that implements [`Engine`], and a line in [`ENGINES`]; a variant of [`Details`] where it has figures of its own. Whoever
//! needs to know what there is (options, messages, `check`) asks the list; `auto` has a plan of its own.
//!
//! * `choice`: engines by name; `budget`: what may be spent; `outcome`: what they end with; `explore`: problems as tasks for exploration.

mod budget;
mod choice;
mod explore;
mod outcome;

use surefoot_model::lower::Lowered;
use surefoot_model::policy::Policy;
use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_text::option;
use surefoot_verdict::{Reporter, Unsupported};

use crate::auto::Auto;
use crate::bmc::Bmc;
use crate::bounds::{BoundsOptions, BoundsOutcome};
use crate::cegar::{Cegar, CegarOptions};
use crate::explicit::Explicit;
use crate::falsify::Runs;
use crate::outside::OutsideRequest;
use crate::partial::Partial;
use crate::problem::{Failure, Problem};
use crate::question::Query;

pub use budget::Budget;
pub use choice::EngineChoice;
pub use explore::{explore, simulate};
pub(crate) use explore::{several_starts, start_failure, task};
pub(crate) use outcome::Account;
pub use outcome::{Details, Evidence, Outcome, Verdict};

/// All engines, in the order in which they are told.
pub static ENGINES: [&dyn Engine; 6] = [&Auto, &Explicit, &Cegar, &Bmc, &Partial, &Runs];

/// A way to answer questions about models.
pub trait Engine: std::fmt::Debug + Sync {
    /// What it is called; no two have the same name.
    fn name(&self) -> &'static str;

    /// What it is among the others.
    fn role(&self) -> Role {
        Role::Alone
    }

    /// Whether it decides claims at all, whatever the model.
    fn decides(&self) -> bool {
        true
    }

    /// Whether it answers a question, as far as can be told without searching; else what is in the way.
    ///
    /// What is refused here is refused by [`Engine::decide`] and [`Engine::bound`] for the same reason. The other way round, operators of the model are
    /// lowered when a search comes to them, and may be refused only then.
    ///
    /// # Errors
    /// What is in the way.
    fn supports(&self, asked: &Asked<'_>, purpose: Purpose) -> Result<(), Unsupported>;

    /// Decides the claim of a problem that has one.
    ///
    /// # Errors
    /// What it does not support; [`Failure::Input`] where the model is in error or has no start states; [`Failure::Internal`] when a run is not
    /// confirmed by the replay.
    fn decide(
        &self,
        _problem: &Problem,
        _options: &VerifyOptions,
        _budget: &Budget,
        _reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        Err(no_claims(self.name()).into())
    }

    /// Bounds the probability that a problem asks for.
    ///
    /// # Errors
    /// What it does not support; [`Failure::Input`] where the model is in error or has no start states.
    fn bound(
        &self,
        _problem: &Problem,
        _options: &BoundsOptions,
        _budget: &Budget,
        _reporter: &dyn Reporter,
    ) -> Result<BoundsOutcome, Failure> {
        Err(no_probabilities(self.name()).into())
    }

    /// Whether options of a kind mean something to it.
    fn takes(&self, _setting: Setting) -> bool {
        false
    }

    /// Whether variables that do not matter may be left out of the states beforehand. Symbolic engines do so by themselves.
    fn slices(&self) -> bool {
        true
    }
}

/// What an engine is among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It works alone.
    Alone,
    /// It hands over to others.
    Composed,
    /// It only helps others, and is not chosen by name.
    Helper,
}

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A verdict.
    Decide,
    /// An interval.
    Bound {
        /// Both ends of it the same, in fractions.
        exact: bool,
    },
}

/// Options that only some engines have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// How many steps to look ahead.
    Depth,
    /// How to refine, and from what.
    Refinement,
    /// Who answers single questions.
    Oracle,
}

/// A model with its policy, and a question about it.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'p> {
    /// The model.
    pub lowered: &'p Lowered,
    /// The policy, if there is one.
    pub policy: Option<&'p Policy>,
    /// The question.
    pub query: &'p Query,
}

impl<'p> Asked<'p> {
    /// What a problem asks of an engine.
    #[must_use]
    pub fn of(problem: &'p Problem) -> Self {
        Self { lowered: &problem.lowered, policy: problem.policy(), query: &problem.query }
    }
}

/// How to verify.
#[derive(Debug, Clone, Default)]
pub struct VerifyOptions {
    /// By which engine.
    pub engine: EngineChoice,
    /// Varies what may be done one way or another.
    pub seed: u64,
    /// What refinement is to do.
    pub cegar: CegarOptions,
    /// How many steps bounded model checking looks ahead, at most.
    pub depth: Option<u32>,
    /// Whether a proof may take it for granted that the model is never in error, where it cannot tell.
    pub assume_no_errors: bool,
    /// Whether what proves a verdict is kept, for a certificate.
    pub keep: bool,
    /// Keep what an abstraction looks like in the end.
    pub sketch: bool,
    /// Who is asked instead of the built-in oracle, by symbolic engines.
    pub oracle: Option<OutsideRequest>,
}

impl From<EngineChoice> for VerifyOptions {
    fn from(engine: EngineChoice) -> Self {
        Self { engine, ..Self::default() }
    }
}

/// Decides the property of a problem.
///
/// # Errors
/// As [`Engine::decide`].
pub fn verify(
    problem: &Problem,
    options: &VerifyOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    if problem.query.claim.is_none() || problem.query.target.is_none() {
        return Err(Failure::Internal("a problem without a claim was to be verified".to_owned()));
    }
    options.engine.decide(problem, options, budget, reporter)
}

/// Of an engine that only bounds probabilities.
pub(crate) fn no_claims(name: &str) -> Unsupported {
    let message = format!("the engine '{name}' bounds probabilities; it cannot decide reachability");
    let help = format!("use {} explicit or cegar, or 'surefoot bounds'", option("engine"));
    Unsupported::new(Refusal::Question, Diagnostic::error_anywhere(message).with_help(help))
}

/// Of an engine that only decides claims.
pub(crate) fn no_probabilities(name: &str) -> Unsupported {
    let message =
        format!("the engine '{name}' decides whether unsafe states are reached; it cannot bound probabilities");
    let help = format!("use {} explicit, cegar or partial", option("engine"));
    Unsupported::new(Refusal::Question, Diagnostic::error_anywhere(message).with_help(help))
}
