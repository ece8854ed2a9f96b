//! Proofs as tokens: steps, splits and leaves of a tree, as `docs/certificates.md` has them.
//!
//! A tree is a line of tokens, root first. This module knows how they are written, not what they show.

use std::fmt;

use surefoot_num::Rational;

/// Targets that nest deeper are refused.
const MOST_NESTED: usize = 64;

/// Multipliers that are written longer are refused.
const MOST_CHARACTERS: usize = 1000;

/// A formula and how often it is added.
pub type Multiple = (u32, Rational);

/// Where states are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// In a region.
    Region(u32),
    /// Among the states.
    States,
}

/// Where an outcome leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// To a place.
    At(Place),
    /// Nowhere: its probability is zero.
    Impossible,
    /// It depends on a non-deterministic value.
    Chosen {
        /// Which of the outcome's.
        choice: u32,
        /// The last value of the first part.
        at: i64,
        /// Where it leads up to that value, and beyond it.
        parts: Box<(Target, Target)>,
    },
}

/// A token of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// Bounds relative to an output, with lower slopes of hidden neurons where they are given.
    Bounds {
        /// The output.
        output: u32,
        /// Per neuron, in fifteenths; `None` and what is missing: the usual one.
        slopes: Vec<Option<u8>>,
    },
    /// The choice at constant inputs.
    Evaluate,
    /// An output is not chosen, by its row and known formulas.
    Exclude {
        /// The output.
        output: u32,
        /// The formulas.
        sum: Vec<Multiple>,
    },
    /// An operator leads to targets; `None`: it is in error.
    Leads {
        /// The operator.
        operator: u32,
        /// One per outcome.
        targets: Option<Vec<Target>>,
    },
    /// Nothing is left.
    Done,
    /// The node is empty.
    Empty(Vec<Multiple>),
    /// Every point is tried.
    Points(Vec<Place>),
    /// All start states are there.
    Inside(Place),
    /// A slot is at most a value, or more.
    Split {
        /// The slot.
        slot: u32,
        /// The last value of the first part.
        at: i64,
    },
    /// An atom holds, or does not.
    Ask(u32),
    /// A neuron is active, or not.
    Phase {
        /// The hidden layer.
        layer: u32,
        /// The neuron.
        neuron: u32,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Region(region) => write!(f, "{region}"),
            Self::States => f.write_str("@"),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(place) => place.fmt(f),
            Self::Impossible => f.write_str("-"),
            Self::Chosen { choice, at, parts } => write!(f, "c{choice}<{at}[{};{}]", parts.0, parts.1),
        }
    }
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i > 0 { "," } else { "" })?;
    }
    Ok(())
}

fn sum_of(f: &mut fmt::Formatter<'_>, sum: &[Multiple]) -> fmt::Result {
    for (i, (formula, factor)) in sum.iter().enumerate() {
        write!(f, "{}{formula}*{factor}", if i > 0 { "," } else { "" })?;
    }
    Ok(())
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bounds { output, slopes } => {
                write!(f, "b{output}{}", if slopes.is_empty() { "" } else { "/" })?;
                slopes.iter().try_for_each(|slope| match slope {
                    Some(slope) => write!(f, "{slope:x}"),
                    None => f.write_str("-"),
                })
            }
            Self::Evaluate => f.write_str("e"),
            Self::Exclude { output, sum } => {
                write!(f, "g{output}:")?;
                sum_of(f, sum)
            }
            Self::Leads { operator, targets: None } => write!(f, ">{operator}:!"),
            Self::Leads { operator, targets: Some(targets) } => {
                write!(f, ">{operator}:")?;
                list(f, targets)
            }
            Self::Done => f.write_str("."),
            Self::Empty(sum) => {
                f.write_str("f")?;
                sum_of(f, sum)
            }
            Self::Points(places) => {
                f.write_str("*")?;
                list(f, places)
            }
            Self::Inside(place) => write!(f, "={place}"),
            Self::Split { slot, at } => write!(f, "{slot}<{at}"),
            Self::Ask(formula) => write!(f, "?{formula}"),
            Self::Phase { layer, neuron } => write!(f, "^{layer}.{neuron}"),
        }
    }
}

/// A number as it is written: digits, with a sign where it may have one, and nothing else.
///
/// # Errors
/// What is wrong with it.
pub fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten().ok_or_else(|| format!("expected {what}, found '{}'", shown(text)))
}

/// A text of a file, short enough to be shown.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

impl Place {
    fn parse(text: &str) -> Result<Self, String> {
        if text == "@" { Ok(Self::States) } else { Ok(Self::Region(number(text, "a region")?)) }
    }
}

impl Target {
    /// Reads a target from the front of a text; what is behind it comes back.
    fn parse(text: &str, depth: usize) -> Result<(Self, &str), String> {
        let broken = || format!("expected a target, found '{}'", shown(text));
        let Some(rest) = text.strip_prefix('c') else {
            let end = text.find([',', ';', ']']).unwrap_or(text.len());
            let (own, rest) = text.split_at(end);
            return Ok((if own == "-" { Self::Impossible } else { Self::At(Place::parse(own)?) }, rest));
        };
        if depth == 0 {
            return Err(format!("targets nest deeper than {MOST_NESTED}"));
        }
        let (choice, rest) = rest.split_once('<').ok_or_else(broken)?;
        let (at, rest) = rest.split_once('[').ok_or_else(broken)?;
        let (low, rest) = Self::parse(rest, depth - 1)?;
        let (high, rest) = Self::parse(rest.strip_prefix(';').ok_or_else(broken)?, depth - 1)?;
        let rest = rest.strip_prefix(']').ok_or_else(broken)?;
        let choice = number(choice, "a choice")?;
        Ok((Self::Chosen { choice, at: number(at, "a value")?, parts: Box::new((low, high)) }, rest))
    }

    fn parse_list(mut text: &str) -> Result<Vec<Self>, String> {
        let mut targets = Vec::new();
        loop {
            let (target, rest) = Self::parse(text, MOST_NESTED)?;
            targets.push(target);
            match rest.strip_prefix(',') {
                Some(rest) => text = rest,
                None if rest.is_empty() => return Ok(targets),
                None => return Err(format!("expected a comma, found '{}'", shown(rest))),
            }
        }
    }
}

fn parse_sum(text: &str) -> Result<Vec<Multiple>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let multiple = |text: &str| {
        let (formula, factor) = text
            .split_once('*')
            .ok_or_else(|| format!("expected a formula times a number, found '{}'", shown(text)))?;
        if factor.len() > MOST_CHARACTERS {
            return Err(format!("a multiplier of more than {MOST_CHARACTERS} characters"));
        }
        let factor: Rational = factor.parse().map_err(|error| format!("{error}"))?;
        if factor.signum() <= 0 {
            return Err(format!("the multiplier {} is not positive", shown(&factor.to_string())));
        }
        Ok((number(formula, "a formula")?, factor))
    };
    text.split(',').map(multiple).collect()
}

impl std::str::FromStr for Token {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("expected a step, a split or a leaf, found '{}'", shown(text));
        let first = text.chars().next().ok_or_else(unknown)?;
        let rest = &text[first.len_utf8()..];
        match first {
            'b' => {
                let (output, slopes) = rest.split_once('/').unwrap_or((rest, ""));
                let digit = |c: char| match c.to_digit(16).and_then(|d| u8::try_from(d).ok()) {
                    None if c != '-' => Err(format!("'{c}' is no slope")),
                    digit => Ok(digit),
                };
                let slopes = slopes.chars().map(digit).collect::<Result<_, _>>()?;
                Ok(Self::Bounds { output: number(output, "an output")?, slopes })
            }
            'e' if rest.is_empty() => Ok(Self::Evaluate),
            'g' => {
                let (output, sum) = rest.split_once(':').ok_or_else(unknown)?;
                Ok(Self::Exclude { output: number(output, "an output")?, sum: parse_sum(sum)? })
            }
            '>' => {
                let (operator, targets) = rest.split_once(':').ok_or_else(unknown)?;
                let targets = if targets == "!" { None } else { Some(Target::parse_list(targets)?) };
                Ok(Self::Leads { operator: number(operator, "an operator")?, targets })
            }
            '.' if rest.is_empty() => Ok(Self::Done),
            'f' => Ok(Self::Empty(parse_sum(rest)?)),
            '*' if rest.is_empty() => Ok(Self::Points(Vec::new())),
            '*' => Ok(Self::Points(rest.split(',').map(Place::parse).collect::<Result<_, _>>()?)),
            '=' => Ok(Self::Inside(Place::parse(rest)?)),
            '?' => Ok(Self::Ask(number(rest, "a formula")?)),
            '^' => {
                let (layer, neuron) = rest.split_once('.').ok_or_else(unknown)?;
                Ok(Self::Phase { layer: number(layer, "a layer")?, neuron: number(neuron, "a neuron")? })
            }
            '0'..='9' => {
                let (slot, at) = text.split_once('<').ok_or_else(unknown)?;
                Ok(Self::Split { slot: number(slot, "a slot")?, at: number(at, "a value")? })
            }
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_as_they_are_written() {
        for text in [
            "b3",
            "b0/0f-8",
            "e",
            "g2:4*1/2,5*3",
            ">0:3,@,-",
            ">7:!",
            ">1:c0<5[3;c1<-2[@;-]],4",
            ".",
            "f1*2",
            "*",
            "*3,@",
            "=0",
            "=@",
            "5<-3",
            "?12",
            "^0.31",
        ] {
            let token: Token = text.parse().expect(text);
            assert_eq!(token.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        for (text, says) in [
            ("", "expected a step"),
            ("b", "an output"),
            ("b+1", "an output"),
            ("b1/g", "no slope"),
            ("e1", "expected a step"),
            ("f1*-2", "not positive"),
            ("f1*0", "not positive"),
            ("f1", "a formula times"),
            ("f1*1/1/1", "not a number"),
            (">1", "expected a step"),
            (">1:3,", "a region"),
            (">1:c0<5[3;4", "a target"),
            (">1:c0<5[3;4]]", "a comma"),
            ("5<", "a value"),
            ("5<99999999999999999999", "a value"),
            ("^1", "expected a step"),
            ("=x", "a region"),
            ("x", "expected a step"),
        ] {
            let error = text.parse::<Token>().expect_err(text);
            assert!(error.contains(says), "{text}: {error}");
        }
        let long = format!("f1*{}", "1".repeat(2000));
        assert!(long.parse::<Token>().expect_err("too long").contains("characters"));
        let deep = format!(">1:{}", "c0<5[".repeat(100));
        assert!(deep.parse::<Token>().expect_err("too deep").contains("deeper"));
    }
}
