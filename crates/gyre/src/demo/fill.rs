//! Makes databases with a whole past before the first poll.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rrd::{Archive, Snapshot};
use simnet::{Health, Traffic};

use super::destination::Destination;
use super::entry::Entry;
use super::history::{Calendar, snapshot};
use crate::on_every_core::on_every_core;

/// How long ago the demo's dead device stopped answering.
const DEAD_SECONDS: i64 = 5 * 3600;

/// Databases that are made before any of them is written: enough to fill the pages of a ring store,
/// few enough for memory.
const BATCH: usize = 252;

/// What was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) databases: usize,
    pub(super) bytes: u64,
}

/// Makes the databases of targets that poll the simulated network, filled up to the present.
/// Ends early if told to `stop`.
pub(super) fn fill<'a>(
    entries: impl Iterator<Item = Entry<'a>>,
    traffic: &'a Traffic,
    now_seconds: i64,
    stop: &AtomicBool,
    destination: &Destination,
) -> Result<Filled, store::Error> {
    let past = Past::new(entries, traffic, now_seconds);
    let bytes = AtomicU64::new(0);
    let failure = Mutex::new(None);
    let all = past.batches.iter().map(Vec::len).sum();
    let queue = on_every_core("history", all, |queue| {
        while let Some(batch) = queue.next().and_then(|nth| past.batches.get(nth)) {
            let mut made = Vec::with_capacity(batch.len());
            for entry in batch {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                made.push((entry.target, past.database_of(entry)));
                queue.did(1);
            }
            match destination.take(made) {
                Ok(written) => bytes.fetch_add(written, Ordering::Relaxed),
                Err(error) => {
                    queue.give_up();
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return;
                }
            };
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(Filled { databases: queue.done(), bytes: bytes.into_inner() }),
    }
}

/// The inputs that all databases share.
struct Past<'a> {
    traffic: &'a Traffic,
    /// Batches of targets whose databases have the same layout.
    batches: Vec<Vec<Entry<'a>>>,
    /// Calendars by the archives of a definition; there are few different ones.
    calendars: Vec<(Vec<Archive>, Calendar)>,
}

impl<'a> Past<'a> {
    fn new(
        entries: impl Iterator<Item = Entry<'a>>,
        traffic: &'a Traffic,
        now_seconds: i64,
    ) -> Self {
        let mut calendars: Vec<(Vec<Archive>, Calendar)> = Vec::new();
        let mut batches: Vec<Vec<Entry<'_>>> = Vec::new();
        // For each calendar, the batch that is not full yet.
        let mut open_batches = Vec::new();
        for entry in entries {
            let definition = entry.target.settings.definition();
            let known = calendars.iter().position(|(archives, _)| *archives == definition.archives);
            let nth = known.unwrap_or_else(|| {
                let calendar = Calendar::new(&definition, now_seconds);
                calendars.push((definition.archives, calendar));
                batches.push(Vec::new());
                open_batches.push(batches.len() - 1);
                calendars.len() - 1
            });
            if batches[open_batches[nth]].len() == BATCH {
                batches.push(Vec::new());
                open_batches[nth] = batches.len() - 1;
            }
            batches[open_batches[nth]].push(entry);
        }
        Self { traffic, batches, calendars }
    }

    /// The database of a target, with its past.
    fn database_of(&self, entry: &Entry<'_>) -> Snapshot {
        let definition = entry.target.settings.definition();
        let known = self.calendars.iter().find(|(archives, _)| *archives == definition.archives);
        let (_, calendar) = known.expect("every target's archives have a calendar");
        let end_seconds = calendar.end_seconds();
        let died_seconds = match entry.device.health {
            Health::Dead => end_seconds - DEAD_SECONDS,
            _ => i64::MAX,
        };
        let flowed =
            |moment: i64| (moment <= died_seconds).then(|| entry.octets(self.traffic, moment));
        let before_start = entry.octets_at_start(self.traffic, end_seconds);
        let shown = flowed(end_seconds)
            .map(|flowed| [0, 1].map(|way| flowed[way].wrapping_sub(before_start[way])));
        snapshot(&definition, calendar, flowed, shown)
    }
}
