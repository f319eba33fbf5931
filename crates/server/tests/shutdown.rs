//! The server ends when it is told to, regardless of its clients.
#![allow(clippy::disallowed_methods, reason = "it opens sockets")]

mod fixture;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use fixture::fixture;

#[test]
fn a_connection_that_stays_open_does_not_keep_it() {
    let site = fixture(1, 0, 0);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let router = server::router(site.context.clone(), server::Hosts::default());
    let running = server::start(listener, router, server::Limits::default()).expect("a server");
    let address = running.address();
    let mut idle = TcpStream::connect(address).expect("it listens");
    idle.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n").expect("half a request");
    let mut busy = TcpStream::connect(address).expect("it listens");
    busy.write_all(b"GET /status HTTP/1.0\r\n\r\n").expect("a request");
    let mut answer = String::new();
    busy.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
    let start = Instant::now();
    running.stop();
    assert!(start.elapsed() < Duration::from_secs(15));
    assert!(TcpStream::connect(address).is_err());
}
