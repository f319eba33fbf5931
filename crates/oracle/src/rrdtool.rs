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

/// The reply to one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The lines before `OK`.
    Ok(Vec<String>),
    /// The text after `ERROR: `.
    Error(String),
}

impl Rrdtool {
    /// Starts a program with rrdtool's pipe mode, in UTC and the C locale.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn start(program: &Path, directory: &Path) -> Self {
        let mut command = Command::new(program);
        command.arg("-").current_dir(directory).env("TZ", "UTC").env("LC_ALL", "C");
        Self::run(command)
    }

    /// Starts a command with rrdtool's pipe mode.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn run(mut command: Command) -> Self {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("the program starts");
        let commands = child.stdin.take().expect("stdin is a pipe");
        let replies = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        Self { child, commands, replies }
    }

    /// The process id.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends one command and reads its reply.
    ///
    /// # Panics
    /// If the program ends.
    pub fn send(&mut self, command: &str) -> Reply {
        self.try_send(command).unwrap_or_else(|| panic!("the program ended at: {command}"))
    }

    /// Sends one command and reads its reply, unless the program ends.
    pub fn try_send(&mut self, command: &str) -> Option<Reply> {
        writeln!(self.commands, "{command}").ok()?;
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            self.replies.read_line(&mut line).ok().filter(|read| *read > 0)?;
            let line = line.strip_suffix('\n')?; // a line that was cut short is none
            if line.starts_with("OK u:") {
                return Some(Reply::Ok(lines));
            }
            if let Some(error) = line.strip_prefix("ERROR: ") {
                return Some(Reply::Error(error.to_owned()));
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
