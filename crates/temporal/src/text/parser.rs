//! The grammar, by recursive descent.

use surefoot_jani::syntax::{BinaryOp, UnaryOp};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::{FileId, Span};

use super::lexer::{self, Token, tokens};
use super::tree::{Between, Kind, Tree};
use crate::formula::Quantifier;

/// Deeper nesting is refused: formulas are walked by recursion.
const MOST_NESTING: usize = 200;

const LOGIC: [&str; 7] = ["true", "false", "at", "and", "or", "not", "implies"];
const TIME: [&str; 10] = ["A", "E", "AX", "EX", "AF", "EF", "AG", "EG", "U", "R"];
const COMPARISONS: [(&str, BinaryOp); 6] = [
    ("<=", BinaryOp::Le),
    (">=", BinaryOp::Ge),
    ("<", BinaryOp::Lt),
    (">", BinaryOp::Gt),
    ("!=", BinaryOp::Ne),
    ("=", BinaryOp::Eq),
];

/// Reads a formula, or a condition in which nothing about time can stand.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub(super) fn parse(file: FileId, text: &str, temporal: bool) -> Result<Tree, Diagnostic> {
    let mut parser = Parser { file, temporal, tokens: tokens(file, text)?, at: 0, depth: 0 };
    let tree = parser.formula()?;
    match parser.token().kind {
        lexer::Kind::End => Ok(tree),
        _ => Err(parser.unexpected("'&', '|', '=>' or the end")),
    }
}

/// The keywords of a text up to a place.
pub(super) fn keywords(file: FileId, text: &str, temporal: bool, end: usize) -> Vec<String> {
    let words = tokens(file, text).unwrap_or_default().into_iter().filter(|token| token.start < end);
    let words = words.filter_map(|token| match token.kind {
        lexer::Kind::Word(word) if is_keyword(&word, temporal) => Some(word),
        _ => None,
    });
    words.collect()
}

fn is_keyword(word: &str, temporal: bool) -> bool {
    LOGIC.contains(&word) || (temporal && TIME.contains(&word))
}

/// A text that is being read.
struct Parser {
    file: FileId,
    /// Whether operators about time are read as such.
    temporal: bool,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// Where the last token that was read ends.
    fn last_end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].end
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.token().kind, lexer::Kind::Sign(s) if s == sign)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(&self.token().kind, lexer::Kind::Word(w) if w == word);
        if found {
            self.advance();
        }
        found
    }

    /// A sign, or the words that mean the same.
    fn take_either(&mut self, sign: &str, word: &str) -> bool {
        self.take_sign(sign) || self.take_word(word) || self.take_word(&word.to_uppercase())
    }

    fn expect_sign(&mut self, sign: &str, what: &str) -> Result<(), Diagnostic> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let token = self.token();
        let place = Span::between(self.file, token.start, token.end);
        Diagnostic::error(place, format!("expected {expected}, found {}", token.describe()))
    }

    /// Reads something that may nest.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Tree, Diagnostic>) -> Result<Tree, Diagnostic> {
        self.depth += 1;
        if self.depth > MOST_NESTING {
            let token = self.token();
            let place = Span::between(self.file, token.start, token.end);
            return Err(Diagnostic::error(place, format!("the text is nested more than {MOST_NESTING} deep")));
        }
        let tree = read(self);
        self.depth -= 1;
        tree
    }

    /// A whole number.
    fn number(&mut self, what: &str) -> Result<u64, Diagnostic> {
        let number = match &self.token().kind {
            lexer::Kind::Number(number) => number.to_i64().and_then(|n| u64::try_from(n).ok()),
            _ => None,
        };
        let number = number.ok_or_else(|| self.unexpected(what))?;
        self.advance();
        Ok(number)
    }

    fn formula(&mut self) -> Result<Tree, Diagnostic> {
        self.nested(|parser| {
            let first = parser.chain(&[("|", "or", BinaryOp::Or)], |parser| {
                parser.chain(&[("&", "and", BinaryOp::And)], Self::unary)
            })?;
            if !parser.take_either("=>", "implies") {
                return Ok(first);
            }
            let (start, then) = (first.start, parser.formula()?);
            let end = then.end;
            Ok(Tree::new(Kind::Implies(Box::new(first), Box::new(then)), start, end))
        })
    }

    /// Operators of one level.
    fn chain(
        &mut self,
        operators: &[(&str, &str, BinaryOp)],
        operand: impl Fn(&mut Self) -> Result<Tree, Diagnostic>,
    ) -> Result<Tree, Diagnostic> {
        let first = operand(self)?;
        let mut rest = Vec::new();
        loop {
            let found = operators.iter().find(|(sign, word, _)| {
                if word.is_empty() { self.take_sign(sign) } else { self.take_either(sign, word) }
            });
            match found {
                Some((_, _, op)) => rest.push((*op, operand(self)?)),
                None if rest.is_empty() => return Ok(first),
                None => {
                    let (start, end) = (first.start, self.last_end());
                    return Ok(Tree::new(Kind::Chain(Box::new(first), rest), start, end));
                }
            }
        }
    }

    fn unary(&mut self) -> Result<Tree, Diagnostic> {
        self.nested(Self::unary_inside)
    }

    fn unary_inside(&mut self) -> Result<Tree, Diagnostic> {
        let start = self.token().start;
        if self.take_either("!", "not") {
            let operand = self.unary()?;
            let end = operand.end;
            return Ok(Tree::new(Kind::Unary(UnaryOp::Not, Box::new(operand)), start, end));
        }
        let word = match &self.token().kind {
            lexer::Kind::Word(word) if self.temporal && TIME[..8].contains(&word.as_str()) => word.clone(),
            _ => return self.comparison(),
        };
        let quantifier = if word.starts_with('A') { Quantifier::All } else { Quantifier::Some };
        self.advance();
        let kind = match word.as_str() {
            "AX" | "EX" => {
                let steps = if self.take_sign("^") { self.number("a number of steps")? } else { 1 };
                Kind::Next(quantifier, steps, Box::new(self.unary()?))
            }
            "A" | "E" => {
                self.expect_sign("[", "'['")?;
                let first = Box::new(self.formula()?);
                let between = match () {
                    () if self.take_word("U") => Between::Until,
                    () if self.take_word("R") => Between::Release,
                    () if self.take_word("W") => Between::WeakUntil,
                    () => return Err(self.unexpected("'U' or 'R'")),
                };
                let bound = if self.take_sign("<=") { Some(self.number("a number of steps")?) } else { None };
                let second = Box::new(self.formula()?);
                self.expect_sign("]", "']'")?;
                Kind::Between(between, quantifier, bound, first, second)
            }
            _ => {
                let mut bound = None;
                if self.take_sign("[") {
                    self.expect_sign("<=", "'<='")?;
                    bound = Some(self.number("a number of steps")?);
                    self.expect_sign("]", "']'")?;
                }
                let inner = Box::new(self.unary()?);
                if word.ends_with('F') {
                    Kind::Finally(quantifier, bound, inner)
                } else {
                    Kind::Globally(quantifier, bound, inner)
                }
            }
        };
        Ok(Tree::new(kind, start, self.last_end()))
    }

    fn comparison(&mut self) -> Result<Tree, Diagnostic> {
        let left = self.sum()?;
        let Some((_, op)) = COMPARISONS.into_iter().find(|(sign, _)| self.take_sign(sign)) else { return Ok(left) };
        let right = self.sum()?;
        if COMPARISONS.iter().any(|(sign, _)| self.is_sign(sign)) {
            let error = self.unexpected("'&', '|', '=>' or the end");
            return Err(error.with_help("write two comparisons, as in 0 <= x & x <= 5"));
        }
        let (start, end) = (left.start, right.end);
        Ok(Tree::new(Kind::Compare(op, Box::new(left), Box::new(right)), start, end))
    }

    fn sum(&mut self) -> Result<Tree, Diagnostic> {
        self.chain(&[("+", "", BinaryOp::Add), ("-", "", BinaryOp::Sub)], |parser| {
            let products = [("*", "", BinaryOp::Mul), ("/", "", BinaryOp::Div), ("%", "", BinaryOp::Mod)];
            parser.chain(&products, Self::factor)
        })
    }

    fn factor(&mut self) -> Result<Tree, Diagnostic> {
        self.nested(|parser| {
            let start = parser.token().start;
            if parser.take_sign("-") {
                let operand = Box::new(parser.factor()?);
                return Ok(Tree::new(Kind::Minus(operand), start, parser.last_end()));
            }
            if parser.take_either("!", "not") {
                let operand = Box::new(parser.factor()?);
                return Ok(Tree::new(Kind::Unary(UnaryOp::Not, operand), start, parser.last_end()));
            }
            let base = parser.primary()?;
            if !parser.take_sign("^") {
                return Ok(base);
            }
            let exponent = parser.factor()?;
            let end = exponent.end;
            Ok(Tree::new(Kind::Chain(Box::new(base), vec![(BinaryOp::Pow, exponent)]), start, end))
        })
    }

    fn primary(&mut self) -> Result<Tree, Diagnostic> {
        let token = self.token().clone();
        let start = token.start;
        let kind = match token.kind {
            lexer::Kind::Sign("(") => {
                self.advance();
                let inner = self.formula()?;
                self.expect_sign(")", "')', '&', '|' or '=>'")?;
                return Ok(inner);
            }
            lexer::Kind::Number(number) => {
                self.advance();
                Kind::Number(number)
            }
            lexer::Kind::Word(word) if word == "true" || word == "false" => {
                self.advance();
                Kind::Truth(word == "true")
            }
            lexer::Kind::Word(word) if is_keyword(&word, self.temporal) => {
                return Err(self.unexpected("a number or a variable"));
            }
            lexer::Kind::Word(name) => {
                self.advance();
                if self.is_sign("(") { self.call(name)? } else { self.named(name)? }
            }
            lexer::Kind::Quoted(name) => {
                self.advance();
                self.named(name)?
            }
            lexer::Kind::Sign(_) | lexer::Kind::End => return Err(self.unexpected("a number or a variable")),
        };
        let tree = Tree::new(kind, start, self.last_end());
        let mut indices = Vec::new();
        while matches!(tree.kind, Kind::Name(_)) && self.take_sign("[") {
            indices.push(self.formula()?);
            self.expect_sign("]", "']'")?;
        }
        if indices.is_empty() {
            return Ok(tree);
        }
        Ok(Tree::new(Kind::Cell(Box::new(tree), indices), start, self.last_end()))
    }

    /// What follows a name: that an automaton is somewhere, or nothing.
    fn named(&mut self, name: String) -> Result<Kind, Diagnostic> {
        if !self.take_word("at") {
            return Ok(Kind::Name(name));
        }
        let location = match &self.token().kind {
            lexer::Kind::Word(name) | lexer::Kind::Quoted(name) => name.clone(),
            lexer::Kind::Number(number) => number.to_string(),
            lexer::Kind::Sign(_) | lexer::Kind::End => return Err(self.unexpected("a location")),
        };
        self.advance();
        Ok(Kind::At(name, location))
    }

    fn call(&mut self, name: String) -> Result<Kind, Diagnostic> {
        self.expect_sign("(", "'('")?;
        let mut arguments = Vec::new();
        while !self.take_sign(")") {
            if !arguments.is_empty() {
                self.expect_sign(",", "',' or ')'")?;
            }
            arguments.push(self.formula()?);
        }
        Ok(Kind::Call(name, arguments))
    }
}
