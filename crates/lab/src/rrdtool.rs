//! Debian's rrdtool, where it is present: updates over a pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Whether there is one.
pub(crate) fn is_here() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join("rrdtool").is_file())
}

/// What is left out where there is none.
pub(crate) fn missing() -> Vec<String> {
    match is_here() {
        true => Vec::new(),
        false => vec!["rrdtool's own updates: there is no rrdtool here".into()],
    }
}

/// A running `rrdtool -`.
#[derive(Debug)]
pub(crate) struct Rrdtool {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Rrdtool {
    pub(crate) fn start() -> Result<Self, String> {
        let mut command = Command::new("rrdtool");
        command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("rrdtool: {error}"))?;
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        Ok(Self { input: child.stdin.take(), child, output })
    }

    /// Its number, under which the kernel counts for it.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn update(&mut self, path: &Path, argument: &str) -> Result<(), String> {
        let input = self.input.as_mut().expect("it ends when this is dropped");
        let told = writeln!(input, "update {} {argument}", path.display());
        told.map_err(|error| format!("rrdtool: {error}"))?;
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| format!("rrdtool: {error}"))?;
        match line.starts_with("OK") {
            true => Ok(()),
            false => Err(format!("rrdtool: {}", line.trim())),
        }
    }
}

impl Drop for Rrdtool {
    fn drop(&mut self) {
        // At the end of its input it ends by itself.
        self.input = None;
        let _ = self.child.wait(); // it cannot be asked more
    }
}
