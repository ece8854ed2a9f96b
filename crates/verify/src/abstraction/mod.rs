//! Policy predicate abstraction of a problem: figures, and what they say about the property.
//!
//! Where no unsafe abstract state is reached the property holds. Where one is, nothing follows: the abstraction has more runs than
//! the model. So the answer is that it holds, or is unknown; never that it is violated.
//!
//! * [`predicates`]: from files; [`regions`]: abstract states as certificates tell them; [`words`]: formulas and abstract states in words; [`path`](mod@path): how an unsafe state is reached;
//! * [`unfold`](mod@unfold): what leads out of one abstract state; [`distributions`]: the same with probabilities, beside it; [`graph`]: the abstract state space as JSON, DOT and GraphML; `conclude`: what follows; `concrete`: deadlocks that runs come to.

mod conclude;
mod concrete;
pub mod distributions;
mod figures;
pub mod graph;
pub mod path;
pub mod predicates;
pub mod regions;
pub mod unfold;
pub mod words;

use surefoot_abstraction::deadlock::{Deadlocks, deadlocks};
use surefoot_abstraction::predicate::Dropped;
use surefoot_abstraction::{Abstraction, Method, Options, Oracles, PredicateSet, System, search, unsuitable};
use surefoot_explicit::start::StartError;
use surefoot_model::lower::Lowered;
use surefoot_model::property::Safety;
use surefoot_model::{SlotId, TermId};
use surefoot_oracle::FullOracle;
use surefoot_text::diagnostic::{Diagnostic, Refusal};
use surefoot_text::source::Span;
use surefoot_verdict::{Reporter, Unsupported};

use crate::engine::{Asked, Budget, Purpose, no_probabilities, start_failure};
use crate::open::OpenErrors;
use crate::outside::{OutsideRequest, Witnesses};
use crate::problem::{Failure, Problem, notice};
use crate::question::{Claim, Query};
use crate::start::check_defined;

pub use conclude::Conclusion;
pub use concrete::Concrete;
pub use distributions::Distributions;
pub use figures::{Count, Figures};
pub use predicates::read_predicates;
pub use words::Words;

/// What to compute.
#[derive(Debug, Clone, Default)]
pub struct AbstractOptions {
    /// How successors are found.
    pub method: Method,
    /// What a transition is.
    pub count: Count,
    /// Expand unsafe states too.
    pub expand_unsafe: bool,
    /// Stop at the first unsafe state.
    pub first_unsafe: bool,
    /// At most this many abstract states.
    pub states: Option<usize>,
    /// Look for states in which the policy chooses what is not applicable.
    pub deadlocks: bool,
    /// Build the abstraction with probabilities as well.
    pub distributions: bool,
    /// Keep constant and repeated predicates, expand unsafe start states.
    pub plaja: bool,
    /// Take it for granted that the model is never in error, where that is not decided.
    pub assume_no_errors: bool,
    /// Keep what proves a verdict, for a certificate.
    pub keep: bool,
    /// Who is asked instead of the built-in oracle.
    pub oracle: Option<OutsideRequest>,
}

/// The abstraction of a problem.
#[derive(Debug)]
pub struct Abstracted {
    /// The abstract state space.
    pub abstraction: Abstraction,
    /// Its predicates.
    pub predicates: PredicateSet,
    /// Those that are not among them, by their number, and why.
    pub dropped: Vec<(usize, Dropped)>,
    /// The same in words.
    pub words: Words,
    /// What follows.
    pub conclusion: Conclusion,
    /// Its figures.
    pub figures: Figures,
    /// What is open besides a proof of safety.
    pub open: Option<OpenErrors>,
    /// Where the policy may choose what is not applicable, if that was asked.
    pub deadlocks: Option<Deadlocks>,
    /// Per deadlock, whether a run of the model comes to it.
    pub concrete: Vec<Concrete>,
    /// What the abstraction with probabilities is like, if that was asked and no limit was met.
    pub distributions: Option<Distributions>,
    /// Notices.
    pub notes: Vec<Diagnostic>,
    /// Who was asked instead of the built-in oracle.
    pub outside: Option<Witnesses>,
}

impl Abstracted {
    /// What the verdict takes for granted besides what the problem does.
    #[must_use]
    pub fn assumptions(&self) -> Vec<String> {
        let holds = self.conclusion.as_ref().is_some_and(|verdict| verdict.proof().is_some());
        let assumed = self.open.as_ref().filter(|_| holds);
        let errors = assumed.map(|open| open.error.assumption());
        self.words_taken().into_iter().chain(errors).collect()
    }

    /// What it takes for granted of other people's solvers.
    #[must_use]
    pub fn words_taken(&self) -> Vec<String> {
        self.outside.as_ref().map_or_else(Vec::new, |outside| outside.assumptions(self.conclusion.as_ref()))
    }
}

/// Computes the abstraction of a problem for given predicates.
///
/// # Errors
/// [`Failure::Input`] for properties that say nothing about safety, models that are not in the class, empty start sets.
pub fn abstraction(
    problem: &Problem,
    predicates: &[TermId],
    options: &AbstractOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Abstracted, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads.max(1)).build();
    let pool = pool.map_err(|error| Failure::Internal(format!("no threads: {error}")))?;
    let Some(request) = &options.oracle else {
        return pool.install(|| run(problem, predicates, options, &Oracles::seeded(0), budget, reporter));
    };
    let (outside, witnesses) = request.start(budget)?;
    let oracles = Oracles::like(outside);
    let found = pool.install(|| run(problem, predicates, options, &oracles, budget, reporter));
    let found = found.map_err(|failure| witnesses.blamed(failure))?;
    let conclusion = found.conclusion.map(|verdict| witnesses.explained(verdict));
    Ok(Abstracted { conclusion, outside: Some(witnesses), ..found })
}

/// Only what must never be reached can be shown by an abstraction.
pub(crate) fn check_claim(query: &Query) -> Result<(), Unsupported> {
    let refused = match query.claim {
        Some(Claim::Reach | Claim::ReachFromSingle(_)) => true,
        Some(Claim::Avoid | Claim::AvoidFromSingle(_)) => query.initial_only,
        None => query.quantity.is_some() || query.expected.is_some(),
    };
    if refused {
        let mut error = Diagnostic::error_anywhere("this property does not ask whether unsafe states are reached");
        error.span = query.span;
        let help = "use a PA property or ∀ G; `verify` and `bounds` answer others";
        return Err(Unsupported::new(Refusal::Question, error.with_help(help)));
    }
    Ok(())
}

/// Where the variable of a slot is declared.
pub(crate) fn declaration(lowered: &Lowered, slot: SlotId) -> Option<Span> {
    let (model, syntax) = (&lowered.model, lowered.syntax());
    let slot = &model.slots[slot.index()];
    let (variables, name) = match slot.instance {
        None => (&syntax.variables, &*slot.name),
        Some(instance) => {
            let instance = &model.instances[instance];
            let automaton = syntax.automata.iter().find(|automaton| *automaton.name.value == *instance.automaton)?;
            (&automaton.variables, slot.name.strip_prefix(&*instance.name)?.strip_prefix('.')?)
        }
    };
    // Cells of arrays are named after their array.
    let array = name.split('[').next().unwrap_or(name);
    let declared = |wanted: &str| variables.iter().find(|variable| *variable.name.value == *wanted);
    declared(name).or_else(|| declared(array)).map(|variable| variable.name.span)
}

/// What is asked, lowered for symbolic engines, with predicates.
///
/// # Errors
/// What is in the way.
pub(crate) fn system<'p>(asked: &Asked<'p>, predicates: &[TermId]) -> Result<System<'p>, Unsupported> {
    let (query, model) = (asked.query, &asked.lowered.model);
    check_claim(query)?;
    if let Some((slot, mut refusal)) = unsuitable(model) {
        refusal.span = declaration(asked.lowered, slot);
        return Err(Unsupported::new(Refusal::Construct, refusal));
    }
    let safety = Safety {
        start: query.start.clone(),
        reach: query.target,
        goal: query.goal,
        goal_terminal: query.goal_terminal,
        predicates: Some(predicates.to_vec()),
        policy_file: None,
    };
    let system = System::new(model, asked.policy, &safety, query.goal_terminal);
    system.map_err(|refusal| Unsupported::new(Refusal::Construct, refusal))
}

/// Whether a symbolic engine decides a claim.
///
/// # Errors
/// What is in the way.
pub(crate) fn supports(name: &str, asked: &Asked<'_>, purpose: Purpose) -> Result<(), Unsupported> {
    match purpose {
        Purpose::Decide => system(asked, &[]).map(drop),
        Purpose::Bound { .. } => Err(no_probabilities(name)),
    }
}

/// Why a symbolic engine gives no answer.
pub(crate) fn failure(problem: &Problem, failure: surefoot_abstraction::Failure) -> Failure {
    match failure {
        surefoot_abstraction::Failure::Refused(refusal) => Failure::from(*refusal),
        surefoot_abstraction::Failure::NoStart => start_failure(problem, &StartError::Empty),
    }
}

fn run(
    problem: &Problem,
    predicates: &[TermId],
    options: &AbstractOptions,
    oracles: &Oracles<impl FullOracle>,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Abstracted, Failure> {
    let mut system = system(&Asked::of(problem), predicates)?;
    check_defined(problem, budget)?;
    let given = system.given.clone().unwrap_or_default();
    let (set, dropped) = PredicateSet::new(system.lowering().space(), &given, options.plaja);
    let words = Words::new(problem.model(), system.lowering().space(), &set);
    let notes = dropped.iter().map(|(index, why)| {
        let text = words::describe(problem.model(), &given[*index]);
        notice(match why {
            Dropped::Constant(value) => format!("predicate {index} is left out: it is always {value} ({text})"),
            Dropped::Duplicate(known) => {
                let known = words.predicates().nth(*known).unwrap_or_default();
                format!("predicate {index} ({text}) is left out: it says as much as {known}")
            }
        })
    });
    let limits = budget.oracle_limits();
    let search_options = Options {
        first_unsafe: options.first_unsafe,
        expand_unsafe: options.expand_unsafe,
        expand_unsafe_start: options.plaja,
        method: options.method,
        states: options.states,
        limits: limits.clone(),
    };
    let abstraction =
        search(&mut system, &set, &search_options, oracles, reporter).map_err(|error| failure(problem, error))?;
    let (conclusion, open) = conclude::conclude(problem, &mut system, &set, &abstraction, oracles, budget, options)?;
    let deadlocks =
        options.deadlocks.then(|| deadlocks(&mut system, &set, &abstraction, oracles, &limits)).transpose()?;
    let found = deadlocks.as_ref().map_or(&[][..], |deadlocks| &deadlocks.found);
    let concrete = concrete::concrete(problem, &system, &set, &abstraction, found, budget)?;
    let figures = Figures::of(&abstraction, set.len(), options.count);
    let mut notes: Vec<Diagnostic> = notes.collect();
    let mut distributions = None;
    if options.distributions {
        // After a limit there is nothing to compare with.
        let built = match abstraction.stopped {
            None => distributions::build(problem, predicates, &set, &search_options)?,
            Some(_) => None,
        };
        if built.is_none() {
            notes.push(notice("there are no figures with probabilities: a limit was met before".to_owned()));
        }
        distributions = built;
    }
    Ok(Abstracted {
        figures,
        abstraction,
        conclusion,
        open,
        deadlocks,
        concrete,
        distributions,
        notes,
        predicates: set,
        dropped,
        words,
        outside: None,
    })
}
