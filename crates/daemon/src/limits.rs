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
/// A connection sends its replies once so many bytes have gathered. Bytes that it holds beyond
/// these count against the budget of all replies.
pub(crate) const REPLY_BYTES: usize = 32 << 10;
/// Lines of updates that are taken together outside a batch, each of which gets a reply.
pub(crate) const TOGETHER_MAX: usize = 4096;
/// Bytes of the words of one error.
pub(crate) const WORDS_BYTES_MAX: usize = 8 << 10;
/// Bytes of replies that a client must take within its patience, however small they are.
const TAKEN_BYTES_MIN: usize = 16 << 10;
/// A client must take at least one part in so many of the memory that its reply holds within its
/// patience. After as many patiences the memory is free for others.
const REPLY_PATIENCES: usize = 8;
/// Bytes of the errors of one batch.
pub(crate) const ERRORS_BYTES_MAX: usize = 4 << 20;
/// Values that one FETCH answers: 128 MiB of them.
pub(crate) const VALUES_MAX: u64 = 1 << 24;
/// Bytes of the databases that are in memory whole at the same time, for all connections, and of
/// calls and their answers.
const WHOLES_BYTES_MAX: usize = 2 << 30;
/// Bytes that all connections hold for replies, beyond [`REPLY_BYTES`] each.
const REPLIES_BYTES_MAX: usize = 256 << 20;
/// Bytes of these that only replies of [`SMALL_REPLY_BYTES`] at most may take: clients that ask for
/// little are answered however many ask for much.
const SMALL_REPLIES_BYTES: usize = 64 << 20;
/// Bytes of a reply that counts as small.
const SMALL_REPLY_BYTES: usize = 1 << 20;
/// Bytes that the errors of all open batches take, beyond [`REPLY_BYTES`] each. They are not among
/// the replies, since a batch may stay open for as long as its client likes.
const ALL_ERRORS_BYTES_MAX: usize = 64 << 20;

/// Bytes that a client must take within its patience while its reply holds so much memory.
pub(crate) fn taken_bytes_min(held_bytes: usize) -> usize {
    TAKEN_BYTES_MIN.max(held_bytes / REPLY_PATIENCES)
}

/// What the options leave open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at the same time.
    pub clients: usize,
    /// How long a client may leave a line unfinished or a reply unread.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { clients: 4096, patience: Duration::from_secs(60) }
    }
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

    /// What the errors of batches may take.
    pub(crate) const fn of_errors() -> Self {
        Self { left_bytes: AtomicUsize::new(ALL_ERRORS_BYTES_MAX) }
    }

    /// Bytes that databases may take which are in memory whole.
    pub(crate) const fn of_wholes() -> Self {
        Self { left_bytes: AtomicUsize::new(WHOLES_BYTES_MAX) }
    }

    /// Nothing of it so far.
    pub(crate) fn share(&self) -> Share<'_> {
        Share { budget: self, size_bytes: 0 }
    }
}

impl Share<'_> {
    /// Its size.
    pub(crate) fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// Makes it large enough for a reply of so many bytes; false, and as before, where so much is
    /// not left. A large reply leaves what is kept for small ones.
    pub(crate) fn hold_reply(&mut self, size_bytes: usize) -> bool {
        let spared_bytes = if size_bytes > SMALL_REPLY_BYTES { SMALL_REPLIES_BYTES } else { 0 };
        self.resize_and_spare(size_bytes.saturating_sub(REPLY_BYTES), spared_bytes)
    }

    /// Makes it this large; false, and as before, where so much is not left.
    pub(crate) fn resize(&mut self, size_bytes: usize) -> bool {
        self.resize_and_spare(size_bytes, 0)
    }

    fn resize_and_spare(&mut self, size_bytes: usize, spared_bytes: usize) -> bool {
        let left_bytes = &self.budget.left_bytes;
        if size_bytes <= self.size_bytes {
            left_bytes.fetch_add(self.size_bytes - size_bytes, Ordering::Relaxed);
            self.size_bytes = size_bytes;
            return true;
        }
        let more_bytes = size_bytes - self.size_bytes;
        let take = |left: usize| left.checked_sub(more_bytes).filter(|left| *left >= spared_bytes);
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
    use super::{
        Budget, LINES_BYTES_MAX, REPLIES_BYTES_MAX, REPLY_BYTES, SMALL_REPLIES_BYTES,
        SMALL_REPLY_BYTES, TAKEN_BYTES_MIN, taken_bytes_min,
    };

    #[test]
    fn large_replies_leave_room_for_small_ones() {
        let budget = Budget::of_replies();
        let (mut large, mut other, mut small) = (budget.share(), budget.share(), budget.share());
        let most_bytes = REPLIES_BYTES_MAX - SMALL_REPLIES_BYTES + REPLY_BYTES;
        assert!(!large.hold_reply(most_bytes + 1));
        assert!(large.hold_reply(most_bytes));
        assert!(!other.hold_reply(SMALL_REPLY_BYTES + 1));
        assert!(small.hold_reply(SMALL_REPLY_BYTES));
        // A reply that turns out to be smaller gives back what it does not need.
        assert!(large.hold_reply(most_bytes - SMALL_REPLY_BYTES * 3));
        assert!(other.hold_reply(SMALL_REPLY_BYTES + 1));
    }

    #[test]
    fn what_must_be_taken_grows_with_what_is_held() {
        assert_eq!(taken_bytes_min(0), TAKEN_BYTES_MIN);
        assert_eq!(taken_bytes_min(128 << 20), 16 << 20);
    }

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
