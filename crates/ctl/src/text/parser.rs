//! The grammar, by recursive descent.
//!
//! A parenthesis may open a formula or a sum. Both are tried, the sum first; where neither works, the message is of the
//! attempt that got further.

use surefoot_linear::{Atom, Formula, Linear, Relation};
use surefoot_num::Rational;

use super::lexer::{Kind, Token, tokens};
use super::{TextError, Vocabulary};
use crate::formula::{Ctl, Quantifier};

/// Deeper nesting is refused: formulas are walked by recursion.
const MOST_NESTING: usize = 200;

const KEYWORDS: [&str; 13] = ["A", "E", "AX", "EX", "AF", "EF", "AG", "EG", "U", "R", "true", "false", "at"];

/// Whether a word is a keyword.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Reads a formula.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse(text: &str, vocabulary: &Vocabulary) -> Result<Ctl, TextError> {
    let mut parser = Parser { vocabulary, tokens: tokens(text)?, at: 0, depth: 0 };
    let formula = parser.formula()?;
    match parser.token().kind {
        Kind::End => Ok(formula),
        _ => Err(parser.unexpected("'&', '|', '=>' or the end")),
    }
}

/// A text that is being read.
pub(super) struct Parser<'v> {
    pub(super) vocabulary: &'v Vocabulary,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// Where the last token that was read ends.
    pub(super) fn last_end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].end
    }

    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.token().kind, Kind::Sign(s) if s == sign);
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(&self.token().kind, Kind::Word(w) if w == word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect_sign(&mut self, sign: &str, what: &str) -> Result<(), TextError> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    pub(super) fn unexpected(&self, expected: &str) -> TextError {
        let token = self.token();
        let end = token.end.max(token.start);
        TextError::new(token.start, end, format!("expected {expected}, found {}", token.describe()))
    }

    pub(super) fn deeper(&mut self) -> Result<(), TextError> {
        self.depth += 1;
        if self.depth <= MOST_NESTING {
            return Ok(());
        }
        let token = self.token();
        Err(TextError::new(token.start, token.end, format!("the formula is nested more than {MOST_NESTING} deep")))
    }

    pub(super) fn higher(&mut self) {
        self.depth -= 1;
    }

    /// A whole number.
    pub(super) fn number(&mut self, what: &str) -> Result<u64, TextError> {
        let number = match &self.token().kind {
            Kind::Number(number) => number.to_i64().and_then(|n| u64::try_from(n).ok()),
            _ => None,
        };
        let number = number.ok_or_else(|| self.unexpected(what))?;
        self.advance();
        Ok(number)
    }

    fn formula(&mut self) -> Result<Ctl, TextError> {
        self.deeper()?;
        let first = self.or()?;
        let formula = if self.take_sign("=>") { first.negated().or(self.formula()?) } else { first };
        self.higher();
        Ok(formula)
    }

    fn or(&mut self) -> Result<Ctl, TextError> {
        let mut parts = vec![self.and()?];
        while self.take_sign("|") {
            parts.push(self.and()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Ctl::Or(parts) })
    }

    fn and(&mut self) -> Result<Ctl, TextError> {
        let mut parts = vec![self.unary()?];
        while self.take_sign("&") {
            parts.push(self.unary()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Ctl::And(parts) })
    }

    fn unary(&mut self) -> Result<Ctl, TextError> {
        self.deeper()?;
        let formula = self.unary_inside();
        self.higher();
        formula
    }

    fn unary_inside(&mut self) -> Result<Ctl, TextError> {
        if self.take_sign("!") {
            return Ok(self.unary()?.negated());
        }
        let word = match &self.token().kind {
            Kind::Word(word) if is_keyword(word) => word.clone(),
            _ => return self.primary(),
        };
        let quantifier = if word.starts_with('A') { Quantifier::All } else { Quantifier::Some };
        match word.as_str() {
            "AX" | "EX" => {
                self.advance();
                let steps = if self.take_sign("^") { self.number("a number of steps")? } else { 1 };
                Ok(Ctl::Next(quantifier, steps, Box::new(self.unary()?)))
            }
            "AF" | "EF" | "AG" | "EG" => {
                self.advance();
                let mut bound = None;
                if self.take_sign("[") {
                    self.expect_sign("<=", "'<='")?;
                    bound = Some(self.number("a number of steps")?);
                    self.expect_sign("]", "']'")?;
                }
                let inner = Box::new(self.unary()?);
                let finally = word.ends_with('F');
                Ok(if finally {
                    Ctl::Finally(quantifier, bound, inner)
                } else {
                    Ctl::Globally(quantifier, bound, inner)
                })
            }
            "A" | "E" => {
                self.advance();
                self.expect_sign("[", "'['")?;
                let first = Box::new(self.formula()?);
                let release = match () {
                    () if self.take_word("U") => false,
                    () if self.take_word("R") => true,
                    () => return Err(self.unexpected("'U' or 'R'")),
                };
                let bound = if self.take_sign("<=") { Some(self.number("a number of steps")?) } else { None };
                let second = Box::new(self.formula()?);
                self.expect_sign("]", "']'")?;
                Ok(if release {
                    Ctl::Release(quantifier, bound, first, second)
                } else {
                    Ctl::Until(quantifier, bound, first, second)
                })
            }
            "true" | "false" => self.primary(),
            _ => Err(self.unexpected("a formula")),
        }
    }

    /// A constraint, or a formula in parentheses.
    fn primary(&mut self) -> Result<Ctl, TextError> {
        let (at, depth) = (self.at, self.depth);
        let constraint = self.constraint();
        let error = match constraint {
            Ok(formula) => return Ok(formula),
            Err(error) => error,
        };
        (self.at, self.depth) = (at, depth);
        if !self.take_sign("(") {
            return Err(error);
        }
        let inner = self.formula().and_then(|formula| {
            self.expect_sign(")", "')', '&', '|' or '=>'")?;
            Ok(formula)
        });
        inner.map_err(|other| if error.start > other.start { error } else { other })
    }

    fn constraint(&mut self) -> Result<Ctl, TextError> {
        if let Kind::Word(name) | Kind::Quoted(name) = self.token().kind.clone()
            && self.tokens.get(self.at + 1).is_some_and(|next| next.kind == Kind::Word("at".to_owned()))
        {
            self.advance();
            return self.location(&name);
        }
        if let Kind::Word(name) = &self.token().kind
            && self.vocabulary.is_automaton(name)
            && self.vocabulary.meaning(name).is_err()
        {
            let name = name.clone();
            self.advance();
            return self.location(&name);
        }
        let left = self.sum()?;
        let signs = ["<=", ">=", "<", ">", "!=", "="];
        let Some(sign) = signs.into_iter().find(|sign| self.take_sign(sign)) else {
            if left.is_bool {
                return Ok(Ctl::atom(Atom { form: left.form, relation: Relation::NonZero }));
            }
            return Err(self.unexpected("a comparison: one of <, <=, >, >=, =, !="));
        };
        let right = self.sum()?;
        let (above, below) = (&left.form - &right.form, &right.form - &left.form);
        Ok(Ctl::atom(match sign {
            "<=" => Atom::at_least_zero(below),
            ">=" => Atom::at_least_zero(above),
            "<" => Atom::positive(below),
            ">" => Atom::positive(above),
            "=" => Atom::zero(above),
            _ => Atom { form: above, relation: Relation::NonZero },
        }))
    }

    /// What follows the name of an automaton.
    fn location(&mut self, automaton: &str) -> Result<Ctl, TextError> {
        let start = self.tokens[self.at.saturating_sub(1)].start;
        if !self.take_word("at") {
            return Err(self.unexpected(&format!("'at' and a location, as '{automaton}' is an automaton")));
        }
        let location = match &self.token().kind {
            Kind::Word(name) | Kind::Quoted(name) => name.clone(),
            Kind::Number(number) => number.to_string(),
            Kind::Sign(_) | Kind::End => return Err(self.unexpected("a location")),
        };
        self.advance();
        let found = self.vocabulary.location(automaton, &location);
        let (slot, number) =
            found.map_err(|(message, help)| TextError::new(start, self.last_end(), message).with_help(help))?;
        let form = Linear::new(
            vec![(slot, Rational::ONE)],
            -&Rational::from(i64::try_from(number).expect("locations are numbered")),
        );
        Ok(Ctl::formula(Formula::Atom(Atom::zero(form))))
    }
}
