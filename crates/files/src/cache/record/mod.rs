//! The records of the cache's log, behind the heads that the journal knows.
//!
//! ```text
//!   kind       body
//!   2 delete   nothing: the samples since the last base were dropped
//!   7 base     what the file holds: see [`Base`]
//!   8 written  varint log position
//!   9 values   the text of an argument that no update keeps, after its length
//!   10 end     1 byte: 1 if a value of the command was refused
//!   128..      an update, as logform has it
//! ```
//!
//! Kinds are only ever added: what an older version wrote reads the same for ever.

mod argument;
mod base;
#[cfg(test)]
mod tests;

use journal::{LogPosition, RawRecord, RecordError};
use logform::{Update, is_update, take_update};
use varint::{Cursor, put_text, put_varint};

pub(super) use argument::push_argument;
pub(super) use base::BaseBody;
pub use base::{Base, BaseView, NewestRows};

const DELETE: u8 = 2;
const BASE: u8 = 7;
const WRITTEN: u8 = 8;
const VALUES: u8 = 9;
const END: u8 = 10;

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Delete,
    Base,
    Written,
    /// An argument, as an update or as its text.
    Sample,
    End,
}

/// What happened to a file.
#[derive(Clone, Debug)]
pub(super) enum Event<'a> {
    /// Readings came in. Only read: [`push_argument`] encodes one without an event in between.
    Update(Update<'a>),
    /// The samples since the last base were dropped.
    Delete,
    /// What it holds before the samples that follow.
    Base(BaseView<'a>),
    /// All lines of it before a position are in it, durably.
    Written {
        /// The position.
        through: LogPosition,
    },
    /// Values came in whose text no update keeps.
    Values {
        /// The argument of the update, `TIME:READING...`.
        text: &'a str,
    },
    /// A command of several values ended.
    End {
        /// Whether one of them was refused: seasons are then not smoothed.
        refused: bool,
    },
}

impl Kind {
    /// What a record is about, by its head alone; `None` if it is none of a cache's.
    pub(super) fn of(record: &RawRecord<'_>) -> Option<Self> {
        Some(match record.kind() {
            kind if is_update(kind) => Self::Sample,
            VALUES => Self::Sample,
            DELETE => Self::Delete,
            BASE => Self::Base,
            WRITTEN => Self::Written,
            END => Self::End,
            _ => return None,
        })
    }
}

impl<'a> Event<'a> {
    /// What a record says.
    ///
    /// # Errors
    /// [`RecordError`] for everything that encoding would not have written.
    pub(super) fn decode(record: &RawRecord<'a>) -> Result<Self, RecordError> {
        let mut cursor = record.body();
        let event = match record.kind() {
            kind if is_update(kind) => Self::Update(take_update(kind, &mut cursor)?),
            DELETE => Self::Delete,
            BASE => Self::Base(BaseView::decode(&mut cursor)?),
            WRITTEN => Self::Written { through: LogPosition(cursor.varint("a log position")?) },
            VALUES => Self::Values { text: values(&mut cursor)? },
            END => Self::End {
                refused: cursor.checked("0 or 1", |it| it.byte("0 or 1"), |byte| *byte < 2)? == 1,
            },
            _ => return Err(record.foreign("a record of a file cache")),
        };
        if !cursor.rest().is_empty() {
            return Err(cursor.error("the end of the record"));
        }
        Ok(event)
    }

    /// The number of its kind.
    pub(super) fn kind(&self) -> u8 {
        match self {
            Self::Update(update) => logform::update_kind(update.time, update.readings.len()),
            Self::Delete => DELETE,
            Self::Base(_) => BASE,
            Self::Written { .. } => WRITTEN,
            Self::Values { .. } => VALUES,
            Self::End { .. } => END,
        }
    }

    /// Appends the body.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Update(update) => {
                let readings = update.readings.clone();
                logform::put_update(update.time, readings.len(), readings, out);
            }
            Self::Delete => {}
            Self::Base(base) => base.put(out),
            Self::Written { through } => put_varint(through.0, out),
            Self::Values { text } => {
                assert!(!argument::is_plain(text), "an update keeps this text");
                put_text(text, out);
            }
            Self::End { refused } => out.push(u8::from(*refused)),
        }
    }
}

fn values<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, RecordError> {
    let expected = "values that no update keeps";
    let odd = |text: &&str| !argument::is_plain(text);
    cursor.checked(expected, |cursor| cursor.counted_text(expected), odd)
}
