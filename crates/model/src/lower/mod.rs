//! Syntax to meaning: constants, names, types, instances and synchronisation vectors.
//!
//! [`lower`] does everything about the model; properties and policies are lowered when they are asked for, against the
//! same [`Lowered`] value, because a file may hold properties that cannot be used. Functions are inlined, arrays flattened,
//! and every expression is walked by a loop over its post-ordered arena, so nesting depth costs no stack.

mod array;
mod automaton;
mod constants;
mod domain;
mod duplicates;
mod expression;
mod names;
mod order;
mod system;
mod transients;
mod variables;

use std::sync::Arc;

use surefoot_jani::syntax;
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

pub use names::{Names, Value};

use crate::model::{Model, Slot, Transient};
use crate::term::{TermId, TermPool};
use expression::Scope;

/// A constant given from outside: `--const NAME=VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenConstant {
    /// Its name.
    pub name: String,
    /// `true`, `false` or a number.
    pub value: Rational,
    /// Whether it was written as a truth value.
    pub is_bool: bool,
}

impl GivenConstant {
    /// Reads `NAME=VALUE`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("'{text}' is not of the form NAME=VALUE (as in N=16 or p=0.7)"))?;
        let (name, value) = (name.trim().to_owned(), value.trim());
        match value {
            "true" | "false" => Ok(Self { name, value: Rational::from(value == "true"), is_bool: true }),
            _ => {
                let value = value.parse().map_err(|error| format!("the constant '{name}': {error}"))?;
                Ok(Self { name, value, is_bool: false })
            }
        }
    }
}

/// A model with what is needed to lower properties and policies against it.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The model.
    pub model: Model,
    /// What its names stand for.
    pub names: Names,
    /// Warnings and notices.
    pub notes: Vec<Diagnostic>,
    syntax: Arc<syntax::Model>,
}

/// The state of a lowering in progress.
struct Lowering<'s> {
    syntax: &'s syntax::Model,
    terms: TermPool,
    names: Names,
    slots: Vec<Slot>,
    transients: Vec<Transient>,
    notes: Vec<Diagnostic>,
    /// Expression nodes visited so far, functions inlined: bounded, because inlining can explode.
    visited: u64,
}

/// Constants without a value, for `check`: name and type.
#[must_use]
pub fn undefined_constants(syntax: &syntax::Model) -> Vec<(Arc<str>, &'static str)> {
    let missing = syntax.constants.iter().filter(|c| c.value.is_none());
    missing.map(|c| (Arc::clone(&c.name.value), domain::type_name(&c.ty))).collect()
}

/// Gives a model its meaning.
///
/// # Errors
/// All that is wrong with it, as far as it can be told at once.
pub fn lower(syntax: Arc<syntax::Model>, given: &[GivenConstant]) -> Result<Lowered, Vec<Diagnostic>> {
    let mut lowering = Lowering {
        syntax: &syntax,
        terms: TermPool::default(),
        names: Names::default(),
        slots: Vec::new(),
        transients: Vec::new(),
        notes: Vec::new(),
        visited: 0,
    };
    let (instances, vectors, restrict_initial, labels) = lowering.run(given)?;
    let Lowering { terms, names, slots, transients, notes, .. } = lowering;
    let model = Model {
        name: Arc::clone(&syntax.name.value),
        kind: syntax.kind,
        terms,
        slots,
        transients,
        labels,
        instances,
        vectors,
        restrict_initial,
    };
    Ok(Lowered { model, names, notes, syntax })
}

type Parts = (Vec<crate::model::Instance>, Vec<crate::model::Vector>, TermId, Vec<Arc<str>>);

impl Lowering<'_> {
    fn run(&mut self, given: &[GivenConstant]) -> Result<Parts, Vec<Diagnostic>> {
        let one = |error: Diagnostic| vec![error];
        duplicates::check(self.syntax)?;
        self.lower_constants(given)?;
        let labels = self.lower_labels().map_err(one)?;
        self.declare_instances().map_err(one)?;
        self.declare_variables()?;
        self.define_transients().map_err(one)?;
        let instances = self.lower_automata(&labels)?;
        let vectors = self.lower_system(&labels, &instances).map_err(one)?;
        let restrict_initial = self.lower_restrictions().map_err(one)?;
        Ok((instances, vectors, restrict_initial, labels))
    }

    fn lower_restrictions(&mut self) -> Result<TermId, Diagnostic> {
        let syntax = self.syntax;
        let mut all = self.terms.bool(true);
        if let Some(condition) = syntax.restrict_initial {
            all = self.lower_bool(condition, &Scope::global())?;
        }
        for i in 0..self.names.instances.len() {
            let automaton = &syntax.automata[self.names.instances[i].automaton];
            if let Some(condition) = automaton.restrict_initial {
                let local = self.lower_bool(condition, &Scope::instance(i))?;
                all = self.terms.and(all, local);
            }
        }
        Ok(all)
    }
}

impl Lowered {
    /// The syntax it came from.
    #[must_use]
    pub fn syntax(&self) -> &syntax::Model {
        &self.syntax
    }

    /// Runs `f` with a lowering that adds to this model's terms.
    fn extend<T>(&mut self, f: impl FnOnce(&mut Lowering<'_>) -> T) -> T {
        let syntax = Arc::clone(&self.syntax);
        let mut lowering = Lowering {
            syntax: &syntax,
            terms: std::mem::take(&mut self.model.terms),
            names: std::mem::take(&mut self.names),
            slots: std::mem::take(&mut self.model.slots),
            transients: std::mem::take(&mut self.model.transients),
            notes: std::mem::take(&mut self.notes),
            visited: 0,
        };
        let result = f(&mut lowering);
        let Lowering { terms, names, slots, transients, notes, .. } = lowering;
        self.model.terms = terms;
        self.names = names;
        self.model.slots = slots;
        self.model.transients = transients;
        self.notes = notes;
        result
    }

    /// Lowers a condition of the model's file or of a properties file read with it.
    ///
    /// # Errors
    /// Unknown names and type errors, with their place.
    pub fn lower_condition(&mut self, expression: syntax::ExprId) -> Result<TermId, Diagnostic> {
        self.extend(|lowering| lowering.lower_bool(expression, &Scope::property()))
    }

    /// Lowers a scalar expression of the model's file or of a properties file read with it.
    ///
    /// # Errors
    /// Unknown names and type errors, with their place.
    pub fn lower_scalar(&mut self, expression: syntax::ExprId) -> Result<TermId, Diagnostic> {
        self.extend(|lowering| lowering.lower_term(expression, &Scope::property()))
    }

    /// The arena of syntax expressions, for readers of files that add to it (policies, formulas).
    pub fn pool_mut(&mut self) -> &mut syntax::Pool {
        &mut Arc::make_mut(&mut self.syntax).pool
    }

    /// What a reference (a name or an array cell with constant index) stands for.
    ///
    /// # Errors
    /// Unknown names, with their place.
    pub fn lower_reference(&mut self, expression: syntax::ExprId) -> Result<Value, Diagnostic> {
        self.extend(|lowering| lowering.lower_value(expression, &Scope::property()))
    }

    /// The condition that an instance is at a location.
    ///
    /// # Errors
    /// Unknown automata, occurrences and locations, with their place.
    pub fn lower_location(&mut self, reference: &syntax::LocationRef) -> Result<(usize, u32), Diagnostic> {
        self.extend(|lowering| lowering.resolve_location(reference))
    }
}
