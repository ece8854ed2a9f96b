//! `view` as a process: where it says that it is, how it ends, and that it writes nothing.

#![cfg(unix)]

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use common::Folder;
use serde_json::{Value, json};

/// A running `view`.
struct Viewing {
    child: Child,
    out: BufReader<ChildStdout>,
    port: u16,
    token: String,
}

impl Viewing {
    fn begin(folder: &Folder, args: &[&str]) -> Self {
        let words: Vec<&str> = ["view"].into_iter().chain(args.iter().copied()).collect();
        let mut child = folder.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        let rest = line.trim_end().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("an address: {line:?}"));
        let (port, path) = rest.split_once('/').expect("a path");
        let token = path.strip_suffix('/').expect("a folder").to_owned();
        assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
        Self { child, out, port: port.parse().expect("a port"), token }
    }

    /// The status and body of an answer.
    fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let Self { port, token, .. } = self;
        let length = body.len();
        let head = format!(
            "{method} /{token}/{path} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n"
        );
        stream.write_all(format!("{head}Content-Length: {length}\r\n\r\n{body}").as_bytes()).expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, answer.split_once("\r\n\r\n").expect("a body").1.to_owned())
    }

    fn ask(&self, path: &str, question: &Value) -> Value {
        let (status, body) = self.send("POST", &format!("api/{path}"), &question.to_string());
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("JSON")
    }

    /// Interrupts it; its exit code, and what it said: on standard output, and on standard error.
    fn interrupt(mut self) -> (i32, String, String) {
        let kill = std::process::Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(kill.expect("kill runs").success());
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                break status;
            }
            if begun.elapsed() > Duration::from_secs(20) {
                self.child.kill().expect("it can be killed");
                panic!("it does not end");
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let (mut out, mut err) = (String::new(), String::new());
        self.out.read_to_string(&mut out).expect("text");
        self.child.stderr.take().expect("piped").read_to_string(&mut err).expect("text");
        (status.code().expect("no signal"), out, err)
    }
}

fn example(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "examples", name, "model.jani"].iter().collect();
    path.display().to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn it_serves_until_it_is_interrupted_and_writes_nothing() {
    let folder = Folder::new();
    let viewing = Viewing::begin(&folder, &[&example("parking")]);
    let (status, page) = viewing.send("GET", "", "");
    assert!(status == 200 && page.starts_with("<!doctype html>"));
    assert_eq!(viewing.send("GET", "other", "").0, 404);
    let answer = viewing.ask("state", &json!({"state": [0, 20, 0, 0]}));
    assert_eq!(answer["problem"], Value::Null);
    let asked = viewing.ask("region", &json!({"text": "distance >= 20", "action": 0}));
    assert_eq!(asked["answer"], "yes", "{asked}");
    let (code, out, err) = viewing.interrupt();
    assert_eq!((code, out.as_str()), (0, "done: the page is no longer served\n"));
    assert!(err.contains("Ctrl-C ends it") && err.contains("interrupted: the page ends"), "{err}");
    assert!(names(folder.path()).is_empty(), "nothing is written");
}

#[test]
fn an_open_connection_does_not_keep_it() {
    let folder = Folder::new();
    let viewing = Viewing::begin(&folder, &["--quiet", &example("lift")]);
    let mut slow = TcpStream::connect(("127.0.0.1", viewing.port)).expect("it listens");
    slow.write_all(b"GET / HTTP/1.1\r\nHost:").expect("it is sent");
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    let (code, _, err) = viewing.interrupt();
    assert_eq!(code, 0, "{err}");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn the_result_is_written_where_it_is_asked_for() {
    let folder = Folder::new();
    let viewing = Viewing::begin(&folder, &["--quiet", "--json", "view.json", &example("parking")]);
    let (code, ..) = viewing.interrupt();
    assert_eq!(code, 0);
    let result = folder.read_json("view.json");
    assert_eq!((&result["command"], &result["verdict"]), (&json!("view"), &Value::Null), "{result}");
}

#[test]
fn addresses_differ_and_ports_that_are_taken_are_an_error() {
    let folder = Folder::new();
    let viewing = Viewing::begin(&folder, &["--quiet", &example("parking")]);
    let other = Viewing::begin(&folder, &["--quiet", &example("parking")]);
    assert_ne!(viewing.token, other.token);
    let taken = folder.run(&["view", "--port", &viewing.port.to_string(), &example("parking")]);
    assert!(taken.code == 2 && taken.err.contains("cannot listen"), "{}", taken.err);
    for viewing in [viewing, other] {
        assert_eq!(viewing.interrupt().0, 0);
    }
    let missing = folder.run(&["view", "nothing.jani"]);
    assert!(missing.code == 2 && missing.out.is_empty(), "{}", missing.out);
}

#[test]
fn predicates_to_begin_with_are_those_of_the_file() {
    let folder = Folder::new();
    let predicates = example("parking").replace("model.jani", "predicates.json");
    let viewing = Viewing::begin(&folder, &["--quiet", "--predicates", &predicates, &example("parking")]);
    assert_eq!(viewing.send("GET", "", "").0, 200);
    assert_eq!(viewing.interrupt().0, 0);
    folder.write("broken.json", "[{\"op\": \"nothing\"}]");
    let broken = folder.run(&["view", "--predicates", "broken.json", &example("parking")]);
    assert_eq!((broken.code, broken.out.as_str()), (2, ""), "{}", broken.err);
}
