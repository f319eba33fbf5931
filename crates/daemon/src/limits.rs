//! What one client may take, and what all of them may together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Bytes that are read at once, and room for the lines of a connection, while it asks for little.
pub(crate) const READ_BYTES: usize = 16 << 10;
/// The same of one that sends much: lines that come together are taken together.
pub(crate) const CHUNK_BYTES: usize = 256 << 10;
/// Bytes of a line with its end. rrdcached's limit is 8 KiB, which wide databases do not fit in.
pub(crate) const LINE_BYTES_MAX: usize = 1 << 20;
/// Bytes of all connections' lines beyond [`READ_BYTES`] each.
const LINES_BYTES_MAX: usize = 128 << 20;
/// A connection sends its replies once so many bytes have gathered. Bytes that it holds beyond these
/// count against the budget of all replies.
pub(crate) const REPLY_BYTES: usize = 32 << 10;
/// Lines of updates that are taken together outside a batch, each of which gets a reply.
pub(crate) const TOGETHER_MAX: usize = 4096;
/// Bytes of the words of one error.
pub(crate) const WORDS_BYTES_MAX: usize = 8 << 10;
/// Bytes of replies that a client must take within its patience.
pub(crate) const TAKEN_BYTES_MIN: usize = 16 << 10;
/// Bytes of the errors of one batch.
pub(crate) const ERRORS_BYTES_MAX: usize = 4 << 20;
/// Values that one FETCH answers: 128 MiB of them.
pub(crate) const VALUES_MAX: u64 = 1 << 24;
/// Bytes of the databases that are in memory whole at the same time, for all connections.
const WHOLES_BYTES_MAX: usize = 2 << 30;
/// Bytes that all connections hold for replies, beyond [`REPLY_BYTES`] each.
const REPLIES_BYTES_MAX: usize = 256 << 20;

/// What the options leave open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Connections at the same time.
    pub(crate) clients: usize,
    /// How long a client may leave a line unfinished or a reply unread.
    pub(crate) patience: Duration,
}

/// Bytes that all connections share.
#[derive(Debug)]
pub(crate) struct Budget {
    left_bytes: AtomicUsize,
}

/// A part of a budget; it goes back when dropped.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    budget: &'a Budget,
    size_bytes: usize,
}

impl Budget {
    /// What lines may take.
    pub(crate) const fn of_lines() -> Self {
        Self { left_bytes: AtomicUsize::new(LINES_BYTES_MAX) }
    }

    /// What replies may take.
    pub(crate) const fn of_replies() -> Self {
        Self { left_bytes: AtomicUsize::new(REPLIES_BYTES_MAX) }
    }

    /// What databases may take that are in memory whole.
    pub(crate) const fn of_wholes() -> Self {
        Self { left_bytes: AtomicUsize::new(WHOLES_BYTES_MAX) }
    }

    /// Nothing of it so far.
    pub(crate) fn share(&self) -> Share<'_> {
        Share { budget: self, size_bytes: 0 }
    }
}

impl Share<'_> {
    /// Makes it large enough for so many bytes of replies; false, and as before, where so much is
    /// not left.
    pub(crate) fn hold_reply(&mut self, size_bytes: usize) -> bool {
        self.resize(size_bytes.saturating_sub(REPLY_BYTES))
    }

    /// Makes it this large; false, and as before, where so much is not left.
    pub(crate) fn resize(&mut self, size_bytes: usize) -> bool {
        let left_bytes = &self.budget.left_bytes;
        if size_bytes <= self.size_bytes {
            left_bytes.fetch_add(self.size_bytes - size_bytes, Ordering::Relaxed);
            self.size_bytes = size_bytes;
            return true;
        }
        let more_bytes = size_bytes - self.size_bytes;
        let take = |left: usize| left.checked_sub(more_bytes);
        let taken = left_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        if taken {
            self.size_bytes = size_bytes;
        }
        taken
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.resize(0);
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, LINES_BYTES_MAX};

    #[test]
    fn what_was_taken_comes_back() {
        let budget = Budget::of_lines();
        let mut all = budget.share();
        assert!(all.resize(LINES_BYTES_MAX));
        let mut other = budget.share();
        assert!(!other.resize(1));
        assert!(all.resize(LINES_BYTES_MAX - 1));
        assert!(other.resize(1) && !other.resize(2));
        drop(all);
        assert!(other.resize(LINES_BYTES_MAX));
    }
}
