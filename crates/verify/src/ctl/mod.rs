//! CTL on a problem: formulas from text or properties, the built-in procedure, and answers that people can read.
//!
//! * [`formula`]: where the formula comes from; [`witness`]: evidence with scores, state by state; [`cover`]: the
//!   decided pieces of the start set; [`milp`]: the paper's procedures instead; `explicit`: models with finitely many states;
//!   `proof`: trees of runs on them.

pub mod cover;
pub(crate) mod explicit;
pub mod formula;
pub mod milp;
mod proof;
pub mod witness;

use surefoot_ctl::check::{self, Checked, Failure as CheckFailure, Options, Statistics, Verdict};
use surefoot_ctl::explore::Trouble;
use surefoot_ctl::{Ctl, Failing, System};
use surefoot_explicit::start::StartError;
use surefoot_model::property::StartSet;
use surefoot_model::{Domain, Model};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_verdict::{Reason, Reporter};

use self::explicit::Share;

use crate::engine::{Budget, start_failure};
use crate::problem::{Failure, Problem};
use crate::question::Over;
use crate::start::check_defined;

pub use surefoot_ctl::system::outside;

pub use formula::{CtlFormula, read_formula};
pub use milp::{MilpMethod, MilpOutcome, MilpRequest, MilpStatistics, ctl_by_milp};
pub use witness::{Basis, CtlWitness, RestsOn, WitnessNode, WitnessStep};

/// The answer to a question in CTL: what refutes it was replayed in the reference interpreter.
pub type CtlVerdict = surefoot_verdict::Verdict<(), Box<CtlWitness>>;

/// The answer, and how it came about.
#[derive(Debug)]
pub struct CtlOutcome {
    /// The answer.
    pub verdict: CtlVerdict,
    /// What was done.
    pub statistics: Statistics,
    /// The decided pieces of the start set.
    pub cover: cover::Cover,
    /// Figures of the exploration, where it was decided state by state.
    pub explored: Option<surefoot_explicit::Statistics>,
    /// How many steps are decided from all start states, where a limit was reached.
    pub horizon: Option<u64>,
}

/// Decides a formula by the procedure that can: models with finitely many states state by state, as far as a share of memory goes where the formula has
/// bounds and all the way where it has none; others, and what was left, by the procedure over regions.
///
/// # Errors
/// As [`ctl`]; formulas over some start states only where states are infinitely many.
pub fn decide(
    problem: &Problem,
    formula: &CtlFormula,
    over: Over,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<CtlOutcome, Failure> {
    let regions = |formula: &Ctl| ctl(problem, formula, budget, reporter);
    if !explicit::is_finite(problem) {
        if over != Over::All {
            let mut error = Diagnostic::error_anywhere(
                "whether it holds in some of infinitely many start states is not decided; in all of them it is",
            );
            error.span = problem.query.span;
            return Err(error
                .refusal()
                .with_help("use \"∀\", or bounded integers, which the explicit engine takes")
                .into());
        }
        return regions(&formula.constraints(problem)?);
    }
    let constraints = formula.constraints(problem).ok();
    let symbolic = constraints.filter(|_| over == Over::All && formula.terms.is_bounded() && system(problem).is_ok());
    let share = if symbolic.is_some() { Share::First } else { Share::All };
    let found = explicit::decide(problem, formula, over, share, budget, reporter);
    let Some(constraints) = symbolic else {
        return found?.ok_or_else(|| Failure::Internal("a share was given where nobody else decides".to_owned()));
    };
    match found {
        Ok(Some(found)) => Ok(found),
        // Too many states; or an error of the model that may lie beyond the formula's steps.
        Ok(None) | Err(Failure::Input(_)) => regions(&constraints),
        Err(failure) => Err(failure),
    }
}

impl CtlOutcome {
    /// What decided it, in words.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        if self.explored.is_some() { "explicit" } else { "ctl (exact)" }
    }
}

/// Decides a formula by the built-in procedure.
///
/// # Errors
/// [`Failure::Input`] where the model is in error or not in the class, or there are no start states; [`Failure::Internal`] when
/// a witness is not confirmed.
pub fn ctl(problem: &Problem, formula: &Ctl, budget: &Budget, reporter: &dyn Reporter) -> Result<CtlOutcome, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads.max(1)).build();
    let pool = pool.map_err(|error| Failure::Internal(format!("no threads: {error}")))?;
    pool.install(|| run(problem, formula, budget, reporter))
}

/// The system of a problem.
///
/// # Errors
/// What is not in the class.
pub fn system(problem: &Problem) -> Result<System<'_>, Failure> {
    let query = &problem.query;
    let terminal = query.goal.filter(|_| query.goal_terminal);
    Ok(System::new(problem.model(), problem.policy(), &query.start, terminal, query.span)?)
}

fn run(problem: &Problem, formula: &Ctl, budget: &Budget, reporter: &dyn Reporter) -> Result<CtlOutcome, Failure> {
    let system = system(problem)?;
    check_defined(problem, budget)?;
    let limits = budget.limits();
    let options = Options { limits: limits.into(), ..Options::default() };
    let checked = check::check_reporting(&system, formula, &options, reporter);
    let checked = checked.map_err(|failure| failed(problem, failure))?;
    let cover = cover::Cover::of(problem.model(), &checked);
    let Checked { verdict, statistics, .. } = checked;
    let horizon = match verdict.reason() {
        Some(Reason::Horizon { decided, .. }) => Some(*decided),
        _ => None,
    };
    let verdict = replayed(problem, verdict, budget)?;
    Ok(CtlOutcome { verdict, statistics, cover, horizon, explored: None })
}

/// The verdict, once what refutes the formula is confirmed.
fn replayed(problem: &Problem, verdict: Verdict, budget: &Budget) -> Result<CtlVerdict, Failure> {
    Ok(match verdict {
        Verdict::Holds(()) => CtlVerdict::Holds(()),
        Verdict::Violated(Failing { evidence, .. }) => {
            let witness = CtlWitness::new(problem, &evidence).map_err(|reason| {
                Failure::Internal(format!("the evidence is one that the replay rejects ({reason})"))
            })?;
            CtlVerdict::Violated(Box::new(witness))
        }
        Verdict::Unknown(reason) => CtlVerdict::Unknown(reason.of(budget.time, budget.memory)),
    })
}

fn failed(problem: &Problem, failure: CheckFailure) -> Failure {
    let trouble = match failure {
        CheckFailure::NoStart => return start_failure(problem, &StartError::Empty),
        CheckFailure::Trouble(trouble) => trouble,
    };
    match *trouble {
        Trouble::Model(error) => problem.model_error(&error).into(),
        Trouble::Refused(mut diagnostic) => {
            if diagnostic.span.is_none() {
                diagnostic.span = problem.query.span;
            }
            Failure::from(*diagnostic)
        }
        Trouble::Internal(text) => Failure::Internal(text),
        Trouble::Open(_) | Trouble::Stopped(_) | Trouble::TooLarge(_) => {
            Failure::Internal("a piece was left undecided".to_owned())
        }
    }
}

/// A real variable whose initial value is not fixed, in a start set that is infinite for that reason.
#[must_use]
pub fn free_real(model: &Model, start: &StartSet) -> Option<String> {
    let system = System::new(model, None, start, None, None).ok()?;
    let free = |slot: usize| matches!(model.slots[slot].domain, Domain::Real { .. });
    let name = |slot: usize| model.slots[slot].name.to_string();
    match check::start::roots(&system) {
        Ok(roots) => {
            let slots = roots.iter().flat_map(|root| &root.slots);
            slots.map(|slot| slot.index()).find(|slot| free(*slot)).map(name)
        }
        // Not even bounded.
        Err(_) => (0..model.slots.len()).find(|slot| free(*slot) && model.slots[*slot].initial.is_none()).map(name),
    }
}
