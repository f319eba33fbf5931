//! What operators need of a run: reloads, its status, secrets kept secret, parts of a site.

#[path = "../../../server/tests/exposition/mod.rs"]
mod exposition;
mod intervals;
mod limits;
mod parts;
mod reload;
mod secrets;
mod status;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::running::{Run, configuration, network_with as network};

/// A `gyre run` with pages whose log is JSON.
struct Operated {
    run: Run,
    address: SocketAddr,
}

impl Deref for Operated {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.run
    }
}

impl DerefMut for Operated {
    fn deref_mut(&mut self) -> &mut Run {
        &mut self.run
    }
}

impl Operated {
    fn start(directory: &Path, words: &[&str], environment: &[(&str, &str)]) -> Self {
        let words = [&["--listen=127.0.0.1:0", "--log=json"], words].concat();
        let run = Run::start_with(directory, &words, environment);
        let mut run = Self { run, address: ([127, 0, 0, 1], 0).into() };
        let address = run.event("web pages")["address"].as_str().unwrap().parse();
        run.address = address.unwrap();
        run
    }

    /// Waits for an event.
    fn event(&mut self, name: &str) -> Value {
        serde_json::from_str(&self.said.wait_for(&format!("\"event\":\"{name}\""))).unwrap()
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.0 200") || head.starts_with("HTTP/1.1 200"), "{head}");
        body.to_owned()
    }

    /// What `gyre status` says, and its exit code.
    fn status(&self, words: &[&str]) -> (Option<i32>, String) {
        let gyre = env!("CARGO_BIN_EXE_gyre");
        let address = self.address.to_string();
        let output = Command::new(gyre).arg("status").arg(address).args(words).output().unwrap();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), text)
    }

    /// Ends it in order; returns all its events.
    fn end(self) -> Vec<Value> {
        let said = self.run.terminate();
        said.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}
