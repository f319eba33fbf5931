//! A part of a store, for a process that reads or updates a few databases: only their groups are
//! opened, and of the log only their records are applied.
//!
//! What they read is what the whole store would answer. A group depends on its own files, its
//! records in the log and the names of its members; the names that records give to databases of
//! other groups are noted, so that the caller knows for which names another group has to be asked.

use std::collections::BTreeSet;
use std::sync::Arc;

use disk::{AnyMedium, OverlayMedium};
use journal::{is_note, is_segment};
use store::Error;

use super::load::Extent;
use super::recover::open;
use super::{Engine, RingOptions};
use crate::catalogue::{Catalogue, GroupId};

/// Opens some groups of a store, of which nothing is written. The engine must not be asked for
/// anything else than databases of these groups.
///
/// # Errors
/// Those of [`Engine::open_store`], as far as they concern these groups; and where what is wrong
/// with others could concern them.
pub(crate) fn open_groups(
    below: &AnyMedium,
    options: RingOptions,
    groups: &BTreeSet<GroupId>,
) -> Result<Engine<AnyMedium>, Error> {
    open_part(options, groups, || OverlayMedium::over(below.clone()))
}

/// The same for updates: nothing but the log is written, and that after it was told to [go
/// on](Engine::go_on_with_log).
///
/// # Errors
/// As [`open_groups`].
pub(crate) fn open_groups_to_update(
    below: &AnyMedium,
    options: RingOptions,
    groups: &BTreeSet<GroupId>,
) -> Result<Engine<AnyMedium>, Error> {
    let is_of_log = |name: &str| is_segment(name) || is_note(name);
    open_part(options, groups, || OverlayMedium::writing(below.clone(), is_of_log))
}

/// Opens all of a store, of which nothing is written.
///
/// # Errors
/// Those of [`Engine::open_store`].
pub(crate) fn open_untouched(
    below: &AnyMedium,
    options: RingOptions,
) -> Result<Engine<AnyMedium>, Error> {
    let options = RingOptions { sparse: false, ..options };
    Engine::open_store(AnyMedium::of(OverlayMedium::over(below.clone())), options)
}

impl Engine<AnyMedium> {
    /// Makes the log's end durable, so that updates can follow it. Returns whether that can be;
    /// else the store has to be opened.
    ///
    /// # Errors
    /// [`Error::Journal`].
    pub(crate) fn go_on_with_log(&self) -> Result<bool, Error> {
        Ok(self.parts.log.journal.go_on()?)
    }

    /// Bytes of the log that updates have read which came in calls of their own, each of which read
    /// what the log had before.
    pub(crate) fn read_by_lone_updates(&self) -> u64 {
        self.parts.log.journal.read_at_opening().bytes_before_lone
    }

    /// The groups of other databases that the log gives this name.
    pub(crate) fn elsewhere(&self, name: &str) -> impl Iterator<Item = GroupId> {
        self.parts.found.elsewhere.get(name).into_iter().flatten().copied()
    }
}

fn open_part(
    options: RingOptions,
    groups: &BTreeSet<GroupId>,
    medium: impl Fn() -> OverlayMedium<AnyMedium>,
) -> Result<Engine<AnyMedium>, Error> {
    // The checkpoints of all others are many files. They are asked if the log does not go back as
    // far as those of these groups ask for.
    let open_asking = |ask_others| {
        let medium = Arc::new(AnyMedium::of(medium()));
        let catalogue = Catalogue::open_in_part(&*medium)?;
        let options = RingOptions { replay_threads: 0, sparse: false, give_up: false, ..options };
        let extent = Extent::Groups { groups, ask_others };
        Ok(Engine { parts: open(medium, options, catalogue, extent)? })
    };
    open_asking(false).or_else(|_: Error| open_asking(true))
}
