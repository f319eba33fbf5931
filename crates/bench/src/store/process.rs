//! The worker as its parent sees it: started, told what to do, killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use testbed::{Cgroup, ProcessCounters};

use super::pattern::Pattern;
use super::protocol::{Command, CycleReply, Reply, StoreSpec};

/// The name under which the benchmark's program is a worker.
pub(crate) const NAME: &str = "store-worker";

/// A running worker; it is killed when dropped.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    child: Child,
    commands: ChildStdin,
    replies: BufReader<ChildStdout>,
    /// Taken away after the worker.
    group: Option<Cgroup>,
}

impl WorkerProcess {
    /// Starts a worker, inside a control group where one is given, and opens its store.
    pub(crate) fn start(spec: &StoreSpec, group: Option<Cgroup>) -> Result<Self, String> {
        let program: PathBuf = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = match &group {
            Some(group) => group.command(&program),
            None => std::process::Command::new(&program),
        };
        let spec = serde_json::to_string(spec).map_err(|error| error.to_string())?;
        let mut child = command
            .args([NAME, &spec])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let commands = child.stdin.take().expect("stdin is a pipe");
        let replies = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        let mut worker = Self { child, commands, replies, group };
        worker.done(&Command::Open)?;
        Ok(worker)
    }

    /// Tells it what to do, without waiting.
    pub(crate) fn tell(&mut self, command: &Command) -> Result<(), String> {
        let line = serde_json::to_string(command).map_err(|error| error.to_string())?;
        writeln!(self.commands, "{line}").map_err(|error| format!("the worker: {error}"))
    }

    /// Waits for a line; `None` where it has ended.
    pub(crate) fn hear(&mut self) -> Result<Option<Reply>, String> {
        let mut line = String::new();
        self.replies.read_line(&mut line).map_err(|error| format!("the worker: {error}"))?;
        // One that was killed may have left a part of a line.
        if !line.ends_with('\n') {
            return Ok(None);
        }
        serde_json::from_str(&line).map(Some).map_err(|error| format!("{line}: {error}"))
    }

    /// Tells it what to do and waits for the answer.
    pub(crate) fn ask(&mut self, command: &Command) -> Result<Reply, String> {
        self.tell(command)?;
        match self.hear()? {
            Some(Reply::Failed(message)) => Err(format!("{command:?}: {message}")),
            Some(reply) => Ok(reply),
            None => Err(format!("{command:?}: the worker ended: {}", self.end())),
        }
    }

    /// How it ended; a limit of memory that it does not keep ends it by signal 9.
    fn end(&mut self) -> String {
        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }

    /// As [`Self::ask`], for what is answered by the time it took.
    pub(crate) fn done(&mut self, command: &Command) -> Result<f64, String> {
        match self.ask(command)? {
            Reply::Done { seconds } => Ok(seconds),
            other => Err(format!("{command:?}: answered by {other:?}")),
        }
    }

    /// One cycle.
    pub(crate) fn cycle(&mut self, cycle: u64, pattern: &Pattern) -> Result<CycleReply, String> {
        self.watched(&Command::Cycle { cycle, pattern: pattern.clone(), announce: false })
    }

    /// As [`Self::ask`], for what is answered as a cycle is.
    pub(crate) fn watched(&mut self, command: &Command) -> Result<CycleReply, String> {
        match self.ask(command)? {
            Reply::Cycle(reply) => Ok(reply),
            other => Err(format!("{command:?}: answered by {other:?}")),
        }
    }

    /// The seconds of one fetch of a day for each of these RRDs, and a hash of all rows.
    pub(crate) fn fetch(&mut self, rrds: &[u64], cycle: u64) -> Result<(Vec<f64>, u64), String> {
        match self.ask(&Command::Fetch { rrds: rrds.into(), cycle })? {
            Reply::Fetched { seconds, hash } => Ok((seconds, hash)),
            other => Err(format!("fetch: answered by {other:?}")),
        }
    }

    /// The times of the last updates of these RRDs, seconds.
    pub(crate) fn last_updates(&mut self, rrds: Vec<u64>) -> Result<Vec<i64>, String> {
        match self.ask(&Command::LastUpdates { rrds })? {
            Reply::LastUpdates { seconds } => Ok(seconds),
            other => Err(format!("last updates: answered by {other:?}")),
        }
    }

    /// What the kernel counts for it.
    pub(crate) fn counters(&self) -> Result<ProcessCounters, String> {
        ProcessCounters::of(self.child.id())
    }

    /// The most memory that its control group held, page cache included, bytes.
    pub(crate) fn group_bytes_max(&self) -> Result<Option<u64>, String> {
        self.group.as_ref().map(Cgroup::memory_bytes_max).transpose()
    }

    /// `kill -9`; what it still said is then read.
    pub(crate) fn kill(&mut self) -> Result<Vec<Reply>, String> {
        self.child.kill().map_err(|error| format!("kill: {error}"))?;
        self.child.wait().map_err(|error| format!("kill: {error}"))?;
        std::iter::from_fn(|| self.hear().transpose()).collect()
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}
