//! Network inputs: linear forms over the state.

use surefoot_jani::read::read_expression;
use surefoot_jani::syntax::{Expr, ExprId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node, ObjectReader, Shape};
use surefoot_text::source::Span;

use super::{Reading, help_with_names};
use crate::linear::LinearForm;
use crate::lower::Value;
use crate::model::SlotId;
use crate::term::{ArithOp, ScalarType, Term, TermId};

const LOCATION: Shape = Shape::new("a location as input", &["location"], &["index"]);
const LOCAL: Shape = Shape::new("a local variable as input", &["variable", "automaton"], &["index", "cell"]);
const BINARY: Shape = Shape::new("this operator", &["op", "left", "right"], &[]);
const EITHER: Shape = Shape::new("this operator", &["op", "if", "then", "else"], &[]);
const NEGATION: Shape = Shape::new("this operator", &["op", "exp"], &[]);

/// Operators above a location deeper than this are no normalisation any more.
const MAX_DEPTH: usize = 64;

/// Whose variable a name is.
#[derive(Clone, Copy)]
pub(super) enum Owner {
    Global,
    Instance(usize),
}

impl Reading<'_> {
    /// The inputs that a list describes.
    pub(super) fn input_forms(&mut self, list: Node<'_>) -> Result<Vec<LinearForm>, Diagnostic> {
        let mut forms = Vec::new();
        for item in list.expect_array("the inputs as an array")? {
            let form = self.input_form(item, 0);
            // An input that cannot be read still counts, or its error would come with one about the number of inputs.
            forms.push(self.note(form).unwrap_or_default());
        }
        if forms.is_empty() {
            return Err(Diagnostic::error(list.span(), "a network needs at least one input"));
        }
        Ok(forms)
    }

    /// An input: a JANI expression, with locations and local variables as further leaves of its arithmetic, and with truth values as
    /// numbers 0 and 1, which JANI's own arithmetic does not have. Sums are gone through with a work list, so their length costs no
    /// stack.
    fn input_form(&mut self, root: Node<'_>, depth: usize) -> Result<LinearForm, Diagnostic> {
        if depth > MAX_DEPTH {
            return Err(Diagnostic::error(root.span(), format!("this input is nested more than {MAX_DEPTH} deep")));
        }
        let mut form = LinearForm::default();
        let mut work = vec![(root, Rational::ONE)];
        while let Some((node, factor)) = work.pop() {
            let op = if is_leaf(node) { None } else { node.get("op").and_then(Node::as_str) };
            match op {
                Some(sign @ ("+" | "-")) => {
                    let object = ObjectReader::new(node, &BINARY)?;
                    let other = if sign == "+" { factor.clone() } else { -&factor };
                    work.push((object.required("right"), other));
                    work.push((object.required("left"), factor));
                }
                Some("*" | "/") => form.add_scaled(&self.product(node, depth)?, &factor),
                Some("¬") => {
                    form.add_scaled(&self.truth_value(node, depth)?, &factor);
                }
                Some("ite") => form.add_scaled(&self.either(node, depth)?, &factor),
                Some(_) if mentions_leaf(node) => {
                    let message = "locations and variables of automata can only stand under +, -, *, /, ite and ¬ here";
                    return Err(Diagnostic::error(node.span(), message));
                }
                _ => {
                    let term = self.input_term(node)?;
                    form.add_scaled(&self.linear(term, node.span())?, &factor);
                }
            }
        }
        Ok(form)
    }

    /// A product with a constant, or a quotient by one.
    fn product(&mut self, node: Node<'_>, depth: usize) -> Result<LinearForm, Diagnostic> {
        let object = ObjectReader::new(node, &BINARY)?;
        let left = self.input_form(object.required("left"), depth + 1)?;
        let right = self.input_form(object.required("right"), depth + 1)?;
        let mut form = LinearForm::default();
        match (left.as_number(), right.as_number()) {
            (_, Some(k)) if node.get("op").and_then(Node::as_str) == Some("/") => {
                let inverse = Rational::ONE.checked_div(k);
                let inverse = inverse.ok_or_else(|| Diagnostic::error(node.span(), "this input divides by zero"))?;
                form.add_scaled(&left, &inverse);
            }
            (_, Some(k)) => form.add_scaled(&left, k),
            (Some(k), None) if node.get("op").and_then(Node::as_str) == Some("*") => form.add_scaled(&right, k),
            _ => return Err(not_linear(node.span())),
        }
        Ok(form)
    }

    /// `ite` of a truth value `b`: `else + b (then - else)`, which is linear where `then` and `else` differ by a constant.
    fn either(&mut self, node: Node<'_>, depth: usize) -> Result<LinearForm, Diagnostic> {
        let object = ObjectReader::new(node, &EITHER)?;
        let condition = self.truth_value(object.required("if"), depth + 1)?;
        let then = self.input_form(object.required("then"), depth + 1)?;
        let mut form = self.input_form(object.required("else"), depth + 1)?;
        let mut difference = then;
        difference.add_scaled(&form, &-&Rational::ONE);
        match (difference.as_number(), condition.as_number()) {
            (Some(k), _) => form.add_scaled(&condition, k),
            (None, Some(decided)) => form.add_scaled(&difference, decided),
            _ => {
                let help = "'then' and 'else' must be the same but for a constant; compute anything else in a variable of the model";
                return Err(Diagnostic::error(node.span(), "this input is not linear in the state").with_help(help));
            }
        }
        Ok(form)
    }

    /// A truth value as 0 or 1: a Boolean variable, a constant, or the negation of one.
    fn truth_value(&mut self, node: Node<'_>, depth: usize) -> Result<LinearForm, Diagnostic> {
        if depth > MAX_DEPTH {
            return Err(Diagnostic::error(node.span(), format!("this input is nested more than {MAX_DEPTH} deep")));
        }
        if !is_leaf(node) && node.get("op").and_then(Node::as_str) == Some("¬") {
            let object = ObjectReader::new(node, &NEGATION)?;
            let mut form = LinearForm::number(Rational::ONE);
            form.add_scaled(&self.truth_value(object.required("exp"), depth + 1)?, &-&Rational::ONE);
            return Ok(form);
        }
        let term = self.input_term(node)?;
        if self.lowered.model.terms.ty(term) != ScalarType::Bool {
            return Err(Diagnostic::error(node.span(), "a condition must be a truth value, this is a number"));
        }
        let help = "conditions in inputs are Boolean variables and their negations; compute anything else in a variable of the model";
        self.linear(term, node.span()).map_err(|error| Diagnostic { help: None, ..error }.with_help(help))
    }

    /// A part of an input that has no arithmetic to look into.
    fn input_term(&mut self, node: Node<'_>) -> Result<TermId, Diagnostic> {
        if is_leaf(node) {
            return self.input_leaf(node);
        }
        let expression = self.expression(node)?;
        self.lowered.lower_scalar(expression)
    }

    fn input_leaf(&mut self, node: Node<'_>) -> Result<TermId, Diagnostic> {
        if node.get("location").is_some() {
            let object = ObjectReader::new(node, &LOCATION)?;
            let instance = self.instance(object.required("location"), object.optional("index"))?;
            return Ok(self.location_number(instance));
        }
        let object = ObjectReader::new(node, &LOCAL)?;
        let instance = self.instance(object.required("automaton"), object.optional("index"))?;
        self.variable(object.required("variable"), Owner::Instance(instance), object.optional("cell"))
    }

    /// The number of the location an instance is at.
    pub(super) fn location_number(&mut self, instance: usize) -> TermId {
        self.lowered.model.terms.slot(SlotId(instance as u32), ScalarType::Int)
    }

    /// The instance of an automaton's name and the number of its occurrence among the system's elements.
    pub(super) fn instance(&self, name: Node<'_>, index: Option<Node<'_>>) -> Result<usize, Diagnostic> {
        let automaton = name.expect_str("the name of an automaton")?;
        let instances = &self.lowered.model.instances;
        let count = instances.iter().filter(|i| &*i.automaton == automaton).count();
        if count == 0 {
            let mut known: Vec<&str> = instances.iter().map(|i| &*i.automaton).collect();
            known.dedup();
            let error = Diagnostic::error(name.span(), format!("the system has no automaton '{automaton}'"));
            return Err(help_with_names(error, automaton, "automata", &known));
        }
        let occurrence = match index.filter(|index| !index.is_null()) {
            Some(node) => node.expect_i64("the place of the automaton among its occurrences, from 0")?,
            None if count == 1 => 0,
            None => {
                let message = format!("'{automaton}' occurs {count} times in the system: which one is meant?");
                let help = format!("add \"index\", a number from 0 to {}", count - 1);
                return Err(Diagnostic::error(name.span(), message).with_help(help));
            }
        };
        let wanted = u32::try_from(occurrence).ok();
        let found = instances.iter().position(|i| &*i.automaton == automaton && Some(i.occurrence) == wanted);
        found.ok_or_else(|| {
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            let message = format!("'{automaton}' occurs {times} in the system, there is no index {occurrence}");
            Diagnostic::error(index.map_or(name.span(), Node::span), message)
                .with_help("the index counts the occurrences of this automaton among the system's elements, from 0")
        })
    }

    /// A variable (or constant) by its name and owner, or a cell of an array.
    pub(super) fn variable(&self, name: Node<'_>, owner: Owner, cell: Option<Node<'_>>) -> Result<TermId, Diagnostic> {
        let text = name.expect_str("the name of a variable")?;
        let names = &self.lowered.names;
        let known = match owner {
            Owner::Global => &names.globals,
            Owner::Instance(i) => &names.instances[i].locals,
        };
        let Some(value) = known.get(text) else { return Err(self.unknown_variable(text, name.span(), owner)) };
        match (value, cell) {
            (Value::Scalar(term), None) => Ok(*term),
            (Value::Scalar(_), Some(cell)) => {
                Err(Diagnostic::error(cell.span(), format!("'{text}' is no array, so it has no cells")))
            }
            (Value::Array(items), None) => {
                let message = format!("'{text}' is an array; an input is a single value");
                let help = format!("say which of its {} cells is meant, as one input each", items.len());
                Err(Diagnostic::error(name.span(), message).with_help(help))
            }
            (Value::Array(items), Some(cell)) => {
                let index = cell.expect_i64("the number of a cell, from 0")?;
                match usize::try_from(index).ok().and_then(|i| items.get(i)) {
                    Some(Value::Scalar(term)) => Ok(*term),
                    Some(Value::Array(_)) => {
                        let message = format!("'{text}' is an array of arrays, and one number does not tell a cell");
                        let help = "in a .policy.json file cells are also written {\"op\": \"aa\", ...}";
                        Err(Diagnostic::error(cell.span(), message).with_help(help))
                    }
                    None => {
                        let message = format!("'{text}' has {} cells, there is no cell {index}", items.len());
                        Err(Diagnostic::error(cell.span(), message).with_help("cells are counted from 0"))
                    }
                }
            }
        }
    }

    fn unknown_variable(&self, name: &str, span: Span, owner: Owner) -> Diagnostic {
        let names = &self.lowered.names;
        match owner {
            Owner::Global => {
                let error = Diagnostic::error(span, format!("the model has no global variable '{name}'"));
                let local = names.instances.iter().position(|i| i.locals.contains_key(name));
                let Some(local) = local.map(|i| &self.lowered.model.instances[i]) else {
                    let mut known = self.global_names();
                    known.sort_unstable();
                    return help_with_names(error, name, "global variables and constants", &known);
                };
                error.with_help(format!(
                    "it is local to an automaton: \"automaton\": {{\"name\": \"{}\", \"index\": {}}}",
                    local.automaton, local.occurrence
                ))
            }
            Owner::Instance(i) => {
                let automaton = &self.lowered.model.instances[i].automaton;
                let message = format!("the automaton '{automaton}' has no local variable '{name}'");
                let error = Diagnostic::error(span, message);
                if names.globals.contains_key(name) {
                    return error.with_help("there is a global one of that name: give it without its automaton");
                }
                let mut known: Vec<&str> = names.instances[i].locals.keys().map(|name| &**name).collect();
                known.sort_unstable();
                help_with_names(error, name, "local variables", &known)
            }
        }
    }

    fn global_names(&self) -> Vec<&str> {
        self.lowered.names.globals.keys().map(|name| &**name).collect()
    }

    /// A JANI expression of the policy file.
    pub(super) fn expression(&mut self, node: Node<'_>) -> Result<ExprId, Diagnostic> {
        read_expression(self.sources, node, self.lowered.pool_mut())
    }

    /// The linear form of an input.
    pub(super) fn linear(&self, term: TermId, span: Span) -> Result<LinearForm, Diagnostic> {
        let terms = &self.lowered.model.terms;
        if let Some(name) = self.transient_read(term) {
            let message = format!("the transient variable '{name}' cannot be an input: it is no part of the state");
            return Err(Diagnostic::error(span, message));
        }
        LinearForm::of(terms, term).ok_or_else(|| {
            let by_zero = |id: &TermId| {
                matches!(terms.get(*id), Term::Arith(ArithOp::Div, _, b) if terms.constant(*b).is_some_and(|b| b.is_zero()))
            };
            if terms.reachable(term).iter().any(by_zero) {
                return Diagnostic::error(span, "this input divides by zero");
            }
            not_linear(span)
        })
    }

    /// The name of a transient variable that a term reads.
    pub(super) fn transient_read(&self, term: TermId) -> Option<&str> {
        let terms = &self.lowered.model.terms;
        terms.reachable(term).into_iter().find_map(|id| match terms.get(id) {
            Term::Transient(transient) => Some(&*self.lowered.model.transients[transient.0 as usize].name),
            _ => None,
        })
    }

    /// The place of a name in an expression, or of the whole expression where it is not written in it.
    pub(super) fn place_of_name(&self, expression: ExprId, name: &str) -> Span {
        let pool = &self.lowered.syntax().pool;
        let written = |id: &ExprId| matches!(pool.get(*id), Expr::Identifier(n) if **n == *name);
        pool.span(pool.subtree(expression).find(written).unwrap_or(expression))
    }
}

fn not_linear(span: Span) -> Diagnostic {
    Diagnostic::error(span, "this input is not linear in the state").with_help(
        "inputs are sums of variables and locations times constants, plus constants; \
         compute anything else in a variable of the model",
    )
}

/// `{"location": ...}` and `{"variable": ...}`.
fn is_leaf(node: Node<'_>) -> bool {
    node.kind() == Kind::Object
        && node.get("op").is_none()
        && (node.get("location").is_some() || node.get("variable").is_some())
}

/// Whether there is such a leaf below.
fn mentions_leaf(node: Node<'_>) -> bool {
    let mut work = vec![node];
    while let Some(node) = work.pop() {
        if is_leaf(node) {
            return true;
        }
        match node.kind() {
            Kind::Object => work.extend(node.members().map(|(_, _, value)| value)),
            Kind::Array => work.extend(node.items()),
            _ => {}
        }
    }
    false
}
