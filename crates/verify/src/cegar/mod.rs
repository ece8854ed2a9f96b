//! Counterexample-guided refinement of policy predicate abstractions: predicates are found, not given.
//!
//! *Holds* comes with an inductive invariant over the predicates that were found; *violated* with a run that was replayed; an error
//! of the model that a run comes to ends like one that the explicit engine meets.
//!
//! * [`preset`]: strategies by name; [`expression`]: predicates as JANI; [`checkpoint`]: going on from an earlier run;
//! * `iteration`: what is told of it; [`diary`]: the same, kept; `account`: what it has to tell in the end; `verdict`: what a run of the loop says.

mod account;
pub mod checkpoint;
pub mod diary;
pub mod expression;
mod iteration;
pub mod preset;
mod verdict;

use std::collections::BTreeMap;
use std::time::Instant;

use surefoot_abstraction::{Oracles, PredicateSet, SlotRange, System};
use surefoot_cegar::{Figures, Invariant, Iteration, Observer, Options, cegar};
use surefoot_explicit::falsify::Distance;
use surefoot_model::{Model, State, TermId};
use surefoot_oracle::FullOracle;
use surefoot_text::source::SourceMap;
use surefoot_verdict::{Reporter, Unsupported};

use crate::abstraction::words::{Words, describe};
use crate::abstraction::{predicates, supports, system};
use crate::bounds::{self, BoundsOptions, BoundsOutcome};
use crate::engine::{Asked, Budget, Details, Engine, Outcome, Purpose, Setting, VerifyOptions};
use crate::falsify;
use crate::problem::{Failure, Problem};
use crate::source::Source;
use crate::start::check_defined;

pub use account::CegarDetails;
pub use checkpoint::{Checkpoint, Resumed};
pub use diary::Diary;
pub use expression::Expressions;
use iteration::Iterated;
pub use preset::Preset;
use verdict::{Judged, judge};
pub(crate) use verdict::{count_starts, error_in, error_of_run, failure, violated};

/// How to refine, and from what.
#[derive(Debug, Clone, Default)]
pub struct CegarOptions {
    /// The strategy.
    pub preset: Preset,
    /// Predicates to start with, besides the atoms of the unsafety condition.
    pub predicates: Vec<TermId>,
    /// Iterations, at most.
    pub iterations: Option<u64>,
    /// Where the predicates are written after every iteration.
    pub checkpoint: Option<Checkpoint>,
    /// Whether directed runs are made before the first iteration, and after some.
    pub falsify: bool,
    /// Nodes of the oracle's searches, at most.
    pub work: Option<u64>,
}

/// The predicates to start with: those of a source, or else of the problem's property, or none.
///
/// # Errors
/// What is wrong with the source.
pub fn first_predicates(
    sources: &mut SourceMap,
    problem: &mut Problem,
    source: Option<&Source>,
    ignore_own: bool,
) -> Result<Vec<TermId>, Failure> {
    if source.is_some() {
        return predicates::read_predicates(sources, problem, source, ignore_own);
    }
    if ignore_own {
        return Ok(Vec::new());
    }
    Ok(predicates::own_predicates(problem)?.unwrap_or_default())
}

/// Predicate abstraction under the policy, refined until it decides.
#[derive(Debug)]
pub(crate) struct Cegar;

impl Engine for Cegar {
    fn name(&self) -> &'static str {
        "cegar"
    }

    fn supports(&self, asked: &Asked<'_>, purpose: Purpose) -> Result<(), Unsupported> {
        match purpose {
            Purpose::Decide if asked.query.claim.is_none() && asked.query.quantity.is_some() => {
                bounds::cegar::supports(asked, false)
            }
            Purpose::Decide => supports(self.name(), asked, purpose),
            Purpose::Bound { exact } => bounds::cegar::supports(asked, exact),
        }
    }

    fn bound(
        &self,
        problem: &Problem,
        options: &BoundsOptions,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<BoundsOutcome, Failure> {
        bounds::cegar::bound(problem, options, budget, reporter)
    }

    fn decide(
        &self,
        problem: &Problem,
        options: &VerifyOptions,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        let system = system(&Asked::of(problem), &options.cegar.predicates)?;
        decide(problem, system, options, budget, reporter)
    }

    fn takes(&self, setting: Setting) -> bool {
        matches!(setting, Setting::Refinement | Setting::Oracle)
    }

    fn slices(&self) -> bool {
        false
    }
}

/// Decides the property of a problem, lowered already with the predicates that the options name, by refinement.
///
/// # Errors
/// [`Failure::Input`] for operators that are not in the class, empty start sets, and errors of the
/// model that a run comes to; [`Failure::Internal`] when a run is not confirmed by the replay, or a refinement adds nothing.
pub(crate) fn decide(
    problem: &Problem,
    system: System<'_>,
    options: &VerifyOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads.max(1)).build();
    let pool = pool.map_err(|error| Failure::Internal(format!("no threads: {error}")))?;
    let Some(request) = &options.oracle else {
        return pool.install(|| run(problem, system, options, &Oracles::seeded(options.seed), budget, reporter));
    };
    let (outside, witnesses) = request.start(budget)?;
    let oracles = Oracles::like(outside);
    let found = pool.install(|| run(problem, system, options, &oracles, budget, reporter));
    Ok(found.map_err(|failure| witnesses.blamed(failure))?.by(witnesses))
}

fn run(
    problem: &Problem,
    mut system: System<'_>,
    options: &VerifyOptions,
    oracles: &Oracles<impl FullOracle>,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let VerifyOptions { cegar: options, seed, assume_no_errors, keep, sketch, .. } = options;
    let seed = *seed;
    check_defined(problem, budget)?;
    let given = system.given.take().unwrap_or_default();
    let loop_options = Options {
        strategy: options.preset.strategy(),
        seed,
        iterations: options.iterations,
        work: options.work,
        limits: budget.oracle_limits(),
        sketch: *sketch,
        ..Options::default()
    };
    let expressions = Expressions::new(&problem.lowered);
    let checkpoint = options.checkpoint.as_ref();
    let runs = options.falsify.then_some((seed, budget));
    let mut listener = Listener {
        problem,
        reporter,
        checkpoint,
        expressions: &expressions,
        failure: None,
        runs,
        iterations: 0,
        falsified: None,
        last: Instant::now(),
        diary: Diary::default(),
    };
    let found = match listener.few_runs(None) {
        Some(states) => surefoot_cegar::Cegar {
            outcome: surefoot_cegar::Outcome::Unsafe(states),
            predicates: PredicateSet::default(),
            figures: Figures::default(),
            sketch: None,
        },
        None => {
            let found = cegar(&mut system, &given, &loop_options, oracles, &mut listener);
            found.map_err(|error| failure(problem, error))?
        }
    };
    let (open, (verdict, assumptions)) = match judge(problem, &found, *keep, budget)? {
        Judged::Decided(verdict) => (None, (verdict, Vec::new())),
        Judged::Open(open) => {
            let answer = open.verdict(*assume_no_errors);
            (Some(open), answer)
        }
    };
    let details = CegarDetails {
        preset: options.preset.describe(),
        figures: found.figures,
        words: Words::new(problem.model(), system.lowering().space(), &found.predicates),
        untouched: untouched(problem.model(), &found.outcome),
        expressions: found.predicates.formulas().iter().map(|formula| expressions.write(formula)).collect(),
        checkpoint_failure: listener.failure,
        falsified: listener.falsified,
        diary: listener.diary,
        sketch: found.sketch,
    };
    Ok(Outcome {
        verdict,
        engine: Cegar.name(),
        assumptions,
        open,
        details: Details::Cegar(Box::new(details)),
        outside: None,
    })
}

/// What an invariant says of variables that nothing has written, in words.
fn untouched(model: &Model, outcome: &surefoot_cegar::Outcome) -> Vec<String> {
    let surefoot_cegar::Outcome::Safe(Invariant { within, .. }) = outcome else { return Vec::new() };
    let ranges: BTreeMap<_, _> =
        within.iter().flat_map(|ranges| ranges.iter()).map(|range| (range.slot, range)).collect();
    let in_words = |SlotRange { slot, lower, upper }: &SlotRange| {
        let name = &model.slots[slot.index()].name;
        if lower == upper { format!("{name} = {lower}") } else { format!("{lower} <= {name} <= {upper}") }
    };
    ranges.into_values().map(in_words).collect()
}

/// Tells of iterations in words, and keeps the checkpoint.
struct Listener<'a> {
    problem: &'a Problem,
    reporter: &'a dyn Reporter,
    checkpoint: Option<&'a Checkpoint>,
    expressions: &'a Expressions,
    /// A full disk must not stop a proof; it is told at the end.
    failure: Option<String>,
    /// The seed and the budget of directed runs, if any are to be made.
    runs: Option<(u64, &'a Budget)>,
    iterations: u64,
    /// After how many iterations these found a violation.
    falsified: Option<u64>,
    last: Instant,
    diary: Diary,
}

impl Listener<'_> {
    /// A run to an unsafe state, if a few find one.
    fn few_runs(&mut self, distance: Option<Distance<'_>>) -> Option<Vec<State>> {
        let (seed, budget) = self.runs?;
        let found = falsify::few(self.problem, seed.wrapping_add(self.iterations), budget, distance)?;
        self.falsified = Some(self.iterations);
        Some(found)
    }
}

impl Observer for Listener<'_> {
    fn falsify(&mut self, distance: &dyn Fn(&[i64]) -> u32) -> Option<Vec<State>> {
        self.few_runs(Some(distance))
    }

    fn iteration(&mut self, iteration: &Iteration<'_>) {
        self.iterations = iteration.number;
        if let Some(checkpoint) = self.checkpoint {
            let written = checkpoint.write(iteration.number, iteration.predicates, self.expressions);
            self.failure = written.err().or(self.failure.take());
        }
        let now = Instant::now();
        let model = self.problem.model();
        self.diary.enter(model, iteration);
        self.reporter.tell(&Iterated {
            number: iteration.number,
            path: iteration.path.map(|path| path.steps.len()),
            cause: iteration.cause.map(|(cause, step)| (cause.word(), step)),
            added: iteration.added.iter().map(|formula| describe(model, formula)).collect(),
            predicates: iteration.predicates.len(),
            figures: iteration.figures,
            time: now.duration_since(self.last),
        });
        self.last = now;
    }
}
