//! One case per row; all rows are run, and all that fail are told.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A hang is a failure; so is anything near one, on a machine that has other things to do.
const MOST: Duration = Duration::from_secs(20);

/// What no answer to any input may say.
const NEVER: [&str; 4] = ["internal error", "panicked", "RUST_BACKTRACE", "invalid type:"];

/// A case: files, a command line, and what must come of it.
pub(crate) struct Case {
    name: &'static str,
    files: Vec<(String, Vec<u8>)>,
    args: Vec<String>,
    code: i32,
    says: Vec<String>,
    not: Vec<&'static str>,
}

/// A case that ends with exit code 2 unless it says otherwise; the command line is split at blanks.
pub(crate) fn case(name: &'static str, line: &str) -> Case {
    let args = line.split_whitespace().map(str::to_owned).collect();
    Case { name, files: Vec::new(), args, code: 2, says: Vec::new(), not: Vec::new() }
}

impl Case {
    pub(crate) fn file(mut self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.files.push((name.to_owned(), content.as_ref().to_vec()));
        self
    }

    pub(crate) fn json(self, name: &str, content: &Value) -> Self {
        let text = content.to_string();
        self.file(name, text)
    }

    /// One more argument, blanks and all.
    pub(crate) fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    pub(crate) fn code(mut self, code: i32) -> Self {
        self.code = code;
        self
    }

    /// Words that must be in the output.
    pub(crate) fn says(mut self, words: &str) -> Self {
        self.says.push(words.to_owned());
        self
    }

    /// Words that must not be in the output.
    pub(crate) fn not(mut self, words: &'static str) -> Self {
        self.not.push(words);
        self
    }

    /// What is wrong with what came of it.
    fn run(&self) -> Result<(), String> {
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        for (name, content) in &self.files {
            let path = folder.path().join(name);
            path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(|error| error.to_string())?;
            std::fs::write(path, content).map_err(|error| error.to_string())?;
        }
        let (code, said, took) = run_bounded(folder.path(), &self.args)?;
        let wrong = |what: String| Err(format!("{what}\n{}", said.chars().take(2_000).collect::<String>()));
        if code != Some(self.code) {
            return wrong(format!("exit code {code:?}, expected {}, after {took:?}", self.code));
        }
        if let Some(words) = self.says.iter().find(|words| !said.contains(&**words)) {
            return wrong(format!("does not say {words:?}"));
        }
        if let Some(words) = NEVER.iter().chain(&self.not).find(|words| said.contains(**words)) {
            return wrong(format!("says {words:?}"));
        }
        Ok(())
    }
}

/// Runs the binary in a folder, for at most so long.
fn run_bounded(folder: &Path, args: &[String]) -> Result<(Option<i32>, String, Duration), String> {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefoot"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = read(out.map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let err = read(err.map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if started.elapsed() > MOST => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("still running after {MOST:?}"));
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let said = [out, err].map(|thread| thread.join().unwrap_or_default()).concat();
    Ok((status.code(), said, started.elapsed()))
}

/// Runs all cases of a kind and fails with all that fail.
pub(crate) fn run(kind: &str, cases: Vec<Case>) {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(what) = case.run() {
                        let shown = format!("* {} (surefoot {}): {what}\n", case.name, case.args.join(" "));
                        failed.lock().expect("no case panics").push(shown);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no case panics");
    assert!(failed.is_empty(), "{kind}: {} of {} cases fail\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// `{"op": op, "left": left, "right": right}`.
pub(crate) fn op(op: &str, left: impl Into<Value>, right: impl Into<Value>) -> Value {
    json!({"op": op, "left": left.into(), "right": right.into()})
}

/// A bounded integer type.
pub(crate) fn int(lower: i64, upper: i64) -> Value {
    json!({"kind": "bounded", "base": "int", "lower-bound": lower, "upper-bound": upper})
}

/// `x` counts from 0 to 3 by `go`, the property `safe` asks whether it reaches 3, and `stop` never happens.
pub(crate) fn base() -> Value {
    json!({
        "jani-version": 1, "name": "m", "type": "mdp",
        "actions": [{"name": "go"}, {"name": "stop"}],
        "variables": [{"name": "x", "type": int(0, 3), "initial-value": 0}],
        "automata": [{
            "name": "a", "locations": [{"name": "l"}], "initial-locations": ["l"],
            "edges": [
                {"location": "l", "action": "go", "guard": {"exp": op("<", "x", 3)},
                 "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": op("+", "x", 1)}]}]},
                {"location": "l", "action": "stop", "guard": {"exp": false}, "destinations": [{"location": "l"}]}
            ]
        }],
        "system": {"elements": [{"automaton": "a"}]},
        "properties": [{"name": "safe", "expression": {"op": "PA", "start": op("=", "x", 0), "reach": op("=", "x", 3)}}]
    })
}

/// The base model with one place changed.
pub(crate) fn with(pointer: &str, value: Value) -> Value {
    let mut model = base();
    set(&mut model, pointer, value);
    model
}

/// Sets a place of a document; the last step may be new.
pub(crate) fn set(document: &mut Value, pointer: &str, value: Value) {
    let (parent, last) = pointer.rsplit_once('/').expect("a pointer");
    let place = document.pointer_mut(parent).expect("the parent is there");
    match place {
        Value::Array(items) if last == "-" => items.push(value),
        Value::Array(items) => items[last.parse::<usize>().expect("an index")] = value,
        _ => place[last] = value,
    }
}

/// A network of one input and two outputs: `2.5 - x` and 0.
pub(crate) const NNET: &str = "1,1,2,2,\n1,2,\n0,\n0,\n9,\n0,0,\n1,1,\n-1,\n0,\n2.5,\n0,\n";

/// The policy that goes with it.
pub(crate) fn policy(network: &str) -> Value {
    json!({"network": network, "inputs": ["x"], "outputs": {"labels": ["go", "stop"]}})
}
