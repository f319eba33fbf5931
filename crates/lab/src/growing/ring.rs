//! The ring store in a growing run.

use std::ops::Range;
use std::path::Path;

use ring::Pace;
use ring::{RingOptions, RingStore};
use rrd::{Definition, Timestamp};
use store::{NewDatabase, Store as _, Update};

use super::cohorts::part;
use crate::layouts::Layout;
use crate::updating::Readings;

/// Databases that are made, and updates that are sent, in one call.
const AT_ONCE: usize = 1000;

/// A ring store of databases of one layout.
pub(super) struct Ring {
    store: RingStore,
    definition: Definition,
    writers: u32,
}

impl Ring {
    /// Makes an empty store, which allocates no disk space in advance.
    pub(super) fn new(
        directory: &Path,
        layout: Layout,
        tile_rows_max: u32,
        writers: u32,
    ) -> Result<Self, String> {
        let pace = Pace { tile_rows_max, ..Pace::default() };
        let options = RingOptions { pace, sparse: true, ..RingOptions::default() };
        let store = RingStore::create(directory, options).map_err(|error| error.to_string())?;
        Ok(Self { store, definition: layout.definition(), writers })
    }

    /// Makes databases.
    pub(super) fn add(&self, databases: Range<u32>, last_seconds: u64) -> Result<(), String> {
        let start = Timestamp::from_seconds(last_seconds as i64);
        in_chunks(databases, |names| {
            let new = names.iter().map(|name| NewDatabase {
                name: name.as_ref(),
                definition: &self.definition,
                start,
            });
            let failed = self.store.engine().create_all(&new.collect::<Vec<_>>());
            failed.first().map_or(Ok(()), |(_, error)| Err(error.to_string()))
        })
    }

    /// Updates a range of databases with several threads.
    pub(super) fn write(&self, range: &Range<u32>, readings: &Readings) -> Result<(), String> {
        std::thread::scope(|scope| {
            let write = |nth| {
                let range = part(range, nth, self.writers);
                scope.spawn(move || in_chunks(range, |names| self.append(names, readings)))
            };
            let started: Vec<_> = (0..self.writers).map(write).collect();
            started.into_iter().try_for_each(|it| it.join().map_err(|_| "a writer panicked")?)
        })
    }

    fn append(&self, names: &[String], readings: &Readings) -> Result<(), String> {
        readings.with_sample(|sample| {
            let samples = [sample];
            let appends = names.iter().map(|name| Update::of(name, &samples));
            let failed = self.store.update(&appends.collect::<Vec<_>>());
            let told = |(nth, refused): &(usize, store::Refused)| {
                Err(format!("{}: {}", names[*nth], refused.error))
            };
            failed.first().map_or(Ok(()), told)
        })
    }

    /// The readings of all databases at a time.
    pub(super) fn readings(&self, at_seconds: u64) -> Readings {
        Readings::now(self.definition.sources.len(), at_seconds)
    }

    /// Flushes everything that is due: in the minutes that a cycle represents, the store would have
    /// done it.
    pub(super) fn work(&self) -> Result<(), String> {
        self.store.engine().work().map(drop).map_err(|error| error.to_string())
    }

    /// Ends the store without checkpoints, because it is not opened again.
    pub(super) fn end(self) -> Result<(), String> {
        self.store.leave().map_err(|error| error.to_string())
    }
}

fn in_chunks(
    databases: Range<u32>,
    mut each: impl FnMut(&[String]) -> Result<(), String>,
) -> Result<(), String> {
    let step = databases.clone().step_by(AT_ONCE);
    let mut names = Vec::new();
    for first in step {
        names.clear();
        names.extend(
            (first..databases.end.min(first + AT_ONCE as u32)).map(|nth| format!("{nth:07}.rrd")),
        );
        each(&names)?;
    }
    Ok(())
}
