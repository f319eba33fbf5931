//! What a replay saw around stretches of the log that are missing, where it goes past them.

use journal::{LogPosition, RawRecord};

use crate::record::Event;

/// A stretch of the log that is missing, as the samples around it tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Its first position.
    pub(crate) first: LogPosition,
    /// The time of the last sample before it, in seconds since 1970.
    before: Option<i64>,
    /// That of the first one behind it.
    after: Option<i64>,
}

impl Gap {
    /// Whether no sample was seen before it.
    pub(crate) fn is_at_start(&self) -> bool {
        self.before.is_none()
    }
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.before, self.after) {
            (Some(before), Some(after)) => write!(f, " between the times {before} and {after}"),
            (Some(before), None) => write!(f, " after the time {before}"),
            (None, Some(after)) => write!(f, " before the time {after}"),
            (None, None) => Ok(()),
        }
    }
}

/// The stretches that are missing.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    found: Vec<Gap>,
    /// Where the next record should begin.
    next: LogPosition,
    time: Option<i64>,
}

impl Gaps {
    pub(super) fn new(from: LogPosition) -> Self {
        Self { next: from, ..Self::default() }
    }

    /// Takes note of a record.
    pub(super) fn see(&mut self, at: LogPosition, record: &RawRecord<'_>) {
        if at > self.next {
            self.found.push(Gap { first: self.next, before: self.time, after: None });
        }
        let bytes = record.bytes().len();
        let length_bytes = (usize::BITS - bytes.leading_zeros()).div_ceil(7) as usize;
        self.next = LogPosition(at.0 + (bytes + length_bytes) as u64);
        if let Ok(Event::Update(update)) = Event::decode(record) {
            self.time = Some(update.time.seconds);
            if let Some(gap) = self.found.last_mut() {
                gap.after.get_or_insert(update.time.seconds);
            }
        }
    }

    /// All of them; the last one is what is missing behind the last record, if anything is.
    pub(super) fn finish(mut self) -> Vec<Gap> {
        self.found.push(Gap { first: self.next, before: self.time, after: None });
        self.found
    }
}
