//! A `gyre run` that agents send to.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

use super::said::Said;

const GYRE: &str = env!("CARGO_BIN_EXE_gyre");
const PATIENCE: Duration = Duration::from_secs(60);

/// A ring store, an empty mrtg.cfg and a file of `--intake`.
pub(crate) struct Site {
    directory: TempDir,
}

/// A run; it is killed when dropped.
pub(crate) struct Run {
    process: Child,
    said: Said,
    pub(crate) web: SocketAddr,
}

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

pub(crate) fn now_seconds() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

impl Site {
    pub(crate) fn new(intake: &str) -> Self {
        let site = Self { directory: tempfile::tempdir().unwrap() };
        std::fs::write(site.path("mrtg.cfg"), format!("WorkDir: {}\n", site.path("").display()))
            .unwrap();
        site.say(intake);
        site
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes another file of `--intake`.
    pub(crate) fn say(&self, intake: &str) {
        std::fs::write(self.path("intake.toml"), intake).unwrap();
    }

    pub(crate) fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(GYRE);
        command.arg("run").arg(self.path("mrtg.cfg")).arg("--store").arg(self.path("store"));
        command.arg("--intake").arg(self.path("intake.toml")).args(more);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn start(&self, more: &[&str]) -> Run {
        let words = [&["--listen", "127.0.0.1:0"], more].concat();
        let mut process = self.command(&words).spawn().unwrap();
        let mut said = Said::by(process.stderr.take().unwrap());
        let line = said.wait_for("web pages at http://");
        let address = line.trim_end_matches('/').rsplit('/').next().unwrap();
        Run { process, said, web: address.parse().unwrap() }
    }

    /// What a run says that does not start.
    pub(crate) fn refused(&self, more: &[&str]) -> String {
        let output = self.command(more).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }
}

impl Run {
    /// Where a protocol is listened for.
    pub(crate) fn address(&mut self, protocol: &str) -> SocketAddr {
        let words = format!("{protocol} of agents at ");
        let line = match self.said.text.lines().find(|line| line.contains(&words)) {
            Some(line) => line.to_owned(),
            None => self.said.wait_for(&words),
        };
        line.rsplit(' ').next().unwrap().parse().unwrap()
    }

    pub(crate) fn wait_for(&mut self, words: &str) -> String {
        self.said.wait_for(words)
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(process, signal).unwrap();
    }

    /// Ends it in good order.
    pub(crate) fn end(mut self) {
        self.signal(rustix::process::Signal::TERM);
        assert!(self.process.wait().unwrap().success());
    }

    /// Ends it by SIGKILL.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        let length = body.len();
        self.ask(&format!("POST {path} HTTP/1.1\r\nContent-Length: {length}\r\n"), body)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1\r\n"), "")
    }

    fn ask(&self, head: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.web).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "{head}Host: localhost\r\nConnection: close\r\n\r\n{body}").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, body: body.to_owned() }
    }

    /// The result of an instant query of PromQL: each with its labels and value.
    pub(crate) fn query(&self, query: &str) -> Vec<(Value, String)> {
        let words: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = self.get(&format!("/api/v1/query?query={words}"));
        assert_eq!(answer.status, 200, "{query}: {answer:?}");
        let answer: Value = serde_json::from_str(&answer.body).unwrap();
        let results = answer["data"]["result"].as_array().unwrap().iter();
        let result = |it: &Value| {
            let value = it["value"][1].as_str().unwrap().to_owned();
            (it["metric"].clone(), value)
        };
        results.map(result).collect()
    }

    /// Waits until the only series of a query has a value; returns its labels besides its name and
    /// database.
    pub(crate) fn labels_once_it_is(&self, query: &str, value: &str) -> Value {
        wait_for(query, || {
            let found = self.query(query);
            assert!(found.len() < 2, "{query}: {found:?}");
            let (mut labels, _) = found.into_iter().find(|(_, found)| found == value)?;
            let all = labels.as_object_mut().unwrap();
            all.remove("__name__");
            all.remove("database");
            Some(labels)
        })
    }

    /// The value of a metric of its own.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").body;
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.process.kill(); // it may have ended
        let _ = self.process.wait();
    }
}

pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "{what}: it never came");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A program that is killed when dropped.
pub(crate) struct Sender(Child);

impl Sender {
    pub(crate) fn start(program: &Path, words: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it may have ended
        let _ = self.0.wait();
    }
}
