//! Questions that differ only in their boxes and a few constraints, compiled once.
//!
//! Predicate abstraction asks the same of one abstract state after the other. A [`Template`] is what they have in common; an oracle
//! keeps it compiled, and for a question only sets the box and adds what else must hold.
//!
//! **Soundness.** Error bounds of rows and scores are those of the template's box. A narrowed box lies within it, so they hold there
//! too. **Independence.** What is compiled depends on the template alone, and additions are taken back, so answers do not depend on
//! the questions before.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_linear::Formula;

use super::collect::Collected;
use super::compile::{Compiled, Compiler, Part};
use super::engine::{BranchAndBound, Task, stopped_by};
use super::layout::ends;
use crate::answer::Limits;
use crate::assignment::{Assignment, Assignments};
use crate::question::{Question, Variable};

/// More templates than this are not kept compiled at once.
const KEPT: usize = 4096;

/// A question over the widest box that is to be asked about, and the formulas to be tracked.
#[derive(Debug, Clone)]
pub struct Template {
    common: Arc<Common>,
}

#[derive(Debug)]
struct Common {
    question: Question,
    tracked: Vec<Formula>,
}

impl Template {
    /// A template of a question.
    ///
    /// # Panics
    /// When the question does not pass [`Question::check`].
    #[must_use]
    pub fn new(question: Question, tracked: Vec<Formula>) -> Self {
        if let Err(error) = question.check() {
            panic!("a template that does not pass its check: {error}");
        }
        Self { common: Arc::new(Common { question, tracked }) }
    }

    /// The question over the widest box.
    #[must_use]
    pub fn question(&self) -> &Question {
        &self.common.question
    }

    /// The formulas that are tracked.
    #[must_use]
    pub fn tracked(&self) -> &[Formula] {
        &self.common.tracked
    }

    /// Checks that a narrowed box is one.
    ///
    /// Soundness: error bounds are those of the widest box.
    fn check_within(&self, variables: &[Variable]) {
        let widest = &self.question().variables;
        assert_eq!(widest.len(), variables.len(), "one variable for each of the template");
        let within = |(variable, widest): (&Variable, &Variable)| {
            variable.kind == widest.kind && variable.lower >= widest.lower && variable.upper <= widest.upper
        };
        assert!(variables.iter().zip(widest).all(within), "a narrowed box lies within the template's");
    }

    /// The question with narrower bounds, and with more that must hold.
    #[must_use]
    pub fn narrowed(&self, variables: &[Variable], also: &[Formula]) -> Question {
        let Question { applications, formula, .. } = self.question();
        let parts = also.iter().cloned().chain([formula.clone()]);
        Question { variables: variables.to_vec(), applications: applications.clone(), formula: Formula::all(parts) }
    }
}

/// Templates kept compiled, found by their addresses; they are kept alive here, so that an address cannot come to mean
/// something else.
#[derive(Debug, Default)]
pub(crate) struct Benches {
    kept: FxHashMap<usize, Bench>,
}

impl Benches {
    fn take(&mut self, template: &Template) -> Option<Bench> {
        self.kept.remove(&(Arc::as_ptr(&template.common) as usize))
    }

    fn put(&mut self, bench: Bench) {
        if self.kept.len() >= KEPT {
            self.kept.clear();
        }
        self.kept.insert(Arc::as_ptr(&bench.template.common) as usize, bench);
    }
}

/// A template at work: a copy of its question, and what is compiled of it.
#[derive(Debug)]
struct Bench {
    template: Template,
    question: Question,
    compiled: Compiled<'static>,
}

/// How much of a bench belongs to the template.
struct Mark {
    rows: usize,
    scores: usize,
    parts: usize,
    root: u32,
}

impl Bench {
    /// Sets the box and adds constraints; `None` when a variable has no values.
    fn narrow(&mut self, variables: &[Variable], also: &[Formula]) -> Option<Mark> {
        for (v, variable) in variables.iter().enumerate() {
            let (lower, upper, inner) = ends(variable)?;
            let own = &mut self.question.variables[v];
            own.lower.clone_from(&variable.lower);
            own.upper.clone_from(&variable.upper);
            (self.compiled.lower[v], self.compiled.upper[v], self.compiled.inner[v]) = (lower, upper, inner);
        }
        let compiled = &self.compiled;
        let (rows, scores, parts) = (compiled.rows.len(), compiled.scores.len(), compiled.parts.len());
        let mark = Mark { rows, scores, parts, root: compiled.root };
        if !also.is_empty() {
            self.add(also);
        }
        Some(mark)
    }

    fn add(&mut self, also: &[Formula]) {
        let own = std::mem::replace(&mut self.question.formula, Formula::truth());
        self.question.formula = Formula::all(also.iter().cloned().chain([own]));
        if let Err(error) = self.question.check() {
            panic!("a question that does not pass its check: {error}");
        }
        let compiled = std::mem::replace(&mut self.compiled, Compiled::empty());
        let root = compiled.root;
        let mut compiler = Compiler::resume(self.template.question(), compiled);
        let mut children: Vec<u32> = also.iter().map(|f| compiler.formula(Cow::Owned(f.clone()))).collect();
        children.push(root);
        self.compiled = compiler.rooted(Part::All(children));
    }

    /// Takes back what was added.
    fn restore(&mut self, mark: &Mark) {
        if self.compiled.parts.len() > mark.parts {
            self.compiled.rows.truncate(mark.rows);
            self.compiled.scores.truncate(mark.scores);
            self.compiled.parts.truncate(mark.parts);
            self.compiled.atoms.truncate(mark.parts);
            self.compiled.root = mark.root;
            self.question.formula.clone_from(&self.template.question().formula);
        }
    }
}

impl BranchAndBound {
    /// The template, ready to be narrowed; `None` when one of its variables has no values.
    fn bench(&mut self, template: &Template) -> Option<Bench> {
        if let Some(bench) = self.benches.take(template) {
            return Some(bench);
        }
        let compiled = self.compile(template.question(), template.tracked())?.into_owned();
        Some(Bench { template: template.clone(), question: template.question().clone(), compiled })
    }

    /// Works on a template's question in a narrowed box where more holds; `None` when a variable has no values there.
    pub(crate) fn narrowed<R>(
        &mut self,
        template: &Template,
        (variables, also): (&[Variable], &[Formula]),
        limits: &Limits,
        work: impl FnOnce(&mut Self, &Task<'_>) -> R,
    ) -> Option<R> {
        template.check_within(variables);
        let mut bench = self.bench(template)?;
        let done = bench.narrow(variables, also).map(|mark| {
            let Bench { question, compiled, .. } = &bench;
            let done = work(self, &Task { question, compiled, tracked: template.tracked(), limits, reduced: None });
            bench.restore(&mark);
            done
        });
        self.benches.put(bench);
        done
    }

    /// All assignments of a template's tracked formulas in a narrowed box.
    pub(crate) fn collect_within(
        &mut self,
        template: &Template,
        within: (&[Variable], &[Formula]),
        excluded: &FxHashSet<Assignment>,
        limits: &Limits,
    ) -> Assignments {
        self.statistics.questions += 1;
        let all = self.narrowed(template, within, limits, |oracle, task| {
            oracle.collected = Some(Collected::excluding(excluded));
            let answer = oracle.search(task, None);
            let collected = oracle.collected.take().expect("set above");
            Assignments { found: collected.into_found(), stopped: stopped_by(&answer) }
        });
        all.unwrap_or(Assignments { found: std::collections::BTreeMap::new(), stopped: None })
    }
}
