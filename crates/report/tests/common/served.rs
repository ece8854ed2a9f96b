//! A served page, and clients that speak to it byte by byte.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use surefoot_limits::{Cancel, Stop};
use surefoot_report::Material;
use surefoot_report::serve::{Server, Spending, Viewer, viewer};
use surefoot_text::source::SourceMap;
use surefoot_verify::result::Command;
use surefoot_verify::{Problem, Request, ResultObject, Selection, Told};

use super::{Unpacked, budget};

/// The problem of an example with its only property.
pub(crate) fn example(name: &str) -> Problem {
    let model: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "examples", name, "model.jani"].iter().collect();
    let request = Request { model: (&model).into(), ..Request::default() };
    Problem::load(&mut SourceMap::default(), &request, Selection::Optional).expect("the example can be read")
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Whether a line of the head is this one.
    pub(crate) fn says(&self, line: &str) -> bool {
        self.head.lines().any(|known| known.eq_ignore_ascii_case(line))
    }
}

/// A client of a page.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Client {
    /// Of an address: `http://127.0.0.1:PORT/TOKEN/`.
    pub(crate) fn of(address: &str) -> Self {
        let rest = address.strip_prefix("http://127.0.0.1:").expect("the loopback address");
        let (port, token) = rest.split_once('/').expect("a path");
        Self { port: port.parse().expect("a port"), token: token.strip_suffix('/').expect("a folder").to_owned() }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("someone listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it is a connection");
        stream
    }

    /// Sends bytes, and reads to the end; nothing where no response came.
    pub(crate) fn send(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = self.connect();
        // Who refuses early does not read all of it.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        read(&mut stream)
    }

    /// A request with the headers of a browser, but for those that are given.
    pub(crate) fn request(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut all = vec![("Host".to_owned(), format!("127.0.0.1:{}", self.port))];
        if method == "POST" {
            all.push(("Content-Type".to_owned(), "application/json".to_owned()));
            all.push(("Origin".to_owned(), format!("http://127.0.0.1:{}", self.port)));
            all.push(("Content-Length".to_owned(), body.len().to_string()));
        }
        all.retain(|(name, _)| !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)));
        all.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let lines: String = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.send(format!("{method} {target} HTTP/1.1\r\n{lines}\r\n{body}").as_bytes()).expect("a response")
    }

    pub(crate) fn page(&self) -> Answer {
        self.request("GET", &format!("/{}/", self.token), &[], "")
    }

    /// The answer to a question, or its error.
    pub(crate) fn ask(&self, path: &str, question: &Value) -> Value {
        let answer = self.request("POST", &format!("/{}/api/{path}", self.token), &[], &question.to_string());
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        answer.json()
    }

    /// An answer with columns.
    pub(crate) fn unpack(&self, path: &str, question: &Value) -> Unpacked {
        let answer = self.request("POST", &format!("/{}/api/{path}", self.token), &[], &question.to_string());
        assert!(answer.says("content-type: application/octet-stream"), "{}", String::from_utf8_lossy(&answer.body));
        Unpacked::of(&answer.body)
    }
}

/// Reads a response to its end.
pub(crate) fn read(stream: &mut TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8(bytes[..end].to_vec()).expect("heads are text");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Some(Answer { status, head, body: bytes[end + 4..].to_vec() })
}

/// Serves a problem while something is done. `time`: for questions.
pub(crate) fn serve(problem: &Problem, time: Duration, predicates: &[&str], then: impl FnOnce(&Client)) {
    let (result, budget, cancel) = (ResultObject::about(Command::View, 0, problem), budget(), Cancel::default());
    let material = Material::of(problem, &result, &Told::Opened, "surefoot view".to_owned(), None, &budget);
    let spending = Spending { time, memory: None, threads: 1, cancel: cancel.clone() };
    let looked = viewer::visit(problem, &spending);
    let predicates = predicates.iter().map(|text| (*text).to_owned()).collect();
    let viewer = Viewer::new(&material, looked.as_ref(), predicates, spending).expect("it is small");
    let server = Server::bind(0).expect("some port is free");
    let client = Client::of(&server.address());
    /// Ends the server when a test fails, too.
    struct Ends(Cancel);
    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.stop(Stop::Interrupted);
        }
    }
    std::thread::scope(|scope| {
        scope.spawn(|| server.serve(&viewer, &cancel));
        let _ends = Ends(cancel.clone());
        then(&client);
    });
}
