//! Who gets the page, and that nobody keeps others from it.

mod common;

use std::io::Write;
use std::time::{Duration, Instant};

use common::served::{Client, example, read, serve};
use serde_json::json;
use surefoot_fixtures::Random;

const LONG: Duration = Duration::from_secs(20);

fn served(then: impl FnOnce(&Client)) {
    serve(&example("parking"), LONG, &["distance <= 3"], then);
}

#[test]
fn the_page_comes_with_what_keeps_others_away() {
    served(|client| {
        let page = client.page();
        assert_eq!(page.status, 200);
        for line in [
            "Content-Type: text/html; charset=utf-8",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: no-referrer",
            "Cache-Control: no-store",
            "Cross-Origin-Resource-Policy: same-origin",
            "Connection: close",
        ] {
            assert!(page.says(line), "{line}:\n{}", page.head);
        }
        let policy = page.head.lines().find(|line| line.starts_with("Content-Security-Policy: ")).expect("a policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"), "{policy}");
        assert!(policy.ends_with("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        let text = String::from_utf8(page.body).expect("UTF-8");
        assert!(text.starts_with("<!doctype html>") && !text.contains(&client.token));
    });
}

#[test]
fn whoever_may_not_ask_is_refused() {
    served(|client| {
        let (page, question) = (format!("/{}/", client.token), format!("/{}/api/state", client.token));
        let port = client.port;
        let status = |method: &str, target: &str, headers: &[(&str, &str)]| {
            let answer = client.request(method, target, headers, r#"{"state": [0, 20, 0, 0]}"#);
            assert!(
                !answer.head.contains(&client.token) && !String::from_utf8_lossy(&answer.body).contains(&client.token)
            );
            if answer.status != 200 {
                assert!(answer.body.len() < 80, "no more than the status");
            }
            answer.status
        };
        assert_eq!(status("POST", &question, &[]), 200);
        let other = "0".repeat(client.token.len());
        for target in ["/", "/api/state", &format!("/{other}/"), &format!("/{other}/api/state"), &client.token] {
            assert_eq!(status("GET", target, &[]), 404, "{target}");
            assert_eq!(status("POST", target, &[]), 404, "{target}");
        }
        for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", ""] {
            assert_eq!(status("GET", &page, &[("Host", host)]), 403, "{host}");
            assert_eq!(status("POST", &question, &[("Host", host)]), 403, "{host}");
        }
        for origin in ["http://evil.example", "null", &format!("http://localhost:{port}"), "http://127.0.0.1:1"] {
            assert_eq!(status("POST", &question, &[("Origin", origin)]), 403, "{origin}");
        }
        assert_eq!(status("POST", &question, &[("Sec-Fetch-Site", "cross-site")]), 403);
        assert_eq!(status("POST", &question, &[("Content-Type", "text/plain")]), 415);
        assert_eq!(status("POST", &question, &[("Content-Type", "application/x-www-form-urlencoded")]), 415);
        assert_eq!(status("GET", &question, &[]), 405);
        assert_eq!(status("OPTIONS", &question, &[("Access-Control-Request-Method", "POST")]), 405);
        assert_eq!(status("HEAD", &page, &[]), 405);
        let local = format!("localhost:{port}");
        assert_eq!(status("GET", &page, &[("Host", &local)]), 200);
    });
}

#[test]
fn what_is_no_request_is_answered_and_forgotten() {
    served(|client| {
        let host = format!("Host: 127.0.0.1:{}\r\n", client.port);
        let target = format!("/{}/api/state", client.token);
        let status = |bytes: &[u8]| client.send(bytes).map(|answer| answer.status);
        assert_eq!(status(b""), None);
        assert_eq!(status(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"), Some(400));
        assert_eq!(status(b"GET\r\n\r\n"), Some(400));
        assert_eq!(status(b"GET / HTTP/1.1\r\n"), Some(400), "it ends before it is one");
        let post = |rest: &str| format!("POST {target} HTTP/1.1\r\n{host}Content-Type: application/json\r\n{rest}");
        assert_eq!(status(post("\r\n{}").as_bytes()), Some(411));
        assert_eq!(status(post("Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n").as_bytes()), Some(411));
        assert_eq!(status(post("Content-Length: 1000000000\r\n\r\n{}").as_bytes()), Some(413));
        assert_eq!(status(post("Content-Length: 10\r\n\r\n{}").as_bytes()), Some(400), "the body is shorter");
        assert_eq!(status(post("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}").as_bytes()), Some(400));
        assert_eq!(status(post("Content-Length: 2\r\n\r\n{").as_bytes()), Some(400));
        let large = format!("\"{}\"", "x".repeat(300 << 10));
        assert_eq!(
            client.request("POST", &target, &[], &large).status,
            413,
            "the answer arrives though it was not read"
        );
        assert_eq!(status(format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x".repeat(40_000)).as_bytes()), Some(431));
        assert_eq!(client.request("POST", &target, &[], "no JSON").status, 400);
        for body in
            ["null", "[]", "{}", "\"x\"", r#"{"state": "x"}"#, r#"{"state": [1e999]}"#, r#"{"state": [], "more": 1}"#]
        {
            let answer = client.request("POST", &target, &[], body);
            assert!(answer.status == 400 || answer.json()["error"].is_string(), "{body}");
        }
        let unknown = client.request("POST", &format!("/{}/api/nothing", client.token), &[], "{}");
        assert_eq!(unknown.status, 404);
        assert_eq!(client.page().status, 200, "and it still serves");
    });
}

#[test]
fn random_bytes_do_no_harm() {
    served(|client| {
        let mut random = Random::new(5);
        let request = format!("POST /{}/api/state HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", client.token, client.port);
        let request = format!(
            "{request}Content-Type: application/json\r\nContent-Length: 24\r\n\r\n{{\"state\":[0,20,0,0]}}    "
        );
        for _ in 0..200 {
            let mut bytes = request.clone().into_bytes();
            for _ in 0..1 + random.below(4) {
                let (at, byte) = (random.below(bytes.len()), random.below(256));
                bytes[at] = u8::try_from(byte).expect("a byte");
            }
            bytes.truncate(random.below(bytes.len() * 2).max(1));
            if let Some(answer) = client.send(&bytes) {
                assert!([200, 400, 403, 404, 405, 408, 411, 413, 415].contains(&answer.status), "{}", answer.head);
            }
        }
        assert_eq!(client.page().status, 200);
    });
}

#[test]
fn slow_clients_do_not_hold_up_others() {
    served(|client| {
        let mut slow: Vec<_> = (0..20).map(|_| client.connect()).collect();
        for stream in &mut slow {
            stream.write_all(b"GET / HT").expect("it is sent");
        }
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        assert_eq!(client.page().status, 200);
                        assert!(client.ask("state", &json!({"state": [0, 20, 0, 0]}))["moves"].is_array());
                    }
                });
            }
        });
        assert!(begun.elapsed() < Duration::from_secs(8), "before the slow ones are given up");
        // They are answered too, when their time is over.
        assert_eq!(read(&mut slow[0]).map(|answer| answer.status), Some(408));
        assert_eq!(client.page().status, 200);
    });
}

/// As many as there may be at a time: the one that has waited longest for its request makes room.
#[test]
fn connections_without_a_request_do_not_keep_others_out() {
    served(|client| {
        let mut idle: Vec<_> = (0..64).map(|_| client.connect()).collect();
        for stream in idle.iter_mut().skip(32) {
            stream.write_all(b"GET / HT").expect("it is sent");
        }
        let begun = Instant::now();
        for _ in 0..8 {
            assert_eq!(client.page().status, 200);
        }
        assert!(begun.elapsed() < Duration::from_secs(4), "nobody waits until the idle ones are given up");
        // The one that came last is waited for.
        let mut last = idle.pop().expect("there are many");
        last.write_all(format!("TP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", client.port).as_bytes()).expect("it is sent");
        assert_eq!(read(&mut last).map(|answer| answer.status), Some(404));
    });
}

#[test]
fn the_end_waits_for_nobody() {
    let begun = Instant::now();
    let mut waiting = Vec::new();
    served(|client| {
        let mut stream = client.connect();
        stream.write_all(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n").expect("it is sent");
        waiting.push(stream);
    });
    assert!(begun.elapsed() < Duration::from_secs(8));
}
