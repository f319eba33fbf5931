//! Hostile clients: the resources that they take are bounded, and other clients are answered.
#![allow(clippy::disallowed_methods, reason = "it opens sockets")]

mod fixture;

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use fixture::{Fixture, fixture};
use server::{Hosts, Limits, Patience, Running};

/// A read that waits longer than this counts as no answer.
const HANG: Duration = Duration::from_secs(60);
/// A visitor among hostile clients waits no longer; it is a moment where the machine has nothing else
/// to do.
const GENEROUS: Duration = Duration::from_secs(20);

struct Serving {
    running: Running,
    _site: Fixture,
}

impl Serving {
    fn start(limits: Limits) -> Self {
        let site = fixture(1, 0, 0);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let router = server::router(site.context.clone(), Hosts::default());
        let running = server::start(listener, router, limits).expect("a server");
        Self { running, _site: site }
    }

    fn connect(&self) -> TcpStream {
        connect(self.running.address())
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(HANG)).expect("a socket");
    stream
}

/// Sends a request on a connection that stays open; reads the head of the answer and its body.
fn ask(stream: &mut TcpStream, path: &str) -> Option<String> {
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").ok()?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    let head = String::from_utf8(head).expect("it is text");
    let length = head.to_lowercase().split("content-length: ").nth(1)?.lines().next()?.parse();
    let mut body = vec![0; length.expect("a number")];
    stream.read_exact(&mut body).ok()?;
    Some(head)
}

fn is_closed(stream: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    }
}

/// A patience longer than any test, so that connections end for other reasons.
fn endless() -> Patience {
    let hour = Duration::from_secs(3600);
    Patience { request: hour, answer: hour }
}

#[test]
fn half_requests_give_way_to_visitors() {
    let limits = Limits { connections: 20, patience: endless() };
    let serving = Serving::start(limits);
    let half = |count: usize| -> Vec<TcpStream> {
        let streams = (0..count).map(|_| {
            let mut stream = serving.connect();
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0"); // it may be closed by now
            stream
        });
        streams.collect()
    };
    let mut first = half(200);
    let mut visitor = serving.connect();
    let mut later = Vec::new();
    // The connection with half a request has waited longer than that of a visitor who sends
    // requests now and then.
    for _ in 0..20 {
        let head = ask(&mut visitor, "/").expect("an answer");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        later.extend(half(10));
    }
    assert!(first.iter_mut().all(is_closed));
    let gone = later.len() - limits.connections;
    assert!(later.iter_mut().take(gone).all(is_closed));
}

#[test]
fn a_head_that_never_ends_and_a_visitor_who_says_nothing_more_are_left() {
    let request = Duration::from_millis(300);
    let patience = Patience { request, ..endless() };
    let serving = Serving::start(Limits { patience, ..Limits::default() });
    let mut dripping = serving.connect();
    let mut idle = serving.connect();
    assert!(ask(&mut idle, "/").is_some());
    let address = serving.running.address();
    let drip = std::thread::spawn(move || {
        let _ = dripping.write_all(b"GET / HTTP/1.1\r\na: ");
        let mut drops = 0;
        // Each byte comes in time, but all of them together do not. They are one short header,
        // which no limit of sizes or numbers refuses.
        while dripping.write_all(b"b").is_ok() && drops < 600 {
            std::thread::sleep(request / 3);
            drops += 1;
        }
        drops
    });
    assert!(is_closed(&mut idle));
    assert!(drip.join().expect("it ends") < 600);
    assert!(ask(&mut connect(address), "/").is_some());
}

#[test]
fn an_answer_that_is_not_read_does_not_keep_its_connection() {
    const REQUEST: &str = "GET /assets/x/style.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    let request = Duration::from_millis(300);
    let patience = Patience { request, ..endless() };
    let serving = Serving::start(Limits { patience, ..Limits::default() });
    let head = ask(&mut serving.connect(), "/assets/x/style.css").expect("an answer");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let mut unread = serving.connect();
    unread.set_write_timeout(Some(HANG)).expect("a socket");
    // The answers fill every buffer, then the requests do: from then on the server reads no more.
    // The test reads nothing, so that writing ends only when the connection is closed.
    let error = loop {
        match unread.write_all(REQUEST.as_bytes()) {
            Ok(()) => {}
            Err(error) => break error,
        }
    };
    let is_ended = matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe);
    assert!(is_ended, "{error}");
    assert!(ask(&mut serving.connect(), "/").is_some());
}

#[test]
fn what_is_no_request_is_refused() {
    let serving = Serving::start(Limits::default());
    let long = format!("GET /{} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "a".repeat(1 << 20));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(10_000));
    for bytes in [b"\0\0\0\0\r\n\r\n".to_vec(), long.into_bytes(), many.into_bytes()] {
        let mut stream = serving.connect();
        let _ = stream.write_all(&bytes); // it may be closed before all is sent
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer); // as above
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    let mut posted = serving.connect();
    posted
        .write_all(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000000\r\n\r\nx")
        .expect("it is sent");
    let mut answer = String::new();
    posted.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
    assert!(ask(&mut serving.connect(), "/").is_some());
}

/// What one of many hostile clients does. None of them is ever finished.
fn bother(address: SocketAddr, nth: usize) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_nonblocking(true).ok()?;
    let said: &[u8] = match nth % 5 {
        0 => b"",
        1 => b"GET / HTTP/1.1\r\nHost: local",
        2 => &[b'a'; 40 << 10],
        3 => b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", // it reads nothing
        _ => b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999999\r\n\r\nendless",
    };
    let _ = stream.write(said); // the server may have hung up already
    if nth.is_multiple_of(2) {
        let _ = stream.shutdown(std::net::Shutdown::Write); // half-closed
    }
    Some(stream)
}

#[test]
fn visitors_are_answered_among_four_thousand_hostile_clients() {
    let limit = disk::raise_descriptor_limit();
    assert!(limit >= 10_000, "{limit} descriptors are too few for this test (ulimit -n)");
    let serving = Serving::start(Limits::default());
    let address = serving.running.address();
    let mut hostile = Vec::new();
    for nth in 0..4_000 {
        hostile.extend(bother(address, nth));
        if nth % 200 == 199 {
            let start = Instant::now();
            let head = ask(&mut connect(address), "/").expect("an answer");
            assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
            assert!(start.elapsed() < GENEROUS, "{:?} after {nth} others", start.elapsed());
        }
    }
    drop(hostile);
}
