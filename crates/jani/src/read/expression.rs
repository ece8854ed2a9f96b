//! Expressions, and the formulas of properties.
//!
//! The conversion keeps its own stack of work, so that nesting depth is only memory; it visits operands before the
//! operator and pushes nothing else in between, so that a subtree is contiguous in the [`Pool`](crate::syntax::Pool).

use crate::operators::{Operator, look_alike, lookup, names};
use crate::read::{Fault, Read, Reader};
use crate::syntax::{Accumulation, BinaryOp, ExpectedOp, Expr, ExprId, LocationRef, PathOp, PathQuantifier, UnaryOp};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::json::{Kind, Node, ObjectReader, Shape, shown};
use surefoot_text::source::{Name, Span, Spanned};
use surefoot_text::suggest;

const UNARY: Shape = Shape::new("this operator", &["op", "exp"], &[]);
const BINARY: Shape = Shape::new("this operator", &["op", "left", "right"], &[]);
const ITE: Shape = Shape::new("\"ite\"", &["op", "if", "then", "else"], &[]);
const ACCESS: Shape = Shape::new("\"aa\"", &["op", "exp", "index"], &[]);
const VALUE: Shape = Shape::new("\"av\"", &["op", "elements"], &[]);
const CONSTRUCTOR: Shape = Shape::new("\"ac\"", &["op", "var", "length", "exp"], &[]);
const CALL: Shape = Shape::new("\"call\"", &["op", "function", "args"], &[]);
const CONDITION: Shape = Shape::new("\"state-condition\"", &["op"], &["locations", "exp"]);
const LET: Shape = Shape::new("\"let\"", &["op", "expression"], &["variables"]);
const SET: Shape = Shape::new("this set of states", &["op"], &[]);
const CONSTANT: Shape = Shape::new("a mathematical constant", &["constant"], &[]);
const FORMULA: Shape = Shape::new("this operator", &["op", "exp"], &["step-bounds"]);
const BINARY_FORMULA: Shape = Shape::new("this operator", &["op", "left", "right"], &["step-bounds"]);
const EXPECTED: Shape = Shape::new(
    "this operator",
    &["op", "exp"],
    &["accumulate", "reach", "step-instant", "time-instant", "reward-instants"],
);
const STEP_BOUNDS: Shape =
    Shape::new("\"step-bounds\"", &[], &["upper", "upper-exclusive", "lower", "lower-exclusive"]);
const LOCATION: Shape = Shape::new("a location of an automaton", &["automaton", "location"], &["index"]);

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Anywhere but in a filter.
    State,
    /// In a filter: with quantifiers and path formulas.
    Property,
}

/// What is made of the operands once they are there.
enum Build {
    Unary(UnaryOp),
    Binary(BinaryOp),
    IfThenElse,
    ArrayAccess,
    ArrayValue(usize),
    ArrayConstructor(Name),
    Call(Name, usize),
    StateCondition(Vec<LocationRef>, bool),
    Quantified(PathQuantifier),
    Path(PathOp),
    StepBound(bool),
    Expected(ExpectedOp, Accumulation),
}

enum Task<'d> {
    Visit(Node<'d>),
    Build(Build, Span),
}

impl Reader<'_> {
    /// An expression over states.
    pub(super) fn expression(&mut self, node: Node<'_>) -> Read<ExprId> {
        self.convert(node, Mode::State)
    }

    /// A formula of a filter.
    pub(super) fn formula(&mut self, node: Node<'_>) -> Read<ExprId> {
        self.convert(node, Mode::Property)
    }

    fn convert(&mut self, root: Node<'_>, mode: Mode) -> Read<ExprId> {
        let mut work = vec![Task::Visit(root)];
        let mut done: Vec<ExprId> = Vec::new();
        while let Some(task) = work.pop() {
            match task {
                Task::Visit(node) => {
                    let span = node.span();
                    let leaf = match node.kind() {
                        Kind::Bool => Expr::Bool(node.expect_bool("a truth value")?),
                        Kind::Number => Expr::Number(node.expect_number("a number")?),
                        Kind::String => Expr::Identifier(self.intern(node.expect_str("a name")?)),
                        Kind::Object => match self.visit(node, mode, &mut work)? {
                            Some(leaf) => leaf,
                            None => continue,
                        },
                        Kind::Array => {
                            let help = "an array value is written {\"op\": \"av\", \"elements\": [...]}";
                            return Err(node.mismatch("an expression").with_help(help).into());
                        }
                        Kind::Null => return Err(node.mismatch("an expression").into()),
                    };
                    done.push(self.pool.push(leaf, span));
                }
                Task::Build(build, span) => {
                    let node = build.apply(&mut done);
                    done.push(self.pool.push(node, span));
                }
            }
        }
        Ok(done.pop().expect("the root leaves its own id"))
    }

    /// Looks at an object: gives a leaf, or leaves work for its operands.
    fn visit<'d>(&mut self, node: Node<'d>, mode: Mode, work: &mut Vec<Task<'d>>) -> Read<Option<Expr>> {
        let Some(op) = node.get("op") else { return self.without_operator(node).map(Some) };
        let name = op.expect_str("the name of an operator")?;
        let Some(operator) = lookup(name) else { return Err(unknown(op, name)) };
        let check = |shape: &Shape| {
            ObjectReader::new(node, shape).map_err(|mut error| {
                error.message = error.message.replacen("this operator", &format!("\"{name}\""), 1);
                error
            })
        };
        let (build, operands) = match operator {
            Operator::Unary(op) => (Build::Unary(op), vec![check(&UNARY)?.required("exp")]),
            Operator::Binary(op) => {
                let object = check(&BINARY).map_err(|error| negation_help(error, op, node))?;
                // The commonest node by far: no vector for its operands.
                work.push(Task::Build(Build::Binary(op), node.span()));
                work.push(Task::Visit(object.required("right")));
                work.push(Task::Visit(object.required("left")));
                return Ok(None);
            }
            Operator::IfThenElse => {
                let object = check(&ITE)?;
                (Build::IfThenElse, vec![object.required("if"), object.required("then"), object.required("else")])
            }
            Operator::ArrayAccess => {
                let object = check(&ACCESS)?;
                (Build::ArrayAccess, vec![object.required("exp"), object.required("index")])
            }
            Operator::ArrayValue => {
                let elements = check(&VALUE)?.required("elements");
                let elements: Vec<_> = elements.expect_array("the elements as an array")?.collect();
                (Build::ArrayValue(elements.len()), elements)
            }
            Operator::ArrayConstructor => {
                let object = check(&CONSTRUCTOR)?;
                let variable = self.name(object.required("var"), "the name of a variable")?;
                (Build::ArrayConstructor(variable), vec![object.required("length"), object.required("exp")])
            }
            Operator::Call => {
                let object = check(&CALL)?;
                let function = self.name(object.required("function"), "the name of a function")?;
                let args = object.required("args").expect_array("the arguments as an array")?.collect::<Vec<_>>();
                (Build::Call(function, args.len()), args)
            }
            Operator::StateCondition => {
                let object = check(&CONDITION)?;
                let locations = self.locations(object.optional("locations"))?;
                let condition = object.optional("exp");
                (Build::StateCondition(locations, condition.is_some()), condition.into_iter().collect())
            }
            Operator::Let => {
                let object = check(&LET)?;
                if let Some(variables) = object.optional("variables")
                    && let Some(variable) = variables.expect_array("the variables as an array")?.next()
                {
                    let error = Diagnostic::error(variable.span(), "\"let\" with variables is not supported");
                    let help = "write the condition without the variable, or give the states one by one";
                    return Err(Fault::unsupported(error.with_help(help)));
                }
                work.push(Task::Visit(object.required("expression")));
                return Ok(None);
            }
            Operator::StateSet(_) | Operator::Quantifier(_) | Operator::Expected(_) | Operator::Path(_)
                if mode == Mode::State =>
            {
                let error = Diagnostic::error(op.span(), format!("\"{name}\" can stand only in a filter"));
                return Err(error.with_help("this place needs an expression over one state").into());
            }
            Operator::StateSet(set) => {
                check(&SET)?;
                return Ok(Some(Expr::StateSet(set)));
            }
            Operator::Quantifier(quantifier) => (Build::Quantified(quantifier), vec![check(&UNARY)?.required("exp")]),
            Operator::Expected(op) => {
                let object = check(&EXPECTED)?;
                let (accumulate, reach) = accumulated(node, &object, name)?;
                (Build::Expected(op, accumulate), vec![object.required("exp"), reach])
            }
            Operator::Path(path) => {
                refuse_bounds(node, name)?;
                let operands = match path {
                    PathOp::Finally | PathOp::Globally => vec![check(&FORMULA)?.required("exp")],
                    PathOp::Until | PathOp::WeakUntil | PathOp::Release => {
                        let object = check(&BINARY_FORMULA)?;
                        vec![object.required("left"), object.required("right")]
                    }
                };
                if let Some((upper, exclusive)) = step_bound(node, name)? {
                    // The work is a stack: first the formula, then the bound, then both together.
                    work.push(Task::Build(Build::StepBound(exclusive), node.span()));
                    work.push(Task::Visit(upper));
                }
                (Build::Path(path), operands)
            }
            Operator::Refused(what, help) => {
                let error = Diagnostic::error(op.span(), format!("\"{name}\" ({what}) is not supported"));
                return Err(Fault::unsupported(error.with_help(help)));
            }
            Operator::Elsewhere(place) => {
                let error = Diagnostic::error(op.span(), format!("\"{name}\" cannot stand inside an expression"));
                return Err(error.with_help(format!("it can only be {place}")).into());
            }
        };
        work.push(Task::Build(build, node.span()));
        work.extend(operands.into_iter().rev().map(Task::Visit));
        Ok(None)
    }

    /// An object without `op`: a mathematical constant, or a mistake.
    fn without_operator(&mut self, node: Node<'_>) -> Read<Expr> {
        if node.get("constant").is_some() {
            let constant = ObjectReader::new(node, &CONSTANT)?.required("constant");
            return match constant.expect_str("\"e\" or \"π\"")? {
                name @ ("e" | "π") => Ok(Expr::MathConstant(self.intern(name))),
                other => {
                    let error =
                        Diagnostic::error(constant.span(), format!("there is no constant \"{}\"", shown(other)));
                    let help = "a constant of the model is written as its name alone; this form is for \"e\" and \"π\"";
                    Err(error.with_help(help).into())
                }
            };
        }
        if let Some(distribution) = node.get("distribution") {
            let error = Diagnostic::error(distribution.span(), "sampling from a distribution is not supported");
            return Err(Fault::unsupported(error.with_help("use several destinations with probabilities")));
        }
        if let Some(label) = node.get("label") {
            let error = Diagnostic::error(label.span(), "references to \"labels\" are not supported");
            return Err(Fault::unsupported(error.with_help("write the value here, or put it into a file")));
        }
        if let Some(file) = node.get("file") {
            let error = Diagnostic::error(file.span(), "a file cannot stand for an expression here");
            let help = "only \"start\", \"reach\", \"objective\", \"goal\" and \"predicates\" can be in a file";
            return Err(error.with_help(help).into());
        }
        let error = Diagnostic::error(node.span(), "an expression that is an object needs \"op\"");
        let misspelt = node.members().find(|(name, _, _)| suggest(name, std::iter::once("op")).is_some());
        Err(match misspelt {
            Some((name, _, _)) => error.with_help(format!("did you mean \"op\" instead of \"{}\"?", shown(name))),
            None if node.get("exp").is_some() => error.with_help("give what is in \"exp\" directly"),
            None => error,
        }
        .into())
    }

    pub(super) fn locations(&mut self, node: Option<Node<'_>>) -> Read<Vec<LocationRef>> {
        let Some(node) = node else { return Ok(Vec::new()) };
        let mut locations = Vec::new();
        for item in node.expect_array("the locations as an array")? {
            let object = ObjectReader::new(item, &LOCATION)?;
            let index = object.optional("index").filter(|index| !index.is_null());
            let index = index.map(|index| {
                let wanted = "the place of the automaton among its occurrences, from 0";
                let number = index.expect_i64(wanted)?;
                let number =
                    u32::try_from(number).map_err(|_| Diagnostic::error(index.span(), format!("expected {wanted}")))?;
                Ok::<_, Diagnostic>(Spanned::new(number, index.span()))
            });
            locations.push(LocationRef {
                automaton: self.name(object.required("automaton"), "the name of an automaton")?,
                index: index.transpose()?,
                location: self.name(object.required("location"), "the name of a location")?,
            });
        }
        Ok(locations)
    }
}

impl Build {
    fn apply(self, done: &mut Vec<ExprId>) -> Expr {
        let mut take = || done.pop().expect("the operands are there");
        match self {
            Self::Unary(op) => Expr::Unary(op, take()),
            Self::Binary(op) => {
                let right = take();
                Expr::Binary(op, take(), right)
            }
            Self::IfThenElse => {
                let (otherwise, then) = (take(), take());
                Expr::IfThenElse(take(), then, otherwise)
            }
            Self::ArrayAccess => {
                let index = take();
                Expr::ArrayAccess(take(), index)
            }
            Self::ArrayConstructor(variable) => {
                let element = take();
                Expr::ArrayConstructor(variable, take(), element)
            }
            Self::ArrayValue(count) => Expr::ArrayValue(done.split_off(done.len() - count)),
            Self::Call(function, count) => Expr::Call(function, done.split_off(done.len() - count)),
            Self::StateCondition(locations, conditional) => Expr::StateCondition(locations, conditional.then(take)),
            Self::Quantified(quantifier) => Expr::Quantified(quantifier, take()),
            Self::StepBound(exclusive) => {
                let upper = take();
                Expr::StepBound { path: take(), upper, exclusive }
            }
            Self::Expected(op, accumulate) => {
                let reach = take();
                Expr::Expected { op, accumulate, value: take(), reach }
            }
            Self::Path(path) => {
                let right = take();
                let left = match path {
                    PathOp::Finally | PathOp::Globally => None,
                    PathOp::Until | PathOp::WeakUntil | PathOp::Release => Some(take()),
                };
                Expr::Path(path, left, right)
            }
        }
    }
}

fn unknown(op: Node<'_>, name: &str) -> Fault {
    let error = Diagnostic::error(op.span(), format!("there is no operator \"{}\"", shown(name)));
    match look_alike(name).or_else(|| suggest(name, names())) {
        Some(symbol) => error.with_help(format!("JANI writes it \"{symbol}\"")),
        None => error,
    }
    .into()
}

/// `{"op": "-", "exp": x}` is a mistake that deserves a better answer than a missing member.
fn negation_help(error: Diagnostic, op: BinaryOp, node: Node<'_>) -> Diagnostic {
    match op {
        BinaryOp::Sub if node.get("exp").is_some() => {
            error.with_help("JANI has no negative sign; write {\"op\": \"-\", \"left\": 0, \"right\": ...}")
        }
        _ => error,
    }
}

fn refuse_bounds(node: Node<'_>, name: &str) -> Read<()> {
    for bounds in ["time-bounds", "reward-bounds"] {
        if let Some(value) = node.get(bounds) {
            let message = format!("\"{name}\" with \"{bounds}\" is not supported in properties");
            let help = "ask without the bound, or count in a variable of the model";
            return Err(Fault::unsupported(Diagnostic::error(value.span(), message).with_help(help)));
        }
    }
    Ok(())
}

/// When an expected value is added up, and until when; other kinds of expected values are refused by what makes them so.
fn accumulated<'d>(node: Node<'d>, object: &ObjectReader<'d>, name: &str) -> Read<(Accumulation, Node<'d>)> {
    let refuse = |span: Span, message: String, help: &str| {
        Err(Fault::unsupported(Diagnostic::error(span, message).with_help(help)))
    };
    for instant in ["step-instant", "time-instant", "reward-instants"] {
        if let Some(value) = object.optional(instant) {
            let message = format!("\"{name}\" with \"{instant}\" is not supported");
            return refuse(value.span(), message, "ask for the sum up to a state: give \"reach\" instead");
        }
    }
    let Some(kinds) = object.optional("accumulate") else {
        let message = format!("\"{name}\" without \"accumulate\" (a value at one moment) is not supported");
        let help = "ask for the sum up to a state: give \"accumulate\": [\"steps\"] or [\"exit\"]";
        return refuse(node.span(), message, help);
    };
    let mut accumulate = Accumulation::default();
    for kind in kinds.expect_array("\"steps\" and \"exit\" as an array")? {
        let given = match kind.expect_str("\"steps\", \"exit\" or \"time\"")? {
            "steps" => &mut accumulate.steps,
            "exit" => &mut accumulate.exit,
            "time" => &mut accumulate.time,
            other => {
                let message = format!("nothing accumulates at \"{}\"", shown(other));
                let help = "the choices are \"steps\", \"exit\" and \"time\"";
                return Err(Diagnostic::error(kind.span(), message).with_help(help).into());
            }
        };
        if std::mem::replace(given, true) {
            let error = Diagnostic::error(kind.span(), "this is there twice");
            return Err(error.with_help("keep one of them").into());
        }
    }
    // Without time nothing passes: what is added up over time alone is nothing.
    if !(accumulate.steps || accumulate.exit) {
        let message = format!("\"{name}\" of what accumulates over time only is not supported");
        return refuse(kinds.span(), message, "models without time have \"steps\" and \"exit\"");
    }
    let Some(reach) = object.optional("reach") else {
        let message = format!("\"{name}\" without \"reach\" (a sum without end) is not supported");
        return refuse(node.span(), message, "give \"reach\": the states in which the sum ends");
    };
    Ok((accumulate, reach))
}

/// The upper step bound of a path formula, and whether it is exclusive.
fn step_bound<'d>(node: Node<'d>, name: &str) -> Read<Option<(Node<'d>, bool)>> {
    let Some(bounds) = node.get("step-bounds") else { return Ok(None) };
    let object = ObjectReader::new(bounds, &STEP_BOUNDS)?;
    // A lower bound of zero steps says nothing.
    let zero = |lower: &Node<'_>| lower.as_number() == Some("0") && object.optional("lower-exclusive").is_none();
    if let Some(lower) = object.optional("lower").filter(|lower| !zero(lower)) {
        let message = format!("\"{name}\" with a lower step bound is not supported in properties");
        let help = "count the steps in a variable of the model";
        return Err(Fault::unsupported(Diagnostic::error(lower.span(), message).with_help(help)));
    }
    let Some(upper) = object.optional("upper") else {
        let error = Diagnostic::error(bounds.span(), "\"step-bounds\" needs an \"upper\" bound");
        return Err(error.with_help("leave \"step-bounds\" out for a formula without bound").into());
    };
    let exclusive = object.optional("upper-exclusive").map_or(Ok(false), |e| e.expect_bool("a truth value"))?;
    Ok(Some((upper, exclusive)))
}
