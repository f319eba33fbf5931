//! Debian's graphite-web, asked without a server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::common::Stored;

/// graphite-web as a process of its own.
pub(crate) struct GraphiteWeb {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    _state: tempfile::TempDir,
}

/// An answer of graphite-web.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl GraphiteWeb {
    /// Starts it with series; `None` if it is missing.
    pub(crate) fn start(series: &[Stored]) -> Option<Self> {
        let state = tempfile::tempdir().expect("a directory");
        let mut web = Self::start_in(state, None)?;
        web.send(&Value::Array(series.iter().map(as_json).collect()));
        Some(web)
    }

    /// Starts it over what a carbon-cache keeps below a directory, and tells on a port; `None` if
    /// it is missing.
    pub(crate) fn over_carbon(directory: tempfile::TempDir, port: u16) -> Option<Self> {
        let mut web = Self::start_in(directory, Some(&port.to_string()))?;
        web.send(&json!([]));
        Some(web)
    }

    /// Starts it over the `.rrd` files in the directory `rrd` of a directory; `None` if it is missing.
    pub(crate) fn over_files(directory: tempfile::TempDir) -> Option<Self> {
        let mut web = Self::start_in(directory, Some("rrd"))?;
        web.send(&json!([]));
        Some(web)
    }

    fn start_in(state: tempfile::TempDir, kept: Option<&str>) -> Option<Self> {
        const FUNCTIONS: &str = "/usr/lib/python3/dist-packages/graphite/render/functions.py";
        let what = "Graphite's functions and answers against graphite-web";
        oracle::file(FUNCTIONS, what)?;
        let driver =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../graphite/tests/graphite_web/answers.py");
        let mut process = Command::new("/usr/bin/python3")
            .args([driver.as_ref(), state.path().as_os_str()])
            .args(kept)
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("Python starts");
        let requests = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        Some(Self { process, requests, answers, _state: state })
    }

    /// Asks it.
    pub(crate) fn ask(&mut self, path: &str, parameters: &[(&str, &str)]) -> Reply {
        self.send(&json!({ "path": path, "parameters": parameters }));
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("it answers");
        let answer: Value = serde_json::from_str(&line).expect("an answer in JSON");
        Reply {
            status: answer["status"].as_u64().expect("a status") as u16,
            body: answer["body"].as_str().expect("a body").to_owned(),
        }
    }

    fn send(&mut self, value: &Value) {
        writeln!(self.requests, "{value}").expect("it listens");
    }
}

fn as_json(series: &Stored) -> Value {
    let values: Vec<Value> = series.values.iter().map(|it| Value::from(*it)).collect();
    json!({ "path": series.path, "start": series.start, "step": series.step, "values": values })
}

impl Drop for GraphiteWeb {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
