//! Requests and responses of HTTP/1.1, as little of it as a page needs: one request per connection, a body only with its length, and no
//! part that may be large or take long without end.
//!
//! What has no request in it is answered with a status, never with a panic. Every wait has a deadline, and ends early when the server does.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Bytes before the body, at most.
const MOST_HEAD: usize = 16 << 10;
/// Headers, at most.
const MOST_HEADERS: usize = 64;
/// Bytes of a body, at most.
pub const MOST_BODY: usize = 256 << 10;
/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);
/// How long a response may take to leave.
const DEPARTURE: Duration = Duration::from_secs(60);
/// How long what still arrives is thrown away, so that a client that is still sending gets to read the answer.
const LINGERING: Duration = Duration::from_millis(500);
/// How often a wait looks whether the server ends.
const BREATH: Duration = Duration::from_millis(100);

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `POST`, ...
    pub method: String,
    /// What is asked for: a path, perhaps with a query.
    pub target: String,
    /// The headers, their names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header, where it occurs once.
    ///
    /// # Errors
    /// How often it occurs, where that is more than once: who decides by it must not take one of them.
    pub fn header(&self, name: &str) -> Result<Option<&str>, usize> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let first = found.next();
        match found.count() {
            0 => Ok(first),
            more => Err(more + 1),
        }
    }
}

/// A status and its words.
pub type Status = (u16, &'static str);

/// The request makes no sense.
pub const BAD_REQUEST: Status = (400, "Bad Request");
/// It took too long to arrive.
pub const TIMEOUT: Status = (408, "Request Timeout");
/// A body comes with its length.
pub const LENGTH_REQUIRED: Status = (411, "Length Required");
/// The body is too large.
pub const TOO_LARGE: Status = (413, "Content Too Large");
/// What stands before the body is too large.
pub const TOO_LONG_HEAD: Status = (431, "Request Header Fields Too Large");

/// A response.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: Status,
    /// What the body is.
    pub kind: &'static str,
    /// What the page may do.
    pub policy: String,
    /// The body.
    pub body: Vec<u8>,
}

/// A connection with its deadline, and someone who says when to stop.
#[derive(Debug)]
pub struct Connection<'s> {
    stream: &'s TcpStream,
    deadline: Instant,
}

/// Whether the server ends.
pub type Ending<'e> = &'e dyn Fn() -> bool;

impl<'s> Connection<'s> {
    /// A connection on which a request is about to arrive.
    ///
    /// # Errors
    /// Those of the connection.
    pub fn new(stream: &'s TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(BREATH))?;
        stream.set_write_timeout(Some(BREATH))?;
        // Headers and body are small and written apart.
        stream.set_nodelay(true)?;
        Ok(Self { stream, deadline: Instant::now() + ARRIVAL })
    }

    /// More bytes; none at the end, and nothing when there is no more time.
    fn more(&mut self, buffer: &mut [u8], ending: Ending<'_>) -> Option<usize> {
        loop {
            match self.stream.read(buffer) {
                Ok(count) => return Some(count),
                Err(error) if waits(&error) && Instant::now() < self.deadline && !ending() => {}
                Err(_) => return None,
            }
        }
    }

    /// The request. Nothing where the client has left without one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn request(&mut self, ending: Ending<'_>) -> Result<Option<Request>, Status> {
        let (mut bytes, mut buffer) = (Vec::new(), [0u8; 4096]);
        let (mut request, head, length) = loop {
            if let Some(parsed) = parse(&bytes)? {
                break parsed;
            }
            if bytes.len() > MOST_HEAD {
                return Err(TOO_LONG_HEAD);
            }
            match self.more(&mut buffer, ending) {
                None => return Err(TIMEOUT),
                Some(0) if bytes.is_empty() => return Ok(None),
                Some(0) => return Err(BAD_REQUEST),
                Some(count) => bytes.extend_from_slice(&buffer[..count]),
            }
        };
        let mut body = bytes.split_off(head);
        while body.len() < length {
            match self.more(&mut buffer, ending) {
                None => return Err(TIMEOUT),
                Some(0) => return Err(BAD_REQUEST),
                Some(count) => body.extend_from_slice(&buffer[..count]),
            }
        }
        // A second request on the same connection is not answered.
        body.truncate(length);
        request.body = body;
        Ok(Some(request))
    }

    /// Sends a response, and ends the connection. Whether that works is the client's concern.
    pub fn respond(mut self, response: &Response, ending: Ending<'_>) {
        self.deadline = Instant::now() + DEPARTURE;
        if self.send(head(response).as_bytes(), ending) && self.send(&response.body, ending) {
            self.linger(ending);
        }
    }

    fn send(&mut self, mut bytes: &[u8], ending: Ending<'_>) -> bool {
        while !bytes.is_empty() {
            match self.stream.write(bytes) {
                Ok(0) => return false,
                Ok(count) => bytes = &bytes[count..],
                Err(error) if waits(&error) && Instant::now() < self.deadline && !ending() => {}
                Err(_) => return false,
            }
        }
        true
    }

    /// Closing with bytes unread would take the response back from the client.
    fn linger(&mut self, ending: Ending<'_>) {
        if self.stream.shutdown(Shutdown::Write).is_err() {
            return;
        }
        self.deadline = Instant::now() + LINGERING;
        let mut buffer = [0u8; 4096];
        while Instant::now() < self.deadline && self.more(&mut buffer, ending).is_some_and(|count| count > 0) {}
    }
}

/// Whether nothing is wrong but that it takes time.
fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// A request without its body, where the body begins, and how long it is; nothing where more has to arrive.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize, usize)>, Status> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let head = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(head)) if head <= MOST_HEAD => head,
        Ok(httparse::Status::Complete(_)) | Err(httparse::Error::TooManyHeaders) => return Err(TOO_LONG_HEAD),
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(BAD_REQUEST),
    };
    let mut headers = Vec::with_capacity(parsed.headers.len());
    for header in &*parsed.headers {
        let value = std::str::from_utf8(header.value).map_err(|_| BAD_REQUEST)?;
        headers.push((header.name.to_ascii_lowercase(), value.to_owned()));
    }
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let request = Request { method: text(parsed.method), target: text(parsed.path), headers, body: Vec::new() };
    let length = length(&request)?;
    Ok(Some((request, head, length)))
}

/// How long the body is.
fn length(request: &Request) -> Result<usize, Status> {
    if request.headers.iter().any(|(name, _)| name == "transfer-encoding") {
        return Err(LENGTH_REQUIRED);
    }
    let Some(text) = request.header("content-length").map_err(|_| BAD_REQUEST)? else {
        return if request.method == "POST" { Err(LENGTH_REQUIRED) } else { Ok(0) };
    };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<usize>() {
        Ok(length) if digits && length <= MOST_BODY => Ok(length),
        // Numbers beyond all others are sizes too.
        _ if digits => Err(TOO_LARGE),
        _ => Err(BAD_REQUEST),
    }
}

/// The head of a response. All say the same about who may do what with it: nobody else anything.
fn head(Response { status: (status, words), kind, policy, body }: &Response) -> String {
    format!(
        "HTTP/1.1 {status} {words}\r\n\
         Content-Type: {kind}\r\n\
         Content-Length: {length}\r\n\
         Content-Security-Policy: {policy}; frame-ancestors 'none'\r\n\
         X-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\n\
         Referrer-Policy: no-referrer\r\n\
         Cache-Control: no-store\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Connection: close\r\n\r\n",
        length = body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Option<(usize, usize)>, u16> {
        parse(text.as_bytes()).map(|found| found.map(|(_, head, length)| (head, length))).map_err(|(status, _)| status)
    }

    #[test]
    fn a_body_comes_with_its_length_and_is_not_large() {
        assert_eq!(parsed("GET / HTTP/1.1\r\n\r\n"), Ok(Some((18, 0))));
        assert_eq!(parsed("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n"), Ok(Some((38, 5))));
        assert_eq!(parsed("POST / HTTP/1.1\r\n\r\n"), Err(411));
        assert_eq!(parsed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), Err(411));
        for (length, status) in [
            ("-1", 400),
            ("+5", 400),
            ("", 400),
            ("5, 5", 400),
            ("0x5", 400),
            ("999999", 413),
            ("99999999999999999999999", 413),
        ] {
            assert_eq!(
                parsed(&format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n")),
                Err(status),
                "{length}"
            );
        }
        assert_eq!(parsed("POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"), Err(400));
    }

    #[test]
    fn what_is_no_request_is_refused_or_waited_for() {
        assert_eq!(parsed(""), Ok(None));
        assert_eq!(parsed("GET / HT"), Ok(None));
        assert_eq!(parsed("\u{16}\u{3}\u{1}\u{2}"), Err(400));
        assert_eq!(parsed("GET / HTTP/9\r\n\r\n"), Err(400));
        let many = "a: b\r\n".repeat(MOST_HEADERS + 1);
        assert_eq!(parsed(&format!("GET / HTTP/1.1\r\n{many}\r\n")), Err(431));
        let long = "x".repeat(MOST_HEAD);
        assert_eq!(parsed(&format!("GET /{long} HTTP/1.1\r\n\r\n")), Err(431));
    }

    #[test]
    fn a_header_that_occurs_twice_has_no_value() {
        let request = |headers: &[(&str, &str)]| Request {
            method: "GET".to_owned(),
            target: "/".to_owned(),
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: Vec::new(),
        };
        assert_eq!(request(&[]).header("host"), Ok(None));
        assert_eq!(request(&[("host", "a")]).header("host"), Ok(Some("a")));
        assert_eq!(request(&[("host", "a"), ("host", "a")]).header("host"), Err(2));
    }
}
