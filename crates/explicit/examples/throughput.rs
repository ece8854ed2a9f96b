//! Explores a model and prints one CSV line: states per second and bytes per state.
//!
//! `throughput MODEL THREADS [PROPERTIES:INDEX:POLICY] [NAME=VALUE ...]`, where the optional second part runs the start set
//! of a property under a policy.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark driver")]
#![expect(clippy::cast_precision_loss, reason = "the numbers of an example are small")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use surefoot_explicit::{Task, explore};
use surefoot_limits::Limits;
use surefoot_model::lower::{GivenConstant, lower};
use surefoot_model::policy::read::read_policy;
use surefoot_model::property::{Question, StartSet};
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, threads) = (Path::new(&arguments[0]), arguments[1].parse().unwrap());
    let closed_loop: Option<Vec<&str>> = arguments.get(2).filter(|a| a.contains(':')).map(|a| a.split(':').collect());
    let constants = arguments[2..].iter().filter(|a| a.contains('=')).map(|a| GivenConstant::parse(a).unwrap());
    let constants: Vec<GivenConstant> = constants.collect();
    let mut sources = SourceMap::default();
    let begin = Instant::now();
    let (mut model, _) = surefoot_jani::read_model(&mut sources, path).unwrap();
    if let Some([properties, ..]) = closed_loop.as_deref()
        && !properties.is_empty()
    {
        surefoot_jani::read_properties(&mut sources, &mut model, Path::new(properties)).unwrap();
    }
    let mut lowered = lower(Arc::new(model), &constants).unwrap();
    let (start, policy) = match closed_loop.as_deref() {
        Some([_, index, policy]) => {
            let Question::Safety(safety) = lowered.question(index.parse().unwrap()).unwrap() else {
                panic!("not a safety property")
            };
            let policy = match *policy {
                "" => None,
                file => Some(read_policy(&mut lowered, &mut sources, Path::new(file)).unwrap().0),
            };
            (safety.start, policy)
        }
        _ => (StartSet { conditions: vec![lowered.initial_condition()], states: Vec::new() }, None),
    };
    let reading = begin.elapsed().as_secs_f64();
    let task = Task {
        model: &lowered.model,
        policy: policy.as_ref(),
        start: &start,
        reach: None,
        goal: None,
        goal_terminal: false,
        absorb: None,
        dropped: None,
        stop_at_reach: false,
        threads,
        limits: Limits::default(),
    };
    let begin = Instant::now();
    let result = explore(&task, &Silent);
    let seconds = begin.elapsed().as_secs_f64();
    let s = result.statistics;
    assert!(result.ending == surefoot_explicit::Ending::Complete, "{:?}", result.ending);
    println!(
        "{},{threads},{},{},{},{},{},{reading:.4},{seconds:.4},{:.0},{:.1},{}",
        path.file_name().unwrap().to_string_lossy(),
        policy.is_some(),
        s.states,
        s.choices,
        s.transitions,
        s.deadlocks,
        s.states as f64 / seconds,
        s.bytes as f64 / s.states as f64,
        s.exact_decisions,
    );
}
