//! What a target's evaluation results in.

use collector::DevicePoll;
use rrd::Timestamp;

use super::super::reading_kept::ReadingKept;

/// The result of evaluating a target.
pub(super) struct Sample {
    pub(super) readings: [ReadingKept; 2],
    /// Whether there is at least one value, even if its source cannot take it.
    pub(super) is_known: bool,
    /// The time of the latest reading.
    pub(super) time: Option<Timestamp>,
    pub(super) discontinuity: bool,
    /// The latest restart of any of its devices, in seconds since 1970.
    pub(super) booted_seconds: Option<i64>,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            readings: [ReadingKept::UNKNOWN; 2],
            is_known: false,
            time: None,
            discontinuity: false,
            booted_seconds: None,
        }
    }
}

impl Sample {
    /// A reading goes into it.
    pub(super) fn note(&mut self, poll: &DevicePoll, reading: &collector::Reading) {
        self.time = self.time.max(Some(reading.time));
        self.discontinuity |= reading.discontinuity;
        let booted = poll.uptime.map(|uptime| reading.time.seconds - uptime.as_secs() as i64);
        self.booted_seconds = self.booted_seconds.max(booted);
    }
}
