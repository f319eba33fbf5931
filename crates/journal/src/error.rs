//! What can go wrong in a journal.

use std::io;

use super::LogPosition;
use varint::RecordError;

/// What can go wrong in a journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A system call failed. What was pending stays so, and a later commit tries again.
    #[error("{segment}: {action}: {}", disk::system_words(source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The segment, or the directory.
        segment: String,
        /// Why it failed.
        source: io::Error,
    },
    /// Something is damaged that a later valid frame, or the caller, proves to have been
    /// acknowledged.
    #[error("{segment}: at byte {offset_bytes}: expected {expected}, found {found}")]
    Damaged {
        /// The segment.
        segment: String,
        /// Where in the segment.
        offset_bytes: u64,
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The log does not reach back so far: what came before was freed, or is damaged beyond
    /// recognition.
    #[error("position {from} is missing: the oldest record is at {oldest}, in {segment}")]
    Missing {
        /// What was asked for.
        from: LogPosition,
        /// Where the log starts.
        oldest: LogPosition,
        /// The segment with the oldest record.
        segment: String,
    },
    /// It takes all that it may take.
    #[error(
        "the journal is full: it takes {bytes_max} bytes, for files that cannot be written or synced"
    )]
    Full {
        /// Bytes that it may take.
        bytes_max: u64,
    },
    /// A record is whole, but not one that this version writes: a newer one did, or a fault of
    /// ours.
    #[error("the record at position {position}: {source}")]
    Undecodable {
        /// Where in the log.
        position: LogPosition,
        /// What is wrong with it.
        source: RecordError,
    },
    /// A record does not fit a segment.
    #[error("a record of {bytes} bytes: a segment holds one of at most {bytes_max}")]
    RecordTooLarge {
        /// Its size with its length.
        bytes: usize,
        /// The largest that fits.
        bytes_max: usize,
    },
}

impl JournalError {
    /// For a [`RawRecord`](super::RawRecord) that does not decode.
    #[must_use]
    pub fn undecodable(position: LogPosition, source: RecordError) -> Self {
        Self::Undecodable { position, source }
    }

    /// Whether the disk was full.
    #[must_use]
    pub fn is_lack_of_room(&self) -> bool {
        let Self::Io { source, .. } = self else { return false };
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// Whether it says that the log is damaged.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Missing { .. } | Self::Undecodable { .. })
    }

    /// A system call failed on a segment.
    pub fn io(action: &'static str, segment: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, segment: segment.into(), source }
    }
}
