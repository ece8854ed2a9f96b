//! How much longer an abstraction with probabilities takes than one without (the paper's Figure 3), as JSON.
//!
//! Usage: overhead MODEL PROPERTIES PREDICATES SECONDS
//!
//! Both are built for the given predicates as far as they are reachable, on one thread, in turns, three times each; the least times count. Unsafe abstract states
//! are not expanded.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that tells what it measured")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::json;
use surefoot_abstraction::{Options, Oracles, PredicateSet, System, search};
use surefoot_limits::Limits as RunLimits;
use surefoot_model::TermId;
use surefoot_model::property::Safety;
use surefoot_oracle::{BranchAndBound, Limits};
use surefoot_probabilistic::paper::process::{Lowered, Process};
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::abstraction::read_predicates;
use surefoot_verify::{Problem, Request, Selection, Source};

const REPEATS: usize = 3;

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let [model, properties, predicates, seconds] = arguments else {
        return Err("usage: overhead MODEL PROPERTIES PREDICATES SECONDS".to_owned());
    };
    let file = |path: &String| Source::from(&std::path::PathBuf::from(path));
    let request = Request { model: file(model), properties: vec![file(properties)], ..Request::default() };
    let mut sources = SourceMap::default();
    let mut problem =
        Problem::load(&mut sources, &request, Selection::Bound).map_err(|failure| format!("{failure:?}"))?;
    let given = read_predicates(&mut sources, &mut problem, Some(&file(predicates)), false)
        .map_err(|failure| format!("{failure:?}"))?;
    let seconds: f64 = seconds.parse().map_err(|_| "SECONDS is no number".to_owned())?;
    let limits: Limits =
        RunLimits { deadline: Instant::now().checked_add(Duration::from_secs_f64(seconds)), ..RunLimits::default() }
            .into();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    pool.install(|| measure(&problem, &given, &limits))
}

fn measure(problem: &Problem, given: &[TermId], limits: &Limits) -> Result<String, String> {
    let (mut plain, mut probabilistic) = (f64::INFINITY, f64::INFINITY);
    let (mut states, mut sizes) = ((0, 0), (0, 0));
    for _ in 0..REPEATS {
        let (seconds, found) = without(problem, given, limits)?;
        (plain, states.0, sizes.0) = (plain.min(seconds), found.0, found.1);
        let (seconds, found) = with(problem, given, limits)?;
        (probabilistic, states.1, sizes.1) = (probabilistic.min(seconds), found.0, found.1);
    }
    let object = json!({
        "plain_seconds": plain, "probabilistic_seconds": probabilistic, "plain_states": states.0, "states": states.1,
        "plain_transitions": sizes.0, "transitions": sizes.1,
    });
    Ok(object.to_string())
}

fn system<'p>(problem: &'p Problem, given: &[TermId]) -> Result<(System<'p>, PredicateSet), String> {
    let query = &problem.query;
    let safety = Safety {
        start: query.start.clone(),
        reach: query.target,
        goal: query.goal,
        goal_terminal: query.goal_terminal,
        predicates: Some(given.to_vec()),
        policy_file: None,
    };
    let mut system = System::new(problem.model(), problem.policy(), &safety, query.goal_terminal)
        .map_err(|refusal| refusal.message)?;
    let formulas = system.given.take().unwrap_or_default();
    let (predicates, _) = PredicateSet::new(system.lowering().space(), &formulas, false);
    Ok((system, predicates))
}

/// Seconds, and how many states and transitions there are.
type Built = (f64, (usize, usize));

/// One transition per outcome.
fn without(problem: &Problem, given: &[TermId], limits: &Limits) -> Result<Built, String> {
    let (mut system, predicates) = system(problem, given)?;
    let oracles: Oracles<BranchAndBound> = Oracles::seeded(0);
    let options = Options { limits: limits.clone(), ..Options::default() };
    let begin = Instant::now();
    let found = search(&mut system, &predicates, &options, &oracles, &Silent).map_err(|error| error.to_string())?;
    let seconds = begin.elapsed().as_secs_f64();
    match found.stopped {
        None => Ok((seconds, (found.states.len(), found.transitions.iter().map(Vec::len).sum()))),
        Some(_) => Err("the limit was met without probabilities".to_owned()),
    }
}

/// Transitions to distributions.
fn with(problem: &Problem, given: &[TermId], limits: &Limits) -> Result<Built, String> {
    let (mut system, predicates) = system(problem, given)?;
    let oracles: Oracles<BranchAndBound> = Oracles::seeded(0);
    let (mut lowered, mut starts) = (Lowered::default(), Vec::new());
    let begin = Instant::now();
    let early = |halt: surefoot_probabilistic::paper::halt::Halt| format!("{halt:?}");
    let process = Process::new(&mut system, &predicates, &mut lowered, &mut starts, &oracles, limits);
    let mut process = process.map_err(early)?;
    loop {
        let open: Vec<_> = process.open().collect();
        if open.is_empty() {
            break;
        }
        process.expand(&open).map_err(early)?;
    }
    Ok((begin.elapsed().as_secs_f64(), (process.places.len(), process.transitions)))
}
