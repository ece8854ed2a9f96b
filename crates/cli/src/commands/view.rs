//! `view`: the page of a model and its policy, served to this computer alone until it is interrupted.
//!
//! Standard output has one line first, the address, so that others can open it; nothing is written but what options name.

use surefoot_report::serve::{Server, Spending, Viewer, viewer};
use surefoot_report::{Material, names::Names};
use surefoot_verify::abstraction::predicates::own_predicates;
use surefoot_verify::abstraction::words;
use surefoot_verify::result::ResultObject;
use surefoot_verify::task::{Job, Task};
use surefoot_verify::{Budget, Failure, Problem, Source, abstraction::read_predicates};

use super::page::repeat;
use super::session::{Ended, Session};
use crate::args::report::ViewArgs;
use crate::output::{Exit, Output, complain, to_stdout};
use crate::process;

pub(crate) fn run(args: &ViewArgs) -> Exit {
    serve(args).unwrap_or_else(|exit| exit)
}

fn serve(args: &ViewArgs) -> Result<Exit, Exit> {
    let job = Job::View(args.common.request(&args.model));
    let mut output = Output::new(&args.common)?;
    output.protect_files(job.files().into_iter().chain(&args.predicates))?;
    process::expect(output.free_json(), ResultObject::new(job.command(), args.common.seed));
    // The time limit is that of a question: a page is there as long as someone looks at it.
    let spent = args.common.spend(process::started(), process::cancel());
    let budget = Budget { time: None, ..spent.clone() };
    process::watch(&budget);
    let server = Server::bind(args.port).map_err(|error| {
        complain(&format!("error: {error}\nhelp: give another --port, or none"));
        Exit::Error
    })?;
    let task = Task { job, budget, seed: args.common.seed };
    let mut session = Session::open(&task, output, args.common.events.as_deref())?;
    let drawing = session.drawing(args.drawing.drawing.as_deref())?;
    session.prepare()?;
    let mut ended = session.run()?;
    let given = predicates(args, &mut ended);
    let given =
        given.map_err(|failure| ended.output.failure(ended.outcome.result.clone(), &failure, &ended.sources))?;
    ended.output.guard(&ended.sources.inputs)?;
    let Some(problem) = &ended.outcome.problem else { return Ok(Exit::Error) };
    let cancel = process::cancel();
    let time = spent.time.unwrap_or(QUESTION);
    let spending = Spending { time, memory: spent.memory, threads: spent.threads, cancel: cancel.clone() };
    let looked = viewer::visit(problem, &spending);
    let outcome = &ended.outcome;
    let material =
        Material::of(problem, &outcome.result, &outcome.told, repeat(process::words(), outcome), drawing, &task.budget);
    let wrong = |error: String| {
        complain(&format!("error: {error}"));
        Exit::Error
    };
    let viewer = Viewer::new(&material, looked.as_ref(), given, spending).map_err(wrong)?;
    announce(&ended, &server, problem).map_err(wrong)?;
    process::serving();
    server.serve(&viewer, &cancel);
    let result = outcome.result.clone().after(process::started().elapsed().as_secs_f64());
    Ok(ended.output.result("done: the page is no longer served\n", &result, Exit::Done))
}

/// What a question may take where no option says.
const QUESTION: std::time::Duration = std::time::Duration::from_secs(20);

/// The predicates that are there to begin with, as text: those of a file, or else the property's own.
fn predicates(args: &ViewArgs, ended: &mut Ended) -> Result<Vec<String>, Failure> {
    let Some(problem) = &mut ended.outcome.problem else { return Ok(Vec::new()) };
    let ignores = args.common.request(&args.model).ignore_predicates;
    let terms = match &args.predicates {
        Some(path) => read_predicates(&mut ended.sources, problem, Some(&Source::from(path)), false)?,
        None if ignores => Vec::new(),
        None => own_predicates(problem)?.unwrap_or_default(),
    };
    Ok(words::conditions(problem, &terms)?)
}

/// Tells where the page is.
fn announce(ended: &Ended, server: &Server, problem: &Problem) -> Result<(), String> {
    let address = server.address();
    if ended.output.json().is_some_and(|path| path.as_os_str() == "-") {
        // Standard output is for the object alone.
        complain(&address);
    } else {
        to_stdout(&format!("{address}\n"))?;
    }
    let variables = Names::new(problem).variables.len() as u64;
    ended.output.details(&format!(
        "the page about {} ({}) is at this address, for programs of this computer that know it; Ctrl-C ends it",
        problem.model().name,
        crate::output::counted(variables, "variable")
    ));
    Ok(())
}
