//! While another process copies the store.
//!
//! Whoever copies holds a shared lock on the catalogue. Nobody waits for him, but two things go slower,
//! so that a store that is written faster than it can be copied is copied all the same.

use std::sync::atomic::Ordering;
use std::time::Duration;

use disk::{Medium, MediumFile};

use super::Engine;
use crate::journal::LogPosition;

/// The catalogue and the end of the log are copied between two commits.
const BETWEEN_COMMITS: Duration = Duration::from_millis(500);

impl<M: Medium<File: 'static>> Engine<M> {
    /// The log start that a checkpoint may name: as long as the store is copied, none that is newer
    /// than before. A group that was copied needs the log from its checkpoint on, whatever has become
    /// of it since.
    pub(super) fn unless_held(&self, log_start: LogPosition) -> LogPosition {
        match self.is_held() {
            true => LogPosition(self.log_start.load(Ordering::Acquire)),
            false => log_start,
        }
    }

    /// Lets a moment pass in which the catalogue is not written.
    pub(super) fn leave_time_to_copy(&self) {
        if self.is_held() {
            std::thread::sleep(BETWEEN_COMMITS);
        }
    }

    fn is_held(&self) -> bool {
        // Where it cannot be told nobody can hold it.
        self.held.is_held().unwrap_or(false)
    }
}
