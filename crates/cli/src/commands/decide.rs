//! `decide`: single questions about a network.

use std::time::Instant;

use surefoot_files::escape;
use surefoot_limits::Cancel;
use surefoot_network::ReadOptions;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verify::decide::{Answered, Queries, Settings};
use surefoot_verify::result::{Command, ResultObject};
use surefoot_verify::task::decide::Deciding;
use surefoot_verify::task::{Job, Outcome, Task, Told};
use surefoot_verify::{Budget, Source};

use super::certify::{described, uncertified};
use super::session::{Ended, Session, Wish};
use crate::args::{DecideArgs, cores};
use crate::output::{Exit, Output, counted};
use crate::process;

pub(crate) fn run(args: &DecideArgs) -> Exit {
    let ended = match answer(args) {
        Ok(ended) => ended,
        Err(exit) => return exit,
    };
    let exit = ended.show(text);
    ended.output.details(&details(args, &ended.outcome));
    exit
}

/// What is to be done, and whether the options fit.
pub(crate) fn job(args: &DecideArgs, cancel: &Cancel) -> Wish {
    let job = Job::Decide(Deciding {
        query: Source::from(&args.query),
        network: args.network.clone(),
        options: ReadOptions { activation: args.activation, ..ReadOptions::default() },
        settings: Settings {
            time: args.time_limit,
            memory: args.memory_limit,
            threads: args.threads.unwrap_or_else(cores),
            cancel: cancel.clone(),
        },
        witness: args.witness.clone(),
        certifying: args.certificate.certifying(),
    });
    Wish { job, fits: activation(args) }
}

/// What may be spent on all queries together: the time limit is one of each.
pub(crate) fn budget(args: &DecideArgs, started: Instant, cancel: Cancel) -> Budget {
    let threads = args.threads.unwrap_or_else(cores);
    Budget { started, time: None, memory: args.memory_limit, threads, cancel }
}

fn answer(args: &DecideArgs) -> Result<Ended, Exit> {
    let mut output = Output::to(args.json.as_deref(), args.quiet)?;
    args.witness.as_deref().map_or(Ok(()), |path| output.claim("--witness", path))?;
    args.certificate.certificate.as_deref().map_or(Ok(()), |path| output.claim("--certificate", path))?;
    let Wish { job, fits } = job(args, &process::cancel());
    let budget = budget(args, process::started(), process::cancel());
    output.protect_files(job.files())?;
    process::expect(output.free_json(), ResultObject::new(Command::Decide, args.seed));
    process::watch(&budget);
    let task = Task { job, budget, seed: args.seed };
    if let Err(error) = fits {
        return Err(output.failure(task.result(), &error.into(), &SourceMap::default()));
    }
    Session::open(&task, output, None)?.run()
}

/// That an activation is stated of files that do not state it.
fn activation(args: &DecideArgs) -> Result<(), Diagnostic> {
    let shown = args.network.network.shown();
    let format = std::path::Path::new(&shown).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if args.activation.is_some() && matches!(&*format.to_ascii_lowercase(), "nnet" | "onnx") {
        let message = format!("--activation is for .safetensors files, which {shown} is not");
        return Err(Diagnostic::error_anywhere(message).with_help("leave it out"));
    }
    Ok(())
}

fn answers(outcome: &Outcome) -> Option<(&Queries, &[Answered])> {
    if let Told::Answered(queries, answers) = &outcome.told { Some((queries, answers)) } else { None }
}

/// What people are told.
pub(crate) fn text(outcome: &Outcome) -> String {
    answers(outcome).iter().flat_map(|(_, answers)| *answers).map(|answer| answer.line() + "\n").collect()
}

/// What people may want to know beside the answers.
fn details(args: &DecideArgs, outcome: &Outcome) -> String {
    let Some((queries, answers)) = answers(outcome) else { return String::new() };
    let network = &queries.network;
    let mut text = format!(
        "  network   {} ({}, {}, {})\n",
        args.network.network.shown(),
        counted(network.input_len() as u64, "input"),
        counted(network.output_len() as u64, "output"),
        counted(network.relu_count() as u64, "neuron"),
    );
    for (index, (query, answer)) in queries.queries.iter().zip(answers).enumerate() {
        let number = if queries.is_list { format!("query {index}") } else { "query".to_owned() };
        let nodes = counted(answer.statistics.nodes, "node");
        text.push_str(&format!("  {number:<9} {}, {nodes}, {:.2} s", answer.word(), answer.seconds));
        if let Some(reason) = answer.reason() {
            text.push_str(&format!("; {reason}"));
        }
        if let Some(expected) = query.expected.as_deref().filter(|e| answer.is_decided() && *e != answer.word()) {
            text.push_str(&format!("; the file expects {}", escape(expected)));
        }
        text.push('\n');
    }
    if queries.is_list {
        let decided = answers.iter().filter(|answer| answer.is_decided()).count();
        text.push_str(&format!("  decided   {decided} of {}\n", answers.len()));
    }
    if let Some(certificate) = &outcome.result.certificate {
        text.push_str(&format!("  evidence  {}\n", described(certificate)));
    }
    if let Some(why) = &outcome.result.no_certificate {
        text.push_str(&uncertified(why));
    }
    text.push_str(&format!("  time      {:.2} s\n", outcome.result.seconds));
    text
}
