//! What is to be done now and then, by the thread that owns an engine.

use std::sync::atomic::Ordering;

use disk::{GoesOn, Medium};
use store::Error;

use super::parts::Parts;

/// What is to be done now and then so that a store stays small and quick.
#[derive(Clone, Copy)]
pub struct Upkeep<'e, M: Medium>(&'e Parts<M>);

impl<'e, M: Medium<File: 'static>> Upkeep<'e, M> {
    pub(super) fn of(parts: &'e Parts<M>) -> Self {
        Self(parts)
    }

    /// Makes segments of the log beforehand, so that no update waits for one.
    ///
    /// # Errors
    /// [`Error::Journal`].
    pub fn prepare_log(&self) -> Result<(), Error> {
        self.0.log.prepare()
    }

    /// Has the next opening spared reading a segment of the log that was left. Returns whether there
    /// was one.
    ///
    /// # Errors
    /// [`Error::Journal`]. The next opening reads the segment.
    pub fn outline_log(&self) -> Result<bool, Error> {
        self.0.log.outline_next()
    }

    /// Replays a group that waits for it; `None` if none does. Several threads can do so at a time.
    pub fn replay_once(&self) -> Option<()> {
        let cells = self.0.registry.cells();
        let cell = cells.iter().find(|cell| cell.awaits_thread());
        drop(cell.map(|cell| cell.group()));
        // A client may have had the last one replayed: then nobody but this thread tells of the end.
        if self.0.replayer.watch().ends() {
            self.0.log_bound().queue_pinning();
        }
        self.0.replayer.watch().tell_if_done();
        cell.map(drop)
    }

    /// Whether groups wait to be replayed.
    pub fn is_replaying(&self) -> bool {
        self.0.replayer.watch().now().groups_left > 0
    }

    /// Flushes the group that has waited longest; `None` if none is due.
    pub fn work_once(&self) -> Option<Result<(), Error>> {
        self.0.flusher().flush_next()
    }

    /// Whether databases were made since this was asked last. Zeros are for a quieter time: each
    /// create waits for a disk that would be busy with them.
    pub fn take_made_some(&self) -> bool {
        self.0.made_some.swap(false, Ordering::Relaxed)
    }

    /// Writes zeros into a piece of a new group's tiles. Returns whether there was anything to do.
    ///
    /// A group that cannot be written is left as it is: its next flush tells what is wrong.
    pub fn prepare_tiles(&self) -> bool {
        self.0.zeros.write_piece(&self.0.files, &self.0.registry)
    }

    /// Removes groups that have lost all members, or puts small groups together: one step of such
    /// work, for when nothing else is to be done. Returns whether there was anything to do.
    ///
    /// Nothing is done while another process copies the store, or databases are
    /// [leaving](super::Departures::all).
    ///
    /// # Errors
    /// Those of the machine. Everything stands where it stood before, and is left alone for a
    /// while.
    pub fn regroup_once(&self) -> Result<bool, Error> {
        self.regroup_while(&|| true)
    }

    /// As [`Upkeep::regroup_once`], as long as `goes_on` says so, which is asked again and again
    /// while databases are read and written.
    ///
    /// # Errors
    /// As [`Upkeep::regroup_once`]; [`Error::Io`] where the step was given up.
    pub fn regroup_while(&self, goes_on: GoesOn<'_>) -> Result<bool, Error> {
        self.0.regrouper().step(goes_on)
    }

    /// Whether something is to be done later though nothing changes: a process copies the store
    /// now, or a group rests.
    pub fn waits_for_time(&self) -> bool {
        self.0.regrouper().waits_for_time()
    }

    /// The groups whose flush is due.
    pub(crate) fn due(&self) -> &'e super::Due {
        &self.0.due
    }
}

impl<M: Medium> std::fmt::Debug for Upkeep<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Upkeep").finish_non_exhaustive()
    }
}
