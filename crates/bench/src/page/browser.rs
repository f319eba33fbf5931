//! Chromium, driven by a script of its own: a command is a line of JSON, and so is its answer.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

const SCRIPT: &str = include_str!("drive.mjs");

/// A browser; dropping it ends it.
pub(super) struct Browser {
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Browser {
    /// Starts one for a site; `None` where Chromium, node or its packages are missing.
    pub(super) fn start(address: SocketAddr, inside: &Path) -> Result<Option<Self>, String> {
        const PART: &str = "the figures of what is on the screen";
        let chromium = oracle::program("chromium", PART);
        let node = oracle::program("node", PART);
        let modules = oracle::node_of_tests(PART);
        let (Some(chromium), Some(node), Some(modules)) = (chromium, node, modules) else {
            return Ok(None);
        };
        let script = inside.join("drive.mjs");
        std::fs::write(&script, SCRIPT).map_err(|error| error.to_string())?;
        let mut command = Command::new(node);
        command.arg(&script).arg(format!("http://{address}")).arg(modules).arg(chromium);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let answers = BufReader::new(child.stdout.take().ok_or("node has no output")?);
        Ok(Some(Self { commands: child.stdin.take(), child, answers }))
    }

    /// The answer to a command.
    pub(super) fn ask(&mut self, command: &Value) -> Result<Value, String> {
        let told = |error: std::io::Error| format!("the browser: {error}");
        let commands = self.commands.as_mut().ok_or("the browser has no input")?;
        writeln!(commands, "{command}").map_err(told)?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(told)?;
        let answer: Value =
            serde_json::from_str(&line).map_err(|error| format!("the browser: {error}: {line}"))?;
        match answer["failure"].as_str() {
            Some(failure) => Err(format!("the browser: {failure}")),
            None => Ok(answer),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The script ends Chromium when its input ends.
        drop(self.commands.take());
        let _ = self.child.wait(); // there is nobody to tell
    }
}

/// The milliseconds of an answer with many, and its failures.
pub(super) fn times(answer: &Value) -> Result<Vec<f64>, String> {
    let all = answer["all"].as_array().map(Vec::as_slice).unwrap_or_default();
    if let Some(failure) = all.iter().find_map(|it| it["failure"].as_str()) {
        return Err(format!("the browser: {failure}"));
    }
    Ok(all.iter().filter_map(|it| it["milliseconds"].as_f64()).collect())
}
