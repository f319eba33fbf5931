//! A ring store that is updated cycle after cycle, in a process of its own that also feeds it.

use std::path::Path;
use std::time::{Duration, Instant};

use ring::Pace;

use super::server::Database;
use crate::figures::median;
use crate::store::{Command, CycleReply, FeedReply, Kind, Pattern, StoreSpec, WorkerProcess};
use crate::workload::{Layout, Workload, around_midnight};

/// How often a feed is asked how it is doing.
const LOOK: Duration = Duration::from_millis(50);
/// A feed is done that wrote no row for so long: it looks up once in a second.
const STILL: Duration = Duration::from_secs(3);
/// The longest wait for a feed.
const PATIENCE: Duration = Duration::from_secs(400);

pub(super) struct Site {
    pub(super) worker: WorkerProcess,
    pub(super) workload: Workload,
    next_cycle: u64,
}

/// How some cycles went.
#[derive(Debug, Default, serde::Serialize)]
pub(super) struct Cycles {
    pub(super) seconds: Vec<f64>,
    /// Bytes that the kernel read from the disk for the threads that updated.
    pub(super) read_bytes: u64,
    pub(super) major_faults: u64,
}

impl Cycles {
    fn add(&mut self, reply: &CycleReply) {
        self.seconds.push(reply.seconds);
        self.read_bytes += reply.threads.read_bytes;
        self.major_faults += reply.threads.major_faults;
    }

    pub(super) fn median_seconds(&self) -> f64 {
        median(&self.seconds)
    }
}

/// What a feed did until it was still.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaughtUp {
    pub(super) rows: u64,
    pub(super) seconds: f64,
    pub(super) health: FeedReply,
    /// The most memory that was no page of a file.
    pub(super) anonymous_bytes_max: u64,
}

impl Site {
    pub(super) fn make(inside: &Path, name: &str, rrds: u64) -> Result<Self, String> {
        let Pace { flush_cycles, tile_rows_max } = Pace::default();
        let spec = StoreSpec {
            kind: Kind::Ring,
            directory: inside.join(name),
            rrds,
            layout: Layout::Mrtg,
            flush_cycles,
            tile_rows: tile_rows_max,
            sparse: true,
        };
        let mut worker = WorkerProcess::start(&spec, None)?;
        // No midnight lies within the run.
        let next_cycle = around_midnight(0) + 30;
        worker.done(&Command::Create { cycle: next_cycle - 1 })?;
        Ok(Self { worker, workload: spec.workload(), next_cycle })
    }

    /// Updates all databases so many times, without a pause.
    pub(super) fn pass(&mut self, cycles: u64) -> Result<Cycles, String> {
        let mut passed = Cycles::default();
        for _ in 0..cycles {
            let cycle = self.take_cycle();
            passed.add(&self.worker.cycle(cycle, &Pattern::InStep)?);
        }
        Ok(passed)
    }

    /// The number of the next cycle.
    pub(super) fn take_cycle(&mut self) -> u64 {
        self.next_cycle += 1;
        self.next_cycle - 1
    }

    /// Feeds the databases of such names.
    pub(super) fn feed(&mut self, database: &Database, names: &str) -> Result<(), String> {
        let (tables, names) = (database.tables(), names.to_owned());
        self.worker.done(&Command::Feed { tables, names }).map(drop)
    }

    /// Waits until the feed is connected and has written all rows.
    pub(super) fn catch_up(&mut self) -> Result<CaughtUp, String> {
        let begun = Instant::now();
        let before = self.worker.feed_health()?.rows;
        let (mut connected, mut changed) = (None, Instant::now());
        let mut last = FeedReply::default();
        let mut anonymous_bytes_max = 0;
        loop {
            let health = self.worker.feed_health()?;
            let bytes = self.worker.counters()?.anonymous_bytes;
            anonymous_bytes_max = anonymous_bytes_max.max(bytes);
            if health.is_connected {
                connected.get_or_insert_with(Instant::now);
            }
            if health != last {
                (last, changed) = (health, Instant::now());
            }
            let since = connected.filter(|_| health.rows > before && changed.elapsed() > STILL);
            if let Some(since) = since {
                let seconds = (changed - since).as_secs_f64();
                let rows = health.rows - before;
                return Ok(CaughtUp { rows, seconds, health, anonymous_bytes_max });
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("expected all rows within {PATIENCE:?}, found {health:?}"));
            }
            std::thread::sleep(LOOK);
        }
    }
}
