//! Names that other tools can read.

use std::collections::HashSet;

/// Words that PRISM's language keeps for itself.
const RESERVED: [&str; 57] = [
    "A",
    "bool",
    "clock",
    "const",
    "ctmc",
    "C",
    "double",
    "dtmc",
    "E",
    "endinit",
    "endinvariant",
    "endmodule",
    "endobservables",
    "endrewards",
    "endsystem",
    "false",
    "formula",
    "filter",
    "func",
    "F",
    "global",
    "G",
    "init",
    "invariant",
    "I",
    "int",
    "label",
    "max",
    "mdp",
    "min",
    "module",
    "X",
    "nondeterministic",
    "observable",
    "observables",
    "of",
    "Pmax",
    "Pmin",
    "P",
    "pomdp",
    "popta",
    "probabilistic",
    "prob",
    "pta",
    "rate",
    "rewards",
    "Rmax",
    "Rmin",
    "R",
    "S",
    "stochastic",
    "system",
    "true",
    "U",
    "W",
    "smg",
    "csg",
];

/// The names with numbers added where they would repeat a name before them, or one that is taken.
#[must_use]
pub fn distinct(names: impl IntoIterator<Item = String>, taken: &[&str]) -> Vec<String> {
    let mut seen: HashSet<String> = taken.iter().map(|name| (*name).to_owned()).collect();
    let mut result = Vec::new();
    for name in names {
        let mut free = name.clone();
        let mut number = 2u64;
        while !seen.insert(free.clone()) {
            free = format!("{name}_{number}");
            number += 1;
        }
        result.push(free);
    }
    result
}

/// The names as distinct identifiers of PRISM's language: letters, digits and underscores.
#[must_use]
pub fn identifiers<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    distinct(names.into_iter().map(identifier), &[])
}

fn identifier(name: &str) -> String {
    let mut result: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    // `grid[3]` reads better as `grid_3` than as `grid_3_`.
    if name.ends_with(']') && result.len() > 1 {
        result.pop();
    }
    if result.is_empty() || result.starts_with(|c: char| c.is_ascii_digit()) {
        result.insert(0, '_');
    }
    if RESERVED.contains(&result.as_str()) {
        result.push('_');
    }
    result
}

/// Whether a name needs no quotes anywhere.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A name on one line.
pub(crate) fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}

/// The names as single words: without blanks, and distinct.
pub(crate) fn words<'a>(names: impl IntoIterator<Item = &'a str>, taken: &[&str]) -> Vec<String> {
    let word = |name: &str| {
        let word: String = name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
        if word.is_empty() { "_".to_owned() } else { word }
    };
    distinct(names.into_iter().map(word), taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_readable_distinct_and_no_keywords() {
        let names = ["x", "grid[3]", "car.speed", "car_speed", "F", "3d", "é", "", "x"];
        let expected = ["x", "grid_3", "car_speed", "car_speed_2", "F_", "_3d", "_", "__2", "x_2"];
        assert_eq!(identifiers(names), expected);
        assert!(identifiers(names).iter().all(|name| is_identifier(name)));
    }

    #[test]
    fn numbers_added_do_not_meet_other_names() {
        let names = ["a", "a", "a_2", "b"].map(str::to_owned);
        assert_eq!(distinct(names, &["b"]), ["a", "a_2", "a_2_2", "b_2"]);
    }

    #[test]
    fn words_have_no_blanks() {
        assert_eq!(
            words(["go on", "go_on", "\n", "__NOLABEL__"], &["__NOLABEL__"]),
            ["go_on", "go_on_2", "_", "__NOLABEL___2"]
        );
    }
}
