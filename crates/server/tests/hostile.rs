//! Clients that mean harm: what they take is bounded, and honest ones are answered.
#![allow(clippy::disallowed_methods, reason = "it opens sockets")]

mod fixture;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use fixture::{Fixture, fixture};
use server::{Hosts, Limits, Patience, Running};

/// A read that waits longer than this means that nobody answers.
const HANG: Duration = Duration::from_secs(60);

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

/// Asks on a connection that stays open, and reads the head of the answer and its body.
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
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn half_requests_give_way_to_visitors() {
    let serving = Serving::start(Limits { connections: 20, ..Limits::default() });
    let mut half: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = serving.connect();
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0"); // it may be closed by now
            stream
        })
        .collect();
    let mut visitor = serving.connect();
    for _ in 0..3 {
        let head = ask(&mut visitor, "/").expect("an answer");
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }
    // The first ones have given way.
    assert!(half.iter_mut().take(200 - 20).all(is_closed));
}

#[test]
fn a_head_that_never_ends_and_a_visitor_who_says_nothing_more_are_left() {
    let request = Duration::from_millis(300);
    let patience = Patience { request, ..Patience::default() };
    let serving = Serving::start(Limits { patience, ..Limits::default() });
    let mut dripping = serving.connect();
    let mut idle = serving.connect();
    assert!(ask(&mut idle, "/").is_some());
    let address = serving.running.address();
    let drip = std::thread::spawn(move || {
        let _ = dripping.write_all(b"GET / HTTP/1.1\r\n");
        let mut drops = 0;
        // Each drop comes in time; all of them together do not.
        while dripping.write_all(b"a: b\r\n").is_ok() && drops < 600 {
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
fn an_answer_that_nobody_reads_does_not_keep_its_connection() {
    let request = Duration::from_millis(300);
    let patience = Patience { request, ..Patience::default() };
    let serving = Serving::start(Limits { patience, ..Limits::default() });
    let mut unread = serving.connect();
    // So many answers that no socket's buffer holds them.
    let requests = "GET /assets/x/gyre.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(20_000);
    let sent = unread.write_all(requests.as_bytes());
    assert!(sent.is_err() || is_closed(&mut unread));
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
