//! What the machine is to do: how many databases, kept how, and what that takes.

use inventory::{Configured, Layouts, Ring};
use rrdfile::layout::Layout;
use store::ring::{Costs, Pace};

pub use inventory::{Sample, Targets};

/// How databases are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// A directory of `.rrd` files.
    Files,
    /// A ring store.
    Ring,
}

/// What there is to do, and what it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// How databases are kept.
    pub keeping: Keeping,
    /// How many there are.
    pub databases: u64,
    /// How often each is updated, in seconds.
    pub step_seconds: u64,
    /// Bytes of memory: of page cache for files, of the process for a ring store.
    pub memory_bytes: u64,
    /// The same for files that are read without random-access advice.
    pub memory_unadvised_bytes: u64,
    /// Bytes on disk, all of them.
    pub disk_bytes: u64,
    /// Of these, those that are there already.
    pub disk_there_bytes: u64,
    /// Inodes that it takes, and of these those that are there already.
    pub inodes: (u64, u64),
    /// Bytes that are written in a step.
    pub written_bytes_per_step: u64,
    /// Bytes of an average file; of a ring store 0.
    pub file_bytes: u64,
}

/// Pages that an `.rrd` file keeps resident where reads are random (LISA 2007, Figure 12).
pub(crate) const PAGES_PER_FILE: u64 = 8;
/// Pages that an update writes: the header, and the newest row of AVERAGE and MAX (as above, Figure 2).
pub(crate) const PAGES_PER_UPDATE: u64 = 3;
pub(crate) const PAGE_BYTES: u64 = 4096;

/// Files of a ring store beside those of its groups.
const FILES_OF_STORE: u64 = 64;
/// A ring store's groups: files of each, and its places for databases.
const FILES_PER_GROUP: u64 = 4;
const DATABASES_PER_GROUP: u64 = 4032;
/// Bytes of memory of a ring store's database beside what a checkpoint has of it: its name's
/// fingerprint, and room between members.
const BESIDE_BYTES: u64 = 32;

impl Work {
    /// So many `.rrd` files of a size.
    #[must_use]
    pub fn of_files(files: u64, file_bytes: u64, step_seconds: u64, are_there: bool) -> Self {
        let there = if are_there { files } else { 0 };
        let pages = file_bytes.div_ceil(PAGE_BYTES).max(1);
        Self {
            keeping: Keeping::Files,
            databases: files,
            step_seconds,
            memory_bytes: files * pages.min(PAGES_PER_FILE) * PAGE_BYTES,
            memory_unadvised_bytes: files * pages * PAGE_BYTES,
            disk_bytes: files * file_bytes.next_multiple_of(PAGE_BYTES),
            disk_there_bytes: there * file_bytes.next_multiple_of(PAGE_BYTES),
            inodes: (files, there),
            written_bytes_per_step: files * PAGES_PER_UPDATE * PAGE_BYTES,
            file_bytes,
        }
    }

    /// Databases of some layouts in a ring store, by the store's own plan; `None` if there are none, or
    /// if no page holds a row of one.
    #[must_use]
    pub fn of_ring(layouts: &Layouts, pace: Pace) -> Option<Self> {
        let (most, _) = layouts.all().first()?;
        let mut work = Self {
            keeping: Keeping::Ring,
            databases: layouts.databases(),
            step_seconds: most.step_seconds,
            memory_bytes: 0,
            memory_unadvised_bytes: 0,
            disk_bytes: 0,
            disk_there_bytes: 0,
            inodes: (FILES_OF_STORE, 0),
            written_bytes_per_step: 0,
            file_bytes: 0,
        };
        for (definition, databases) in layouts.all() {
            let costs = Costs::of(definition, pace)?;
            let all = |bytes: f64| (bytes * *databases as f64) as u64;
            work.memory_bytes += all(costs.memory_bytes);
            work.disk_bytes += all(costs.tiles_bytes + costs.checkpoints_bytes)
                + costs.log_bytes(*databases) as u64;
            work.inodes.0 += databases.div_ceil(DATABASES_PER_GROUP) * FILES_PER_GROUP;
            let updates_per_step = most.step_seconds as f64 / definition.step_seconds.max(1) as f64;
            work.written_bytes_per_step += all(costs.bytes_per_update() * updates_per_step);
        }
        work.memory_unadvised_bytes = work.memory_bytes;
        Some(work)
    }

    /// A ring store that is there.
    #[must_use]
    pub fn of_store(ring: &Ring) -> Option<Self> {
        let nothing = || Some(Layouts::of(inventory::mrtgs_layout(300)?, 0));
        let layouts =
            Some(&ring.layouts).filter(|it| !it.all().is_empty()).cloned().or_else(nothing)?;
        let mut work = Self::of_ring(&layouts, ring.pace)?;
        // A checkpoint has all that is in memory; early in a store's life few rows wait in it.
        let shown_bytes = ring.glance.checkpoint_bytes + BESIDE_BYTES * work.databases;
        work.memory_bytes = work.memory_bytes.max(shown_bytes);
        work.memory_unadvised_bytes = work.memory_bytes;
        work.disk_bytes = ring.glance.file_bytes;
        work.disk_there_bytes = ring.glance.file_bytes;
        work.inodes = (ring.glance.files, ring.glance.files);
        Some(work)
    }

    /// What a configuration takes, as `gyre run` would keep it: in the ring store that is there, in
    /// the files that are there, else in a new ring store.
    #[must_use]
    pub fn of_configuration(configured: &Configured) -> Option<Self> {
        let layouts = &configured.layouts;
        if configured.store.is_none() && configured.has_files {
            let (most, _) = layouts.all().first()?;
            let files = layouts.databases();
            let bytes = layouts.all().iter().map(|(definition, own)| {
                let rows = definition.archives.iter().map(|archive| archive.rows);
                Some(Layout::new(definition.sources.len(), rows)?.file_bytes() * own)
            });
            let file_bytes = bytes.sum::<Option<u64>>()? / files;
            return Some(Self::of_files(files, file_bytes, most.step_seconds, true));
        }
        let there = configured.store.as_ref().and_then(|store| Ring::at(store).ok());
        let mut work =
            Self::of_ring(layouts, there.as_ref().map_or_else(Pace::default, |it| it.pace))?;
        if let Some(Ring { glance, .. }) = there {
            work.disk_there_bytes = glance.file_bytes;
            work.inodes.1 = glance.files;
        }
        Some(work)
    }

    /// Updates a second.
    pub(crate) fn updates_per_second(&self) -> f64 {
        self.databases as f64 / self.step_seconds.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_files_take_what_it_computes() {
        // 480,000 files of 103 KB at 8 pages: 14.6 GiB.
        let work = Work::of_files(480_000, 105_312, 300, true);
        assert_eq!(work.memory_bytes, 480_000 * 8 * 4096);
        assert_eq!(work.memory_unadvised_bytes, 480_000 * 26 * 4096);
        assert!((work.updates_per_second() - 1600.0).abs() < 1e-9);
    }
}
