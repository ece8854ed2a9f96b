//! Terms as SMV expressions, fully parenthesised.
//!
//! Integers only: quotients, powers and roundings of reals are refused by name. JANI's `mod` is never negative for a positive divisor; SMV's may be, so it
//! is taken twice.

use surefoot_model::term::{ArithOp, CmpOp, RoundOp};
use surefoot_model::{Model, Term, TermId};
use surefoot_num::Rational;
use surefoot_text::diagnostic::Diagnostic;

use crate::names::Names;

/// A term; the slots beyond those of the model are names of definitions.
pub(super) fn show(model: &Model, names: &Names, root: TermId) -> Result<String, Diagnostic> {
    let mut work = vec![(root, false)];
    let mut done: Vec<String> = Vec::new();
    while let Some((id, ready)) = work.pop() {
        if !ready {
            work.push((id, true));
            let mut operands = Vec::new();
            model.terms.for_each_operand(id, |operand| operands.push((operand, false)));
            operands.reverse();
            work.extend(operands);
            continue;
        }
        let text = node(model, names, id, &mut done)?;
        done.push(text);
    }
    Ok(done.pop().unwrap_or_default())
}

fn node(model: &Model, names: &Names, id: TermId, done: &mut Vec<String>) -> Result<String, Diagnostic> {
    let mut operands = |count: usize| done.split_off(done.len() - count);
    let refused = |what: &str| {
        let message = format!("{what} cannot be encoded as SMV over integers");
        Err(Diagnostic { span: model.terms.span(id), ..Diagnostic::error_anywhere(message) }.refusal())
    };
    Ok(match model.terms.get(id) {
        Term::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        Term::Num(value) => number(value),
        Term::Slot(slot) => names.slot(slot.index()).to_owned(),
        // There are none in a plain model.
        Term::Transient(_) => return refused("a transient variable"),
        Term::Not(_) => format!("!{}", operands(1)[0]),
        Term::And(..) => infix("&", &operands(2)),
        Term::Or(..) => infix("|", &operands(2)),
        Term::Cmp(op, ..) => infix(
            match op {
                CmpOp::Eq => "=",
                CmpOp::Ne => "!=",
                CmpOp::Lt => "<",
                CmpOp::Le => "<=",
            },
            &operands(2),
        ),
        Term::Arith(op, _, divisor) => {
            let both = operands(2);
            match op {
                ArithOp::Add => infix("+", &both),
                ArithOp::Sub => infix("-", &both),
                ArithOp::Mul => infix("*", &both),
                ArithOp::Min => format!("min({}, {})", both[0], both[1]),
                ArithOp::Max => format!("max({}, {})", both[0], both[1]),
                ArithOp::Mod if model.terms.constant(*divisor).is_some_and(|d| d.is_integer() && d.signum() > 0) => {
                    format!("((({0} mod {1}) + {1}) mod {1})", both[0], both[1])
                }
                ArithOp::Mod => return refused("a remainder by what is no positive constant"),
                ArithOp::Div => return refused("a quotient"),
                ArithOp::Pow => return refused("a power"),
                ArithOp::Log => return refused("a logarithm"),
            }
        }
        Term::Round(op, _) => {
            let inner = &operands(1)[0];
            match op {
                RoundOp::Abs => format!("max({inner}, -{inner})"),
                RoundOp::Sgn => format!("({inner} > 0 ? 1 : ({inner} < 0 ? -1 : 0))"),
                RoundOp::Floor | RoundOp::Ceil | RoundOp::Trc => return refused("the rounding of a real number"),
            }
        }
        Term::Ite(..) => {
            let parts = operands(3);
            format!("({} ? {} : {})", parts[0], parts[1], parts[2])
        }
        Term::Select(items, _) => {
            let mut parts = operands(items.len() + 1);
            let index = parts.pop().unwrap_or_default();
            let mut chosen = parts.pop().unwrap_or_default();
            for (position, item) in parts.into_iter().enumerate().rev() {
                chosen = format!("({index} = {position} ? {item} : {chosen})");
            }
            chosen
        }
    })
}

fn infix(operator: &str, operands: &[String]) -> String {
    format!("({} {operator} {})", operands[0], operands[1])
}

fn number(value: &Rational) -> String {
    match (value.is_integer(), value.signum() < 0) {
        (true, false) => value.to_string(),
        (true, true) => format!("({value})"),
        (false, false) => format!("f'{value}"),
        (false, true) => format!("(-f'{})", value.abs()),
    }
}
