//! The `surefoot` command line: a thin shell over `surefoot-verify`.
//!
//! The verdict comes first on standard output, everything else goes to standard error. Exit codes: 0 holds (or the
//! command did its job), 1 violated, 2 error in input or use, 3 unknown.
//!
//! It is a library so that other front ends have the same options: [`main`] is the program, [`Asked`] what a command line asks for, without a process around it.
//!
//! * `args`: options; `commands`: one file per command; [`asked`]: command lines as tasks;
//! * `output`: where answers and complaints are written; `progress`: how far a search is, on a line of the terminal (`line`);
//!   `table`: runs as tables;
//! * `process`: limits and signals; `evidence`: evidence against formulas, likewise.

mod args;
pub mod asked;
mod commands;
mod evidence;
mod guard;
mod line;
mod output;
mod process;
mod progress;
mod table;

use std::ffi::OsString;

pub use asked::Asked;
pub use progress::{event_object, shown};

use args::{Cli, Command};
use output::Exit;

/// The program: carries out a command line, the program's name included, and gives its exit code. To be called once in a process.
pub fn main(words: impl IntoIterator<Item = OsString>) -> u8 {
    surefoot_text::spell_options(|name| format!("--{name}"));
    process::begin();
    let words: Vec<OsString> = words.into_iter().collect();
    process::remember(&words);
    // What the VNN-LIB standard has solvers answer with one line.
    let line = match words.get(1).and_then(|word| word.to_str()).filter(|_| words.len() == 2) {
        Some("--name") => Some("Surefoot\n".to_owned()),
        Some("--version") => Some(format!("{}\n", env!("CARGO_PKG_VERSION"))),
        _ => None,
    };
    if let Some(line) = line {
        return if output::to_stdout(&line).is_ok() { Exit::Done.code() } else { Exit::Error.code() };
    }
    let exit = guard::guarded(|| match args::parse(words) {
        Ok(cli) => run(&cli),
        Err(error) if error.use_stderr() => {
            output::complain(error.render().to_string().trim_end());
            Exit::Error
        }
        Err(help) => {
            // Help and version are no errors; a reader who has left does not matter.
            let _ = help.print();
            Exit::Done
        }
    });
    exit.code()
}

fn run(cli: &Cli) -> Exit {
    match &cli.command {
        Command::Check(args) => commands::check::run(args),
        Command::Explore(args) => commands::explore::run(args),
        Command::Simulate(args) => commands::simulate::run(args),
        Command::Verify(args) => commands::verify::run(args),
        Command::Abstract(args) => commands::abstraction::run(args),
        Command::Bounds(args) => commands::bounds::run(args),
        Command::Ctl(args) => commands::ctl::run(args),
        Command::Decide(args) => commands::decide::run(args),
        Command::CheckQuery(args) => commands::check_query::run(args),
        Command::VerifyQuery(args) => commands::query::run(args),
        Command::Supports(args) => commands::supports::run(args),
        Command::Induce(args) => commands::induce::run(args),
        Command::Encode(args) => commands::encode::run(args),
        Command::Replay(args) => commands::replay::run(args),
        Command::Certify(args) => commands::certify::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Diff(args) => commands::diff::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::View(args) => commands::view::run(args),
        Command::Zoo(args) => commands::zoo::run(args),
    }
}
