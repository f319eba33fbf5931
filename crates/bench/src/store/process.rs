//! The worker process, seen by its parent: started, commanded, killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use testbed::{Cgroup, ProcessCounters};

use super::pattern::Pattern;
use super::protocol::{Command, CycleReply, FeedReply, Reply, StoreSpec};

/// The first argument of the worker process.
pub(crate) const NAME: &str = "store-worker";

/// A running worker; it is killed when dropped.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    child: Child,
    commands: ChildStdin,
    replies: BufReader<ChildStdout>,
    /// Removed after the worker.
    group: Option<Cgroup>,
}

impl WorkerProcess {
    /// Starts a worker, in a control group if one is given, and opens its store.
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

    /// Sends a command without waiting.
    pub(crate) fn tell(&mut self, command: &Command) -> Result<(), String> {
        let line = serde_json::to_string(command).map_err(|error| error.to_string())?;
        writeln!(self.commands, "{line}").map_err(|error| format!("the worker: {error}"))
    }

    /// Waits for a reply; `None` if the worker has ended.
    pub(crate) fn hear(&mut self) -> Result<Option<Reply>, String> {
        let mut line = String::new();
        self.replies.read_line(&mut line).map_err(|error| format!("the worker: {error}"))?;
        // A killed worker may have written a part of a line.
        if !line.ends_with('\n') {
            return Ok(None);
        }
        serde_json::from_str(&line).map(Some).map_err(|error| format!("{line}: {error}"))
    }

    /// Sends a command and waits for the reply.
    pub(crate) fn ask(&mut self, command: &Command) -> Result<Reply, String> {
        self.tell(command)?;
        match self.hear()? {
            Some(Reply::Failed(message)) => Err(format!("{command:?}: {message}")),
            Some(reply) => Ok(reply),
            None => Err(format!("{command:?}: the worker ended: {}", self.end())),
        }
    }

    /// How the worker ended; if it exceeds its limit of memory, signal 9 ends it.
    fn end(&mut self) -> String {
        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }

    /// Like [`Self::ask`], for commands whose reply is a duration.
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

    /// Like [`Self::ask`], for commands with the reply of a cycle.
    pub(crate) fn watched(&mut self, command: &Command) -> Result<CycleReply, String> {
        match self.ask(command)? {
            Reply::Cycle(reply) => Ok(reply),
            other => Err(format!("{command:?}: answered by {other:?}")),
        }
    }

    /// The seconds of a fetch of a day from each of these RRDs, and a hash of all rows.
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

    /// How the feed is doing.
    pub(crate) fn feed_health(&mut self) -> Result<FeedReply, String> {
        match self.ask(&Command::FeedHealth)? {
            Reply::Fed(reply) => Ok(reply),
            other => Err(format!("feed: answered by {other:?}")),
        }
    }

    /// The kernel's counters of the worker.
    pub(crate) fn counters(&self) -> Result<ProcessCounters, String> {
        ProcessCounters::of(self.child.id())
    }

    /// The most memory of its control group, including page cache, in bytes.
    pub(crate) fn group_bytes_max(&self) -> Result<Option<u64>, String> {
        self.group.as_ref().map(Cgroup::memory_bytes_max).transpose()
    }

    /// `kill -9`; returns the remaining replies.
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
