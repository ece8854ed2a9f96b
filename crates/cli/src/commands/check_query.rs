//! `check` of a VNN-LIB query: readable or not, and what is odd about it.

use surefoot_network::ReadOptions;
use surefoot_text::render;
use surefoot_text::source::SourceMap;
use surefoot_verify::Source;
use surefoot_verify::decide::examine::examine;
use surefoot_verify::result::{Command, ResultObject};

use super::decide::activation;
use crate::args::query::CheckQueryArgs;
use crate::output::{Exit, Output, complain, counted, to_stdout};

pub(crate) fn run(args: &CheckQueryArgs) -> Exit {
    let output = match Output::to(None, args.quiet) {
        Ok(output) => output,
        Err(exit) => return exit,
    };
    let failure =
        |failure, sources: &SourceMap| output.failure(ResultObject::new(Command::Check, 0), &failure, sources);
    let mut sources = SourceMap::default();
    if let Err(error) = activation(args.activation, &args.network) {
        return failure(error.into(), &sources);
    }
    let options = ReadOptions { activation: args.activation, ..ReadOptions::default() };
    let examined = match examine(&mut sources, &Source::from(&args.query), &args.network, &options) {
        Ok(examined) => examined,
        Err(error) => return failure(error, &sources),
    };
    // What is found is what was asked for: it is told even where nothing but results is.
    examined.findings.iter().for_each(|finding| complain(&render(finding, &sources)));
    let headline = match examined.findings.len() {
        0 => "readable".to_owned(),
        n => format!("readable, with {}", counted(n as u64, "finding")),
    };
    let text = if args.quiet { String::new() } else { examined.text };
    match to_stdout(&format!("{headline}\n{text}")) {
        Ok(()) => Exit::Done,
        Err(error) => {
            complain(&format!("error: {error}"));
            Exit::Error
        }
    }
}
