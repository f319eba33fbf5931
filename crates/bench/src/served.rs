//! A daemon with rrdcached's protocol, seen by its clients and its parent.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use testbed::ProcessCounters;

/// The longest wait for a daemon that replays its journal.
const READY_SECONDS: u64 = 900;
/// The pause between two checks of a daemon's progress.
const PAUSE: Duration = Duration::from_millis(5);

/// A running daemon; it is killed when dropped.
#[derive(Debug)]
pub(crate) struct Daemon {
    child: Child,
    socket: PathBuf,
    started: Instant,
}

impl Daemon {
    /// Starts it and waits until it answers at `socket`.
    pub(crate) fn start(mut command: Command, socket: &Path) -> Result<Self, String> {
        // A daemon that was killed leaves its socket behind.
        let _ = std::fs::remove_file(socket);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let mut daemon = Self { child, socket: socket.into(), started };
        daemon.wait_until_ready()?;
        Ok(daemon)
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        while self.started.elapsed() < Duration::from_secs(READY_SECONDS) {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                return Err(format!("the daemon ended: {status}"));
            }
            if self.connect().and_then(|mut it| it.ask("PING")).is_ok() {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        Err(format!("the daemon does not answer after {READY_SECONDS} s"))
    }

    /// The time of its start.
    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    pub(crate) fn connect(&self) -> Result<Connection, String> {
        Connection::to(&self.socket)
    }

    /// Makes it write everything to the files, until it has written this many data sets since its
    /// start; returns the seconds.
    pub(crate) fn flush(&self, data_sets: u64) -> Result<f64, String> {
        let begun = Instant::now();
        let mut connection = self.connect()?;
        connection.ask("FLUSHALL")?;
        while connection.statistic("DataSetsWritten")? < data_sets {
            if begun.elapsed() > Duration::from_secs(READY_SECONDS) {
                return Err(format!("FLUSHALL is not done after {READY_SECONDS} s"));
            }
            std::thread::sleep(PAUSE);
        }
        Ok(begun.elapsed().as_secs_f64())
    }

    /// The kernel's counters of the daemon.
    pub(crate) fn counters(&self) -> Result<ProcessCounters, String> {
        ProcessCounters::of(self.child.id())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}

/// A client's connection.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
}

impl Connection {
    /// Connects to a socket.
    pub(crate) fn to(socket: &Path) -> Result<Self, String> {
        let text = |error: std::io::Error| format!("{}: {error}", socket.display());
        let stream = UnixStream::connect(socket).map_err(text)?;
        let reader = stream.try_clone().map_err(text)?;
        Ok(Self { stream, reader: BufReader::new(reader) })
    }

    /// Sends a command; returns the lines of the answer, with the status first.
    pub(crate) fn ask(&mut self, command: &str) -> Result<Vec<String>, String> {
        self.send(format!("{command}\n").as_bytes())?;
        self.answer().map_err(|error| format!("{}: {error}", command.lines().next().unwrap_or("")))
    }

    /// Sends bytes as they are, without a newline.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.stream.write_all(bytes).map_err(|error| error.to_string())
    }

    /// Sends lines without waiting for their answers, which are read meanwhile.
    pub(crate) fn pipeline(&mut self, lines: &[u8], answers: usize) -> Result<(), String> {
        let mut sender = self.stream.try_clone().map_err(|error| error.to_string())?;
        std::thread::scope(|scope| {
            let sending = scope.spawn(move || sender.write_all(lines));
            (0..answers).try_for_each(|_| self.answer().map(drop))?;
            let sent = sending.join().expect("sending does not panic");
            sent.map_err(|error| error.to_string())
        })
    }

    /// Reads an answer: its status and the lines that the status announces.
    pub(crate) fn answer(&mut self) -> Result<Vec<String>, String> {
        let first = self.line()?;
        let count = first.split_whitespace().next().and_then(|it| it.parse::<i64>().ok());
        let count = count.filter(|count| *count >= 0).ok_or_else(|| first.clone())?;
        let mut lines = vec![first];
        for _ in 0..count {
            lines.push(self.line()?);
        }
        Ok(lines)
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).map_err(|error| error.to_string())?;
        if read == 0 { Err("the daemon hung up".into()) } else { Ok(line.trim_end().to_owned()) }
    }

    /// Sends lines as a batch and waits until all are acknowledged.
    pub(crate) fn batch(&mut self, lines: &[u8]) -> Result<(), String> {
        self.ask("BATCH")?;
        self.send(lines)?;
        self.send(b".\n")?;
        match self.answer()?.as_slice() {
            [_] => Ok(()),
            refused => Err(format!("refused: {}", refused.join("; "))),
        }
    }

    /// A number in STATS.
    pub(crate) fn statistic(&mut self, name: &str) -> Result<u64, String> {
        let lines = self.ask("STATS")?;
        let value = lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.and_then(|it| it.parse().ok()).ok_or_else(|| format!("STATS has no {name}"))
    }
}
