//! What a session learns of the limits of its device.

use super::Session;
use super::config::Config;
use std::time::Duration;

/// A device that did not answer GETBULK is asked by it again after this time: its software, or the
/// path to it, may be another.
const BULK_AGAIN_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Trials of GETBULK without an answer after which it is taken as broken: datagrams get lost.
const TRIALS_MAX: u32 = 3;

/// The limits that a device has shown. They are where a later session with it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// The bindings that it answers in one response, if these are fewer than it may be asked for.
    pub bindings_max: Option<u32>,
    /// The same for the rows of a walk's GETBULK.
    pub repetitions_max: Option<u32>,
    /// Whether it does not answer GETBULK, although its version has it.
    pub has_broken_bulk: bool,
    /// The most bindings that it has answered in one response; 0 if it has shown no limit.
    pub answered_max: u32,
}

/// Limits learned from the device during the session.
#[derive(Debug)]
pub(super) struct Learned {
    /// The bindings that it answers in one response.
    pub(super) bindings_max: usize,
    /// The rows of a walk that it answers in one response.
    pub(super) repetitions_max: u32,
    pub(super) bulk: Bulk,
    /// The most bindings that it has answered so far in one response.
    pub(super) answered_max: usize,
    /// How often GETBULK had no answer while the device answered other requests.
    silences: u32,
    /// Since when GETBULK is taken as broken, once that is known.
    broken_since: Option<Duration>,
}

/// Whether the device answers GETBULK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bulk {
    Untried,
    Works,
    Broken,
    /// The version has none.
    Absent,
}

impl Session {
    /// The limits that the device has shown.
    pub fn limits(&self) -> Limits {
        self.learned.limits(&self.config)
    }

    /// Starts from limits that the device showed an earlier session.
    pub fn recall(&mut self, limits: &Limits) {
        self.learned.recall(limits);
    }

    /// Forgets the device's limits: it has restarted, and its software may be another.
    pub fn forget_limits(&mut self) {
        self.learned.forget(&self.config);
    }
}

impl Learned {
    pub(super) fn new(config: &Config) -> Learned {
        Learned {
            bindings_max: config.bindings_max.max(1),
            repetitions_max: config.walk_repetitions(),
            bulk: if config.security.is_v1() { Bulk::Absent } else { Bulk::Untried },
            answered_max: 0,
            silences: 0,
            broken_since: None,
        }
    }

    /// Starts from limits of an earlier session.
    pub(super) fn recall(&mut self, limits: &Limits) {
        if let Some(most) = limits.bindings_max {
            self.bindings_max = self.bindings_max.min(most.max(1) as usize);
        }
        if let Some(most) = limits.repetitions_max {
            self.repetitions_max = self.repetitions_max.min(most.max(1));
        }
        if limits.has_broken_bulk && self.bulk == Bulk::Untried {
            self.bulk = Bulk::Broken;
        }
        self.answered_max = self.answered_max.max(limits.answered_max as usize);
    }

    /// Has the limits of the configuration again.
    pub(super) fn forget(&mut self, config: &Config) {
        *self = Learned::new(config);
    }

    /// What the device has shown.
    pub(super) fn limits(&self, config: &Config) -> Limits {
        let fewer = |most: usize, of: usize| (most < of).then(|| u32::try_from(most).ok())?;
        let mut limits = Limits {
            bindings_max: fewer(self.bindings_max, config.bindings_max.max(1)),
            repetitions_max: (self.repetitions_max < config.walk_repetitions())
                .then_some(self.repetitions_max),
            has_broken_bulk: self.bulk == Bulk::Broken,
            answered_max: 0,
        };
        if limits != Limits::default() {
            limits.answered_max = u32::try_from(self.answered_max).unwrap_or(u32::MAX);
        }
        limits
    }

    /// Time has passed: after a day, GETBULK is tried once more.
    pub(super) fn reconsider(&mut self, now: Duration) {
        if self.bulk != Bulk::Broken {
            self.broken_since = None;
            return;
        }
        let since = *self.broken_since.get_or_insert(now);
        if now.saturating_sub(since) >= BULK_AGAIN_AFTER {
            self.bulk = Bulk::Untried;
            self.broken_since = None;
            self.silences = TRIALS_MAX - 1;
        }
    }

    /// Whether GETBULK may be asked for.
    pub(super) fn may_bulk(&self) -> bool {
        matches!(self.bulk, Bulk::Untried | Bulk::Works)
    }

    /// What the device answered to GETBULK shows that it has none.
    pub(super) fn note_broken_bulk(&mut self) {
        if self.bulk != Bulk::Absent {
            self.bulk = Bulk::Broken;
        }
    }

    /// The device answers, but not a GETBULK: it is tried again a few times.
    pub(super) fn note_silence_to_bulk(&mut self) {
        self.silences += 1;
        self.bulk = if self.silences < TRIALS_MAX { Bulk::Untried } else { Bulk::Broken };
    }

    /// The device answers a GETBULK.
    pub(super) fn note_bulk(&mut self) {
        self.silences = 0;
        self.bulk = Bulk::Works;
    }
}
