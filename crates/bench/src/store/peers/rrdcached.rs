//! rrdcached with its journal: updates in batches over its socket, write-back, memory, restart.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{PeerBench, PeerFigures};
use crate::store::kernel::{Cgroup, ProcessCounters, pages};

/// Updates of a file that it gathers before it writes them: half an hour (`-w 1800`).
const CYCLES: u64 = 6;
const BATCH_UPDATES: usize = 1000;
/// The longest wait for a daemon that replays its journal.
const READY_SECONDS: u64 = 900;

/// A running daemon; it is killed when dropped.
struct Daemon {
    child: Child,
    socket: PathBuf,
}

impl Daemon {
    /// Starts it and waits until it answers.
    fn start(
        bench: &PeerBench<'_>,
        program: &Path,
        group: Option<&Cgroup>,
    ) -> Result<Self, String> {
        let base = &bench.files.directory;
        let beside = |name: &str| base.with_file_name(name);
        std::fs::create_dir_all(beside("journal")).map_err(|error| error.to_string())?;
        let mut command = match group {
            Some(group) => group.command(program),
            None => Command::new(program),
        };
        let socket = beside("rrdcached.sock");
        // One that was killed leaves its file behind.
        let _ = std::fs::remove_file(beside("rrdcached.pid"));
        command.args(["-g", "-t", "2", "-w", "1800", "-z", "1800", "-f", "7200", "-l"]);
        command.arg(format!("unix:{}", socket.display()));
        command.arg("-b").arg(base).arg("-j").arg(beside("journal"));
        command.arg("-p").arg(beside("rrdcached.pid"));
        let output = Stdio::null;
        command.stdin(Stdio::null()).stdout(output()).stderr(output());
        let child = command.spawn().map_err(|error| format!("rrdcached: {error}"))?;
        let mut daemon = Self { child, socket };
        daemon.wait_until_ready()?;
        Ok(daemon)
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(READY_SECONDS) {
            if self.child.try_wait().map_err(|error| error.to_string())?.is_some() {
                return Err("rrdcached ended".into());
            }
            if self.connect().and_then(|mut it| it.ask("PING")).is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(format!("rrdcached does not answer after {READY_SECONDS} s"))
    }

    fn connect(&self) -> Result<Connection, String> {
        let stream = UnixStream::connect(&self.socket).map_err(|error| error.to_string())?;
        let reader = stream.try_clone().map_err(|error| error.to_string())?;
        Ok(Connection { stream, reader: BufReader::new(reader) })
    }

    /// One cycle, a connection for each thread; returns the seconds.
    fn cycle(&self, bench: &PeerBench<'_>) -> Result<f64, String> {
        let texts = bench.files.updates("UPDATE ");
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let sending: Vec<_> =
                texts.iter().map(|text| scope.spawn(|| self.connect()?.send(text))).collect();
            sending.into_iter().try_for_each(|it| it.join().expect("sending does not panic"))
        })?;
        Ok(begun.elapsed().as_secs_f64())
    }

    /// Lets it write everything to the files; returns the seconds.
    fn flush(&self, updates: u64) -> Result<f64, String> {
        let begun = Instant::now();
        let mut connection = self.connect()?;
        connection.ask("FLUSHALL")?;
        while connection.statistic("DataSetsWritten")? < updates {
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(begun.elapsed().as_secs_f64())
    }

    fn counters(&self) -> Result<ProcessCounters, String> {
        ProcessCounters::of(self.child.id())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}

struct Connection {
    stream: UnixStream,
    reader: BufReader<UnixStream>,
}

impl Connection {
    /// Sends a command; returns the lines of the answer, the first being its status.
    fn ask(&mut self, command: &str) -> Result<Vec<String>, String> {
        writeln!(self.stream, "{command}").map_err(|error| error.to_string())?;
        let first = self.line()?;
        let count = first.split_whitespace().next().and_then(|it| it.parse::<i64>().ok());
        let count = count.filter(|count| *count >= 0).ok_or(format!("{command}: {first}"))?;
        let mut lines = vec![first];
        for _ in 0..count {
            lines.push(self.line()?);
        }
        Ok(lines)
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).map_err(|error| error.to_string())?;
        if read == 0 { Err("rrdcached hung up".into()) } else { Ok(line.trim_end().to_owned()) }
    }

    /// Sends lines in batches.
    fn send(&mut self, text: &str) -> Result<(), String> {
        let lines: Vec<&str> = text.lines().collect();
        for batch in lines.chunks(BATCH_UPDATES) {
            self.ask("BATCH")?;
            let body = batch.join("\n") + "\n.";
            let refused = self.ask(&body)?;
            if refused.len() > 1 {
                return Err(format!("rrdcached refuses {}", refused.join("; ")));
            }
        }
        Ok(())
    }

    fn statistic(&mut self, name: &str) -> Result<u64, String> {
        let lines = self.ask("STATS")?;
        let value = lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.and_then(|it| it.parse().ok()).ok_or_else(|| format!("STATS has no {name}"))
    }
}

/// Measures it.
pub(crate) fn measure(
    bench: &PeerBench<'_>,
    program: &Path,
    notes: &mut Vec<String>,
) -> Result<PeerFigures, String> {
    let mut figures = PeerFigures::default();
    let rrds = bench.options.peer_rrds as f64;
    resident(bench, program, &mut figures, notes)?;
    figures.restart_seconds = Some(restart(bench, program, notes)? / rrds);
    match Cgroup::new("rrdcached", bench.memory_bytes_max) {
        Ok(group) => limited(bench, program, &group, &mut figures)?,
        Err(message) => notes.push(format!("rrdcached: no limit of memory: {message}")),
    }
    Ok(figures)
}

/// Half an hour of cycles and their write-back, files resident.
fn resident(
    bench: &PeerBench<'_>,
    program: &Path,
    figures: &mut PeerFigures,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let updates = bench.options.peer_rrds * CYCLES;
    let daemon = Daemon::start(bench, program, None)?;
    let empty = daemon.counters()?;
    daemon.cycle(bench)?; // its first look at each file
    daemon.flush(bench.options.peer_rrds)?;
    let before = bench.device.synced_counters()?;
    let mut accept_seconds = 0.0;
    for _ in 0..CYCLES {
        accept_seconds += daemon.cycle(bench)?;
    }
    let full = daemon.counters()?;
    let flush_seconds = daemon.flush(updates + bench.options.peer_rrds)?;
    let written = bench.device.synced_counters()? - before;
    let updates = updates as f64;
    notes.push(format!(
        "rrdcached: {:.2} us to accept an update (journal written, not synced), {:.2} us for its \
         share of the write-back after {CYCLES} cycles; both count",
        accept_seconds / updates * 1e6,
        flush_seconds / updates * 1e6
    ));
    let held_bytes = full.resident_bytes as f64 - empty.resident_bytes as f64;
    figures.update_seconds = Some((accept_seconds + flush_seconds) / updates);
    figures.written_bytes_per_update = Some(written.written_bytes as f64 / updates);
    figures.memory_bytes_per_rrd = Some(held_bytes / bench.options.peer_rrds as f64);
    Ok(())
}

/// Seconds from the start after `kill -9` until it has fetched and taken an update.
fn restart(bench: &PeerBench<'_>, program: &Path, notes: &mut Vec<String>) -> Result<f64, String> {
    let daemon = Daemon::start(bench, program, None)?;
    for _ in 0..CYCLES {
        daemon.cycle(bench)?;
    }
    drop(daemon); // kills it
    bench.options.caches.drop(&bench.files.directory)?;
    let begun = Instant::now();
    let daemon = Daemon::start(bench, program, None)?;
    let mut connection = daemon.connect()?;
    let rrd = bench.options.peer_rrds - 1;
    connection.ask(&format!("FETCH {} AVERAGE", bench.files.workload.name(rrd)))?;
    connection.ask(&bench.files.update("UPDATE ", rrd))?;
    let seconds = begun.elapsed().as_secs_f64();
    notes.push(format!(
        "rrdcached: {seconds:.2} s to replay {} updates of {} RRDs",
        bench.options.peer_rrds * CYCLES,
        bench.options.peer_rrds
    ));
    Ok(seconds)
}

/// The same cycles and write-back within its share of the limit of memory.
fn limited(
    bench: &PeerBench<'_>,
    program: &Path,
    group: &Cgroup,
    figures: &mut PeerFigures,
) -> Result<(), String> {
    bench.options.caches.drop(&bench.files.directory)?;
    let daemon = Daemon::start(bench, program, Some(group))?;
    daemon.cycle(bench)?; // its first look at each file
    let before = daemon.counters()?;
    let mut seconds = 0.0;
    for _ in 0..CYCLES {
        seconds += daemon.cycle(bench)?;
    }
    seconds += daemon.flush(bench.options.peer_rrds * (CYCLES + 1))?;
    let read_bytes = (daemon.counters()? - before).read_bytes;
    let updates = (bench.options.peer_rrds * CYCLES) as f64;
    figures.limited_update_seconds = Some(seconds / updates);
    figures.limited_pages_per_update = Some(pages(read_bytes) / updates);
    Ok(())
}
