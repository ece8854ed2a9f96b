//! Questions before they are asked: whether the engine can work with them.
//!
//! The engine panics on questions that do not pass [`Question::check`], so every way to load one comes through
//! [`check`]. What fails is told with the place in the file that it is about.

use surefoot_jani::diagnostic::Diagnostic;
use surefoot_jani::source::Span;
use surefoot_oracle::{Kind, Question, QuestionError};

/// An input as the file has it: what it is called, and where its interval is.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) span: Span,
}

/// Accepts a question or says what is wrong with it; `whole` is the place of all of it.
pub(super) fn check(question: &Question, whole: Span, input: impl Fn(usize) -> Input) -> Result<(), Diagnostic> {
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
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use surefoot_jani::source::FileId;
    use surefoot_network::{Activation, Layer, Network};
    use surefoot_num::Rational;
    use surefoot_oracle::Variable;
    use surefoot_symbolic::{Atom, Formula, Linear};

    use super::super::query::identity;
    use super::*;

    fn span(start: u32) -> Span {
        Span { file: FileId(0), start, end: start + 1 }
    }

    fn checked(variable: Variable, formula: Formula) -> Result<(), Diagnostic> {
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
        assert_eq!((real("1e300"), integer(1 << 53)), (Ok(()), Ok(())));
        for (error, expected) in [(real("1e301"), "a real number between -1e300"), (integer(1 << 60), "2^53")] {
            let error = error.unwrap_err();
            assert!(error.message.contains("X_0") && error.message.contains(expected), "{error:?}");
            assert!(error.span == Some(span(7)) && error.help.is_some(), "{error:?}");
        }
        let error = checked(Variable::integer(0, 1), Formula::atom(Atom::positive(Linear::symbol(9)))).unwrap_err();
        assert!(error.message.contains("symbol 9") && error.span == Some(span(0)) && error.help.is_some());
    }
}
