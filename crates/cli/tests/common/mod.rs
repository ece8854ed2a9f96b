//! Small models in temporary folders, and the built binary run on them.

#![allow(dead_code, reason = "each test file uses some of it")]

pub(crate) mod page;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

/// What a run of the binary gave.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A folder with files, in which the binary runs.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).expect("a file can be written");
    }

    pub(crate) fn write_json(&self, name: &str, value: &Value) {
        self.write(name, &value.to_string());
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect("the file is there")
    }

    pub(crate) fn read_json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        command.args(args).current_dir(self.path());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let Output { status, stdout, stderr } = self.command(args).output().expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let ran = Ran { code: status.code().expect("no signal"), out: text(stdout), err: text(stderr) };
        assert!(!ran.err.contains("internal error") && !ran.err.contains("panicked"), "{}", ran.err);
        ran
    }

    /// Runs with `--json -` and `--quiet`; gives the exit code and the object, which must be all there is.
    pub(crate) fn run_json(&self, args: &[&str]) -> (i32, Value) {
        let args: Vec<&str> = args.iter().copied().chain(["--json", "-", "--quiet"]).collect();
        let ran = self.run(&args);
        assert_eq!(ran.err, "", "quiet");
        (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}", ran.out)))
    }
}

pub(crate) fn compare(op: &str, left: impl Into<Value>, right: impl Into<Value>) -> Value {
    json!({"op": op, "left": left.into(), "right": right.into()})
}

pub(crate) fn filter(fun: &str, values: &Value) -> Value {
    json!({"op": "filter", "fun": fun, "values": values, "states": {"op": "initial"}})
}

pub(crate) fn quantified(quantifier: &str, path: &str, condition: &Value) -> Value {
    json!({"op": quantifier, "exp": {"op": path, "exp": condition}})
}

pub(crate) fn property(name: &str, expression: &Value) -> Value {
    json!({"name": name, "expression": expression})
}

/// `x` goes from 0 to `top` by `up` and back by `down`; `jump` (a move of the environment, with probability 1/4 to stay)
/// doubles it where that is in the domain.
pub(crate) fn counter(top: i64, properties: &[Value]) -> Value {
    let assign = |value: Value| json!([{"ref": "x", "value": value}]);
    let edge = |action: &str, guard: Value, value: Value| {
        json!({"location": "l", "action": action, "guard": {"exp": guard},
               "destinations": [{"location": "l", "assignments": assign(value)}]})
    };
    json!({
        "jani-version": 1,
        "name": "counter",
        "type": "mdp",
        "actions": [{"name": "up"}, {"name": "down"}, {"name": "jump"}],
        "variables": [
            {"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": top}, "initial-value": 0}
        ],
        "automata": [{
            "name": "a",
            "locations": [{"name": "l"}],
            "initial-locations": ["l"],
            "edges": [
                edge("up", compare("<", "x", top), compare("+", "x", 1)),
                edge("down", compare("<", 0, "x"), compare("-", "x", 1)),
                {"location": "l", "action": "jump",
                 "guard": {"exp": compare("∧", compare("≥", "x", 3), compare("≤", compare("*", 2, "x"), top))},
                 "destinations": [
                     {"location": "l", "probability": {"exp": 0.75}, "assignments": assign(compare("*", 2, "x"))},
                     {"location": "l", "probability": {"exp": 0.25}}
                 ]}
            ]
        }],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": properties,
    })
}

/// PlaJA's safety property from `x = 0`.
pub(crate) fn never(reach: &Value) -> Value {
    json!({"op": "PA", "start": compare("=", "x", 0), "reach": reach})
}

/// A policy over `up` and `down`: `up` scores `2.5 - x`, `down` scores 0, so it goes up to 3 and comes back.
pub(crate) fn write_policy(folder: &Folder) {
    folder.write("net.nnet", "1,1,2,2,\n1,2,\n0,\n0,\n9,\n0,0,\n1,1,\n-1,\n0,\n2.5,\n0,\n");
    folder.write_json(
        "counter.policy.json",
        &json!({"network": "net.nnet", "inputs": ["x"], "outputs": {"labels": ["up", "down"]}}),
    );
}

/// The counter with one safety property, and a policy that keeps to `x <= 3` but for the environment's jumps.
pub(crate) fn counter_folder(top: i64, reach: &Value) -> Folder {
    let folder = Folder::new();
    folder.write_json("m.jani", &counter(top, &[property("safe", &never(reach))]));
    write_policy(&folder);
    folder
}

/// The object without what may differ between equal runs.
pub(crate) fn timeless(mut object: Value) -> Value {
    object["seconds"] = Value::Null;
    object["statistics"]["memory_bytes"] = Value::Null;
    object
}
