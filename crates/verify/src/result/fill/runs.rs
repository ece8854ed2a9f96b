//! Random runs, models for other checkers, and runs that were replayed.

use surefoot_explicit::simulate::confidence::{self, Estimate as Estimated};
use surefoot_explicit::simulate::{RunEnd, Simulation as Simulated};

use super::bounds::interval;
use super::seeks_unsafe;
use crate::problem::Problem;
use crate::replay::bound::{CheckedBound, Confirmed};
use crate::replay::{NotReal, Replayed as Run};
use crate::result::body::{About, Encoded, Exported, Float32, FloatDifference, Induced, RandomRuns, Replayed};
use crate::result::statistics::{Estimate, Simulation, Statistics};
use crate::result::zoo::Trained;
use crate::result::{Body, Evidence, ResultObject, Subject};

impl ResultObject {
    /// Random runs, and the first of them that reaches what is looked for.
    #[must_use]
    pub fn simulated(self, problem: &Problem, simulated: &Simulated, first: Option<&Run>) -> Self {
        let totals = &simulated.totals;
        let is_unsafe = seeks_unsafe(problem) == Some(true);
        let reached = totals.ended(RunEnd::Reach);
        let of_runs = |count: u64| confidence::share(count, totals.runs).map(estimate);
        let looked_for = problem.query.target.and_then(|_| of_runs(reached));
        let statistics = Statistics::Simulation(Simulation {
            runs: totals.runs,
            unsafe_runs: is_unsafe.then_some(reached),
            target_runs: (!is_unsafe).then_some(reached),
            goal_runs: totals.ended(RunEnd::Goal),
            runs_through_goal: totals.through_goal,
            stopped_runs: totals.ended(RunEnd::Stopped),
            step_limit_runs: totals.ended(RunEnd::StepLimit),
            steps: totals.steps,
            shortest_run: totals.shortest,
            longest_run: totals.longest,
            unsafe_share: looked_for.filter(|_| is_unsafe),
            target_share: looked_for.filter(|_| !is_unsafe),
            goal_share: problem.query.goal.and_then(|_| of_runs(totals.through_goal)),
            stopped_share: of_runs(totals.ended(RunEnd::Stopped)),
            mean_length: confidence::mean(totals.runs, totals.steps, totals.squares).map(estimate),
        });
        let mut object = self;
        if !simulated.all_starts {
            let some =
                "random runs begin in some of the start states: there are too many pieces of the start set to keep";
            object.assumptions.push(some.to_owned());
        }
        Self { statistics, witness: first.map(run), ..object.by("simulation") }
    }

    /// A policy that was trained, and random runs under it.
    #[must_use]
    pub fn trained(
        self,
        problem: &Problem,
        judged: &Simulated,
        past_goal: Option<&Simulated>,
        trained: Trained,
    ) -> Self {
        let unsafe_share = |runs: &Simulated| confidence::share(runs.totals.ended(RunEnd::Reach), runs.totals.runs);
        let unsafe_share_past_goal = past_goal.and_then(unsafe_share).map(estimate);
        let found = Some(Trained { unsafe_share_past_goal, ..trained });
        let body = Body::Trained(Box::new(About { subject: Subject::of(problem), found }));
        Self { body: Some(body), ..self.simulated(problem, judged, None).by("training") }
    }

    /// A model that was written to files, or nothing that was.
    #[must_use]
    pub fn induced(
        self,
        problem: &Problem,
        file: Option<String>,
        files: Vec<String>,
        exported: Option<Exported>,
    ) -> Self {
        let files = file.is_some().then_some(files);
        let about = About { subject: Subject::of(problem), found: Some(Induced { file, files, exported }) };
        Self { body: Some(Body::Induced(Box::new(about))), ..self }
    }

    /// A composed system that was written.
    #[must_use]
    pub fn encoded(self, problem: &Problem, encoded: Encoded) -> Self {
        let about = About { subject: Subject::of(problem), found: Some(encoded) };
        Self { body: Some(Body::Encoded(Box::new(about))), ..self }
    }

    /// A witness that is real: where single precision chooses otherwise, and the formula that fails.
    #[must_use]
    pub fn real(
        self,
        problem: &Problem,
        run_of: &Run,
        differences: &[(usize, String)],
        formula: Option<String>,
    ) -> Self {
        let difference =
            |(step, difference): &(usize, String)| FloatDifference { step: *step, difference: difference.clone() };
        let float32 =
            Float32 { agrees: differences.is_empty(), differences: differences.iter().map(difference).collect() };
        let found = Replayed { real: true, float32: Some(float32), formula, ..Replayed::default() };
        Self { witness: Some(run(run_of)), ..self.replayed(problem, found) }
    }

    /// A witness of so many steps that is not.
    #[must_use]
    pub fn not_real(self, problem: &Problem, reason: &NotReal, steps: usize) -> Self {
        let step = match reason {
            NotReal::Start(_) => Some(0),
            NotReal::Step(step, _) => Some(*step),
            NotReal::End(_) => Some(steps),
            NotReal::Claim(_) => None,
        };
        let found = Replayed { real: false, step: Some(step), ..Replayed::default() };
        Self { reason: Some(reason.to_string()), ..self.replayed(problem, found) }
    }

    /// A bound on a probability that was checked.
    #[must_use]
    pub fn checked(self, problem: &Problem, bound: &CheckedBound) -> Self {
        let found = Replayed {
            real: bound.says == Confirmed::Yes,
            step: match &bound.says {
                Confirmed::Yes => None,
                Confirmed::No(NotReal::Start(_)) => Some(Some(0)),
                Confirmed::No(_) | Confirmed::Open(_) => Some(None),
            },
            value: Some(interval(&bound.lower, &bound.upper)),
            scheduled: Some(bound.scheduled),
            simulated: bound.simulated.map(|(runs, reached)| RandomRuns { runs, reached }),
            ..Replayed::default()
        };
        let object = self.replayed(problem, found);
        match &bound.says {
            Confirmed::Yes => object,
            Confirmed::No(reason) => Self { reason: Some(reason.to_string()), ..object },
            Confirmed::Open(reason) => object.unknown(reason.to_string()),
        }
    }

    fn replayed(self, problem: &Problem, found: Replayed) -> Self {
        let about = About { subject: Subject::of(problem), found: Some(found) };
        Self { body: Some(Body::Replayed(Box::new(about))), ..self.by("replay") }
    }
}

fn estimate(estimated: Estimated) -> Estimate {
    Estimate { mean: estimated.mean, lo: estimated.lower, hi: estimated.upper }
}

fn run(run: &Run) -> Evidence {
    Evidence::Run(Box::new(run.witness.clone()))
}
