//! What the collector's status consists of.

use std::sync::Arc;

use crate::alerting::Alerting;

/// The collector's status.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The name and version of the program.
    pub program: String,
    /// When it started, in seconds since 1970.
    pub started_seconds: i64,
    /// Seconds between two cycles; the shortest of several intervals.
    pub interval_seconds: u64,
    /// The last cycle that is over.
    pub cycle: Option<Cycle>,
    /// Each interval at which targets are polled, the shortest first.
    pub rounds: Vec<Round>,
    /// What was counted since the start.
    pub totals: Totals,
    /// How long polling and writing took in each cycle since the start.
    pub durations: Durations,
    /// What waits to be written, and where.
    pub writing: Writing,
    /// Alerts and who takes them; `None` if nobody does.
    pub alerts: Option<Alerting>,
    /// Every device.
    pub devices: Vec<Device>,
    /// Other remarks for the operator: the clock was set back, an included file has an error.
    pub remarks: Vec<String>,
}

impl Status {
    /// The devices that do not answer.
    pub(crate) fn silent(&self) -> impl Iterator<Item = &Device> {
        let is_silent = |device: &&Device| device.health.is_silent();
        self.devices.iter().filter(is_silent)
    }
}

/// The targets of one interval.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Seconds between two of its cycles.
    pub interval_seconds: u64,
    /// The last of these that is over.
    pub cycle: Option<Cycle>,
}

/// One cycle.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// Its number, counted from 0.
    pub number: u64,
    /// When it was over, in seconds since 1970.
    pub ended_seconds: i64,
    /// Targets that got values.
    pub targets_polled: usize,
    /// Targets that got none.
    pub targets_missed: usize,
    /// From the first question to the last answer.
    pub poll_seconds: f64,
    /// Spent writing to the store.
    pub write_seconds: f64,
}

/// What was counted since the start. The counts of a cycle are added when it is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Cycles that are over.
    pub cycles: u64,
    /// Polls of devices that answered.
    pub polls_answered: u64,
    /// Polls of devices that did not answer.
    pub polls_silent: u64,
    /// Polls of devices that refused their user of SNMPv3.
    pub polls_denied: u64,
    /// Polls not made because the device's name had no address.
    pub polls_without_address: u64,
    /// Values read.
    pub readings: u64,
    /// Values asked for and not read.
    pub readings_missing: u64,
    /// Targets that got values.
    pub targets_polled: u64,
    /// Targets that got none.
    pub targets_missed: u64,
    /// Samples that the store took.
    pub samples_stored: u64,
    /// Samples that the store refused.
    pub samples_refused: u64,
    /// Samples dropped because writing could not keep up.
    pub samples_lost: u64,
    /// Datagrams sent, those sent again included.
    pub datagrams_sent: u64,
    /// Datagrams sent again.
    pub datagrams_retried: u64,
    /// Datagrams received.
    pub datagrams_received: u64,
    /// Datagrams received that nobody waited for, or that are not SNMP.
    pub datagrams_foreign: u64,
    /// Connections to devices asked over TCP that could not be made, or broke.
    pub connections_broken: u64,
    /// Bytes of the datagrams sent.
    pub bytes_sent: u64,
    /// Bytes of the datagrams received.
    pub bytes_received: u64,
    /// Reloads of the configuration.
    pub reloads: u64,
    /// Reloads that were refused because the configuration had an error.
    pub reloads_refused: u64,
}

/// How long polling and writing took in each cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Durations {
    /// From a cycle's first question to its last answer.
    pub poll: Histogram,
    /// Spent in the store for a cycle.
    pub write: Histogram,
}

/// Durations, counted by size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Histogram {
    /// How many were at most as long as each of [`Self::BOUNDS_SECONDS`], and longer than the one
    /// before.
    counts: [u64; Self::BOUNDS_SECONDS.len()],
    count: u64,
    sum_seconds: f64,
}

impl Histogram {
    /// The upper bounds.
    pub const BOUNDS_SECONDS: [f64; 10] = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0];

    /// Counts a duration.
    pub fn add(&mut self, seconds: f64) {
        let mut bounds = Self::BOUNDS_SECONDS.iter().zip(&mut self.counts);
        if let Some((_, count)) = bounds.find(|(bound, _)| seconds <= **bound) {
            *count += 1;
        }
        self.count += 1;
        self.sum_seconds += seconds;
    }

    /// Each bound with the number of durations up to it.
    pub(crate) fn up_to_bounds(&self) -> impl Iterator<Item = (f64, u64)> {
        let mut so_far = 0;
        Self::BOUNDS_SECONDS.into_iter().zip(self.counts).map(move |(bound, count)| {
            so_far += count;
            (bound, so_far)
        })
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn sum_seconds(&self) -> f64 {
        self.sum_seconds
    }
}

/// What waits to be written, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Writing {
    /// Messages to the writing thread that it has not taken yet.
    pub queued: u64,
    /// The most messages before samples are dropped.
    pub queued_max: u64,
    /// Databases in the ring store; `None` if databases are files.
    pub databases: Option<u64>,
    /// Whether the store reports a problem that keeps it from writing.
    pub is_troubled: bool,
    /// How tables of a database are fed; `None` if none are.
    pub sql: Option<Sql>,
}

/// How the tables of a database are fed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sql {
    /// Whether the database is reached.
    pub is_connected: bool,
    /// Databases of the store that are fed.
    pub databases: u64,
    /// Attempts that failed since the database was reached last.
    pub failures: u64,
    /// Rows that were committed.
    pub rows: u64,
    /// Rows that the store had overwritten before they could be fed.
    pub rows_lost: u64,
}

/// A device and its last cycle.
#[derive(Clone, Debug)]
pub struct Device {
    /// Its name or address, without any community.
    pub name: Arc<str>,
    /// Whether it answers.
    pub health: Health,
    /// Seconds from the first question of the last cycle to the last answer.
    pub took_seconds: Option<f64>,
    /// The same, smoothed over about eight cycles.
    pub took_smoothed_seconds: Option<f64>,
    /// The time of its last answer, in seconds since 1970.
    pub answered_seconds: Option<i64>,
    /// Its present problem, in words.
    pub problem: Option<Arc<str>>,
    /// What it says of itself: for a program, the name and the uptime that it prints.
    pub about: Option<Arc<str>>,
    /// Its last problem, present or past.
    pub last_error: Option<LastError>,
    /// What was counted since the start, or since a reload added the device.
    pub counts: DeviceCounts,
    /// The most bindings in a message that the device is known to answer; `None` if it has shown
    /// no limit.
    pub bindings_max: Option<u32>,
}

impl Device {
    /// A device that has not been polled.
    #[must_use]
    pub fn unknown(name: Arc<str>) -> Self {
        Self {
            name,
            health: Health::Unknown,
            took_seconds: None,
            took_smoothed_seconds: None,
            answered_seconds: None,
            problem: None,
            about: None,
            last_error: None,
            counts: DeviceCounts::default(),
            bindings_max: None,
        }
    }
}

/// A problem of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    /// When it was last seen, in seconds since 1970.
    pub at_seconds: i64,
    /// The problem, in words.
    pub words: Arc<str>,
}

/// What is counted of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceCounts {
    /// Polls.
    pub polls: u64,
    /// Polls without any answer.
    pub polls_failed: u64,
    /// Datagrams sent, those sent again included.
    pub sent: u64,
    /// Datagrams sent again.
    pub retried: u64,
    /// Requests given up because no attempt was answered.
    pub given_up: u64,
    /// Values asked for and not read.
    pub readings_missing: u64,
}

/// Whether a device answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// It has not been polled yet.
    #[default]
    Unknown,
    /// It answers.
    Answering,
    /// It has restarted since the last cycle.
    Restarted,
    /// It does not answer.
    Silent,
    /// It answers, but refuses its user of SNMPv3.
    Denied,
    /// Its name has no address.
    NoAddress,
}

impl Health {
    /// Every state.
    pub const ALL: [Self; 6] = [
        Self::Unknown,
        Self::Answering,
        Self::Restarted,
        Self::Silent,
        Self::Denied,
        Self::NoAddress,
    ];

    /// The state's name for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Answering => "answering",
            Self::Restarted => "restarted",
            Self::Silent => "silent",
            Self::Denied => "denied",
            Self::NoAddress => "no_address",
        }
    }

    /// Whether it gives no values.
    #[must_use]
    pub const fn is_silent(self) -> bool {
        matches!(self, Self::Silent | Self::Denied | Self::NoAddress)
    }
}
