//! The page, served to this computer alone, and the questions that it asks.
//!
//! A [`Server`] listens on `127.0.0.1` and on nothing else. It gives the page to those who know its address, and answers the questions of the page
//! (`PAGE.md`); it writes no file. Each connection has a thread of its own, so that a long question holds up neither quick ones nor the end.
//!
//! * [`http`]: requests and responses; [`gate`]: who may ask;
//! * [`viewer`]: the page and what it is about; [`questions`]: the answers.

pub mod gate;
pub mod http;
pub mod questions;
pub mod viewer;

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use surefoot_limits::Cancel;

use gate::{Gate, Wanted};
use http::{BAD_REQUEST, Connection, Request, Response, Status};
pub use viewer::{Spending, Viewer};

/// Connections at a time. Browsers open six. One beyond takes the place of the one that has waited longest for its request; where all have theirs, it is closed at once.
const MOST_CONNECTIONS: usize = 64;
/// How often is looked whether to end.
const BREATH: Duration = Duration::from_millis(50);
/// What answers may do in a browser: nothing.
const NOTHING: &str = "default-src 'none'";

/// What is served.
pub trait Site: Sync {
    /// The page, and what it may do in a browser.
    fn page(&self) -> (&str, &str);

    /// The answer to a question.
    fn answer(&self, path: &str, question: &Value) -> Reply;
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// An object.
    Object(Value),
    /// An object and columns, deflated.
    Columns(Vec<u8>),
    /// What is wrong with the question: an object with `error`.
    Wrong(Value),
    /// Nobody knows such a question.
    Unknown,
}

impl Reply {
    /// Something wrong, in words.
    #[must_use]
    pub fn wrong(error: impl Into<String>) -> Self {
        Self::Wrong(json!({"error": error.into()}))
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    gate: Gate,
    local: SocketAddr,
}

impl Server {
    /// Listens at a port, or with 0 at any that is free.
    ///
    /// # Errors
    /// Where the port is taken, or the system has no random numbers.
    pub fn bind(port: u16) -> Result<Self, String> {
        let cannot = |error: io::Error| format!("cannot listen on 127.0.0.1, port {port}: {error}");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(cannot)?;
        let local = listener.local_addr().map_err(cannot)?;
        let gate = Gate::new(gate::token()?, local.port());
        Ok(Self { listener, gate, local })
    }

    /// The address of the page.
    #[must_use]
    pub fn address(&self) -> String {
        self.gate.address()
    }

    /// Serves until someone says to stop.
    pub fn serve(&self, site: &impl Site, cancel: &Cancel) {
        let (done, open, waiting) = (AtomicBool::new(false), AtomicUsize::new(0), Waiting::default());
        let (done, open, waiting) = (&done, &open, &waiting);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for (number, stream) in (0u64..).zip(self.listener.incoming()) {
                    if done.load(Ordering::SeqCst) {
                        break;
                    }
                    // Without a connection, as when the system has no more of them, others can wait.
                    let Ok(stream) = stream else {
                        std::thread::sleep(BREATH);
                        continue;
                    };
                    if open.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS && !waiting.make_room() {
                        let _ = stream.shutdown(Shutdown::Both);
                        open.fetch_sub(1, Ordering::SeqCst);
                        continue;
                    }
                    let stream = waiting.enter(number, stream);
                    let handler = move || {
                        let _left = Leaving { open, waiting, number };
                        self.attend(&stream, &|| waiting.leave(number), site, &|| done.load(Ordering::SeqCst));
                    };
                    // Where there is no thread the connection is closed, and no longer counted, as the handler is dropped without a run.
                    if std::thread::Builder::new().spawn_scoped(scope, handler).is_err() {
                        open.fetch_sub(1, Ordering::SeqCst);
                        waiting.leave(number);
                    }
                }
            });
            while cancel.stopped().is_none() {
                std::thread::sleep(BREATH);
            }
            done.store(true, Ordering::SeqCst);
            // Whoever waits for connections gets one.
            let _ = TcpStream::connect_timeout(&self.local, Duration::from_secs(1));
        });
    }

    /// One connection from its beginning to its end; `arrived` is told when its request is there, or will not be.
    fn attend(&self, stream: &TcpStream, arrived: &dyn Fn(), site: &impl Site, ending: http::Ending<'_>) {
        let Ok(mut connection) = Connection::new(stream) else { return };
        let request = connection.request(ending);
        arrived();
        let response = match request {
            Ok(None) => return,
            Ok(Some(request)) => self.response(&request, site),
            Err(status) => refusal(status),
        };
        connection.respond(&response, ending);
    }

    fn response(&self, request: &Request, site: &impl Site) -> Response {
        let path = match self.gate.admit(request) {
            Ok(Wanted::Page) => {
                let (page, policy) = site.page();
                return Response {
                    status: OK,
                    kind: "text/html; charset=utf-8",
                    policy: policy.to_owned(),
                    body: page.as_bytes().to_vec(),
                };
            }
            Ok(Wanted::Answer(path)) => path,
            Err(status) => return refusal(status),
        };
        let Ok(question) = serde_json::from_slice::<Value>(&request.body) else {
            return told(BAD_REQUEST, &json!({"error": "the question is no JSON"}));
        };
        // A panic is a mistake of ours; the page goes on without this answer.
        match catch_unwind(AssertUnwindSafe(|| site.answer(path, &question))) {
            Ok(Reply::Object(answer)) => told(OK, &answer),
            Ok(Reply::Columns(body)) => {
                Response { status: OK, kind: "application/octet-stream", policy: NOTHING.to_owned(), body }
            }
            // An answer too: browsers would complain about another status on their own.
            Ok(Reply::Wrong(error)) => told(OK, &error),
            Ok(Reply::Unknown) => told(gate::NOT_FOUND, &json!({"error": "there is no such question"})),
            Err(_) => {
                told(INTERNAL, &json!({"error": "internal error: this is a bug in Surefoot; its terminal says more"}))
            }
        }
    }
}

const OK: Status = (200, "OK");
const INTERNAL: Status = (500, "Internal Server Error");

/// Connections whose requests have not arrived, by their numbers: the first has waited longest.
#[derive(Default)]
struct Waiting(Mutex<BTreeMap<u64, Arc<TcpStream>>>);

impl Waiting {
    fn enter(&self, number: u64, stream: TcpStream) -> Arc<TcpStream> {
        let stream = Arc::new(stream);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::clone(&stream));
        stream
    }

    fn leave(&self, number: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }

    /// Ends the one that has waited longest; whether there was one.
    fn make_room(&self) -> bool {
        let longest = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_first();
        // Its handler sees the end of it at once.
        longest.map(|(_, stream)| stream.shutdown(Shutdown::Both)).is_some()
    }
}

/// A connection that is no longer counted when it ends, however it ends.
struct Leaving<'a> {
    open: &'a AtomicUsize,
    waiting: &'a Waiting,
    number: u64,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.waiting.leave(self.number);
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

fn told(status: Status, answer: &Value) -> Response {
    let body = answer.to_string().into_bytes();
    Response { status, kind: "application/json", policy: NOTHING.to_owned(), body }
}

/// A status and no more.
fn refusal(status: Status) -> Response {
    let body = format!("{} {}\n", status.0, status.1).into_bytes();
    Response { status, kind: "text/plain; charset=utf-8", policy: NOTHING.to_owned(), body }
}
