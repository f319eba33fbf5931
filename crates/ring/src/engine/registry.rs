//! Which databases there are: in memory, and in the catalogue.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use disk::Medium;
use tracing_mutex::stdsync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

use super::world::rrd_id;
use super::{CatalogueWriter, Cell, World};

/// So many databases are named where a message is about many.
const NAMED_MAX: usize = 10;

/// Which databases there are.
pub(super) struct Registry<M> {
    medium: Arc<M>,
    catalogue_writer: Mutex<CatalogueWriter>,
    world: RwLock<World>,
    /// Told when a thread has ended its try to make a group. Waited on with the catalogue's lock.
    changed: Condvar,
}

impl<M: Medium<File: 'static>> Registry<M> {
    pub(super) fn new(medium: Arc<M>, catalogue_writer: CatalogueWriter, world: World) -> Self {
        Self {
            medium,
            catalogue_writer: Mutex::new(catalogue_writer),
            world: RwLock::new(world),
            changed: Condvar::new(),
        }
    }

    /// Where the catalogue is.
    pub(super) fn medium(&self) -> &M {
        &self.medium
    }

    pub(super) fn catalogue_writer(&self) -> MutexGuard<'_, CatalogueWriter> {
        self.catalogue_writer.lock().expect("no thread panicked while it changed the catalogue")
    }

    pub(super) fn world(&self) -> RwLockReadGuard<'_, World> {
        self.world.read().expect("no thread panicked while it changed the world")
    }

    pub(super) fn world_mut(&self) -> RwLockWriteGuard<'_, World> {
        self.world.write().expect("no thread panicked while it changed the world")
    }

    /// All groups.
    pub(super) fn cells(&self) -> Vec<Arc<Cell>> {
        self.world().cells().cloned().collect()
    }

    /// Replays all groups that wait for it. Others can change the world meanwhile.
    pub(super) fn replay_all(&self) {
        self.cells().iter().for_each(|cell| drop(cell.group()));
    }

    /// Gives the catalogue's lock up for so long, or until a thread has ended its try to make a
    /// group.
    pub(super) fn wait<'a>(
        &'a self,
        catalogue_writer: MutexGuard<'a, CatalogueWriter>,
        patience: Duration,
    ) -> MutexGuard<'a, CatalogueWriter> {
        let waited = self.changed.wait_timeout(catalogue_writer, patience);
        waited.expect("no thread panicked while it changed the catalogue").0
    }

    /// Has threads look again that [wait](Self::wait).
    pub(super) fn wake_waiting(&self) {
        self.changed.notify_all();
    }

    /// The names of some members, the first ones at least.
    pub(super) fn names_of(&self, group: u32, members: &BTreeSet<u16>) -> String {
        let mut words: Vec<String> =
            members.iter().take(NAMED_MAX).map(|member| self.name_of(group, *member)).collect();
        if members.len() > NAMED_MAX {
            words.push(format!("{} more", members.len() - NAMED_MAX));
        }
        words.join(", ")
    }

    fn name_of(&self, group: u32, member: u16) -> String {
        let rrd = rrd_id(group, member);
        let mut catalogue_writer = self.catalogue_writer();
        let found = catalogue_writer.pending_places(self.medium()).and_then(|mut pending| {
            let committed =
                || catalogue_writer.look(self.medium(), |catalogue| catalogue.entry(rrd));
            pending.remove(&rrd).map_or_else(committed, Ok)
        });
        let entry: Option<_> = found.unwrap_or_default(); // that it fails is told elsewhere
        entry.map_or_else(|| format!("member {member}"), |entry| entry.name)
    }
}
