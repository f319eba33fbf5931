//! `rrdtool -`: one process that answers many commands.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running `rrdtool -`; it ends when dropped.
#[derive(Debug)]
pub struct Rrdtool {
    child: Child,
    commands: ChildStdin,
    replies: BufReader<ChildStdout>,
}

/// What one command answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The lines before `OK`.
    Ok(Vec<String>),
    /// The text after `ERROR: `.
    Error(String),
}

impl Rrdtool {
    /// Starts a program that speaks rrdtool's pipe mode, in UTC and the C locale.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub fn start(program: &Path, directory: &Path) -> Self {
        let mut child = Command::new(program)
            .arg("-")
            .current_dir(directory)
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let commands = child.stdin.take().expect("stdin is a pipe");
        let replies = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        Self { child, commands, replies }
    }

    /// Sends one command and reads its reply.
    ///
    /// # Panics
    /// If the program ends.
    pub fn send(&mut self, command: &str) -> Reply {
        writeln!(self.commands, "{command}").expect("the program reads");
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.replies.read_line(&mut line).expect("the program answers in UTF-8");
            assert!(read > 0, "the program ended at: {command}");
            let line = line.trim_end_matches('\n');
            if line.starts_with("OK u:") {
                return Reply::Ok(lines);
            }
            if let Some(error) = line.strip_prefix("ERROR: ") {
                return Reply::Error(error.to_owned());
            }
            lines.push(line.to_owned());
        }
    }
}

impl Drop for Rrdtool {
    fn drop(&mut self) {
        let _ = writeln!(self.commands, "quit"); // it may have ended already
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
