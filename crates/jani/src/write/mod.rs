//! Syntax to JANI text.
//!
//! The text is stable (the same tree gives the same bytes), valid JANI except where the tree holds PlaJA's extensions, and
//! reads back to an equal tree up to places. Declarations and edges stand on lines of their own; an expression stands on
//! one line, because indenting a deep one would take quadratic space.
//!
//! Not written, because the tree does not hold it: comments, and properties that were refused when read
//! ([`PropertyBody::Unsupported`]). Included files are written in place.

mod expression;
mod features;
mod json;
mod number;
mod property;

use std::sync::Arc;

use crate::syntax::{
    AssignedValue, Assignment, Automaton, Edge, ExprId, FunctionDeclaration, Model, ModelKind, NumericBase, Pool,
    PropertyBody, System, Type, TypeKind, VariableDeclaration,
};
use json::Json;

/// The model as JANI text, with a final line break.
#[must_use]
pub fn write_model(model: &Model) -> String {
    let mut writer = Writer { out: Json::default(), pool: &model.pool };
    writer.model(model);
    writer.out.finish()
}

struct Writer<'m> {
    out: Json,
    pool: &'m Pool,
}

impl Writer<'_> {
    fn model(&mut self, model: &Model) {
        self.out.open_object();
        self.out.key("jani-version");
        self.out.raw("1");
        self.text_member("name", &model.name.value);
        self.text_member(
            "type",
            match model.kind {
                ModelKind::Lts => "lts",
                ModelKind::Dtmc => "dtmc",
                ModelKind::Mdp => "mdp",
            },
        );
        let features = features::features(model);
        if !features.is_empty() {
            self.out.key("features");
            self.names(features.iter());
        }
        self.list("actions", &model.actions, |w, action| {
            w.out.open_inline_object();
            w.text_member("name", &action.value);
            w.out.close();
        });
        self.list("constants", &model.constants, |w, constant| {
            w.out.open_inline_object();
            w.text_member("name", &constant.name.value);
            w.type_member(&constant.ty);
            w.optional("value", constant.value);
            w.out.close();
        });
        self.list("variables", &model.variables, Self::variable);
        self.list("functions", &model.functions, Self::function);
        self.wrapped("restrict-initial", model.restrict_initial);
        self.out.key("automata");
        self.items(&model.automata, Self::automaton);
        self.system(&model.system);
        let written: Vec<_> =
            model.properties.iter().filter(|p| !matches!(p.body, PropertyBody::Unsupported(_))).collect();
        self.list("properties", &written, |w, property| w.property(property));
        self.out.close();
    }

    fn text_member(&mut self, key: &str, value: &str) {
        self.out.key(key);
        self.out.string(value);
    }

    fn names<'a>(&mut self, names: impl Iterator<Item = &'a Arc<str>>) {
        self.out.open_inline_array();
        for name in names {
            self.out.item();
            self.out.string(name);
        }
        self.out.close();
    }

    /// A member that is an array, left out when it is empty.
    fn list<T>(&mut self, key: &str, items: &[T], write: impl FnMut(&mut Self, &T)) {
        if !items.is_empty() {
            self.out.key(key);
            self.items(items, write);
        }
    }

    fn items<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.out.open_array();
        for item in items {
            self.out.item();
            write(self, item);
        }
        self.out.close();
    }

    fn optional(&mut self, key: &str, expression: Option<ExprId>) {
        if let Some(expression) = expression {
            self.member(key, expression);
        }
    }

    fn member(&mut self, key: &str, expression: ExprId) {
        self.out.key(key);
        self.expression(expression);
    }

    /// `"guard": {"exp": ...}`.
    fn wrapped(&mut self, key: &str, expression: Option<ExprId>) {
        if let Some(expression) = expression {
            self.out.key(key);
            self.out.open_inline_object();
            self.member("exp", expression);
            self.out.close();
        }
    }

    fn type_member(&mut self, ty: &Type) {
        self.out.key("type");
        let mut inner = &ty.value;
        let mut arrays = 0;
        while let TypeKind::Array(base) = inner {
            self.out.open_inline_object();
            self.text_member("kind", "array");
            self.out.key("base");
            inner = &base.value;
            arrays += 1;
        }
        match inner {
            TypeKind::Bool => self.out.string("bool"),
            TypeKind::Int => self.out.string("int"),
            TypeKind::Real => self.out.string("real"),
            TypeKind::Clock => self.out.string("clock"),
            TypeKind::Continuous => self.out.string("continuous"),
            TypeKind::Array(_) => unreachable!("arrays were unwrapped above"),
            TypeKind::Bounded { base, lower, upper } => {
                self.out.open_inline_object();
                self.text_member("kind", "bounded");
                self.text_member(
                    "base",
                    match base {
                        NumericBase::Int => "int",
                        NumericBase::Real => "real",
                    },
                );
                self.optional("lower-bound", *lower);
                self.optional("upper-bound", *upper);
                self.out.close();
            }
        }
        for _ in 0..arrays {
            self.out.close();
        }
    }

    fn variable(&mut self, variable: &VariableDeclaration) {
        self.out.open_inline_object();
        self.text_member("name", &variable.name.value);
        self.type_member(&variable.ty);
        if variable.transient {
            self.out.key("transient");
            self.out.raw("true");
        }
        self.optional("initial-value", variable.initial_value);
        self.out.close();
    }

    fn function(&mut self, function: &FunctionDeclaration) {
        self.out.open_object();
        self.text_member("name", &function.name.value);
        self.type_member(&function.ty);
        self.out.key("parameters");
        self.items(&function.parameters, |w, (name, ty)| {
            w.out.open_inline_object();
            w.text_member("name", &name.value);
            w.type_member(ty);
            w.out.close();
        });
        self.member("body", function.body);
        self.out.close();
    }

    fn automaton(&mut self, automaton: &Automaton) {
        self.out.open_object();
        self.text_member("name", &automaton.name.value);
        self.list("variables", &automaton.variables, Self::variable);
        self.list("functions", &automaton.functions, Self::function);
        self.wrapped("restrict-initial", automaton.restrict_initial);
        self.out.key("locations");
        self.items(&automaton.locations, |w, location| {
            w.out.open_inline_object();
            w.text_member("name", &location.name.value);
            if !location.transient_values.is_empty() {
                w.out.key("transient-values");
                w.out.open_inline_array();
                for (reference, value) in &location.transient_values {
                    w.out.item();
                    w.out.open_inline_object();
                    w.member("ref", *reference);
                    w.member("value", *value);
                    w.out.close();
                }
                w.out.close();
            }
            w.out.close();
        });
        self.out.key("initial-locations");
        self.names(automaton.initial_locations.iter().map(|name| &name.value));
        self.out.key("edges");
        self.items(&automaton.edges, Self::edge);
        self.out.close();
    }

    fn edge(&mut self, edge: &Edge) {
        self.out.open_object();
        self.text_member("location", &edge.location.value);
        if let Some(action) = &edge.action {
            self.text_member("action", &action.value);
        }
        self.wrapped("guard", edge.guard);
        self.out.key("destinations");
        self.items(&edge.destinations, |w, destination| {
            w.out.open_object();
            w.text_member("location", &destination.location.value);
            w.wrapped("probability", destination.probability);
            w.list("assignments", &destination.assignments, Self::assignment);
            w.out.close();
        });
        self.out.close();
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.out.open_inline_object();
        self.member("ref", assignment.reference);
        match assignment.value {
            AssignedValue::Expression(value) => self.member("value", value),
            AssignedValue::Interval(lower, upper) => {
                self.member("lower-bound", lower);
                self.member("upper-bound", upper);
            }
        }
        if assignment.index != 0 {
            self.out.key("index");
            self.out.raw(&assignment.index.to_string());
        }
        self.out.close();
    }

    fn system(&mut self, system: &System) {
        self.out.key("system");
        self.out.open_object();
        self.out.key("elements");
        self.items(&system.elements, |w, element| {
            w.out.open_inline_object();
            w.text_member("automaton", &element.automaton.value);
            if !element.input_enable.is_empty() {
                w.out.key("input-enable");
                w.names(element.input_enable.iter().map(|name| &name.value));
            }
            w.out.close();
        });
        if let Some(syncs) = &system.syncs {
            self.out.key("syncs");
            self.items(syncs, |w, sync| {
                w.out.open_inline_object();
                w.out.key("synchronise");
                w.out.open_inline_array();
                for action in &sync.synchronise {
                    w.out.item();
                    match action {
                        Some(action) => w.out.string(&action.value),
                        None => w.out.raw("null"),
                    }
                }
                w.out.close();
                if let Some(result) = &sync.result {
                    w.text_member("result", &result.value);
                }
                w.out.close();
            });
        }
        self.out.close();
    }
}
