//! Expressions on one line, with a stack of what is left to write instead of recursion.

use crate::syntax::{Expr, ExprId, LocationRef};
use crate::write::{Writer, number};

enum Piece {
    Node(ExprId),
    Text(&'static str),
}

impl Writer<'_> {
    pub(super) fn expression(&mut self, root: ExprId) {
        let pool = self.pool;
        let mut work = vec![Piece::Node(root)];
        while let Some(piece) = work.pop() {
            let id = match piece {
                Piece::Text(text) => {
                    self.out.raw(text);
                    continue;
                }
                Piece::Node(id) => id,
            };
            match pool.get(id) {
                Expr::Bool(value) => self.out.raw(if *value { "true" } else { "false" }),
                Expr::Number(value) => number::write(&mut self.out, value),
                Expr::Identifier(name) => self.out.string(name),
                Expr::MathConstant(name) => {
                    self.out.raw("{\"constant\": ");
                    self.out.string(name);
                    self.out.raw("}");
                }
                Expr::Unary(op, exp) => self.node(&mut work, op.symbol(), &[("exp", *exp)]),
                Expr::Binary(op, left, right) => {
                    self.node(&mut work, op.symbol(), &[("left", *left), ("right", *right)]);
                }
                Expr::IfThenElse(condition, then, otherwise) => {
                    self.node(&mut work, "ite", &[("if", *condition), ("then", *then), ("else", *otherwise)]);
                }
                Expr::ArrayAccess(array, index) => {
                    self.node(&mut work, "aa", &[("exp", *array), ("index", *index)]);
                }
                Expr::ArrayValue(elements) => {
                    self.operator("av");
                    self.out.raw(", \"elements\": [");
                    list(&mut work, elements);
                }
                Expr::ArrayConstructor(variable, length, element) => {
                    self.operator("ac");
                    self.out.raw(", \"var\": ");
                    self.out.string(&variable.value);
                    operands(&mut work, &[("length", *length), ("exp", *element)]);
                }
                Expr::Call(function, arguments) => {
                    self.operator("call");
                    self.out.raw(", \"function\": ");
                    self.out.string(&function.value);
                    self.out.raw(", \"args\": [");
                    list(&mut work, arguments);
                }
                Expr::StateCondition(locations, condition) => {
                    self.operator("state-condition");
                    if !locations.is_empty() {
                        self.out.raw(", \"locations\": ");
                        self.locations(locations);
                    }
                    match condition {
                        Some(condition) => operands(&mut work, &[("exp", *condition)]),
                        None => self.out.raw("}"),
                    }
                }
                Expr::StateSet(set) => self.node(&mut work, set.symbol(), &[]),
                Expr::Quantified(quantifier, exp) => self.node(&mut work, quantifier.symbol(), &[("exp", *exp)]),
                Expr::StepBound { path, upper, exclusive } => {
                    work.push(Piece::Text(if *exclusive { ", \"upper-exclusive\": true}}" } else { "}}" }));
                    work.push(Piece::Node(*upper));
                    work.push(Piece::Text(", \"step-bounds\": {\"upper\": "));
                    if let Expr::Path(op, left, right) = pool.get(*path) {
                        self.operator(op.symbol());
                        match left {
                            None => members(&mut work, &[("exp", *right)]),
                            Some(left) => members(&mut work, &[("left", *left), ("right", *right)]),
                        }
                    }
                }
                Expr::Expected { op, accumulate, value, reach } => {
                    self.operator(op.symbol());
                    self.out.raw(", \"accumulate\": [");
                    let kinds = [("steps", accumulate.steps), ("exit", accumulate.exit), ("time", accumulate.time)];
                    for (i, (kind, _)) in kinds.into_iter().filter(|(_, given)| *given).enumerate() {
                        self.out.raw(if i == 0 { "\"" } else { ", \"" });
                        self.out.raw(kind);
                        self.out.raw("\"");
                    }
                    self.out.raw("]");
                    operands(&mut work, &[("exp", *value), ("reach", *reach)]);
                }
                Expr::Path(op, None, exp) => self.node(&mut work, op.symbol(), &[("exp", *exp)]),
                Expr::Path(op, Some(left), right) => {
                    self.node(&mut work, op.symbol(), &[("left", *left), ("right", *right)]);
                }
            }
        }
    }

    fn operator(&mut self, name: &str) {
        self.out.raw("{\"op\": ");
        self.out.string(name);
    }

    fn node(&mut self, work: &mut Vec<Piece>, name: &str, members: &[(&'static str, ExprId)]) {
        self.operator(name);
        operands(work, members);
    }

    pub(super) fn locations(&mut self, locations: &[LocationRef]) {
        self.out.open_inline_array();
        for location in locations {
            self.out.item();
            self.out.open_inline_object();
            self.text_member("automaton", &location.automaton.value);
            if let Some(index) = &location.index {
                self.out.key("index");
                self.out.raw(&index.value.to_string());
            }
            self.text_member("location", &location.location.value);
            self.out.close();
        }
        self.out.close();
    }
}

/// Leaves operands and the closing brace to be written, in reverse because the work is a stack.
fn operands(work: &mut Vec<Piece>, operands: &[(&'static str, ExprId)]) {
    work.push(Piece::Text("}"));
    members(work, operands);
}

/// Leaves members with expressions to be written, the object left open.
fn members(work: &mut Vec<Piece>, members: &[(&'static str, ExprId)]) {
    for (name, operand) in members.iter().rev() {
        work.push(Piece::Node(*operand));
        work.push(Piece::Text("\": "));
        work.push(Piece::Text(name));
        work.push(Piece::Text(", \""));
    }
}

/// Leaves the rest of `{..., "elements": [` to be written.
fn list(work: &mut Vec<Piece>, elements: &[ExprId]) {
    work.push(Piece::Text("]}"));
    for (index, element) in elements.iter().enumerate().rev() {
        work.push(Piece::Node(*element));
        if index > 0 {
            work.push(Piece::Text(", "));
        }
    }
}
