//! Branch and bound as an oracle: questions are compiled, searched with a goal, and answered.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use surefoot_linear::Formula;
use surefoot_num::Rational;

use super::cache::Cache;
use super::collected::Collected;
use super::compiled::Compiled;
use super::engine::{Search, Sink, reborrow};
use super::examine::OneWitness;
use super::goal::Witnesses;
use super::layout::compile;
use super::nowhere::alternatives;
use super::options::Options;
use super::task::Task;
use super::template::CompiledTemplates;
use super::undecided::Undecided;
use super::workspace::Workspace;
use crate::answer::{Answer, KeepStatistics, Limits, Oracle, Replicate, Statistics};
use crate::assignment::{AllAssignments, Assignment, Assignments};
use crate::change::MinimalChange;
use crate::nowhere::{Holds, Nowhere};
use crate::proof::ProofSink;
use crate::question::Question;
use crate::relaxed::Relaxed;
use crate::template::{Narrowing, Template};

/// Branch and bound over boxes; the default oracle.
#[derive(Debug)]
pub struct BranchAndBound {
    pub(super) options: Options,
    /// Networks that are prepared.
    cache: Cache,
    pub(super) templates: CompiledTemplates,
    pub(super) statistics: Statistics,
    pub(super) work: Workspace,
}

/// Branch and bound that tells somebody every step; it searches and answers as it does alone.
pub struct WithProof<'a> {
    oracle: &'a mut BranchAndBound,
    sink: &'a mut dyn ProofSink,
}

impl BranchAndBound {
    /// An oracle with the given options.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            cache: Cache::default(),
            templates: CompiledTemplates::default(),
            statistics: Statistics::default(),
            work: Workspace::new(),
        }
    }

    /// The smallest box that the last search for witnesses had to leave open, if it did: why its answer is not known.
    #[must_use]
    pub fn undecided(&self) -> Option<&Undecided> {
        self.work.undecided.as_ref()
    }

    /// The same oracle, announcing every step of its searches.
    pub fn with_proof<'a>(&'a mut self, sink: &'a mut dyn ProofSink) -> WithProof<'a> {
        WithProof { oracle: self, sink }
    }

    /// The question in the form that the search works on; `None` when a variable has no values.
    pub(super) fn compile<'q>(&mut self, question: &'q Question, tracked: &'q [Formula]) -> Option<Compiled<'q>> {
        let cache = &mut self.cache;
        compile(question, tracked, |application, magnitude, begin| cache.setting(application, magnitude, begin))
    }

    /// A search for a task.
    pub(super) fn search<'a, G>(&'a mut self, task: Task<'a, G>, sink: Sink<'a>) -> Search<'a, G> {
        let Self { options, work, statistics, .. } = self;
        Search { task, options, work, start: statistics.nodes, statistics, sink }
    }

    /// Looks for witnesses of a question, with formulas that are tracked.
    fn ask<G: Witnesses>(
        &mut self,
        question: &Question,
        tracked: &[Formula],
        limits: &Limits,
        goal: &mut G,
        mut sink: Sink<'_>,
    ) -> Answer {
        if let Err(error) = question.check() {
            // Soundness: floats could not tell integers apart, and symbols would mean something else.
            panic!("a question that does not pass its check: {error}");
        }
        self.statistics.questions += 1;
        // Whoever asks many questions is not held up by the preparation of each when the time is over.
        if let Some(limit) = limits.stop_now() {
            return Answer::Unknown(limit);
        }
        let Some(compiled) = self.compile(question, tracked) else { return Answer::Unsat };
        let task = Task { question, compiled: &compiled, tracked, reduced: None, limits, goal };
        self.search(task, reborrow(&mut sink)).run()
    }

    fn find(&mut self, question: &Question, limits: &Limits, sink: Sink<'_>) -> Answer {
        self.ask(question, &[], limits, &mut OneWitness, sink)
    }

    fn find_all(
        &mut self,
        question: &Question,
        tracked: &[Formula],
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
        sink: Sink<'_>,
    ) -> Assignments {
        let mut collected = Collected::excluding(excluded);
        let answer = self.ask(question, tracked, limits, &mut collected, sink);
        Assignments { found: collected.into_found(), stopped: answer.limit() }
    }

    fn find_all_within(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
        mut sink: Sink<'_>,
    ) -> Assignments {
        self.statistics.questions += 1;
        let all = self.narrowed(template, within, |oracle, question, compiled| {
            let mut collected = Collected::excluding(excluded);
            let task =
                Task { question, compiled, tracked: template.tracked(), reduced: None, limits, goal: &mut collected };
            let answer = oracle.search(task, reborrow(&mut sink)).run();
            Assignments { found: collected.into_found(), stopped: answer.limit() }
        });
        all.unwrap_or(Assignments { found: BTreeMap::new(), stopped: None })
    }

    fn assigned_at(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        point: &[f64],
    ) -> Option<(Assignment, Vec<Rational>)> {
        let limits = Limits::default();
        let found = self.narrowed(template, within, |oracle, question, compiled| {
            let Compiled { lower, upper, integral, .. } = compiled;
            assert_eq!(point.len(), lower.len(), "one value per variable");
            let fits = |v: usize| lower[v] <= point[v] && point[v] <= upper[v];
            if !(0..point.len()).all(|v| fits(v) && (!integral[v] || point[v].fract() == 0.0)) {
                return None;
            }
            let mut collected = Collected::default();
            let (tracked, goal) = (template.tracked(), &mut collected);
            let task = Task { question, compiled, tracked, reduced: None, limits: &limits, goal };
            oracle.search(task, None).accept(0, point);
            collected.into_found().pop_first()
        });
        found.flatten()
    }

    fn exclude(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        asked: &[bool],
        limits: &Limits,
        sink: Sink<'_>,
    ) -> Vec<Holds> {
        self.statistics.questions += 1;
        let empty = |asked: &bool| if *asked { Holds::Nowhere } else { Holds::Unknown };
        self.narrowed(template, within, |oracle, question, compiled| {
            alternatives(oracle, question, compiled, template.tracked(), asked, limits, sink)
        })
        .unwrap_or_else(|| asked.iter().map(empty).collect())
    }
}

impl Oracle for BranchAndBound {
    fn decide(&mut self, question: &Question, limits: &Limits) -> Answer {
        self.find(question, limits, None)
    }
}

impl AllAssignments for BranchAndBound {
    fn assignments(
        &mut self,
        question: &Question,
        tracked: &[Formula],
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        self.find_all(question, tracked, excluded, limits, None)
    }

    fn assignments_within(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        self.find_all_within(template, within, excluded, limits, None)
    }

    fn assignment_at(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        point: &[f64],
    ) -> Option<(Assignment, Vec<Rational>)> {
        self.assigned_at(template, within, point)
    }
}

/// Decided over the reals, exactly.
impl Relaxed for BranchAndBound {}

impl Nowhere for BranchAndBound {
    /// One search for all formulas; those over several networks are not looked at.
    fn nowhere(&mut self, template: &Template, within: Narrowing<'_>, asked: &[bool], limits: &Limits) -> Vec<Holds> {
        self.exclude(template, within, asked, limits, None)
    }
}

impl MinimalChange for BranchAndBound {}

impl KeepStatistics for BranchAndBound {
    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

impl Replicate for BranchAndBound {
    fn replicate(&self) -> Self {
        Self::new(self.options.clone())
    }
}

impl Oracle for WithProof<'_> {
    fn decide(&mut self, question: &Question, limits: &Limits) -> Answer {
        self.oracle.find(question, limits, Some(self.sink))
    }
}

impl AllAssignments for WithProof<'_> {
    fn assignments(
        &mut self,
        question: &Question,
        tracked: &[Formula],
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        self.oracle.find_all(question, tracked, excluded, limits, Some(self.sink))
    }

    fn assignments_within(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        self.oracle.find_all_within(template, within, excluded, limits, Some(self.sink))
    }

    fn assignment_at(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        point: &[f64],
    ) -> Option<(Assignment, Vec<Rational>)> {
        self.oracle.assigned_at(template, within, point)
    }
}

impl Nowhere for WithProof<'_> {
    fn nowhere(&mut self, template: &Template, within: Narrowing<'_>, asked: &[bool], limits: &Limits) -> Vec<Holds> {
        self.oracle.exclude(template, within, asked, limits, Some(self.sink))
    }
}

impl MinimalChange for WithProof<'_> {}

impl KeepStatistics for WithProof<'_> {
    fn statistics(&self) -> Statistics {
        self.oracle.statistics
    }
}
