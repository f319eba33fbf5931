//! The journal: what is written here and synced is never lost.
//!
//! A log of records over segments: files of one fixed size, `journal-000000` and on, written with
//! zeros when they are made and used again when their records are no longer needed. A sync then
//! changes no metadata.
//!
//! ```text
//!   segment: block after block               frame: what one write took
//!   0      format    magic     "gyre-log"    0     4   CRC-32 of all that follows
//!          (28 bytes version   4 bytes       4     4   bytes of the records
//!          once, at  block     4 bytes       8     8   sequence of the segment's use
//!          creation) segment   8 bytes       16    8   log position of the first record
//!                    CRC-32    4 bytes       24    4   bytes of the log before it that were
//!   block  frame                                       not durable when it was written
//!   ...    frame                             28        records, each after its length (varint)
//!          what an earlier use left                    zeros up to the next block
//! ```
//!
//! All numbers are little-endian. A [`LogPosition`] counts the bytes of records and their lengths
//! since the log began, without frames and segments, so that records keep their positions when
//! they have to be written again elsewhere.
//!
//! **A frame tells up to where all was durable when it was written.** A gap before that position is
//! damage, and recovery names it. Frames after it were never acknowledged: the log ends at the
//! first that is missing. Where each frame is synced its successor proves it, and the last alone
//! may be torn. [`Journal::write_pending`] does not wait: any of the frames since the last sync may
//! be torn or missing in a power cut. They all lie in one segment, which is left with a sync; its
//! first frame is durable before another follows. Where a frame is missing those behind it are
//! wiped out at opening, lest they join what is written next. A frame is valid if its checksum,
//! length, sequence and position are: an earlier use of the segment had another sequence.
//!
//! A frame that was not waited for takes further records as long as it is not durable and its block
//! has room: the records first, then the header that covers them.
//!
//! **Frames start at blocks**, so that no write touches a sector that holds acknowledged records,
//! and none needs a page in memory that is not there: the kernel reads before it writes a part of
//! a page.
//!
//! **A frame whose sync failed is in doubt for ever**: Linux forgets what it did not write. The
//! records since the last sync go into a fresh segment, whose position says what it replaces: at
//! once and without a sync those that had been written without one, since the end of the process is
//! not to take them, and the others with the next write. Nothing tells whether the sync of the last
//! frames found at opening succeeded: those that no other proves are written again, the same bytes
//! in place, before any segment is taken for replaced.
//!
//! **Damage of records that are not needed is passed over and named** ([`Journal::damage`]):
//! records before the position from which the user reads on, and all of a log that was ended in
//! order ([`Journal::end`]). A segment that was cut, or is gone, is told by `journal-last`, which
//! says which segment was begun last.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used))]

mod error;
mod raw;
mod records;
mod frame;
mod segment;
mod start;
mod last_use;
mod damage;
mod log;
mod tail;
mod writer;
mod recover;
mod going_on;
mod look;
mod seen;
mod read_ahead;
mod unseen;
mod last_frames;
mod read_end;
mod chain;
mod verify;
mod look_up;
mod pieces;
mod told;
mod outline;
mod copied;

pub use chain::LogRead;
pub use copied::{SegmentUse, is_note, is_segment, segment_use};
pub use damage::{Leniency, LogDamage};
pub use error::JournalError;
pub use frame::split_record;
pub use log::Journal;
pub use outline::{LeftSegment, is_outline};
pub use pieces::{LogPiece, PieceReader, RecordPlace, after_length, piece_fault};
pub use raw::{Generation, RawRecord, RecordHead, RrdId};
pub use records::Records;
pub use seen::SeenSegments;
pub use segment::{JournalOptions, VERSION};
pub use start::Start;
pub use varint::RecordError;

/// A place in the log: bytes of records since it began.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct LogPosition(pub u64);

impl LogPosition {
    /// The place so many bytes further on.
    #[must_use]
    pub fn advance(self, bytes: usize) -> Self {
        Self(self.0 + bytes as u64)
    }
}

impl std::fmt::Display for LogPosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}
