//! From words to options, with answers to wrong ones that help.
//!
//! Every option that takes a value takes what looks like a negative number too, so that its own parser can say what it
//! wants; otherwise `--seed -1` would be answered with advice about an option `-1`. An option that another command has is
//! answered with that command. Answers quote words, which may hold anything: they are those to the same words escaped.

use std::cell::RefCell;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, FromArgMatches};
use surefoot_files::escape;
use surefoot_text::suggest;

use super::Cli;
use super::query::{SUFFIX, rename};

/// The options of a command line.
///
/// # Errors
/// What is wrong with them, or the help that was asked for.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    rename(&mut words);
    parse_words(&words).map_err(|error| {
        let escaped: Vec<OsString> =
            words.iter().map(|word| escape(&word.to_string_lossy()).into_owned().into()).collect();
        match parse_words(&escaped) {
            Err(shown) if error.use_stderr() => shown,
            _ => error,
        }
    })
}

thread_local! {
    // Takes a millisecond to make: nothing to a program, and much to those who ask often.
    static COMMAND: RefCell<Command> = RefCell::new(with_negative_numbers(Cli::command()));
}

fn parse_words(words: &[OsString]) -> Result<Cli, clap::Error> {
    COMMAND.with_borrow_mut(|command| {
        let matches = command.try_get_matches_from_mut(words).map_err(|error| explained(error, words))?;
        let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(command))?;
        match cli.command.common() {
            Some(common) if common.policies() > 1 && !matches!(cli.command, super::Command::Diff(_)) => {
                let message =
                    "the argument '--policy <FILE>' cannot be used multiple times: `surefoot diff` compares policies";
                Err(command.error(ErrorKind::ArgumentConflict, message))
            }
            _ => Ok(cli),
        }
    })
}

fn with_negative_numbers(command: Command) -> Command {
    let takes_value = |arg: &Arg| arg.get_action().takes_values() && !arg.is_positional();
    let command = command.mut_args(|arg| if takes_value(&arg) { arg.allow_negative_numbers(true) } else { arg });
    command.mut_subcommands(with_negative_numbers)
}

/// An unknown option in our own words; any other error as it is.
fn explained(error: clap::Error, words: &[OsString]) -> clap::Error {
    let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(unknown))) if unknown.starts_with('-') => unknown,
        _ => return error,
    };
    let name = unknown.split('=').next().unwrap_or_default();
    let mut all = Cli::command();
    all.build();
    let (path, here) = chosen(&all, words);
    let mut having = Vec::new();
    commands_with(&all, "surefoot", name, &mut having);
    let own = here.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(Arg::get_long);
    let own: Vec<String> = own.map(|long| format!("--{long}")).collect();
    let help = match (&having[..], suggest(name, own.iter().map(String::as_str))) {
        ([], Some(near)) => format!("did you mean '{near}'?"),
        ([], None) => format!("`{path} --help` lists its options"),
        (having, _) => {
            let having: Vec<String> = having.iter().map(|command| format!("`{command}`")).collect();
            format!("it is an option of {}", having.join(", "))
        }
    };
    let text = format!("`{path}` has no option '{name}'\nhelp: {help}\n");
    clap::Error::raw(ErrorKind::UnknownArgument, text)
}

/// The command that the words name, and how it is called.
fn chosen<'c>(all: &'c Command, words: &[OsString]) -> (String, &'c Command) {
    let (mut path, mut here) = ("surefoot".to_owned(), all);
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(next) = here.find_subcommand(word) {
            path = format!("{path} {}", shown(word));
            here = next;
        } else if !word.starts_with('-') {
            break;
        }
    }
    (path, here)
}

/// How a command is called that may be one for queries.
fn shown(command: &str) -> String {
    command.strip_suffix(SUFFIX).map_or_else(|| command.to_owned(), |command| format!("{command} QUERY.vnnlib"))
}

/// The commands that have an option, by how they are called.
fn commands_with(command: &Command, path: &str, name: &str, having: &mut Vec<String>) {
    if command.get_arguments().any(|arg| arg.get_long().is_some_and(|long| name.strip_prefix("--") == Some(long))) {
        having.push(path.to_owned());
    }
    for inner in command.get_subcommands() {
        commands_with(inner, &format!("{path} {}", shown(inner.get_name())), name, having);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(words: &[&str]) -> String {
        let words = ["surefoot"].iter().chain(words).map(OsString::from);
        parse(words).unwrap_err().to_string()
    }

    #[test]
    fn options_of_other_commands_name_them() {
        let formula = message(&["simulate", "m", "--formula", "AX x"]);
        assert!(formula.contains("`surefoot simulate` has no option '--formula'"), "{formula}");
        assert!(formula.contains("it is an option of `surefoot verify`, `surefoot ctl`"), "{formula}");
        assert!(message(&["zoo", "list", "--count=3"]).contains("of `surefoot abstract`, `surefoot zoo predicates`"));
        assert!(message(&["verify", "m", "--tiem-limit", "3"]).contains("did you mean '--time-limit'?"));
        assert!(message(&["verify", "m", "-x"]).contains("`surefoot verify --help` lists its options"));
        assert!(message(&["--runs", "3"]).contains("it is an option of `surefoot simulate`"));
    }

    #[test]
    fn words_are_quoted_escaped() {
        let bad = "x\u{1b}[2J\nholds: y";
        let option = format!("--{bad}");
        let constant = format!("{bad}=");
        for words in [
            &["verify", "m", bad, bad][..],
            &["verify", "m", "--threads", bad],
            &["verify", "m", "--engine", bad],
            &["verify", "m", "--const", bad],
            &["verify", "m", "--const", &constant],
            &["verify", "m", "--time-limit", bad],
            &["verify", "m", &option],
            &["verify", &option],
            &["ctl", "m", "--method", bad],
            &["zoo", bad],
            &[bad],
        ] {
            let text = message(words);
            assert!(text.contains(r"x\u{1b}[2J\nholds: y"), "{words:?}: {text}");
            assert!(!text.contains('\u{1b}') && !text.contains("\nholds"), "{words:?}: {text}");
        }
    }

    /// Every option with a number, given one that is negative, says what it takes.
    #[test]
    fn negative_numbers_are_answered_by_their_option() {
        for (words, expected) in [
            (&["bounds", "m", "--precision", "-1"][..], "above 0"),
            (&["bounds", "m", "--p-max", "-1"], "from 0 to 1"),
            (&["verify", "m", "--seed", "-1"], "whole number from 0"),
            (&["verify", "m", "--threads", "-1"], "from 1 to 1024"),
            (&["verify", "m", "--memory-limit", "-1"], "megabytes"),
            (&["verify", "m", "--time-limit", "-1"], "number of seconds"),
            (&["verify", "m", "--max-depth", "-1"], "whole number from 0"),
            (&["verify", "m", "--max-iterations", "-1"], "0 or more"),
            (&["verify", "m", "--epsilon", "-0.5"], "above 0 and at most 1"),
            (&["simulate", "m", "--runs", "-1"], "0 or more"),
            (&["simulate", "m", "--steps", "1e3"], "0 or more"),
            (&["abstract", "m", "--max-states", "-5"], "0 or more"),
            (&["ctl", "m", "--jobs", "-1"], "from 1 to 1024"),
            (&["decide", "q", "--network", "n", "--memory-limit", "-1"], "megabytes"),
            (&["zoo", "predicates", "m", "--out", "o", "--count", "-3"], "0 or more"),
        ] {
            let text = message(words);
            assert!(
                text.contains(expected) && !text.contains("unexpected") && !text.contains("-- -"),
                "{words:?}: {text}"
            );
        }
    }
}
