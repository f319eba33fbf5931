//! `gyre run` as a process: what it says of its cycles, and the kernel's counters of it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use testbed::ProcessCounters;

/// The longest wait for a cycle beyond two intervals: a start makes a million databases.
const PATIENCE: Duration = Duration::from_secs(900);

/// A running collector; dropping it ends it.
pub(super) struct Collector {
    child: Child,
    cycles: Receiver<Cycle>,
    started: Instant,
}

/// What a line about a cycle says.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Cycle {
    pub(super) number: u64,
    pub(super) polled: usize,
    pub(super) missed: usize,
    /// From the first question to the last answer.
    pub(super) poll_seconds: f64,
    /// From the collector's start to the line.
    pub(super) told_seconds: f64,
}

impl Collector {
    /// Starts it with a sparse store in the configuration's WorkDir.
    pub(super) fn start(gyre: &Path, configuration: &Path) -> Result<Self, String> {
        let mut command = Command::new(gyre);
        command.args(["run", "--listen", "127.0.0.1:0", "--sparse"]).arg(configuration);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let lines = BufReader::new(child.stderr.take().ok_or("it has no standard error")?).lines();
        let (sender, cycles) = channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                match Cycle::read(&line, started.elapsed()) {
                    // The other end is gone once enough cycles were seen.
                    Some(cycle) => drop(sender.send(cycle)),
                    None => eprintln!("    {line}"),
                }
            }
        });
        Ok(Self { child, cycles, started })
    }

    /// The next cycle that is over.
    pub(super) fn next_cycle(&self) -> Result<Cycle, String> {
        self.cycles.recv_timeout(PATIENCE).map_err(|error| format!("no cycle ended: {error}"))
    }

    pub(super) fn counters(&self) -> Result<ProcessCounters, String> {
        ProcessCounters::of(self.child.id())
    }

    pub(super) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Ends it as `kill -9` does, and waits until it is gone.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }

    pub(super) fn reload(&self) -> Result<(), String> {
        let process = Pid::from_raw(self.child.id() as i32).ok_or("it has no number")?;
        kill_process(process, Signal::HUP).map_err(|error| error.to_string())
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Cycle {
    /// Reads a line such as `cycle 7: 48 targets polled, 0 missed; …; poll 900 ms, …`.
    fn read(line: &str, told: Duration) -> Option<Self> {
        let (number, rest) = line.strip_prefix("cycle ")?.split_once(": ")?;
        let polled = rest.split_once(" targets polled, ")?;
        let (missed, rest) = polled.1.split_once(" missed")?;
        let poll = rest.split_once("; poll ")?.1.split(',').next()?;
        Some(Self {
            number: number.parse().ok()?,
            polled: polled.0.parse().ok()?,
            missed: missed.parse().ok()?,
            poll_seconds: seconds(poll)?,
            told_seconds: told.as_secs_f64(),
        })
    }
}

/// Reads `9.98 s` or `900 ms`.
fn seconds(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let factor = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" | "µs" => 1e-6,
        "min" => 60.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_about_a_cycle_is_read() {
        let line = "cycle 7: 48 targets polled, 240 missed; 1 of 6 devices answered, silent: sw1; \
                    slowest sw6 1.23 s; poll 900 ms, 1.23 s a device; write 1.5 ms";
        let cycle = Cycle::read(line, Duration::from_secs(3)).unwrap();
        assert_eq!((cycle.number, cycle.polled, cycle.missed), (7, 48, 240));
        assert_eq!((cycle.poll_seconds, cycle.told_seconds), (0.9, 3.0));
        assert!(Cycle::read("web pages at http://127.0.0.1:1/", Duration::ZERO).is_none());
    }
}
