//! `decide`: single questions about a network.

use serde_json::{Value, json};
use surefoot_files::{escape, replace};
use surefoot_network::ReadOptions;
use surefoot_oracle::Statistics;
use surefoot_text::diagnostic::Diagnostic;
use surefoot_text::source::SourceMap;
use surefoot_verify::decide::counterexample::result_file;
use surefoot_verify::decide::{Answered, Queries, Settings, branch_and_bound, decide_all};
use surefoot_verify::{Budget, Failure, Report};

use crate::args::{ActivationArg, DecideArgs, cores};
use crate::output::{Exit, Output, counted};
use crate::process;
use crate::progress::Terminal;

pub(crate) fn run(args: &DecideArgs) -> Exit {
    answer(args).unwrap_or_else(|exit| exit)
}

fn answer(args: &DecideArgs) -> Result<Exit, Exit> {
    let mut output = Output::to(args.json.as_deref(), args.quiet)?;
    args.witness.as_deref().map_or(Ok(()), |path| output.claim("--witness", path))?;
    output.protect_files(std::iter::once(&args.query).chain(args.network.network.file()))?;
    let started = process::started();
    process::expect(output.free_json(), Report::new("decide", args.seed));
    // The time limit is one of each query.
    let (memory, threads, cancel) = (args.memory_limit, args.threads.unwrap_or_else(cores), process::cancel());
    process::watch(&Budget { started, time: None, memory, threads, cancel: cancel.clone() });
    let mut sources = SourceMap::default();
    let report = || Report::new("decide", args.seed);
    let queries = load(args, &mut sources).map_err(|failure| output.failure(report(), &failure, &sources))?;
    output.guard(&sources.inputs)?;
    let fail = |failure: &Failure, sources: &SourceMap| output.failure(report(), failure, sources);
    output.notes(&queries.notes, &sources);
    let settings = Settings { time: args.time_limit, memory, threads, cancel };
    let reporter = Terminal::to(None, args.quiet, started)?;
    let answers = decide_all(&queries.queries, &settings, &branch_and_bound(args.seed), &reporter);
    drop(reporter);
    let answers = answers.map_err(|failure| fail(&failure, &sources))?;
    write_witness(args, &queries, &answers, &output).map_err(|error| fail(&error.into(), &sources))?;
    let seconds = started.elapsed().as_secs_f64();
    let mut report = report();
    describe(&queries, &answers, &mut report);
    let text: String = answers.iter().map(|answer| answer.line() + "\n").collect();
    let exit = if answers.iter().all(Answered::is_decided) { Exit::Done } else { Exit::Unknown };
    let exit = output.result(&text, &report.finish(seconds), exit);
    output.details(&details(args, &queries, &answers, seconds));
    Ok(exit)
}

fn load(args: &DecideArgs, sources: &mut SourceMap) -> Result<Queries, Failure> {
    let options = ReadOptions { activation: args.activation.map(ActivationArg::activation), ..ReadOptions::default() };
    let shown = args.network.network.shown();
    let format = std::path::Path::new(&shown).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if args.activation.is_some() && matches!(&*format.to_ascii_lowercase(), "nnet" | "onnx") {
        let message = format!("--activation is for .safetensors files, which {shown} is not");
        return Err(Diagnostic::error_anywhere(message).with_help("leave it out").into());
    }
    let queries = Queries::load(sources, &(&args.query).into(), &args.network, &options)?;
    if args.witness.is_some() && queries.property.is_none() {
        let error = Diagnostic::error_anywhere("--witness is for VNN-LIB properties");
        return Err(error.with_help("the result object has the states: --json FILE").into());
    }
    Ok(queries)
}

/// Writes the file for other tools, if one is asked for.
fn write_witness(
    args: &DecideArgs,
    queries: &Queries,
    answers: &[Answered],
    output: &Output,
) -> Result<(), Diagnostic> {
    let (Some(path), Some(property)) = (&args.witness, &queries.property) else { return Ok(()) };
    for (query, answer) in queries.queries.iter().zip(answers) {
        let file = result_file(property, &query.question, answer);
        let cannot = |error| Diagnostic::error_anywhere(format!("cannot write {}: {error}", path.display()));
        replace(path, |out| out.write_all(file.text.as_bytes())).map_err(cannot)?;
        if !file.exact {
            let shown = path.display();
            output.details(&format!(
                "notice: the state in {shown} is rounded, and satisfies the property only before that"
            ));
        }
    }
    Ok(())
}

/// What the result object says.
fn describe(queries: &Queries, answers: &[Answered], report: &mut Report) {
    let total = |figure: fn(&Statistics) -> u64| answers.iter().map(|a| figure(&a.statistics)).sum::<u64>();
    report.set("engine", "branch-and-bound");
    report.set_inputs(&queries.inputs);
    report.set("assumptions", queries.assumptions.clone());
    report.set(
        "statistics",
        json!({
            "oracle_queries": answers.len(),
            "oracle_nodes": total(|s| s.nodes),
            "oracle_points": total(|s| s.points),
            "oracle_programs": total(|s| s.programs),
        }),
    );
    let single = if queries.is_list { None } else { answers.first() };
    report.set("reason", json!(single.and_then(Answered::reason).map(|reason| reason.to_string())));
    report.set("answer", json!(single.map(Answered::word)));
    let records = answers.iter().zip(&queries.queries).map(|(answer, query)| answer.record(query));
    report.set("answers", records.collect::<Vec<Value>>());
}

/// What people may want to know beside the answers.
fn details(args: &DecideArgs, queries: &Queries, answers: &[Answered], seconds: f64) -> String {
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
    text.push_str(&format!("  time      {seconds:.2} s\n"));
    text
}
