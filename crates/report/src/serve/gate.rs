//! Who may ask what: everything else is refused, without saying why.
//!
//! A page on the loopback address is within reach of every program of this computer and, by way of the browser, of every page that is open in it. So
//!
//! * the address has a token of 128 random bits, which neither can guess: without it there is nothing here;
//! * `Host` is this server's own address: a name of someone else's that was made to point here (DNS rebinding) is refused;
//! * `Origin`, where a browser sends one, is this server's own, and so is the site that `Sec-Fetch-Site` speaks of when a question is asked: other pages cannot ask even if they knew the token;
//! * questions are JSON and say so, which a form of another page cannot.

use super::http::{Request, Status};

/// There is nothing here.
pub const NOT_FOUND: Status = (404, "Not Found");
/// Not for you.
pub const FORBIDDEN: Status = (403, "Forbidden");
/// There is something, but not to be asked in this way.
pub const METHOD_NOT_ALLOWED: Status = (405, "Method Not Allowed");
/// The question is no JSON.
pub const NOT_JSON: Status = (415, "Unsupported Media Type");

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted<'r> {
    /// The page.
    Page,
    /// The answer to a question, by its path.
    Answer(&'r str),
}

/// Random bits of a token, in bytes.
const TOKEN_BYTES: usize = 16;

/// A token: 128 random bits of the operating system as text.
///
/// # Errors
/// Where the system has none to give.
pub fn token() -> Result<String, String> {
    let mut bytes = [0u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Who may ask.
#[derive(Debug, Clone)]
pub struct Gate {
    token: String,
    port: u16,
}

impl Gate {
    /// For those who know a token, at a port.
    #[must_use]
    pub fn new(token: String, port: u16) -> Self {
        Self { token, port }
    }

    /// The address of the page.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// What a request asks for, if it may.
    ///
    /// # Errors
    /// The status that refuses it.
    pub fn admit<'r>(&self, request: &'r Request) -> Result<Wanted<'r>, Status> {
        let host = request.header("host").ok().flatten().ok_or(FORBIDDEN)?.to_ascii_lowercase();
        let own = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        if !own.contains(&host) {
            return Err(FORBIDDEN);
        }
        if let Some(origin) = request.header("origin").map_err(|_| FORBIDDEN)?
            && origin.to_ascii_lowercase() != format!("http://{host}")
        {
            return Err(FORBIDDEN);
        }
        let path = request.target.split(['?', '#']).next().unwrap_or_default();
        let (token, rest) = path.strip_prefix('/').and_then(|path| path.split_once('/')).ok_or(NOT_FOUND)?;
        if !same(token.as_bytes(), self.token.as_bytes()) {
            return Err(NOT_FOUND);
        }
        match (request.method.as_str(), rest.strip_prefix("api/")) {
            ("GET", None) if rest.is_empty() => Ok(Wanted::Page),
            ("POST", Some(question)) => {
                let site = request.header("sec-fetch-site").map_err(|_| FORBIDDEN)?;
                if site.is_some_and(|site| site != "same-origin") {
                    return Err(FORBIDDEN);
                }
                let kind = request.header("content-type").ok().flatten().unwrap_or_default();
                let kind = kind.split(';').next().unwrap_or_default().trim();
                if kind.eq_ignore_ascii_case("application/json") { Ok(Wanted::Answer(question)) } else { Err(NOT_JSON) }
            }
            (_, None) if rest.is_empty() => Err(METHOD_NOT_ALLOWED),
            (_, Some(_)) => Err(METHOD_NOT_ALLOWED),
            _ => Err(NOT_FOUND),
        }
    }
}

/// Whether two texts are the same, in a time that depends on their lengths alone.
fn same(given: &[u8], known: &[u8]) -> bool {
    let differ = given.iter().zip(known).fold(0u8, |differ, (a, b)| differ | std::hint::black_box(a ^ b));
    given.len() == known.len() && std::hint::black_box(differ) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "/0123/";
    const QUESTION: &str = "/0123/api/state";

    fn asked(method: &str, target: &str, headers: &[(&str, &str)]) -> Result<bool, u16> {
        let gate = Gate::new("0123".to_owned(), 7000);
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let request = Request { method: method.to_owned(), target: target.to_owned(), headers, body: Vec::new() };
        gate.admit(&request).map(|wanted| wanted == Wanted::Page).map_err(|(status, _)| status)
    }

    const HERE: (&str, &str) = ("host", "127.0.0.1:7000");
    const JSON: (&str, &str) = ("content-type", "application/json");

    #[test]
    fn tokens_are_random_and_long() {
        let (one, other) = (token().expect("random bits"), token().expect("random bits"));
        assert!(one.len() == 2 * TOKEN_BYTES && one != other && one.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }

    #[test]
    fn only_those_who_know_the_token_find_something() {
        assert_eq!(asked("GET", PAGE, &[HERE]), Ok(true));
        assert_eq!(asked("GET", "/0123/?a=b", &[HERE]), Ok(true));
        for target in [
            "/",
            "",
            "*",
            "/0123",
            "/0124/",
            "/012/",
            "/01234/",
            "//",
            "/0123//",
            "/../0123/",
            "/%30123/",
            "http://127.0.0.1:7000/0123/",
        ] {
            assert_eq!(asked("GET", target, &[HERE]), Err(404), "{target}");
        }
    }

    #[test]
    fn other_hosts_are_refused() {
        assert_eq!(asked("GET", PAGE, &[("host", "LocalHost:7000")]), Ok(true));
        for host in [
            "evil.example",
            "evil.example:7000",
            "127.0.0.1",
            "127.0.0.1:7001",
            "127.0.0.1:7000.evil.example",
            "",
            "[::1]:7000",
        ] {
            assert_eq!(asked("GET", PAGE, &[("host", host)]), Err(403), "{host}");
        }
        assert_eq!(asked("GET", PAGE, &[]), Err(403));
        assert_eq!(asked("GET", PAGE, &[HERE, ("host", "evil.example")]), Err(403));
    }

    #[test]
    fn other_origins_are_refused() {
        let own = ("origin", "http://127.0.0.1:7000");
        assert_eq!(asked("POST", QUESTION, &[HERE, JSON, own]), Ok(false));
        for origin in [
            "http://evil.example",
            "null",
            "https://127.0.0.1:7000",
            "http://127.0.0.1:7001",
            "http://localhost:7000",
            "",
        ] {
            assert_eq!(asked("POST", QUESTION, &[HERE, JSON, ("origin", origin)]), Err(403), "{origin}");
            assert_eq!(asked("GET", PAGE, &[HERE, ("origin", origin)]), Err(403), "{origin}");
        }
        for (site, wanted) in
            [("same-origin", Ok(false)), ("cross-site", Err(403)), ("same-site", Err(403)), ("none", Err(403))]
        {
            assert_eq!(asked("POST", QUESTION, &[HERE, JSON, ("sec-fetch-site", site)]), wanted, "{site}");
        }
    }

    #[test]
    fn questions_are_posted_as_json() {
        assert_eq!(asked("POST", QUESTION, &[HERE, ("content-type", "Application/JSON; charset=utf-8")]), Ok(false));
        assert_eq!(asked("POST", QUESTION, &[HERE, ("content-type", "text/plain")]), Err(415));
        assert_eq!(asked("POST", QUESTION, &[HERE]), Err(415));
        assert_eq!(asked("GET", QUESTION, &[HERE]), Err(405));
        for method in ["POST", "PUT", "HEAD", "OPTIONS", "DELETE"] {
            assert_eq!(asked(method, PAGE, &[HERE, JSON]), Err(405), "{method}");
        }
    }
}
