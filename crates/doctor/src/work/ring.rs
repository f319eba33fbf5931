//! The resources of a ring store: of an existing one, as far as they can be found out, or of a
//! future one.

use std::path::Path;

use inventory::{Layouts, Ring};
use ring::{Costs, FileTotals, Pace};

use super::{Keeping, Work};
use crate::unseen::{Seen, Unseen};

/// Files of a ring store other than those of its groups.
const FILES_OF_STORE: u64 = 64;
/// For a group of a ring store: its files, and its capacity of databases.
const FILES_PER_GROUP: u64 = 4;
const DATABASES_PER_GROUP: u64 = 4032;
/// Bytes of memory for a database in addition to its bytes in a checkpoint: its name's hash, and
/// unused capacity.
const BESIDE_BYTES: u64 = 32;

/// An existing ring store, which another process may have open.
#[derive(Clone, Debug)]
pub(crate) struct RingStoreFacts {
    /// The sizes of its files.
    pub(crate) totals: FileTotals,
    /// The content of its catalogue.
    pub(crate) catalogue: Seen<(Layouts, Pace)>,
}

impl RingStoreFacts {
    /// Inspects the store in a directory. Fails only if the directory cannot be read.
    pub(crate) fn at(root: &Path) -> Seen<Self> {
        let unseen = |error| Unseen::new(root, &error);
        Ok(match Ring::at(root) {
            Ok(ring) => Self { totals: ring.totals, catalogue: Ok((ring.layouts, ring.pace)) },
            Err(error) => Self {
                totals: FileTotals::at(root).map_err(unseen)?,
                catalogue: Err(unseen(error)),
            },
        })
    }

    /// Its pace; the default one if there is no catalogue.
    pub(crate) fn pace(&self) -> Pace {
        self.catalogue.as_ref().map_or_else(|_| Pace::default(), |(_, pace)| *pace)
    }

    /// The number of databases in its catalogue.
    pub(crate) fn databases(&self) -> Seen<u64> {
        self.catalogue.as_ref().map(|(layouts, _)| layouts.databases()).map_err(Clone::clone)
    }

    /// The layouts of its databases. Without a catalogue, MRTG's layout, and the number of
    /// databases in its checkpoints.
    fn layouts(&self) -> Option<Layouts> {
        match &self.catalogue {
            Ok((layouts, _)) if !layouts.all().is_empty() => Some(layouts.clone()),
            Ok(_) => Some(Layouts::of(inventory::mrtgs_layout(300)?, 0)),
            Err(_) => Some(Layouts::of(inventory::mrtgs_layout(300)?, self.totals.databases)),
        }
    }
}

impl Work {
    /// The load of databases of some layouts in a ring store, from the store's own plan. `None` if
    /// there are none, or if a row of one does not fit in a page.
    #[must_use]
    pub fn of_ring(layouts: &Layouts, pace: Pace) -> Option<Self> {
        let (most, _) = layouts.all().first()?;
        let mut work = Self {
            keeping: Keeping::Ring,
            databases: layouts.databases(),
            step_seconds: most.step_in_seconds(),
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
            let updates_per_step = most.step_in_seconds() / definition.step_in_seconds();
            work.written_bytes_per_step += all(costs.bytes_per_update() * updates_per_step);
        }
        work.memory_unadvised_bytes = work.memory_bytes;
        Some(work)
    }

    /// The load of an existing ring store.
    pub(crate) fn of_store(store: &RingStoreFacts) -> Option<Self> {
        let mut work = Self::of_ring(&store.layouts()?, store.pace())?;
        // A checkpoint has everything that is in memory, but early in a store's life few rows are
        // waiting in it.
        let shown_bytes = store.totals.checkpoint_bytes + BESIDE_BYTES * work.databases;
        work.memory_bytes = work.memory_bytes.max(shown_bytes);
        work.memory_unadvised_bytes = work.memory_bytes;
        work.disk_bytes = store.totals.file_bytes;
        work.disk_there_bytes = store.totals.file_bytes;
        work.inodes = (store.totals.files, store.totals.files);
        Some(work)
    }
}
