//! What one line of a file says.

use journal::{RawRecord, RecordError};

use super::record::{BaseView, Event};

/// One line of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<'a> {
    /// What the file holds before the samples that follow.
    Base(BaseView<'a>),
    /// The argument of an update that was taken.
    Sample(String),
    /// A command ended.
    End {
        /// Whether a value of it was refused.
        refused: bool,
    },
    /// The samples since the last base were dropped.
    Forget,
}

impl<'a> Step<'a> {
    /// What a record of a file's chain says.
    ///
    /// # Errors
    /// It is whole, but none that this version writes.
    pub(super) fn of(record: &RawRecord<'a>) -> Result<Self, RecordError> {
        Ok(match Event::decode(record)? {
            Event::Base(base) => Self::Base(base),
            Event::End { refused } => Self::End { refused },
            Event::Delete => Self::Forget,
            event => Self::Sample(event.argument().expect("nothing else was linked")),
        })
    }
}
