//! Templates, compiled once: for a question only the box is set, and what else must hold is added.
//!
//! **Soundness.** Error bounds of rows and scores are those of the template's box. A narrowed box lies within it, so they hold there
//! too. **Independence.** What is compiled depends on the template alone, and additions are taken back, so answers do not depend on
//! the questions before.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use surefoot_linear::Formula;

use super::compile::Compiler;
use super::compiled::{Compiled, Part};
use super::oracle::BranchAndBound;
use crate::question::Question;
use crate::template::{Narrowing, Template};
use crate::variable::Variable;

/// More templates than this are not kept compiled at once.
const KEPT: usize = 4096;

/// Templates kept compiled, found by their addresses; they are kept alive here, so that an address cannot come to mean
/// something else.
#[derive(Debug, Default)]
pub(crate) struct CompiledTemplates {
    kept: FxHashMap<usize, CompiledTemplate>,
}

impl CompiledTemplates {
    fn take(&mut self, template: &Template) -> Option<CompiledTemplate> {
        self.kept.remove(&(template.address()))
    }

    fn put(&mut self, compiled: CompiledTemplate) {
        if self.kept.len() >= KEPT {
            self.kept.clear();
        }
        self.kept.insert(compiled.template.address(), compiled);
    }
}

/// A template at work: a copy of its question, and what is compiled of it.
#[derive(Debug)]
struct CompiledTemplate {
    template: Template,
    question: Question,
    compiled: Compiled<'static>,
}

/// How much of what is compiled belongs to the template.
struct Mark {
    rows: usize,
    scores: usize,
    parts: usize,
    root: u32,
}

impl CompiledTemplate {
    /// Sets the box and adds constraints; `None` when a variable has no values.
    fn narrow(&mut self, variables: &[Variable], also: &[Formula]) -> Option<Mark> {
        for (v, variable) in variables.iter().enumerate() {
            let (lower, upper, inner) = variable.ends()?;
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
    fn compiled_template(&mut self, template: &Template) -> Option<CompiledTemplate> {
        if let Some(known) = self.templates.take(template) {
            return Some(known);
        }
        let compiled = self.compile(template.question(), template.tracked())?.into_owned();
        Some(CompiledTemplate { template: template.clone(), question: template.question().clone(), compiled })
    }

    /// Works on a template's question in a narrowed box where more holds; `None` when a variable has no values there.
    pub(super) fn narrowed<R>(
        &mut self,
        template: &Template,
        within: Narrowing<'_>,
        work: impl FnOnce(&mut Self, &Question, &Compiled<'_>) -> R,
    ) -> Option<R> {
        template.check_within(within.variables);
        let mut own = self.compiled_template(template)?;
        let done = own.narrow(within.variables, within.also).map(|mark| {
            let done = work(self, &own.question, &own.compiled);
            own.restore(&mark);
            done
        });
        self.templates.put(own);
        done
    }
}
