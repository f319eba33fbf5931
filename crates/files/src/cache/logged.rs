//! Where the samples of a file stand in the log: behind a base, what the file held before them.

use journal::{LogPosition, RrdId};

use super::kept_records::KeptRecords;
use super::pending::{End, Pending};
use super::record::BaseBody;
use super::{Lines, LogPin, base_of};
use crate::RrdFile;

/// What the log has of an entry.
#[derive(Debug, Default)]
pub(super) struct Logged {
    /// What the file held when it was looked at, for the log before the first sample.
    pub(super) base: Option<Box<Noted>>,
    /// The base that the pending samples stand behind.
    pub(super) stands: Option<LoggedBase>,
    /// All lines of the pending samples are before here.
    pub(super) through: LogPosition,
    /// What opening found, not yet brought together with the file: the numbers that the file had,
    /// in the order of their lines.
    pub(super) unsettled: Vec<(RrdId, LogPin)>,
    /// What opening found, copied: the file was not there.
    pub(super) aside: Option<Box<KeptRecords>>,
    /// What rrdcached's own journals have, to be taken after that.
    pub(super) legacy: Vec<String>,
}

/// What a file held when it was looked at.
#[derive(Debug)]
pub(super) struct Noted {
    pub(super) body: BaseBody,
    pub(super) mark: u64,
}

/// A base in the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoggedBase {
    pub(super) log_pin: LogPin,
    pub(super) mark: u64,
}

impl Logged {
    /// Whether something is left of an entry that the log holds.
    pub(super) fn is_needed(&self) -> bool {
        self.stands.is_some() || !self.is_settled()
    }

    /// Whether all that opening found has been brought together with the file.
    pub(super) fn is_settled(&self) -> bool {
        self.unsettled.is_empty() && self.legacy.is_empty()
    }

    /// All lines of the file, which are copied here, are to be brought together with it.
    pub(super) fn unsettle(&mut self, bases: Vec<(RrdId, LogPin)>, lines: KeptRecords) {
        (self.base, self.stands) = (None, None);
        (self.unsettled, self.aside) = (bases, Some(Box::new(lines)));
    }

    /// Whether what opening found is needed for it: it is neither settled nor copied.
    pub(super) fn needs_replay(&self) -> bool {
        !self.unsettled.is_empty() && self.aside.is_none()
    }

    /// The base that the pending samples stand behind.
    pub(super) fn log_pin(&self) -> Option<LogPin> {
        self.stands.map(|stands| stands.log_pin)
    }

    /// The pending samples stand behind a copy of their base.
    pub(super) fn stand_behind(&mut self, log_pin: LogPin) {
        if let Some(stands) = &mut self.stands {
            stands.log_pin = log_pin;
        }
    }

    /// The oldest base that is needed.
    pub(super) fn oldest(&self) -> Option<LogPin> {
        let unsettled = self.unsettled.iter().map(|(_, log_pin)| *log_pin);
        unsettled.chain(self.log_pin()).min()
    }

    /// Whether the next sample can be logged.
    pub(super) fn is_ready(&self) -> bool {
        self.stands.is_some() || self.base.is_some()
    }

    /// The file does not hold any more what it held when it was looked at.
    pub(super) fn forget_base(&mut self) {
        self.base = None;
    }
}

/// Tells a head from those that the same file had before.
pub(super) fn mark(file: &RrdFile) -> u64 {
    let seconds = file.header().live.last_update.seconds.cast_unsigned();
    u64::from(crc32fast::hash(file.header_bytes())) << 32 | seconds & u64::from(u32::MAX)
}

/// What a file holds now.
pub(super) fn noted(file: &RrdFile) -> Noted {
    let base = base_of(&[], file.header(), file.header_bytes());
    Noted { body: BaseBody::of(&base.view()), mark: mark(file) }
}

/// Adds pending samples to lines that are to be logged.
pub(super) fn put_pending(lines: &mut Lines, number: RrdId, pending: &Pending) {
    for (text, end) in pending.iter() {
        lines.sample(number, text);
        if end == End::Command {
            lines.end(number, false);
        }
    }
}
