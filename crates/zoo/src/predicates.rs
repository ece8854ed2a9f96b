//! Predicate sets of any size, by the halving procedure of the first paper on policy predicate abstraction.
//!
//! Predicates are of the form `c <= v`. The first one of a variable splits its domain in two halves, further ones are
//! distributed evenly on the halves, where they do the same. Variables are served in turn, one predicate at a time, so
//! the set of `n` predicates is the beginning of the set of `n + 1`, and a larger set is a finer abstraction.

use serde_json::Value;

use crate::ParameterError;
use crate::text::le;

/// A variable with a discrete domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name: `x`, or `grid[3]` for a cell of an array.
    pub name: String,
    /// Smallest value.
    pub lower: i64,
    /// Largest value.
    pub upper: i64,
    /// Whether it is a truth value: its only predicate is the variable itself.
    pub boolean: bool,
}

/// `least <= variable`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate<'a> {
    /// The variable.
    pub variable: &'a Variable,
    /// The constant.
    pub least: i64,
}

impl Predicate<'_> {
    /// The predicate in JANI.
    #[must_use]
    pub fn expression(&self) -> Value {
        let variable = reference(&self.variable.name);
        if self.variable.boolean { variable } else { le(self.least, variable) }
    }
}

/// A variable, or a cell of an array.
fn reference(name: &str) -> Value {
    let cell = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    let cell = cell.and_then(|(array, index)| Some((array, index.parse::<i64>().ok()?)));
    match cell {
        Some((array, index)) => serde_json::json!({"op": "aa", "exp": reference(array), "index": index}),
        None => Value::from(name),
    }
}

/// The constants that split a domain, in the order in which they are added.
#[must_use]
pub fn splits(lower: i64, upper: i64) -> Vec<i64> {
    Splits::new(lower, upper).collect()
}

/// So many predicates over variables, which are served in turn.
///
/// # Errors
/// When their domains have no so many.
pub fn choose(variables: &[Variable], count: usize) -> Result<Vec<Predicate<'_>>, ParameterError> {
    let possible: i128 = variables.iter().map(|v| (i128::from(v.upper) - i128::from(v.lower)).max(0)).sum();
    if count as i128 > possible {
        let names: Vec<&str> = variables.iter().map(|v| &*v.name).collect();
        return Err(ParameterError::new(format!(
            "{count} predicates are too many: the domains of {} have {possible}",
            if names.is_empty() { "no variables".to_owned() } else { names.join(", ") }
        )));
    }
    let mut chosen = Vec::with_capacity(count);
    let mut rest: Vec<_> = variables.iter().map(|v| (v, Splits::new(v.lower, v.upper))).collect();
    while chosen.len() < count {
        for (variable, splits) in &mut rest {
            if chosen.len() < count
                && let Some(least) = splits.next()
            {
                chosen.push(Predicate { variable, least });
            }
        }
    }
    Ok(chosen)
}

/// A predicates file: what the `predicates` of a property may name.
///
/// # Panics
/// Never: JSON values can be written.
#[must_use]
pub fn file(predicates: &[Predicate<'_>]) -> String {
    let expressions: Vec<Value> = predicates.iter().map(Predicate::expression).collect();
    serde_json::to_string_pretty(&expressions).expect("JSON values can be written") + "\n"
}

/// [`splits`] one at a time: domains may be far larger than what is asked for.
struct Splits {
    lower: i64,
    upper: i64,
    started: bool,
    /// The halves, made when they are needed; the second element says whose turn it is.
    halves: Option<(Box<[Splits; 2]>, usize)>,
}

impl Splits {
    fn new(lower: i64, upper: i64) -> Self {
        Self { lower, upper, started: false, halves: None }
    }
}

impl Iterator for Splits {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        if self.upper <= self.lower {
            return None;
        }
        // The upper half is the larger one where they differ, and is served first.
        let size = i128::from(self.upper) - i128::from(self.lower) + 1;
        let middle = i64::try_from(i128::from(self.lower) + size / 2).expect("between the bounds");
        if !self.started {
            self.started = true;
            return Some(middle);
        }
        let fresh = || (Box::new([Self::new(middle, self.upper), Self::new(self.lower, middle - 1)]), 0);
        let (halves, turn) = self.halves.get_or_insert_with(fresh);
        for _ in 0..2 {
            let next = halves[*turn].next();
            *turn = 1 - *turn;
            if next.is_some() {
                return next;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, lower: i64, upper: i64) -> Variable {
        Variable { name: name.to_owned(), lower, upper, boolean: false }
    }

    /// The procedure as it is told.
    fn told(lower: i64, upper: i64) -> Vec<i64> {
        if upper <= lower {
            return Vec::new();
        }
        let middle = lower + (upper - lower + 1) / 2;
        let mut halves = [told(middle, upper).into_iter(), told(lower, middle - 1).into_iter()];
        let mut order = vec![middle];
        loop {
            let next: Vec<i64> = halves.iter_mut().filter_map(Iterator::next).collect();
            if next.is_empty() {
                return order;
            }
            order.extend(next);
        }
    }

    #[test]
    fn the_first_splits_are_those_of_the_papers() {
        // The racetrack's own sets: position 35 by 12, velocities around zero.
        for (lower, upper, first) in [(0, 34, 17), (0, 11, 6), (-5, 5, 0), (0, 1, 1)] {
            assert_eq!(splits(lower, upper)[0], first);
        }
        assert_eq!(splits(0, 7), [4, 6, 2, 7, 3, 5, 1]);
        assert!(splits(3, 3).is_empty());
        assert!(splits(4, 3).is_empty());
    }

    #[test]
    fn every_constant_comes_once_and_parts_stay_even() {
        for upper in 0..70 {
            let order = splits(0, upper);
            assert_eq!(order, told(0, upper));
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (1..=upper).collect::<Vec<_>>());
            let middle = (upper + 1) / 2;
            for count in 1..=order.len() {
                let above = order[1..count].iter().filter(|c| **c > middle).count();
                let below = count - 1 - above;
                assert!(above.abs_diff(below) <= 1, "{upper}: {count} of {order:?}");
            }
        }
        // Halving: with all of 2^k - 1 predicates of a domain of 2^m values, parts have the same size.
        let mut cuts = splits(0, 63)[..15].to_vec();
        cuts.sort_unstable();
        assert_eq!(cuts, (1..16).map(|i| 4 * i).collect::<Vec<_>>());
    }

    #[test]
    fn sets_are_nested_and_variables_take_turns() {
        let variables = [variable("x", 0, 34), variable("b", 0, 1), variable("one", 5, 5), variable("y", -3, 3)];
        let all = choose(&variables, 34 + 1 + 6).unwrap();
        for count in 0..=all.len() {
            assert_eq!(choose(&variables, count).unwrap(), all[..count]);
        }
        let names: Vec<&str> = all[..6].iter().map(|p| &*p.variable.name).collect();
        assert_eq!(names, ["x", "b", "y", "x", "y", "x"]);
        let error = choose(&variables, 42).unwrap_err().to_string();
        assert!(error.contains("x, b, one, y have 41"), "{error}");
        assert!(choose(&[], 1).is_err());
        // Wide domains are not enumerated.
        let wide = [variable("w", i64::MIN, i64::MAX)];
        assert_eq!(choose(&wide, 2).unwrap()[0].least, 0);
    }

    #[test]
    fn expressions_name_variables_and_cells() {
        let predicate = |name: &str, boolean| {
            let variable = Variable { name: name.to_owned(), lower: 0, upper: 1, boolean };
            Predicate { variable: &variable, least: 1 }.expression().to_string()
        };
        assert_eq!(predicate("x", false), r#"{"op":"≤","left":1,"right":"x"}"#);
        assert_eq!(predicate("b", true), r#""b""#);
        assert!(predicate("g[2]", false).contains(r#"{"op":"aa","exp":"g","index":2}"#));
    }
}
