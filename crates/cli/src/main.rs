//! The program `surefoot`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(surefoot_cli::main(std::env::args_os()))
}
