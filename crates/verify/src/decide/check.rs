//! Questions before they are asked: whether the engine can work with them, and whether their box is an odd one.
//!
//! The engine panics on questions that do not pass [`Question::check`], so every way to load one comes through
//! [`check`]. What fails is told with the place in the file that it is about. A box with nothing in it has an answer,
//! `unsat`, but is rarely meant: that is worth a notice.

use surefoot_oracle::{Kind, Question, QuestionError};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::Span;

/// An input as the file has it: what it is called, and where its interval is.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) span: Span,
}

/// Accepts a question, perhaps with a notice, or says what is wrong with it; `whole` is the place of all of it.
pub(super) fn check(
    question: &Question,
    whole: Span,
    input: impl Fn(usize) -> Input,
) -> Result<Option<Diagnostic>, Diagnostic> {
    question.check().map_err(|error| match error {
        QuestionError::Bounds { variable } => {
            let Input { name, span } = input(variable);
            let integer = question.variables.get(variable).is_some_and(|variable| variable.kind == Kind::Integer);
            let (what, most) = if integer { ("an integer", "2^53") } else { ("a real number", "1e300") };
            let message =
                format!("the bounds of {name} are too large: expected {what} between -{most} and {most} for each");
            let help = "give the smallest and the largest value that matter, or ask in another unit";
            Diagnostic::error(span, message).refusal().with_help(help)
        }
        other => {
            let error = Diagnostic::error(whole, format!("this cannot be decided: {other}")).refusal();
            error.with_help("ask something smaller, or split the question")
        }
    })?;
    let mut variables = question.variables.iter().enumerate();
    Ok(variables.find_map(|(index, variable)| {
        let Input { name, span } = input(index);
        if variable.lower > variable.upper {
            let message =
                format!("the smallest value of {name} is larger than the largest one, so nothing is in the box");
            let help = "the answer is unsat whatever the network does; an interval is [smallest, largest]";
            return Some(Diagnostic::notice(span, message).with_help(help));
        }
        (variable.kind == Kind::Integer && variable.lower.ceil() > variable.upper).then(|| {
            let message = format!("{name} is an integer, but none is in its interval, so nothing is in the box");
            let help = "the answer is unsat whatever the network does; \"integer\": false is for real inputs";
            Diagnostic::notice(span, message).with_help(help)
        })
    }))
}

/// `1 input`, `2 inputs`.
pub(super) fn counted(n: usize, what: &str) -> String {
    surefoot_text::counted(n as u64, what)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use surefoot_linear::{Atom, Formula, Linear, Symbol};
    use surefoot_network::{Activation, Layer, Network};
    use surefoot_num::Rational;
    use surefoot_oracle::Variable;
    use surefoot_text::source::FileId;

    use super::super::query::identity;
    use super::*;

    fn span(start: u32) -> Span {
        Span { file: FileId(0), start, end: start + 1 }
    }

    fn checked(variable: Variable, formula: Formula) -> Result<Option<Diagnostic>, Diagnostic> {
        let layer = Layer::new(1, vec![1.0], vec![0.0], Activation::Identity).unwrap();
        let network = Arc::new(Network::new(vec![layer]).unwrap());
        let question = Question { variables: vec![variable], applications: vec![identity(&network)], formula };
        check(&question, span(0), |input| Input { name: format!("X_{input}"), span: span(7) })
    }

    #[test]
    fn bounds_are_refused_at_their_input_and_the_rest_at_the_whole() {
        let number = |text: &str| text.parse::<Rational>().unwrap();
        let real = |upper: &str| checked(Variable::real(Rational::ZERO, number(upper)), Formula::truth());
        let integer = |upper: i64| checked(Variable::integer(0, upper), Formula::truth());
        assert_eq!((real("1e300"), integer(1 << 53)), (Ok(None), Ok(None)));
        for (error, expected) in [(real("1e301"), "a real number between -1e300"), (integer(1 << 60), "2^53")] {
            let error = error.unwrap_err();
            assert!(error.message.contains("X_0") && error.message.contains(expected), "{error:?}");
            assert!(error.span == Some(span(7)) && error.help.is_some(), "{error:?}");
        }
        let error =
            checked(Variable::integer(0, 1), Formula::atom(Atom::positive(Linear::symbol(Symbol(9))))).unwrap_err();
        assert!(error.message.contains("symbol 9") && error.span == Some(span(0)) && error.help.is_some());
    }

    #[test]
    fn empty_intervals_are_noticed() {
        let number = |text: &str| text.parse::<Rational>().unwrap();
        let real = |lower: &str, upper: &str| Variable::real(number(lower), number(upper));
        let integer = |lower: &str, upper: &str| Variable { kind: Kind::Integer, ..real(lower, upper) };
        for (variable, expected) in [
            (real("1", "1"), None),
            (real("0.2", "0.8"), None),
            (integer("0.2", "1"), None),
            (integer("-0.5", "0.5"), None),
            (real("1", "0"), Some("larger than the largest")),
            (integer("1", "0"), Some("larger than the largest")),
            (integer("0.2", "0.8"), Some("none is in its interval")),
            (integer("-0.8", "-0.2"), Some("none is in its interval")),
        ] {
            let notice = checked(variable.clone(), Formula::truth()).unwrap();
            assert_eq!(notice.is_some(), expected.is_some(), "{variable:?}");
            if let (Some(notice), Some(expected)) = (notice, expected) {
                assert!(notice.message.contains(expected) && notice.message.contains("X_0"), "{notice:?}");
                assert!(notice.span == Some(span(7)) && notice.help.is_some(), "{notice:?}");
            }
        }
    }
}
