//! The load: a process of its own, so that its processor time is not counted for a daemon.

use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use testbed::ProcessCounters;

use crate::figures::{median, percentile};
use crate::served::Connection;
use crate::workload::{STEP_SECONDS, Workload, cycle_seconds};

/// The first argument of the load process.
pub(crate) const NAME: &str = "daemon-load";

/// The updates to send, and the manner of sending.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Load {
    pub(crate) socket: PathBuf,
    pub(crate) rrds: u64,
    /// The first cycle that the daemon has not had.
    pub(crate) first_cycle: u64,
    pub(crate) manner: Manner,
}

/// The manner of sending.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Manner {
    /// Cycle after cycle, an update of each RRD, in batches.
    Batches { cycles: u64, lines: usize, connections: u64 },
    /// CREATE commands for `count` RRDs, beginning at `first`; each connection sends all of its
    /// commands without waiting.
    Creates { first: u64, count: u64, connections: u64 },
    /// One update for each round trip; each client cycles through its share of the RRDs.
    RoundTrips { clients: u64, updates: u64 },
}

/// The result of a load.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) updates: u64,
    /// The time from the first byte of each cycle to its last acknowledgement; a single figure for
    /// round trips.
    pub(crate) cycle_seconds: Vec<f64>,
    /// Processor time of the load while it was sending.
    pub(crate) own_seconds: f64,
    /// The median of a round trip.
    pub(crate) median_us: f64,
    pub(crate) slowest_us: f64,
}

impl Outcome {
    pub(super) fn seconds(&self) -> f64 {
        self.cycle_seconds.iter().sum()
    }

    /// Updates a second in the median cycle.
    pub(super) fn rate(&self) -> f64 {
        let updates = self.updates as f64 / self.cycle_seconds.len() as f64;
        updates / median(&self.cycle_seconds)
    }
}

impl Load {
    /// Runs the load in a process of its own.
    pub(crate) fn send(&self) -> Result<Outcome, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let load = serde_json::to_string(self).map_err(|error| error.to_string())?;
        let output = Command::new(program)
            .args([NAME, &load])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
    }

    fn workload(&self) -> Workload {
        Workload::mrtg(self.rrds)
    }

    /// The RRDs of a connection in the order of a poller.
    fn share(&self, nth: u64, count: u64) -> Vec<u64> {
        self.workload().share_of(nth, count)
    }

    fn batches(&self, cycles: u64, lines: usize, connections: u64) -> Result<Outcome, String> {
        let shares: Vec<Vec<u64>> =
            (0..connections).map(|nth| self.share(nth, connections)).collect();
        let mut outcome = Outcome::default();
        for cycle in self.cycles(cycles) {
            let texts: Vec<Vec<String>> =
                shares.iter().map(|share| self.texts(share, lines, cycle)).collect();
            let before = own_seconds()?;
            let begun = Instant::now();
            on_threads(&texts, |texts| send_batches(&self.socket, texts))?;
            outcome.cycle_seconds.push(begun.elapsed().as_secs_f64());
            outcome.own_seconds += own_seconds()? - before;
            outcome.updates += self.rrds;
        }
        Ok(outcome)
    }

    fn creates(&self, first: u64, count: u64, connections: u64) -> Result<Outcome, String> {
        let at = |nth: u64| first + count * nth / connections;
        let texts: Vec<Vec<String>> = (0..connections)
            .map(|nth| (at(nth)..at(nth + 1)).map(|rrd| self.create(rrd)).collect())
            .collect();
        let before = own_seconds()?;
        let begun = Instant::now();
        on_threads(&texts, |lines| {
            Connection::to(&self.socket)?.pipeline(lines.concat().as_bytes(), lines.len())
        })?;
        Ok(Outcome {
            updates: count,
            cycle_seconds: vec![begun.elapsed().as_secs_f64()],
            own_seconds: own_seconds()? - before,
            ..Outcome::default()
        })
    }

    fn create(&self, rrd: u64) -> String {
        let start_seconds = cycle_seconds(self.first_cycle);
        let words = self.workload().words(rrd).join(" ");
        let name = self.workload().name(rrd);
        format!("CREATE {name} -s {STEP_SECONDS} -b {start_seconds} {words}\n")
    }

    fn cycles(&self, count: u64) -> Range<u64> {
        self.first_cycle..self.first_cycle + count
    }

    /// The lines of a share's cycle, divided into batches.
    fn texts(&self, share: &[u64], lines: usize, cycle: u64) -> Vec<String> {
        let workload = self.workload();
        share.chunks(lines).map(|rrds| workload.updates(rrds, cycle)).collect()
    }

    fn round_trips(&self, clients: u64, updates: u64) -> Result<Outcome, String> {
        let shares: Vec<Vec<u64>> = (0..clients).map(|nth| self.share(nth, clients)).collect();
        let each = updates / clients;
        let texts: Vec<Vec<String>> =
            shares.iter().map(|share| self.singles(share, each)).collect();
        let before = own_seconds()?;
        let begun = Instant::now();
        let latencies = on_threads(&texts, |texts| send_singles(&self.socket, texts))?.concat();
        Ok(Outcome {
            updates: each * clients,
            cycle_seconds: vec![begun.elapsed().as_secs_f64()],
            own_seconds: own_seconds()? - before,
            median_us: median(&latencies),
            slowest_us: percentile(&latencies, 99),
        })
    }

    fn singles(&self, share: &[u64], count: u64) -> Vec<String> {
        let line = |nth: u64| {
            let (turn, at) = (nth / share.len() as u64, nth % share.len() as u64);
            let mut text = "UPDATE ".to_owned();
            self.workload().push_update(share[at as usize], self.first_cycle + turn, &mut text);
            text + "\n"
        };
        (0..count).map(line).collect()
    }
}

/// Sends a load and prints the result.
///
/// # Errors
///
/// An update is refused, or the daemon fails.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let load = words.first().ok_or("a load needs to know what it is")?;
    let load: Load = serde_json::from_str(load).map_err(|error| error.to_string())?;
    let outcome = match load.manner {
        Manner::Batches { cycles, lines, connections } => load.batches(cycles, lines, connections),
        Manner::Creates { first, count, connections } => load.creates(first, count, connections),
        Manner::RoundTrips { clients, updates } => load.round_trips(clients, updates),
    }?;
    let text = serde_json::to_string(&outcome).map_err(|error| error.to_string())?;
    writeln!(std::io::stdout(), "{text}").map_err(|error| error.to_string())
}

/// Calls `work` for each text on a thread of its own.
fn on_threads<T: Send>(
    texts: &[Vec<String>],
    work: impl Fn(&[String]) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    std::thread::scope(|scope| {
        let work = &work;
        let working: Vec<_> = texts.iter().map(|texts| scope.spawn(move || work(texts))).collect();
        working.into_iter().map(|it| it.join().expect("sending does not panic")).collect()
    })
}

fn send_batches(socket: &Path, texts: &[String]) -> Result<(), String> {
    let mut connection = Connection::to(socket)?;
    texts.iter().try_for_each(|text| connection.batch(text.as_bytes()))
}

/// Returns the microseconds of each.
fn send_singles(socket: &Path, lines: &[String]) -> Result<Vec<f64>, String> {
    let mut connection = Connection::to(socket)?;
    let send = |line: &String| {
        let begun = Instant::now();
        connection.send(line.as_bytes())?;
        connection.answer()?;
        Ok(begun.elapsed().as_secs_f64() * 1e6)
    };
    lines.iter().map(send).collect()
}

fn own_seconds() -> Result<f64, String> {
    let own = ProcessCounters::own()?;
    Ok(own.user_seconds + own.system_seconds)
}
