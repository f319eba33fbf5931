//! Clients that update, read and flush until the daemon is gone.

mod worker;

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use disk::Random;

use crate::Checked;
use crate::ledger::Entry;
use crate::site::Site;
use crate::world::World;
use worker::Worker;

/// How long clients may take for the first updates.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_micros(100);

/// State shared by all clients.
pub(crate) struct Shared<'a> {
    pub(crate) site: &'a Site,
    pub(crate) world: &'a World,
    /// The next cycle, incremented by each client.
    pub(crate) cycle: &'a AtomicI64,
    /// Samples that were acknowledged.
    pub(crate) samples: AtomicU64,
    /// Whether clients should end.
    pub(crate) ends: AtomicBool,
    /// Whether the disk may fail, so that errors are expected.
    pub(crate) may_refuse: AtomicBool,
    /// Whether the daemon was asked to end: it then gives up long operations and reports that.
    pub(crate) is_told_to_end: AtomicBool,
}

impl<'a> Shared<'a> {
    /// The state before a load.
    pub(crate) fn new(site: &'a Site, world: &'a World, cycle: &'a AtomicI64) -> Self {
        Self {
            site,
            world,
            cycle,
            samples: AtomicU64::new(0),
            ends: AtomicBool::new(false),
            may_refuse: AtomicBool::new(false),
            is_told_to_end: AtomicBool::new(false),
        }
    }
}

/// Lets clients work, each with its own databases, until this many samples are acknowledged. Then
/// calls `until`, which ends the daemon. Returns how many samples were acknowledged.
pub(crate) fn load(
    shared: &Shared<'_>,
    entries: &mut [Entry],
    wanted: u64,
    random: &mut Random,
    until: impl FnOnce() -> Checked<()>,
) -> Checked<u64> {
    let each = entries.len().div_ceil(shared.world.clients);
    std::thread::scope(|scope| {
        let work = |entries| {
            let random = Random::new(random.number());
            scope.spawn(move || Worker { shared, entries, random }.run())
        };
        let workers: Vec<_> = entries.chunks_mut(each).map(work).collect();
        let start = Instant::now();
        let enough = || {
            shared.samples.load(Ordering::Relaxed) >= wanted
                || workers.iter().all(|worker| worker.is_finished())
        };
        while !enough() && start.elapsed() < PATIENCE {
            std::thread::sleep(LOOK);
        }
        let ended = until();
        shared.ends.store(true, Ordering::Relaxed);
        for worker in workers {
            worker.join().expect("no client panics")?;
        }
        ended
    })?;
    Ok(shared.samples.load(Ordering::Relaxed))
}
