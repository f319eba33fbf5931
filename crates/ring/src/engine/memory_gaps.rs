//! When the process should give memory back.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether there may be gaps in memory: rooms of what was freed, which what stays between them
/// keeps with the process.
pub(super) struct MemoryGaps {
    /// The opening, or a group's first flush since, has left some.
    left: AtomicBool,
    /// Checkpoints written since it was asked last and there were some.
    flushes: AtomicUsize,
}

impl MemoryGaps {
    /// Those that the opening leaves.
    pub(super) fn of_opening() -> Self {
        Self { left: AtomicBool::new(true), flushes: AtomicUsize::new(0) }
    }

    /// Notes that some were left.
    pub(super) fn leave(&self) {
        self.left.store(true, Ordering::Release);
    }

    /// Notes a flush: each has pages for a moment.
    pub(super) fn note_flush(&self) {
        self.flushes.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether some were left, or a quarter of so many groups were flushed, since the answer was
    /// yes last.
    pub(super) fn take(&self, groups: usize) -> bool {
        let left = self.left.swap(false, Ordering::AcqRel);
        let gaps = left || self.flushes.load(Ordering::Acquire) >= groups.div_ceil(4).max(1);
        if gaps {
            self.flushes.store(0, Ordering::Release);
        }
        gaps
    }
}
