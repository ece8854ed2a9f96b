//! One query: a question, and products of its symbols that the question does not know of.
//!
//! Where there are products, symbols after the question's own stand for them, in order. What such a query means is said here
//! once, slowly ([`Query::witnesses`]); how it is answered is the business of `linked` and `polynomial`.

use surefoot_linear::{Interval, Linear, Symbol};
use surefoot_num::Rational;
use surefoot_oracle::{Question, Variable};
use surefoot_text::diagnostic::Diagnostic;

/// One query.
#[derive(Debug, Clone)]
pub struct Query {
    /// What is asked.
    pub question: Question,
    /// The two factors of each product that the formula speaks of: symbols of the question, or products before it.
    pub products: Vec<(Symbol, Symbol)>,
    /// Whether linear equations between variables are solved before anything is asked.
    pub links: bool,
    /// The answer that the file says it has.
    pub expected: Option<String>,
    /// What is odd about it, where something is.
    pub notice: Option<Diagnostic>,
}

impl Query {
    /// A question, and nothing else.
    #[must_use]
    pub fn new(question: Question) -> Self {
        Self { question, products: Vec::new(), links: false, expected: None, notice: None }
    }

    /// Whether a state satisfies it: the definition. Nothing is said where scores cannot be told apart.
    ///
    /// # Panics
    /// When the state has not one value per variable.
    #[must_use]
    pub fn witnesses(&self, state: &[Rational]) -> Option<bool> {
        if self.products.is_empty() {
            return self.question.witnesses(state);
        }
        let first = self.question.symbols();
        // Products of outputs are asked only of networks whose outputs are these numbers.
        let mut values = self.question.symbol_values(state);
        for (left, right) in &self.products {
            values.push(&values[left.index()] * &values[right.index()]);
        }
        let constant =
            |symbol: Symbol| (symbol.index() >= first).then(|| Linear::constant_form(values[symbol.index()].clone()));
        let formula = self.question.formula.substitute(&constant);
        Question { formula, ..self.question.clone() }.witnesses(state)
    }

    /// A question that engines accept if they accept those that this query is answered by: products are variables in it.
    /// Products of outputs have no bounds here.
    pub(super) fn outline(&self) -> Question {
        let Question { variables, applications, formula } = self.question.clone();
        if self.products.is_empty() {
            return Question { variables, applications, formula };
        }
        let (inputs, first) = (variables.len(), self.question.symbols());
        let interval = |variable: &Variable| Interval::new(variable.lower.clone(), variable.upper.clone());
        let mut known: Vec<Option<Interval>> = variables.iter().map(|variable| Some(interval(variable))).collect();
        known.resize(first, None);
        for (left, right) in &self.products {
            let product = known[left.index()].as_ref().zip(known[right.index()].as_ref());
            known.push(product.and_then(|(left, right)| super::envelope::product(left, right)));
        }
        let ends = |interval: &Option<Interval>| {
            let ends = interval.as_ref().and_then(Interval::ends);
            ends.map_or((Rational::ZERO, Rational::ZERO), |(lower, upper)| (lower.clone(), upper.clone()))
        };
        let extra = known[first..].iter().map(ends).map(|(lower, upper)| Variable::real(lower, upper));
        let variables: Vec<Variable> = variables.into_iter().chain(extra).collect();
        let formula = formula.substitute(&|symbol| Some(Linear::symbol(self.moved(symbol, inputs))));
        Question { variables, applications, formula }
    }

    /// A symbol where products are variables after the others, before all outputs.
    fn moved(&self, symbol: Symbol, inputs: usize) -> Symbol {
        let (index, first) = (symbol.index(), self.question.symbols());
        if index < inputs {
            symbol
        } else if index < first {
            symbol.plus(self.products.len())
        } else {
            Symbol::at(inputs + index - first)
        }
    }
}
