//! The ring store over any medium, without threads of its own: what is due is done when
//! [`Engine::work`] is called.
//!
//! [`Engine`] is what others call. Each call is done by one worker, which gets those parts of the
//! engine that it needs (`parts`), and no others:
//!
//! ```text
//!   call       update   make   edit    adopt    fetch   leave       upkeep             salvage
//!   worker     Intake   Maker  Editor  Adopter  Reader  Departures  Flusher Regrouper  Salvager
//!   they share Committer (the catalogue's commits), LogBound (the log's length), NewGroups
//!   parts      Log, Registry (names, groups, catalogue), GroupFiles, Due, Health, Notes, ...
//! ```
//!
//! Locks are taken in this order: the regrouping, a group's flush, the catalogue, its tiles, the
//! world, a group. Debug builds check it (`tracing_mutex`): a thread that takes two locks in the
//! order that another one did not panics.

mod options;
mod parts;
mod databases;
mod upkeep;
mod cell;
mod world;
mod commits;
mod pending;
mod registry;
mod log;
mod health;
mod notes;
mod due;
mod group_files;
mod checkpoint_files;
mod copy_lock;
mod committer;
mod log_bound;
mod append;
mod intern;
mod create;
mod two_groups;
mod checked_name;
mod new_groups;
mod tile_room;
mod sparse;
mod prepare;
mod occupant;
mod edits;
mod flush;
mod settle;
mod rows_to_save;
mod old_pages;
mod mend;
mod attic;
mod rows;
mod tiles;
mod read;
mod fetch;
mod since;
mod head;
mod found;
mod side_by_side;
mod recover;
mod load;
mod warm;
mod read_checkpoints;
mod part;
mod replay;
mod adopt;
mod departures;
mod inspect;
mod verify;
mod regroup;
mod vanish;
mod loss;
mod ending;
mod salvage;

use std::sync::Arc;

use disk::Medium;
use store::{DamagedGroup, Error, StoreReport, Verified};

use self::load::Extent;
use self::parts::Parts;
use self::side_by_side::open_side_by_side;
use crate::catalogue::Catalogue;

pub(crate) use cell::{Cell, FileKind};
use commits::CatalogueWriter;
pub use departures::Departures;
pub(crate) use due::Due;
pub use fetch::READ_AT_ONCE;
pub use options::{RingOptions, Sync};
pub(crate) use part::{open_groups, open_groups_to_update, open_untouched};
pub use replay::ReplayWatch;
pub use salvage::{GivenUp, Salvaged, salvage};
pub use upkeep::Upkeep;
pub(crate) use world::World;

/// The ring store over a medium.
pub struct Engine<M: Medium> {
    parts: Parts<M>,
}

impl<M: Medium<File: 'static>> Engine<M> {
    /// Makes a store in an empty directory.
    ///
    /// # Errors
    /// There is one already; those of the machine.
    pub fn create_store(medium: M, options: RingOptions) -> Result<Self, Error> {
        let medium = Arc::new(medium);
        let catalogue = Catalogue::create(&medium, &recover::meta_of(&options))?;
        Ok(Self { parts: recover::open(medium, options, catalogue, Extent::All)? })
    }

    /// Opens a store. Everything that was acknowledged is there when this returns.
    ///
    /// # Errors
    /// There is no store, or what is acknowledged is damaged; those of the machine.
    pub fn open_store(medium: M, options: RingOptions) -> Result<Self, Error> {
        let medium = Arc::new(medium);
        if options.replay_threads > 0 && !options.give_up {
            return Ok(Self { parts: open_side_by_side(medium, options)? });
        }
        let catalogue = Catalogue::open(&medium)?;
        Ok(Self { parts: recover::open(medium, options, catalogue, Extent::All)? })
    }

    /// What is to be done now and then so that the store stays small and quick.
    pub fn upkeep(&self) -> Upkeep<'_, M> {
        Upkeep::of(&self.parts)
    }

    /// Databases that leave the store whole, many at a time.
    pub fn departures(&self) -> Departures<'_, M> {
        self.parts.departures()
    }

    /// Waits until everything that was taken is on disk.
    ///
    /// # Errors
    /// [`Error::Journal`].
    pub fn sync(&self) -> Result<(), Error> {
        self.parts.log.sync()
    }

    /// Does what is due: writes tiles and checkpoints, frees the log. Returns whether there was
    /// anything.
    ///
    /// # Errors
    /// What failed first; it is tried again with the group's next flush.
    pub fn work(&self) -> Result<bool, Error> {
        self.parts.flusher().flush_all_due()
    }

    /// Writes a checkpoint of every group, so that the next opening has nothing to replay.
    ///
    /// # Errors
    /// What failed first.
    pub fn checkpoint(&self) -> Result<(), Error> {
        self.parts.flusher().checkpoint()
    }

    /// Writes a checkpoint of every group and notes that nothing of the log is needed: the next
    /// opening has nothing to replay, and damage of the log is then no loss.
    ///
    /// # Errors
    /// What failed first; the log has everything.
    pub fn end(&self) -> Result<(), Error> {
        self.parts.flusher().end()
    }

    /// What the store says of itself. All groups are replayed first.
    #[must_use]
    pub fn report(&self) -> StoreReport {
        self.parts.registry.replay_all();
        inspect::report(&self.parts)
    }

    /// What the store says of itself now: of groups that wait to be replayed that is little.
    #[must_use]
    pub fn report_so_far(&self) -> StoreReport {
        inspect::report(&self.parts)
    }

    /// What went wrong last, if anything did.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.parts.health.trouble()
    }

    /// Groups that could not be opened, as far as is known: one that waits to be replayed may turn
    /// out to be damaged.
    #[must_use]
    pub fn damaged_groups(&self) -> Vec<DamagedGroup> {
        self.parts.damaged_groups(&self.parts.registry.world())
    }

    /// Replays all groups that wait for it.
    ///
    /// # Errors
    /// [`Error::Stopped`]: some cannot be replayed, though their files are whole.
    pub fn replay(&self) -> Result<(), Error> {
        self.parts.registry.replay_all();
        self.parts.health.check()
    }

    /// How far groups are replayed that were not closed in order.
    #[must_use]
    pub fn replaying(&self) -> ReplayWatch {
        self.parts.replayer.watch().clone()
    }

    /// Hands what the store has to tell to `take`, a line each, from now on; and what nobody has
    /// taken before.
    pub fn give_notes_to(&self, take: impl Fn(&str) + Send + 'static) {
        self.parts.notes.give_to(Box::new(take));
    }

    /// Checks everything: catalogue, journal, and of every group both checkpoints, the attic and
    /// each tile. A megabyte at a time; the store serves on, but for the group that is looked at,
    /// which is not flushed meanwhile. `progress` is told bytes done and bytes in all.
    ///
    /// # Errors
    /// Those of the machine. Damage is no error, but what is told.
    pub fn verify(&self, progress: impl FnMut(u64, u64)) -> Result<Verified, Error> {
        self.parts.verifier().verify(progress)
    }

    /// Reads all attics, so that [`Engine::report`] names what is damaged there: they are small
    /// where databases keep step.
    ///
    /// # Errors
    /// Those of the machine.
    pub fn check_attics(&self) -> Result<(), Error> {
        self.parts.verifier().check_attics()
    }
}

impl<M: Medium> std::fmt::Debug for Engine<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use disk::{AnyMedium, MemoryMedium};

    use super::{Engine, RingOptions};

    #[test]
    #[should_panic(expected = "cycle in mutex dependency graph")]
    fn locks_in_another_order_are_told() {
        let medium = AnyMedium::of(MemoryMedium::default());
        let engine = Engine::create_store(medium, RingOptions::default()).unwrap();
        let registry = &engine.parts.registry;
        {
            let _catalogue = registry.catalogue_writer();
            let _world = registry.world();
        }
        let _world = registry.world();
        let _catalogue = registry.catalogue_writer();
    }
}
