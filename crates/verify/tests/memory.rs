//! The same problem from files and from memory: the same outcome, and no file where there is none.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use surefoot_jani::read_model;
use surefoot_limits::Cancel;
use surefoot_network::{ReadOptions, read_file};
use surefoot_text::source::SourceMap;
use surefoot_verdict::Silent;
use surefoot_verify::decide::{NetworkOrigin, NetworkSource, Queries, Settings, branch_and_bound, decide_all};
use surefoot_verify::engine::Outcome;
use surefoot_verify::result::{Evidence, VerdictWord};
use surefoot_verify::{
    Budget, Class, EngineChoice, Failure, PolicySource, Problem, Request, ResultObject, Selection, Source,
    VerifyOptions, verify,
};

#[allow(dead_code, unreachable_pub, reason = "a program by itself")]
#[path = "../examples/in_memory.rs"]
mod in_memory;

fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file)
}

fn text(name: &str, file: &str) -> Source {
    Source::text(name, std::fs::read_to_string(example(file)).expect("an example"))
}

fn policy_text(file: &str, network: &str) -> PolicySource {
    let text = std::fs::read_to_string(example(file)).expect("an example");
    let read = read_file(example(file).with_file_name(network), &ReadOptions::default()).expect("a network");
    let networks = vec![(network.to_owned(), Arc::new(read))];
    PolicySource::Text { name: "<policy>".to_owned(), text: text.into(), networks }
}

fn load(request: &Request) -> (Problem, SourceMap) {
    let mut sources = SourceMap::default();
    let problem = Problem::load(&mut sources, request, Selection::Decide).unwrap_or_else(|f| panic!("{f:?}"));
    (problem, sources)
}

fn decided(problem: &Problem, engine: EngineChoice) -> Outcome {
    let budget = Budget { started: Instant::now(), time: None, memory: None, threads: 1, cancel: Cancel::default() };
    verify(problem, &VerifyOptions::from(engine), &budget, &Silent).unwrap_or_else(|f| panic!("{f:?}"))
}

/// Everything that an outcome says, the network's name aside.
fn told(outcome: &Outcome) -> String {
    format!("{outcome:?}").replace(&example("reservoir").display().to_string(), "")
}

#[test]
fn files_and_texts_give_the_same_outcome() {
    for (policy, network) in [("careless", "careless.nnet"), ("careful", "careful.nnet")] {
        let file = format!("reservoir/{policy}.jani2nnet");
        let from_files = Request {
            model: (&example("reservoir/model.jani")).into(),
            properties: vec![(&example("reservoir/properties.jani")).into()],
            policy: Some((&example(&file)).into()),
            ..Request::default()
        };
        let from_memory = Request {
            model: text("<model>", "reservoir/model.jani"),
            properties: vec![text("<properties>", "reservoir/properties.jani")],
            policy: Some(policy_text(&file, network)),
            ..Request::default()
        };
        let ((files, _), (memory, sources)) = (load(&from_files), load(&from_memory));
        for engine in [EngineChoice::EXPLICIT, EngineChoice::CEGAR] {
            let (one, other) = (decided(&files, engine), decided(&memory, engine));
            assert_eq!(told(&one).replace(&format!("/{network}"), network), told(&other), "{policy} by {engine:?}");
        }
        // The same texts, so the same hashes; the network is hashed as a value.
        let hash = |problem: &Problem, input: usize| problem.inputs[input].1.clone();
        for input in 0..3 {
            assert_eq!(hash(&files, input), hash(&memory, input), "{:?}", memory.inputs);
        }
        let names: Vec<&str> = memory.inputs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["<model>", "<properties>", "<policy>", network]);
        assert_eq!(memory.policy.as_ref().map(|policy| policy.name.as_str()), Some("<policy>"));
        assert!(sources.files().all(|(_, file)| !file.path.exists()));
    }
}

#[test]
fn a_model_of_syntax_is_the_model() {
    let mut sources = SourceMap::default();
    let (syntax, _) = read_model(&mut sources, &example("lift/model.jani")).unwrap();
    let request = |model| Request {
        model,
        properties: vec![(&example("lift/properties.jani")).into()],
        policy: Some((&example("lift/lift.policy.json")).into()),
        ..Request::default()
    };
    let (file, _) = load(&request((&example("lift/model.jani")).into()));
    let (code, _) = load(&request(Source::model(&syntax)));
    assert_eq!(told(&decided(&file, EngineChoice::EXPLICIT)), told(&decided(&code, EngineChoice::EXPLICIT)));
    assert_eq!(code.inputs[0].0, "<model>");
}

#[test]
fn errors_in_texts_have_places() {
    let request = Request { model: Source::text("<model>", "{\"jani-version\": 1,\n oops"), ..Request::default() };
    let mut sources = SourceMap::default();
    let Err(Failure::Input(errors)) = Problem::load(&mut sources, &request, Selection::Decide) else {
        panic!("that is no model")
    };
    let shown = surefoot_text::render(&errors[0], &sources);
    assert!(shown.contains("<model>:2:2"), "{shown}");
    // Two texts of one name would have one hash.
    let request = Request {
        properties: vec![text("<model>", "reservoir/properties.jani")],
        model: text("<model>", "reservoir/model.jani"),
        ..Request::default()
    };
    let Err(Failure::Input(errors)) = Problem::load(&mut SourceMap::default(), &request, Selection::Decide) else {
        panic!("two texts of one name")
    };
    assert!(errors[0].message.contains("cannot read <model>"), "{errors:?}");
}

#[test]
fn queries_about_a_network_in_memory() {
    let network = read_file(example("reservoir/careless.nnet"), &ReadOptions::default()).unwrap();
    let inputs = network.input_len();
    let query = format!("{{\"box\": {:?}, \"label\": 0}}", vec![[0, 9]; inputs]);
    let of = |origin, query: &Source| {
        let source = NetworkSource { name: None, network: origin };
        let mut sources = SourceMap::default();
        let queries = Queries::load(&mut sources, query, &[source], &ReadOptions::default()).unwrap();
        let settings = Settings { time: None, memory: None, threads: 1, cancel: Cancel::default() };
        let answers = decide_all(&queries.queries, &settings, &branch_and_bound(0, 1), &Silent).unwrap();
        (answers[0].line(), queries.inputs)
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("query.json");
    std::fs::write(&file, &query).unwrap();
    let (from_files, files) = of(NetworkOrigin::File(example("reservoir/careless.nnet")), &(&file).into());
    let (from_memory, memory) = of(NetworkOrigin::memory(network), &Source::text("<query>", query));
    assert_eq!(from_files, from_memory);
    assert_eq!((memory[0].0.as_str(), memory[1].0.as_str()), ("<query>", "<network>"));
    assert_eq!(files[0].1, memory[0].1);
}

#[test]
fn the_example_proves_its_tank_safe_and_finds_the_fault_of_another_network() {
    use surefoot_network::{Activation, Layer, Network};
    let decided = |network| in_memory::decide(network).unwrap_or_else(|failure| panic!("{failure:?}"));
    let good = decided(in_memory::network().unwrap());
    assert_eq!((good.class, good.result.verdict), (Class::Done, Some(VerdictWord::Holds)));
    let names: Vec<&str> = good.result.inputs.0.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["<model>", "<policy>", "<network>"]);
    // Always filling.
    let layer = Layer::new(1, vec![0.0, 0.0], vec![1.0, 0.0], Activation::Identity).unwrap();
    let bad = decided(Network::new(vec![layer]).unwrap());
    let Some(Evidence::Run(run)) = &bad.result.witness else { panic!("{:?}", bad.result) };
    assert_eq!((bad.class, run.steps.len()), (Class::Violated, 4));
    let text = serde_json::to_string(&bad.result).unwrap();
    assert_eq!(serde_json::from_str::<ResultObject>(&text).unwrap(), bad.result);
}
