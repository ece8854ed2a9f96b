//! `decide`: single questions about a network.

use std::path::Path;
use std::time::{Duration, Instant};

use surefoot_files::{escape, unpacked_name};
use surefoot_limits::Cancel;
use surefoot_network::{Activation, ReadOptions};
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verify::decide::{Answered, NetworkSource, Queries, Settings, Used};
use surefoot_verify::result::{Command, ResultObject};
use surefoot_verify::task::decide::Deciding;
use surefoot_verify::task::{Job, Outcome, Task, Told};
use surefoot_verify::{Budget, Certifying, Source};

use super::certify::{described, uncertified};
use super::session::{Ended, Session, Wish};
use crate::args::query::AnsweringArgs;
use crate::args::{DecideArgs, cores};
use crate::output::{Exit, Output, counted};
use crate::process;

pub(crate) fn run(args: &DecideArgs) -> Exit {
    let ended = match answer(args) {
        Ok(ended) => ended,
        Err(exit) => return exit,
    };
    let exit = ended.show(text);
    ended.output.details(&details(&ended.outcome));
    exit
}

/// What is to be done, and whether the options fit.
pub(crate) fn job(args: &DecideArgs, cancel: &Cancel) -> Wish {
    let common = deciding(&args.query, &args.network, args.time_limit, &args.answering, cancel);
    let certifying = args.certificate.certifying();
    wish(Deciding { witness: args.witness.clone(), certifying, ..common })
}

/// What is asked of which networks, and nothing to be written.
pub(super) fn deciding(
    query: &Path,
    networks: &[NetworkSource],
    time: Option<Duration>,
    answering: &AnsweringArgs,
    cancel: &Cancel,
) -> Deciding {
    let threads = answering.threads.unwrap_or_else(cores);
    Deciding {
        query: Source::from(query),
        networks: networks.to_vec(),
        options: ReadOptions { activation: answering.activation, ..ReadOptions::default() },
        settings: Settings { time, memory: answering.memory_limit, threads, cancel: cancel.clone() },
        witness: None,
        tensors: None,
        assigns: false,
        certifying: Certifying { file: None, check: None },
    }
}

pub(super) fn wish(deciding: Deciding) -> Wish {
    let fits = activation(deciding.options.activation, &deciding.networks);
    Wish { job: Job::Decide(deciding), fits }
}

/// What may be spent on all queries together: the time limit is one of each.
pub(crate) fn budget(args: &AnsweringArgs, started: Instant, cancel: Cancel) -> Budget {
    let threads = args.threads.unwrap_or_else(cores);
    Budget { started, time: None, memory: args.memory_limit, threads, cancel }
}

fn answer(args: &DecideArgs) -> Result<Ended, Exit> {
    let mut output = Output::to(args.answering.json.as_deref(), args.answering.quiet)?;
    args.witness.as_deref().map_or(Ok(()), |path| output.claim("--witness", path))?;
    args.certificate.certificate.as_deref().map_or(Ok(()), |path| output.claim("--certificate", path))?;
    carry_out(job(args, &process::cancel()), &args.answering, output)
}

/// Answers what is wished for.
pub(super) fn carry_out(wish: Wish, args: &AnsweringArgs, mut output: Output) -> Result<Ended, Exit> {
    let Wish { job, fits } = wish;
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
pub(super) fn activation(given: Option<Activation>, networks: &[NetworkSource]) -> Result<(), Diagnostic> {
    for shown in networks.iter().map(|source| source.network.shown()).filter(|_| given.is_some()) {
        let path = unpacked_name(Path::new(&shown)).unwrap_or_else(|| Path::new(&shown).to_owned());
        let format = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !matches!(&*format.to_ascii_lowercase(), "nnet" | "onnx") {
            continue;
        }
        let message = format!("--activation is for .safetensors files, which {shown} is not");
        return Err(Diagnostic::error_anywhere(message).with_help("leave it out"));
    }
    Ok(())
}

pub(super) fn answers(outcome: &Outcome) -> Option<(&Queries, &[Answered])> {
    if let Told::Answered(queries, answers) = &outcome.told { Some((queries, answers)) } else { None }
}

/// What people are told.
pub(crate) fn text(outcome: &Outcome) -> String {
    answers(outcome).iter().flat_map(|(_, answers)| *answers).map(|answer| answer.line() + "\n").collect()
}

/// What people may want to know beside the answers.
pub(super) fn details(outcome: &Outcome) -> String {
    let Some((queries, answers)) = answers(outcome) else { return String::new() };
    let mut text = String::new();
    for Used { shown, network } in &queries.networks {
        text.push_str(&format!(
            "  network   {} ({}, {}, {})\n",
            shown,
            counted(network.input_len() as u64, "input"),
            counted(network.output_len() as u64, "output"),
            counted(network.relu_count() as u64, "neuron"),
        ));
    }
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
