//! Values back from text: `((x0 3) (x1 (- (/ 1.0 3.0))))`.

use surefoot_num::Rational;

/// The values of `x0`, `x1`, ... in order; `None` where the text is anything else.
pub(crate) fn values(text: &str, count: usize) -> Option<Vec<Rational>> {
    let mut words = Words { rest: text };
    words.expect("(")?;
    let mut values = Vec::with_capacity(count);
    for index in 0..count {
        words.expect("(")?;
        words.expect(&format!("x{index}"))?;
        values.push(words.number(0)?);
        words.expect(")")?;
    }
    words.expect(")")?;
    words.next().is_none().then_some(values)
}

/// Numbers are nested no deeper than this.
const MOST_NESTING: usize = 8;

struct Words<'t> {
    rest: &'t str,
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let text = self.rest.trim_start();
        let first = text.chars().next()?;
        let length = match first {
            '(' | ')' => 1,
            _ => text.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(text.len()),
        };
        let (word, rest) = text.split_at(length);
        self.rest = rest;
        Some(word)
    }

    fn expect(&mut self, wanted: &str) -> Option<()> {
        (self.next()? == wanted).then_some(())
    }

    fn number(&mut self, depth: usize) -> Option<Rational> {
        let word = self.next()?;
        if word != "(" {
            return word.parse().ok();
        }
        if depth == MOST_NESTING {
            return None;
        }
        let operator = self.next()?;
        let first = self.number(depth + 1)?;
        let value = match operator {
            "-" => -&first,
            "/" => first.checked_div(&self.number(depth + 1)?)?,
            "to_real" => first,
            _ => return None,
        };
        self.expect(")")?;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_shapes() {
        let text = "((x0 3)\n (x1 (- (/ 1.0 3.0))) (x2 (/ (- 1) 4)) (x3 (- 2.5)))";
        let wanted: Vec<Rational> = ["3", "-1/3", "-1/4", "-5/2"].map(|value| value.parse().unwrap()).to_vec();
        assert_eq!(values(text, 4), Some(wanted));
        assert_eq!(values("()", 0), Some(Vec::new()));
    }

    #[test]
    fn anything_else_is_no_model() {
        let deep = format!("((x0 {}1{}))", "(- ".repeat(99), ")".repeat(99));
        for text in ["", "((x0 3)", "((x1 3))", "((x0 (/ 1 0)))", "((x0 3)) more", "((x0 (+ 1 2)))", "sat", &deep] {
            assert_eq!(values(text, 1), None, "{text}");
        }
    }
}
