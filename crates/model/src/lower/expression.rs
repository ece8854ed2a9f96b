//! Expressions: names resolved, types checked, functions inlined, arrays taken apart.
//!
//! The walk is a loop over the post-ordered subtree; the only recursion is into function bodies and array
//! constructors, whose nesting is bounded by [`MAX_INLINE_DEPTH`].

use std::sync::Arc;

use surefoot_jani::syntax::{BinaryOp, Expr, ExprId, FunctionDeclaration, LocationRef, UnaryOp};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{Name, Span};
use surefoot_text::suggest;

use super::Lowering;
use super::names::Value;
use crate::term::{ArithOp, CmpOp, RoundOp, ScalarType, TermId};

const MAX_INLINE_DEPTH: usize = 64;
const MAX_VISITED: u64 = 50_000_000;
const MAX_TREE: u32 = 5_000_000;

/// Which names an expression may use.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// The instance whose locals are visible.
    instance: Option<usize>,
    /// Whether locals that only one instance has are visible.
    property: bool,
    /// Function parameters and array-constructor variables, innermost last.
    bindings: Vec<(Arc<str>, Value)>,
    depth: usize,
}

impl Scope {
    pub(super) fn global() -> Self {
        Self::default()
    }

    pub(super) fn instance(instance: usize) -> Self {
        Self { instance: Some(instance), ..Self::default() }
    }

    pub(super) fn property() -> Self {
        Self { property: true, ..Self::default() }
    }

    pub(super) fn with(&self, bindings: impl IntoIterator<Item = (Arc<str>, Value)>) -> Self {
        let mut inner = self.clone();
        inner.bindings.extend(bindings);
        inner.depth += 1;
        inner
    }
}

impl<'s> Lowering<'s> {
    /// A scalar of type bool.
    pub(super) fn lower_bool(&mut self, root: ExprId, scope: &Scope) -> Result<TermId, Diagnostic> {
        let term = self.lower_term(root, scope)?;
        self.require_bool(term, self.syntax.pool.span(root), "a condition")?;
        Ok(term)
    }

    /// A scalar.
    pub(super) fn lower_term(&mut self, root: ExprId, scope: &Scope) -> Result<TermId, Diagnostic> {
        let value = self.lower_value(root, scope)?;
        self.scalar(&value, self.syntax.pool.span(root))
    }

    /// Any expression.
    pub(super) fn lower_value(&mut self, root: ExprId, scope: &Scope) -> Result<Value, Diagnostic> {
        let pool = &self.syntax.pool;
        let first = pool.subtree(root).next().expect("a subtree has a root").0;
        let span = pool.span(root);
        if scope.depth > MAX_INLINE_DEPTH {
            return Err(Diagnostic::error(span, format!("functions are nested more than {MAX_INLINE_DEPTH} deep"))
                .with_help("recursive functions are not supported"));
        }
        self.visited += u64::from(root.0 - first) + 1;
        if self.visited > MAX_VISITED {
            return Err(Diagnostic::error(span, format!("the model is too large{}", self.once_unfolded())).with_help(
                format!("its expressions have more than {MAX_VISITED} parts; share them through variables"),
            ));
        }
        // Bodies of array constructors are lowered once per index, not on the way.
        let mut skip = vec![false; (root.0 - first) as usize + 1];
        for id in pool.subtree(root) {
            if let Expr::ArrayConstructor(_, _, body) = pool.get(id) {
                pool.subtree(*body).for_each(|inner| skip[(inner.0 - first) as usize] = true);
            }
        }
        let mut values: Vec<Option<Value>> = vec![None; skip.len()];
        for id in pool.subtree(root) {
            let position = (id.0 - first) as usize;
            if !skip[position] {
                let value = self.lower_node(id, scope, &mut |operand: ExprId| {
                    values[(operand.0 - first) as usize].take().expect("operands come first and are used once")
                })?;
                values[position] = Some(value);
            }
        }
        let value = values.pop().flatten().expect("the root comes last");
        // Shared arguments of functions can make a small term stand for a huge expression; evaluation walks the latter.
        if value.scalars().into_iter().any(|term| self.terms.tree_size(term) > MAX_TREE) {
            return Err(Diagnostic::error(span, format!("this expression is too large{}", self.once_unfolded()))
                .with_help(format!("it has more than {MAX_TREE} parts; keep a part of it in a variable")));
        }
        Ok(value)
    }

    /// What makes expressions larger than they are written.
    fn once_unfolded(&self) -> &'static str {
        let syntax = self.syntax;
        let functions = !syntax.functions.is_empty() || syntax.automata.iter().any(|a| !a.functions.is_empty());
        if functions { " once its functions are inlined" } else { " once its arrays are taken apart" }
    }

    fn lower_node(
        &mut self,
        id: ExprId,
        scope: &Scope,
        take: &mut dyn FnMut(ExprId) -> Value,
    ) -> Result<Value, Diagnostic> {
        let syntax = self.syntax;
        let span = syntax.pool.span(id);
        let term = match syntax.pool.get(id) {
            Expr::Bool(value) => self.terms.bool(*value),
            Expr::Number(value) => self.terms.num(value.clone()),
            Expr::MathConstant(name) => {
                return Err(Diagnostic::error(
                    span,
                    format!("the constant '{name}' is irrational, and numbers are exact"),
                )
                .with_help("write a decimal approximation, for example 3.141592653589793"));
            }
            Expr::Identifier(name) => return self.resolve(name, span, scope),
            Expr::Unary(op, a) => {
                let a = self.scalar(&take(*a), span)?;
                self.lower_unary(*op, a, span)?
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (take(*a), take(*b));
                let (a, b) = (self.scalar(&a, span)?, self.scalar(&b, span)?);
                self.lower_binary(*op, a, b, span)?
            }
            Expr::IfThenElse(condition, then, otherwise) => {
                let condition = self.scalar(&take(*condition), span)?;
                self.require_bool(condition, span, "the condition of 'ite'")?;
                let (then, otherwise) = (take(*then), take(*otherwise));
                return self.choose(condition, &then, &otherwise, span);
            }
            Expr::ArrayAccess(array, index) => {
                let (array, index) = (take(*array), take(*index));
                let index = self.scalar(&index, span)?;
                return self.access(array, index, span);
            }
            Expr::ArrayValue(items) => {
                let items = items.iter().map(|item| take(*item)).collect();
                return self.array(items, span);
            }
            Expr::ArrayConstructor(name, length, body) => {
                let length = self.scalar(&take(*length), span)?;
                return self.construct(name, length, *body, scope, span);
            }
            Expr::Call(function, arguments) => {
                let arguments = arguments.iter().map(|a| take(*a)).collect();
                return self.call(function, arguments, scope, span);
            }
            Expr::StateCondition(locations, condition) => {
                let mut all = self.terms.bool(true);
                let mut given = Vec::new();
                for reference in locations {
                    let (instance, location) = self.resolve_location(reference)?;
                    if given.contains(&instance) {
                        let name = &self.names.instances[instance].name;
                        let error = Diagnostic::error(span, format!("'{name}' is at two locations here"));
                        return Err(error.with_help("an automaton is at one location; join two conditions with \"∨\""));
                    }
                    given.push(instance);
                    let here = self.at_location(instance, location);
                    all = self.terms.and(all, here);
                }
                if let Some(condition) = condition {
                    let condition = self.scalar(&take(*condition), span)?;
                    self.require_bool(condition, span, "a state condition")?;
                    all = self.terms.and(all, condition);
                }
                all
            }
            Expr::StateSet(_)
            | Expr::Quantified(..)
            | Expr::Expected { .. }
            | Expr::Path(..)
            | Expr::StepBound { .. } => {
                let message = "sets of states and path formulas cannot stand inside a condition over states";
                return Err(Diagnostic::error(span, message)
                    .refusal()
                    .with_help("path formulas are supported directly under Pmin, Pmax, ∀ or ∃, without nesting"));
            }
        };
        self.terms.set_span(term, span);
        Ok(Value::Scalar(term))
    }

    fn resolve(&mut self, name: &Arc<str>, span: Span, scope: &Scope) -> Result<Value, Diagnostic> {
        let found = scope.bindings.iter().rev().find(|(bound, _)| bound == name).map(|(_, value)| value).or_else(
            || match scope.instance {
                Some(instance) => self.names.in_instance(instance, name),
                None if scope.property => self.names.in_property(name),
                None => self.names.globals.get(name),
            },
        );
        if let Some(value) = found {
            return Ok(value.clone());
        }
        let owners: Vec<&str> =
            self.names.instances.iter().filter(|i| i.locals.contains_key(name)).map(|i| &*i.name).collect();
        let error = Diagnostic::error(span, format!("unknown name '{name}'"));
        Err(if owners.len() > 1 && scope.property {
            error.with_help(format!("several automata have a local variable of that name: {}", owners.join(", ")))
        } else if let Some(owner) = owners.first() {
            error.with_help(format!("it is local to '{owner}' and not visible here"))
        } else if let Some(near) = suggest(name, self.names.candidates().into_iter()) {
            error.with_help(format!("did you mean '{near}'?"))
        } else {
            error.with_help("declare it among the constants or variables")
        })
    }

    pub(super) fn resolve_location(&self, reference: &LocationRef) -> Result<(usize, u32), Diagnostic> {
        let name = &reference.automaton;
        let wanted = reference.index.as_ref().map_or(0, |i| i.value);
        let instances = &self.names.instances;
        let automata = &self.syntax.automata;
        let of_name = |i: &&super::names::InstanceNames| automata[i.automaton].name.value == name.value;
        let instance = instances.iter().position(|i| of_name(&i) && i.occurrence == wanted).ok_or_else(|| {
            let count = instances.iter().filter(of_name).count();
            if count > 0 {
                let message =
                    format!("'{}' occurs {count} times in the system, there is no index {wanted}", name.value);
                return Diagnostic::error(name.span, message);
            }
            let error = Diagnostic::error(name.span, format!("the system has no automaton '{}'", name.value));
            match suggest(&name.value, automata.iter().map(|a| &*a.name.value)) {
                Some(near) => error.with_help(format!("did you mean '{near}'?")),
                None => error,
            }
        })?;
        let locations = &automata[instances[instance].automaton].locations;
        let place = &reference.location;
        let location = instances[instance].locations.get(&place.value).copied().ok_or_else(|| {
            let message = format!("the automaton '{}' has no location '{}'", name.value, place.value);
            let error = Diagnostic::error(place.span, message);
            match suggest(&place.value, locations.iter().map(|l| &*l.name.value)) {
                Some(near) => error.with_help(format!("did you mean '{near}'?")),
                None => error,
            }
        })?;
        Ok((instance, location))
    }

    pub(super) fn scalar(&self, value: &Value, span: Span) -> Result<TermId, Diagnostic> {
        match value {
            Value::Scalar(term) => Ok(*term),
            Value::Array(_) => Err(Diagnostic::error(span, "an array is used where a single value is expected")
                .with_help("use {\"op\": \"aa\", \"exp\": ..., \"index\": ...} for one of its cells")),
        }
    }

    fn require_bool(&self, term: TermId, span: Span, what: &str) -> Result<(), Diagnostic> {
        match self.terms.ty(term) {
            ScalarType::Bool => Ok(()),
            found => Err(Diagnostic::error(span, format!("{what} must be of type bool, this is {}", found.name()))
                .with_help("compare it with something, as in {\"op\": \"=\", ...}")),
        }
    }

    fn require_number(&self, term: TermId, span: Span, what: &str) -> Result<(), Diagnostic> {
        if self.terms.ty(term).is_numeric() {
            return Ok(());
        }
        Err(Diagnostic::error(span, format!("{what} must be a number, this is of type bool"))
            .with_help("write {\"op\": \"ite\", \"if\": ..., \"then\": 1, \"else\": 0} to count a truth value"))
    }

    fn lower_unary(&mut self, op: UnaryOp, a: TermId, span: Span) -> Result<TermId, Diagnostic> {
        let round = match op {
            UnaryOp::Not => {
                self.require_bool(a, span, "the operand of '¬'")?;
                return Ok(self.terms.not(a));
            }
            UnaryOp::Floor => RoundOp::Floor,
            UnaryOp::Ceil => RoundOp::Ceil,
            UnaryOp::Abs => RoundOp::Abs,
            UnaryOp::Sgn => RoundOp::Sgn,
            UnaryOp::Trc => RoundOp::Trc,
        };
        self.require_number(a, span, "the operand of a rounding operator")?;
        Ok(self.terms.round(round, a))
    }

    fn lower_binary(&mut self, op: BinaryOp, a: TermId, b: TermId, span: Span) -> Result<TermId, Diagnostic> {
        use BinaryOp as B;
        match op {
            B::Or | B::And | B::Implies => {
                for operand in [a, b] {
                    self.require_bool(operand, span, "an operand of a logical operator")?;
                }
                return Ok(match op {
                    B::Or => self.terms.or(a, b),
                    B::And => self.terms.and(a, b),
                    _ => {
                        let not_a = self.terms.not(a);
                        self.terms.or(not_a, b)
                    }
                });
            }
            B::Eq | B::Ne => {
                if self.terms.ty(a).is_numeric() != self.terms.ty(b).is_numeric() {
                    let (a, b) = (self.terms.ty(a).name(), self.terms.ty(b).name());
                    return Err(Diagnostic::error(span, format!("{a} and {b} cannot be compared"))
                        .with_help("compare numbers with numbers, and truth values with truth values"));
                }
                return Ok(self.terms.cmp(if op == B::Eq { CmpOp::Eq } else { CmpOp::Ne }, a, b));
            }
            _ => {}
        }
        for operand in [a, b] {
            self.require_number(operand, span, "an operand of an arithmetic operator")?;
        }
        let arithmetic = match op {
            B::Lt => return Ok(self.terms.cmp(CmpOp::Lt, a, b)),
            B::Le => return Ok(self.terms.cmp(CmpOp::Le, a, b)),
            B::Gt => return Ok(self.terms.cmp(CmpOp::Lt, b, a)),
            B::Ge => return Ok(self.terms.cmp(CmpOp::Le, b, a)),
            B::Add => ArithOp::Add,
            B::Sub => ArithOp::Sub,
            B::Mul => ArithOp::Mul,
            B::Div => ArithOp::Div,
            B::Mod => ArithOp::Mod,
            B::Pow => ArithOp::Pow,
            B::Log => ArithOp::Log,
            B::Min => ArithOp::Min,
            B::Max => ArithOp::Max,
            B::Or | B::And | B::Implies | B::Eq | B::Ne => unreachable!("done above"),
        };
        Ok(self.terms.arith(arithmetic, a, b))
    }

    fn call(&mut self, name: &Name, arguments: Vec<Value>, scope: &Scope, span: Span) -> Result<Value, Diagnostic> {
        let syntax = self.syntax;
        let automaton = scope.instance.map(|i| self.names.instances[i].automaton);
        let find = |list: &'s [FunctionDeclaration]| list.iter().find(|f| f.name.value == name.value);
        let local = automaton.and_then(|a| find(&syntax.automata[a].functions));
        let Some(function) = local.or_else(|| find(&syntax.functions)) else {
            let error = Diagnostic::error(name.span, format!("there is no function '{}'", name.value));
            return Err(match suggest(&name.value, syntax.functions.iter().map(|f| &*f.name.value)) {
                Some(near) => error.with_help(format!("did you mean '{near}'?")),
                None => error,
            });
        };
        if function.parameters.len() != arguments.len() {
            let (wanted, found) = (function.parameters.len(), arguments.len());
            let message = format!("the function '{}' has {wanted} parameters, it is called with {found}", name.value);
            return Err(Diagnostic::error(span, message));
        }
        // A global function does not see the caller's locals, nor its parameters.
        let outer = Scope {
            instance: if local.is_some() { scope.instance } else { None },
            property: false,
            bindings: Vec::new(),
            depth: scope.depth,
        };
        let bindings =
            function.parameters.iter().zip(arguments).map(|((name, _), value)| (Arc::clone(&name.value), value));
        self.lower_value(function.body, &outer.with(bindings))
    }
}
