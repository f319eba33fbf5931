//! The ring store over any medium, without threads of its own: what is due is done when
//! [`Engine::work`] is called.
//!
//! Locks are taken in this order: the regrouping, a group's flush, the catalogue, its tiles, the
//! world, a group. Debug builds check it (`tracing_mutex`): a thread that takes two locks in the
//! order that another one did not panics.

mod cell;
mod world;
mod commits;
mod pending;
mod due;
mod memory_gaps;
mod append;
mod create;
mod tile_room;
mod sparse;
mod prepare;
mod occupant;
mod edits;
mod flush;
mod settle;
mod mend;
mod attic;
mod rows;
mod tiles;
mod read;
mod fetch;
mod since;
mod head;
mod recover;
mod load;
mod part;
mod replay;
mod adopt;
mod inspect;
mod verify;
mod regroup;
mod vanish;
mod held;
mod loss;
mod notes;
mod ending;
mod salvage;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use disk::Medium;
use geometry::Pace;
use journal::{Journal, JournalOptions, LogPosition};
use store::{DamagedGroup, Error, NamePattern, NamesPage};
use tracing_mutex::stdsync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

use super::file::Stay;

pub(crate) use cell::{Cell, FileKind};
use commits::CatalogueWriter;
use due::Due;
pub use fetch::READ_AT_ONCE;
use memory_gaps::MemoryGaps;
use notes::Notes;
pub(crate) use part::Untouched;
use prepare::Unprepared;
use regroup::Regrouping;
use replay::{Elsewhere, Gap};
pub use salvage::{GivenUp, Salvaged, salvage};
pub(crate) use world::World;

/// When an update is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// When its record is on disk: once a batch.
    #[default]
    Always,
    /// When its record is handed to the kernel: it survives the end of the process. A power cut
    /// loses what came since the last sync, for which the owner of the engine calls from time to
    /// time ([`RingOptions::sync_every`] has [`RingStore`](super::RingStore) do so).
    Deferred,
}

/// How a ring store works. What stays for the life of a store is chosen when it is made; later the
/// store's own values hold.
#[derive(Clone, Copy, Debug)]
pub struct RingOptions {
    /// The store's pace, from when it is made.
    pub pace: Pace,
    /// The journal's layout, from when it is made.
    pub journal: JournalOptions,
    /// When an update is acknowledged.
    pub sync: Sync,
    /// With [`Sync::Deferred`], how often a [`RingStore`](super::RingStore) syncs the log by
    /// itself; `None` leaves it to the flushes of groups and to callers of [`Engine::sync`].
    pub sync_every: Option<Duration>,
    /// Take the disk space of tiles as they are written, instead of when a group is made. The
    /// catalogue remembers it, so that it holds for every group that is made from then on.
    ///
    /// The risk: a full disk then meets samples that were acknowledged. They stay in the journal,
    /// which grows, and the store refuses further samples once that has no room either.
    pub sparse: bool,
    /// Threads that replay the log at opening; none for a single-threaded life.
    pub replay_threads: usize,
    /// Late rows that a group gathers before it is flushed for them.
    pub late_rows_max: usize,
    /// Whether records of the log that are damaged and needed are given up, instead of refusing to
    /// open the store: for a salvage.
    pub give_up: bool,
    /// Bytes of the log, beyond which groups are flushed that keep it from being freed; `None` for
    /// what the number of databases asks for.
    pub log_bytes_max: Option<u64>,
    /// Bytes of the log up to which it is not freed while another process copies the store; `None`
    /// for four times the bound of a log that nobody holds.
    pub held_log_bytes_max: Option<u64>,
    /// While another process copies the store, so much time lies between two commits of the
    /// catalogue: the catalogue and the end of the log are copied between two of them.
    pub copy_pause: Duration,
    /// So many small groups of one layout, which are of about one size, are put together into one
    /// in the background ([`Engine::regroup_once`]); at least two.
    pub regroup_from: usize,
}

impl Default for RingOptions {
    fn default() -> Self {
        let journal = JournalOptions { intervals_kept: 0, ..JournalOptions::default() };
        Self {
            pace: Pace::default(),
            journal,
            sync: Sync::Always,
            sync_every: None,
            sparse: false,
            replay_threads: 2,
            late_rows_max: 1 << 16,
            give_up: false,
            log_bytes_max: None,
            held_log_bytes_max: None,
            copy_pause: Duration::from_millis(500),
            regroup_from: 8,
        }
    }
}

/// The ring store over a medium.
pub struct Engine<M: Medium> {
    medium: Arc<M>,
    options: RingOptions,
    journal: Journal<Arc<M>>,
    catalogue_writer: Mutex<CatalogueWriter>,
    /// Told when a group was made, and waited on with `life`.
    life_changed: Condvar,
    world: RwLock<World>,
    pub(crate) due: Due,
    /// New groups whose tiles are to be written with zeros.
    unprepared: Mutex<VecDeque<Unprepared>>,
    /// A sync of tiles failed whose pages are no longer in memory: only the log has their rows.
    broken: AtomicBool,
    /// Records before it are needed by nobody, as some checkpoint says.
    log_start: AtomicU64,
    /// The log was freed up to here.
    freed: Mutex<LogPosition>,
    /// What became of the last flush that failed.
    trouble: Mutex<Option<String>>,
    notes: Notes,
    damaged: Vec<DamagedGroup>,
    /// Where what is damaged was given up: stretches of the log that are missing.
    gaps: Vec<Gap>,
    /// There: names that went to another database.
    replaced: Vec<String>,
    /// Where only some groups were opened: names that the log gives to databases of others.
    elsewhere: Elsewhere,
    /// Databases were made since it was asked last.
    made_some: AtomicBool,
    memory_gaps: MemoryGaps,
    /// A group came or lost a member since small and empty groups were looked for.
    groups_changed: AtomicBool,
    regrouping: Mutex<Regrouping>,
    stay: Stay,
    /// The catalogue, on which a process that copies the store holds a lock.
    held: M::File,
}

impl<M: Medium<File: 'static>> Engine<M> {
    fn catalogue_writer(&self) -> MutexGuard<'_, CatalogueWriter> {
        self.catalogue_writer.lock().expect("whoever panicked left the catalogue in doubt")
    }

    fn world(&self) -> RwLockReadGuard<'_, World> {
        self.world.read().expect("whoever panicked left the world in doubt")
    }

    fn world_mut(&self) -> RwLockWriteGuard<'_, World> {
        self.world.write().expect("whoever panicked left the world in doubt")
    }

    /// Refuses what would be acknowledged and could not be kept.
    fn check_sound(&self) -> Result<(), Error> {
        if self.broken.load(Ordering::Acquire) {
            let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone();
            return Err(Error::Stopped(trouble.unwrap_or_default()));
        }
        Ok(())
    }

    /// Waits until everything that was taken is on disk.
    ///
    /// # Errors
    /// [`Error::Journal`].
    pub fn sync(&self) -> Result<(), Error> {
        self.journal.commit()?;
        Ok(())
    }

    /// Makes segments of the log beforehand, so that no update waits for one.
    ///
    /// # Errors
    /// [`Error::Journal`].
    pub fn prepare_log(&self) -> Result<(), Error> {
        /// A flush may take as long as some segments are filled.
        const SEGMENTS_FREE: usize = 4;
        self.journal.ensure_free(SEGMENTS_FREE)?;
        Ok(())
    }

    /// Does what is due: writes tiles and checkpoints, frees the log. Returns whether there was
    /// anything.
    ///
    /// # Errors
    /// What failed first; it is tried again with the group's next flush.
    pub fn work(&self) -> Result<bool, Error> {
        let mut any = false;
        let mut failed = Ok(());
        while let Some(done) = self.work_once() {
            any = true;
            failed = failed.and(done);
        }
        failed.map(|()| any)
    }

    /// Flushes the group that has waited longest; `None` if none is due.
    pub fn work_once(&self) -> Option<Result<(), Error>> {
        let group = self.due.pop()?;
        Some(self.flush_due(group))
    }

    /// Whether there are gaps in memory that were not there when the answer was yes last. The
    /// opening leaves them; a group's first flush, after which nothing of what the log had brought
    /// back is in memory; and the flushes of a quarter of all groups.
    pub fn take_gaps(&self) -> bool {
        self.memory_gaps.take(self.world().cells().count())
    }

    /// Every name, sorted.
    ///
    /// # Errors
    /// [`Error::Catalogue`].
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let all = NamePattern::beginning("");
        self.names_from(&all, "", usize::MAX).map(|page| page.names)
    }

    /// Names that match, sorted, from a text on: at most so many, of not many times as many that
    /// are looked at.
    ///
    /// # Errors
    /// [`Error::Catalogue`].
    pub fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        let mut catalogue_writer = self.catalogue_writer();
        self.commit_unless_paused(&mut catalogue_writer)?;
        catalogue_writer.names_from(&*self.medium, pattern, from, limit)
    }

    /// Whether there is a database of that name, be it one that does not answer.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.world().find(name).is_some()
    }

    /// Writes a checkpoint of every group, so that the next opening has nothing to replay.
    ///
    /// # Errors
    /// What failed first.
    pub fn checkpoint(&self) -> Result<(), Error> {
        let cells: Vec<Arc<Cell>> = self.world().cells().cloned().collect();
        cells.iter().try_for_each(|cell| self.flush_fully(cell))?;
        self.commit_catalogue()
    }

    /// Writes the pending changes of the catalogue.
    fn commit_catalogue(&self) -> Result<(), Error> {
        let mut catalogue_writer = self.await_turn(self.catalogue_writer());
        self.commit_life(&mut catalogue_writer)
    }

    fn commit_life(&self, catalogue_writer: &mut CatalogueWriter) -> Result<(), Error> {
        self.check_sound()?;
        if catalogue_writer.changes.is_empty() {
            return Ok(());
        }
        // The catalogue never knows what the log does not.
        let applied = self.journal.next();
        self.journal.commit()?;
        self.due.wake();
        let done = catalogue_writer.commit(&*self.medium, applied);
        self.note_commit(catalogue_writer);
        done.inspect_err(|error| self.note_trouble(error))
    }

    fn note_trouble(&self, error: &Error) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        *trouble = Some(error.to_string());
    }
}

impl<M: Medium> std::fmt::Debug for Engine<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("medium", &self.medium).finish_non_exhaustive()
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use disk::MemoryMedium;

    use super::{Engine, RingOptions};

    #[test]
    #[should_panic(expected = "cycle in mutex dependency graph")]
    fn locks_in_another_order_are_told() {
        let engine = Engine::create_store(MemoryMedium::default(), RingOptions::default()).unwrap();
        {
            let _catalogue = engine.catalogue_writer();
            let _world = engine.world();
        }
        let _world = engine.world();
        let _catalogue = engine.catalogue_writer();
    }
}
