//! Bounded model checking: all paths under the policy, shortest first.
//!
//! *Violated* comes with a shortest run, replayed; *holds* where every path was followed to its end; and a search that gives up says
//! within how many steps nothing unsafe is reached.

use surefoot_abstraction::Oracles;
use surefoot_bmc::{Figures, Followed, Options, bmc};
use surefoot_oracle::FullOracle;
use surefoot_text::counted;
use surefoot_verdict::{Because, Event, Figure, Reason, Reporter, Unsupported};

use crate::abstraction::{failure, supports, system};
use crate::cegar::{error_of_run, violated};
use crate::engine::{
    Account, Asked, Budget, Details, Engine, Evidence, Outcome, Purpose, Setting, Verdict, VerifyOptions,
};
use crate::open::OpenErrors;
use crate::problem::{Failure, Problem};
use crate::start::check_defined;

/// What the search has to tell besides the verdict.
#[derive(Debug, Clone, Copy)]
pub struct BmcDetails {
    /// The figures.
    pub figures: Figures,
    /// Nothing unsafe is reached within so many steps; `None` where not even start states are known to be safe, or all paths end.
    pub refuted: Option<u32>,
}

/// All paths under the policy, shortest first.
#[derive(Debug)]
pub(crate) struct Bmc;

impl Engine for Bmc {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn supports(&self, asked: &Asked<'_>, purpose: Purpose) -> Result<(), Unsupported> {
        supports(self.name(), asked, purpose)
    }

    fn decide(
        &self,
        problem: &Problem,
        options: &VerifyOptions,
        budget: &Budget,
        reporter: &dyn Reporter,
    ) -> Result<Outcome, Failure> {
        decide(problem, options, budget, reporter)
    }

    fn takes(&self, setting: Setting) -> bool {
        matches!(setting, Setting::Depth | Setting::Oracle)
    }

    fn slices(&self) -> bool {
        false
    }
}

/// Decides the property of a problem as far as paths of at most the given depth do.
fn decide(
    problem: &Problem,
    options: &VerifyOptions,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let Some(request) = &options.oracle else {
        return run(problem, options, &Oracles::seeded(options.seed), budget, reporter);
    };
    let (outside, witnesses) = request.start(budget)?;
    let found = run(problem, options, &Oracles::like(outside), budget, reporter);
    Ok(found.map_err(|failure| witnesses.blamed(failure))?.by(witnesses))
}

fn run(
    problem: &Problem,
    options: &VerifyOptions,
    oracles: &Oracles<impl FullOracle>,
    budget: &Budget,
    reporter: &dyn Reporter,
) -> Result<Outcome, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads.max(1)).build();
    let pool = pool.map_err(|error| Failure::Internal(format!("no threads: {error}")))?;
    let mut system = system(&Asked::of(problem), &[])?;
    check_defined(problem, budget)?;
    let VerifyOptions { depth, assume_no_errors, .. } = *options;
    let bmc_options = Options { depth, limits: budget.oracle_limits(), ..Options::default() };
    let found = pool.install(|| bmc(&mut system, &bmc_options, oracles, reporter));
    let found = found.map_err(|error| failure(problem, error))?;
    let proof = |depth| Evidence::AllPaths { paths: found.figures.paths, depth };
    let (mut open, mut assumptions) = (None, Vec::new());
    let (verdict, refuted) = match found.outcome {
        surefoot_bmc::Outcome::Unsafe(states) => {
            (violated(problem, &states)?, states.len().checked_sub(2).and_then(|depth| u32::try_from(depth).ok()))
        }
        surefoot_bmc::Outcome::Fault(fault, states) => return Err(error_of_run(problem, &states, &fault.what)),
        surefoot_bmc::Outcome::Safe { depth } => (Verdict::Holds(proof(depth)), None),
        surefoot_bmc::Outcome::Open { depth, what, stop } => {
            let because = Because::Limit(budget.limit(stop));
            let errors = OpenErrors::new(what, because, proof(depth));
            let (verdict, assumed) = errors.verdict(assume_no_errors);
            (open, assumptions) = (Some(errors), assumed);
            (verdict, None)
        }
        surefoot_bmc::Outcome::Unknown { refuted, stop } => {
            let limit = budget.limit(stop);
            let safe = |steps| Reason::Steps { limit, safe: u64::from(steps) };
            (Verdict::Unknown(refuted.map_or(limit.into(), safe)), refuted)
        }
    };
    let details = Details::Bmc(BmcDetails { figures: found.figures, refuted });
    Ok(Outcome { verdict, engine: Bmc.name(), assumptions, open, details, outside: None })
}

impl Account for BmcDetails {
    fn last(&self) -> Vec<Figure> {
        Followed { refuted: self.refuted, open: 0, figures: self.figures }.figures()
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let Figures { paths, merged, .. } = self.figures;
        vec![("followed", format!("{}; {merged} more end like others", counted(paths, "path")))]
    }

    fn told(&self, outcome: &Outcome) -> String {
        let work = format!("{}, {}", counted(self.figures.questions, "question"), counted(self.figures.nodes, "node"));
        let evidence = match &outcome.verdict {
            Verdict::Holds(Evidence::AllPaths { depth, .. }) => {
                format!("all paths were followed to their ends, after at most {}", counted(u64::from(*depth), "step"))
            }
            Verdict::Unknown(_) if outcome.open.is_some() => {
                "all paths were followed to their ends, and errors are open".to_owned()
            }
            Verdict::Unknown(_) => "not decided".to_owned(),
            _ => "the run below is a shortest one, and was replayed in exact arithmetic".to_owned(),
        };
        format!("{}; {evidence}; {work}", outcome.engine)
    }
}
