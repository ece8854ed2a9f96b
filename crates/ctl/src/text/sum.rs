//! Linear arithmetic: sums, products with constants, quotients by constants.

use surefoot_linear::Linear;
use surefoot_num::Rational;

use super::TextError;
use super::lexer::Kind;
use super::parser::Parser;

/// A linear form, and whether it is a truth value as it stands.
#[derive(Debug, Clone)]
pub(super) struct Sum {
    pub(super) form: Linear,
    pub(super) is_bool: bool,
}

impl Parser<'_> {
    pub(super) fn sum(&mut self) -> Result<Sum, TextError> {
        let mut sum = self.product()?;
        loop {
            let negative = match () {
                () if self.take_sign("+") => false,
                () if self.take_sign("-") => true,
                () => return Ok(sum),
            };
            let other = self.product()?;
            let form = if negative { &sum.form - &other.form } else { &sum.form + &other.form };
            sum = Sum { form, is_bool: false };
        }
    }

    fn product(&mut self) -> Result<Sum, TextError> {
        let start = self.token().start;
        let mut product = self.factor()?;
        loop {
            if self.take_sign("*") {
                let other = self.factor()?;
                let form = match (product.form.is_constant(), other.form.is_constant()) {
                    (true, _) => &other.form * product.form.constant(),
                    (_, true) => &product.form * other.form.constant(),
                    (false, false) => {
                        let error = TextError::new(start, self.last_end(), "a product of variables is not linear");
                        return Err(error.with_help("one factor must be a number or a constant of the model"));
                    }
                };
                product = Sum { form, is_bool: false };
            } else if self.take_sign("/") {
                let other = self.factor()?;
                let divisor = other.form.is_constant().then(|| Rational::ONE.checked_div(other.form.constant()));
                let form = match divisor {
                    Some(Some(inverse)) => &product.form * &inverse,
                    Some(None) => return Err(TextError::new(start, self.last_end(), "this divides by zero")),
                    None => {
                        let error = TextError::new(start, self.last_end(), "a quotient by a variable is not linear");
                        return Err(error.with_help("multiply both sides by it, where its sign is known"));
                    }
                };
                product = Sum { form, is_bool: false };
            } else {
                return Ok(product);
            }
        }
    }

    fn factor(&mut self) -> Result<Sum, TextError> {
        self.deeper()?;
        let sum = self.factor_inside();
        self.higher();
        sum
    }

    fn factor_inside(&mut self) -> Result<Sum, TextError> {
        if self.take_sign("-") {
            let factor = self.factor()?;
            return Ok(Sum { form: -&factor.form, is_bool: false });
        }
        if self.take_sign("(") {
            let sum = self.sum()?;
            self.expect_sign(")", "')'")?;
            return Ok(sum);
        }
        let token = self.token().clone();
        let constant = |value: Rational, is_bool: bool| Sum { form: Linear::constant_form(value), is_bool };
        match token.kind {
            Kind::Number(number) => {
                self.advance();
                Ok(constant(number, false))
            }
            Kind::Word(word) if word == "true" || word == "false" => {
                self.advance();
                Ok(constant(Rational::from(word == "true"), true))
            }
            Kind::Word(word) if super::parser::is_keyword(&word) => Err(self.unexpected("a number or a variable")),
            Kind::Word(name) | Kind::Quoted(name) => {
                self.advance();
                let name = self.with_indices(name)?;
                let meaning = self.vocabulary.meaning(&name).map_err(|(message, help)| {
                    let error = TextError::new(token.start, self.last_end(), message);
                    if let Some(help) = help { error.with_help(help) } else { error }
                })?;
                Ok(Sum { form: meaning.form, is_bool: meaning.is_bool })
            }
            Kind::Sign(_) | Kind::End => Err(self.unexpected("a number or a variable")),
        }
    }

    /// A name with the indices of an array's cell, as the cell is called.
    fn with_indices(&mut self, mut name: String) -> Result<String, TextError> {
        while self.take_sign("[") {
            let index = self.number("an index, which is a whole number")?;
            self.expect_sign("]", "']'")?;
            name.push_str(&format!("[{index}]"));
        }
        Ok(name)
    }
}
