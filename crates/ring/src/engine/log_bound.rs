//! How long the log may grow, and which groups keep it from being freed.

use disk::Medium;
use journal::LogPosition;

use super::RingOptions;
use super::copy_lock::CopyLock;
use super::due::Due;
use super::log::Log;
use super::registry::Registry;
use crate::plan;

/// Keeps the log within its bound: it has groups flushed that keep it from being freed.
pub(super) struct LogBound<'e, M: Medium> {
    pub(super) log: &'e Log<M>,
    pub(super) registry: &'e Registry<M>,
    pub(super) due: &'e Due,
    pub(super) copy_lock: &'e CopyLock<M::File>,
    pub(super) options: &'e RingOptions,
}

/// What keeps the log from being freed.
struct Pin {
    /// Records from here on may be asked for.
    position: LogPosition,
    /// The group that may ask for them; `None` if it is the catalogue.
    group: Option<u32>,
}

impl<M: Medium<File: 'static>> LogBound<'_, M> {
    /// Where the log has grown too long, the groups that keep it from being freed are due.
    pub(super) fn keep(&self) {
        if self.log.bytes() > self.bytes_max() {
            self.queue_pinning();
        }
    }

    /// Groups that keep too much of the log from being freed are due, whatever their clock says.
    pub(super) fn queue_pinning(&self) {
        let Pin { position, group } = self.oldest_pin(None);
        let Some(group) = group.filter(|_| self.pins_too_much(Some(position))) else { return };
        let Some(cell) = self.registry.world().known_cell(group).cloned() else { return };
        let was_queued = std::mem::replace(&mut cell.group_so_far().queued, true);
        if !was_queued {
            self.due.push(group);
        }
    }

    /// Whether a group that may ask for records from `pin` on keeps too much of the log from being
    /// freed.
    pub(super) fn pins_too_much(&self, pin: Option<LogPosition>) -> bool {
        let next = self.log.journal.next().0;
        let held = |pin| next.saturating_sub(self.log.not_before_start(pin).0);
        pin.is_some_and(|pin| held(pin) > self.bytes_max())
    }

    /// The log start that a checkpoint of a group may name whose newer place stands at this
    /// position. As long as the store is copied, it is none that is newer than before. A group that
    /// was copied needs the log from its checkpoint on, whatever has become of it since.
    ///
    /// Not without a bound: a process that is stopped in the middle of copying holds the lock as
    /// long as it lives. Beyond [`RingOptions::held_log_bytes_max`] the log is freed all the same.
    /// Should the process go on, it finds that what it copied needs records that are gone, and
    /// copies again.
    pub(super) fn log_start_to_name(&self, group: u32, newer: LogPosition) -> LogPosition {
        let log_start = self.oldest_pin(Some((group, newer))).position;
        let held = self.log.start();
        let held_bytes = self.log.journal.next().0.saturating_sub(held.0);
        match held_bytes <= self.held_bytes_max() && self.copy_lock.is_held() {
            true => held,
            false => log_start,
        }
    }

    /// The oldest record that may be asked for, and the group that may ask. Of the group in
    /// `instead` the position given counts.
    fn oldest_pin(&self, instead: Option<(u32, LogPosition)>) -> Pin {
        let durable = self.log.journal.durable();
        let pending = self.registry.catalogue_writer().pending_from;
        let mut oldest = Pin { position: pending.unwrap_or(durable).min(durable), group: None };
        let world = self.registry.world();
        for cell in world.cells() {
            let pin = match instead {
                Some((id, position)) if id == cell.id => Some(position),
                _ => cell.pin(),
            };
            // Of equal ones the catalogue's, and then the first group's.
            if let Some(position) = pin.filter(|pin| *pin < oldest.position) {
                oldest = Pin { position, group: Some(cell.id) };
            }
        }
        Pin { position: self.log.not_before_start(oldest.position), ..oldest }
    }

    fn bytes_max(&self) -> u64 {
        let usual = || {
            let world = self.registry.world();
            let sources = world.cells().map(|cell| cell.geometry.sources()).max();
            let databases = world.databases() as u64;
            plan::log_bytes_max(databases, sources.unwrap_or(1), self.options.pace)
        };
        self.options.log_bytes_max.unwrap_or_else(usual)
    }

    fn held_bytes_max(&self) -> u64 {
        /// How many times longer a log that is held may be than one that is not.
        const TIMES: u64 = 4;
        self.options.held_log_bytes_max.unwrap_or_else(|| TIMES * self.bytes_max())
    }
}
