//! The result object: what `--json` writes.

use serde_json::{Map, Value, json};
use surefoot_explicit::Statistics;
use surefoot_model::lower::GivenConstant;
use surefoot_model::policy::Ties;

use crate::bmc::BmcDetails;
use crate::cegar::CegarDetails;
use crate::engine::{Details, Evidence, Outcome, Verdict};
use crate::open::OpenErrors;
use crate::problem::{LoadedPolicy, Problem};

/// A result object in the making; its keys have a fixed order.
#[derive(Debug, Clone)]
pub struct Report {
    object: Map<String, Value>,
}

impl Report {
    /// An object with all keys that every command has.
    #[must_use]
    pub fn new(command: &str, seed: u64) -> Self {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
        put("tool", json!("surefoot"));
        put("version", json!(env!("CARGO_PKG_VERSION")));
        put("command", json!(command));
        for key in ["verdict", "reason", "engine", "seconds"] {
            put(key, Value::Null);
        }
        put("seed", json!(seed));
        put("inputs", json!({}));
        put("assumptions", json!([]));
        put("statistics", json!({}));
        put("witness", Value::Null);
        Self { object }
    }

    /// Sets a key; new ones go to the end.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.object.insert(key.to_owned(), value.into());
    }

    /// What was asked.
    pub fn describe_problem(&mut self, problem: &Problem) {
        self.set_inputs(&problem.inputs);
        self.set_constants(&problem.constants);
        self.set("assumptions", problem.assumptions.clone());
        let model = problem.model();
        self.set("model", &*model.name);
        let property = problem.property.as_ref().map(|p| json!({"name": p.name, "index": p.index}));
        self.set("property", property.unwrap_or_default());
        self.set("policy", problem.policy.as_ref().map(policy_summary).unwrap_or_default());
    }

    /// Constants, with the values given to them.
    pub fn set_constants(&mut self, given: &[GivenConstant]) {
        let value = |c: &GivenConstant| if c.is_bool { json!(!c.value.is_zero()) } else { json!(c.value.to_string()) };
        self.set("constants", given.iter().map(|c| (c.name.clone(), value(c))).collect::<Map<String, Value>>());
    }

    /// Files and hashes.
    pub fn set_inputs(&mut self, inputs: &[(String, String)]) {
        let inputs: Map<String, Value> = inputs.iter().map(|(file, hash)| (file.clone(), json!(hash))).collect();
        self.set("inputs", inputs);
    }

    /// What came out; `unsafe_name` is what states of the target are called.
    pub fn set_outcome(&mut self, problem: &Problem, outcome: &Outcome, unsafe_name: Option<&str>) {
        self.set("verdict", outcome.verdict.word());
        self.set("engine", outcome.engine);
        if let Some(reason) = outcome.verdict.reason() {
            self.set("reason", reason.to_string());
        }
        if let Some(run) = outcome.run() {
            self.set("witness", json!(run.witness));
        }
        let assumptions: Vec<String> = problem.assumptions.iter().chain(&outcome.assumptions).cloned().collect();
        self.set("assumptions", assumptions);
        match &outcome.details {
            Details::Explicit(statistics) => self.set_statistics(statistics, unsafe_name),
            Details::Cegar(details) => self.set_refinement(details),
            Details::Bmc(details) => self.set_paths(details),
            Details::Runs(figures) => self.set("statistics", json!({"runs": figures.runs, "steps": figures.steps})),
        }
        let proof = match &outcome.verdict {
            Verdict::Holds(evidence) => Some(evidence),
            _ => outcome.open.as_ref().map(|open| &open.proof),
        };
        if let (Some(Evidence::Invariant { states }), Details::Cegar(details)) = (proof, &outcome.details) {
            let predicates: Vec<&str> = details.words.predicates().collect();
            self.set("invariant", json!({"states": states, "predicates": predicates}));
        }
        self.set_open(outcome.open.as_ref());
    }

    /// What a proof of safety leaves open.
    pub fn set_open(&mut self, open: Option<&OpenErrors>) {
        if let Some(open) = open {
            self.set("open_errors", open.object());
        }
    }

    /// The figures of refinement, and what it found.
    fn set_refinement(&mut self, details: &CegarDetails) {
        let figures = &details.figures;
        let statistics = json!({
            "start_states": figures.start_states,
            "reachable_states": figures.reachable_states,
            "expanded_states": figures.expanded_states,
            "transitions": figures.transitions,
            "predicates": details.words.predicates().len(),
            "iterations": figures.iterations,
            "policy_refinements": figures.policy_refinements,
            "policy_predicates": figures.policy_predicates,
            "oracle_queries": figures.questions,
            "oracle_nodes": figures.nodes,
            "expanded_in_all": figures.all_expanded,
        });
        self.set("statistics", statistics);
        self.set("preset", details.preset.clone());
        if let Some(iterations) = details.falsified {
            self.set("falsified_after", iterations);
        }
        self.set("predicates", details.words.predicates().collect::<Vec<_>>());
    }

    /// The figures of bounded model checking.
    fn set_paths(&mut self, details: &BmcDetails) {
        let figures = &details.figures;
        let statistics = json!({
            "paths": figures.paths,
            "merged_paths": figures.merged,
            "refuted_depth": details.refuted,
            "oracle_queries": figures.questions,
            "oracle_nodes": figures.nodes,
        });
        self.set("statistics", statistics);
    }

    /// The figures of an exploration; `unsafe_name` is what states of the target are called.
    pub fn set_statistics(&mut self, statistics: &Statistics, unsafe_name: Option<&str>) {
        let mut figures = Map::new();
        let mut put = |key: &str, value: u64| figures.insert(key.to_owned(), json!(value));
        put("start_states", statistics.start_states);
        put("reachable_states", statistics.states);
        put("expanded_states", statistics.expanded);
        if let Some(name) = unsafe_name {
            put(name, statistics.reach_states);
        }
        put("goal_states", statistics.goal_states);
        put("terminal_states", statistics.terminal_states);
        put("transitions", statistics.transitions);
        put("choices", statistics.choices);
        put("deadlocks", statistics.deadlocks);
        put("depth", statistics.depth);
        put("exact_decisions", statistics.exact_decisions);
        put("memory_bytes", statistics.bytes);
        self.set("statistics", figures);
    }

    /// The object.
    #[must_use]
    pub fn finish(mut self, seconds: f64) -> Value {
        self.set("seconds", (seconds * 1e6).round() / 1e6);
        Value::Object(self.object)
    }
}

/// A policy in a few words.
#[must_use]
pub fn policy_summary(loaded: &LoadedPolicy) -> Value {
    let networks: Vec<Value> = loaded
        .policy
        .networks
        .iter()
        .map(|network| {
            json!({
                "file": network.file,
                "inputs": network.network.input_len(),
                "hidden": network.network.hidden_sizes(),
                "outputs": network.network.output_len(),
                "parameters": network.network.parameter_count(),
                "everywhere": network.when.is_none(),
            })
        })
        .collect();
    json!({
        "file": loaded.name,
        "filter": loaded.policy.filter,
        "ties": ties_name(loaded.policy.ties),
        "networks": networks,
    })
}

/// How ties are broken, in a word.
#[must_use]
pub fn ties_name(ties: Ties) -> &'static str {
    match ties {
        Ties::First => "first",
        Ties::Any => "any",
        Ties::Plaja => "plaja",
    }
}
