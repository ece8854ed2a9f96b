//! Options of a program, as messages name them.
//!
//! A library knows which of its options is meant, and not how the user writes it: `--goal-terminal` on a command line, `goal_terminal` in a script. So
//! it names the option, and the program says once, when it begins, how options are written.

use std::sync::OnceLock;

static SPELLING: OnceLock<fn(&str) -> String> = OnceLock::new();

/// Says how users write options, given their names in words joined by hyphens. The first call counts.
pub fn spell_options(spelling: fn(&str) -> String) {
    // Where it was said before, that stays.
    let _ = SPELLING.set(spelling);
}

/// An option, as users write it; its name, where nobody said how they do.
#[must_use]
pub fn option(name: &str) -> String {
    SPELLING.get().map_or_else(|| format!("`{name}`"), |spelling| spelling(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_written_as_the_program_says() {
        assert_eq!(option("goal-terminal"), "`goal-terminal`");
        spell_options(|name| format!("--{name}"));
        spell_options(str::to_owned);
        assert_eq!(option("goal-terminal"), "--goal-terminal");
    }
}
