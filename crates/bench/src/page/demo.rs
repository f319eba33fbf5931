//! The site that is measured: `gyre demo` as a process, which polls its simulated devices meanwhile.

use std::io::{BufRead as _, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use testbed::ProcessCounters;

use super::Options;

/// The longest wait for the pages of a new demo, and for the end of one.
const PATIENCE: Duration = Duration::from_secs(1200);
const PAUSE: Duration = Duration::from_millis(20);
/// A demo whose benchmark was killed ends by itself after this time.
const LIFE_SECONDS: u64 = 3600;

/// A running demo; dropping it ends it.
pub(super) struct Demo {
    child: Child,
    said: Arc<Mutex<Said>>,
    pub(super) address: SocketAddr,
    /// From the start until it had pages.
    pub(super) ready_seconds: f64,
    directory: PathBuf,
}

/// What a demo has said so far.
#[derive(Default)]
struct Said {
    address: Option<SocketAddr>,
    cycles: Vec<Cycle>,
    last: String,
}

/// What a line about a cycle says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cycle {
    /// `None` where all targets have one interval.
    pub(super) interval_seconds: Option<f64>,
    pub(super) polled: usize,
    pub(super) missed: usize,
    /// From the first question to the last answer.
    pub(super) poll_seconds: f64,
}

impl Demo {
    /// Starts one, and waits for its pages.
    pub(super) fn start(gyre: &Path, options: &Options, inside: &Path) -> Result<Self, String> {
        let directory = inside.join("demo");
        let mut command = Command::new(gyre);
        command.arg("demo").arg(format!("--names={}", options.names));
        command.arg(format!("--ports={}", options.ports)).arg(format!("--for={LIFE_SECONDS}"));
        command.args(["--listen=127.0.0.1:0", "--udp-port=0", "--dir"]).arg(&directory);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let said = Arc::<Mutex<Said>>::default();
        let output = child.stdout.take().map(|it| Box::new(it) as Box<dyn Read + Send>);
        let errors = child.stderr.take().map(|it| Box::new(it) as Box<dyn Read + Send>);
        for stream in [output, errors].into_iter().flatten() {
            listen(stream, said.clone());
        }
        let address = SocketAddr::from(([0, 0, 0, 0], 0));
        let mut demo = Self { child, said, address, ready_seconds: 0.0, directory };
        demo.address = demo.wait_for_pages(started)?;
        demo.ready_seconds = started.elapsed().as_secs_f64();
        Ok(demo)
    }

    fn wait_for_pages(&mut self, started: Instant) -> Result<SocketAddr, String> {
        while started.elapsed() < PATIENCE {
            if let Some(address) = lock(&self.said).address {
                return Ok(address);
            }
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                return Err(format!("the demo ended, {status}: {}", lock(&self.said).last));
            }
            std::thread::sleep(PAUSE);
        }
        Err(format!("the demo has no pages after {} s", PATIENCE.as_secs()))
    }

    /// The number of cycles that are over.
    pub(super) fn cycles_so_far(&self) -> usize {
        lock(&self.said).cycles.len()
    }

    /// The cycles that are over but for the first `skipped`.
    pub(super) fn cycles_since(&self, skipped: usize) -> Vec<Cycle> {
        lock(&self.said).cycles.iter().skip(skipped).cloned().collect()
    }

    /// Waits until as many targets were polled as there are, since its start.
    pub(super) fn wait_for_polls(&self, targets: u64) -> Result<(), String> {
        let begun = Instant::now();
        while self.cycles_since(0).iter().map(|cycle| cycle.polled as u64).sum::<u64>() < targets {
            if begun.elapsed() > PATIENCE {
                return Err("no cycle ends".into());
            }
            std::thread::sleep(PAUSE * 10);
        }
        Ok(())
    }

    pub(super) fn counters(&self) -> Result<ProcessCounters, String> {
        ProcessCounters::of(self.child.id())
    }

    /// The room that its directory takes on the disk, in bytes.
    pub(super) fn disk_bytes(&self) -> Result<u64, String> {
        let output = Command::new("du").args(["-s", "-B1"]).arg(&self.directory).output();
        let output = output.map_err(|error| format!("du: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let bytes = text.split_whitespace().next().and_then(|word| word.parse().ok());
        bytes.ok_or_else(|| format!("du: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// The names of about `count` of its targets, from all of the network.
    pub(super) fn some_names(&self, count: usize, of: u64) -> Result<Vec<String>, String> {
        let path = self.directory.join("demo.cfg");
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        let file = BufReader::with_capacity(1 << 20, std::fs::File::open(&path).map_err(told)?);
        let every = (of as usize / count).max(1);
        let mut names = Vec::new();
        let mut nth = 0;
        for line in file.lines() {
            let line = line.map_err(told)?;
            if let Some((name, _)) = line.strip_prefix("Target[").and_then(|it| it.split_once(']'))
            {
                if nth % every == every / 2 {
                    names.push(name.to_owned());
                }
                nth += 1;
            }
        }
        Ok(names)
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // Killed, since its store goes with the directory of the benchmark.
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}

fn lock(said: &Mutex<Said>) -> MutexGuard<'_, Said> {
    said.lock().unwrap_or_else(PoisonError::into_inner)
}

fn listen(stream: Box<dyn Read + Send>, said: Arc<Mutex<Said>>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let mut said = lock(&said);
            match Cycle::read(&line) {
                Some(cycle) => said.cycles.push(cycle),
                None => eprintln!("    {line}"),
            }
            if let Some((_, rest)) = line.split_once("web pages at http://") {
                said.address = rest.split('/').next().and_then(|it| it.trim().parse().ok());
            }
            said.last = line;
        }
    });
}

impl Cycle {
    /// Reads a line such as `cycle 7 every 10 s: 48 targets polled, 0 missed; …; poll 900 ms, …`.
    fn read(line: &str) -> Option<Self> {
        let (head, rest) = line.strip_prefix("cycle ")?.split_once(": ")?;
        let polled = rest.split_once(" targets polled, ")?;
        let (missed, rest) = polled.1.split_once(" missed")?;
        let poll = rest.split_once("; poll ")?.1.split(',').next()?;
        Some(Self {
            interval_seconds: match head.split_once(" every ") {
                Some((_, interval)) => Some(seconds(interval)?),
                None => None,
            },
            polled: polled.0.parse().ok()?,
            missed: missed.parse().ok()?,
            poll_seconds: seconds(poll)?,
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
        let line = "cycle 7 every 10 s: 48 targets polled, 2 missed; 5 of 6 devices answered, \
                    silent: sw1; slowest sw6 1.23 s; poll 900 ms, 1.23 s a device; write 1.5 ms";
        let mut expected =
            Cycle { interval_seconds: Some(10.0), polled: 48, missed: 2, poll_seconds: 0.9 };
        assert_eq!(Cycle::read(line), Some(expected.clone()));
        expected.interval_seconds = None;
        assert_eq!(Cycle::read(&line.replace(" every 10 s", "")), Some(expected));
        assert_eq!(Cycle::read("web pages at http://127.0.0.1:1/"), None);
    }
}
