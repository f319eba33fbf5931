//! The status of a run, as its pages give it in JSON.

use serde::Deserialize;

/// The status.
#[derive(Debug, Deserialize)]
pub(super) struct Report {
    pub(super) program: String,
    pub(super) now_seconds: i64,
    pub(super) started_seconds: i64,
    pub(super) interval_seconds: u64,
    pub(super) targets: u64,
    pub(super) cycle: Option<Cycle>,
    /// Each interval at which targets are polled.
    #[serde(default)]
    pub(super) intervals: Vec<Round>,
    pub(super) totals: Totals,
    pub(super) queue: Queue,
    pub(super) remarks: Vec<String>,
    pub(super) devices: Vec<Device>,
}

/// An interval.
#[derive(Debug, Deserialize)]
pub(super) struct Round {
    pub(super) interval_seconds: u64,
    pub(super) cycle: Option<Cycle>,
}

/// The last cycle.
#[derive(Debug, Deserialize)]
pub(super) struct Cycle {
    pub(super) number: u64,
    pub(super) ended_seconds: i64,
    pub(super) targets_polled: u64,
    pub(super) targets_missed: u64,
    pub(super) poll_seconds: f64,
    pub(super) write_seconds: f64,
}

/// Counts since the start.
#[derive(Debug, Deserialize)]
pub(super) struct Totals {
    pub(super) cycles: u64,
    pub(super) samples_stored: u64,
    pub(super) samples_refused: u64,
    pub(super) samples_lost: u64,
    pub(super) datagrams_sent: u64,
    pub(super) datagrams_retried: u64,
    pub(super) datagrams_received: u64,
    pub(super) datagrams_foreign: u64,
    pub(super) reloads: u64,
    pub(super) reloads_refused: u64,
}

/// What waits to be written.
#[derive(Debug, Deserialize)]
pub(super) struct Queue {
    pub(super) messages: u64,
    pub(super) messages_max: u64,
}

/// A device.
#[derive(Debug, Deserialize)]
pub(super) struct Device {
    pub(super) name: String,
    pub(super) health: String,
    pub(super) took_seconds: Option<f64>,
    pub(super) took_smoothed_seconds: Option<f64>,
    pub(super) problem: Option<String>,
    pub(super) last_error: Option<LastError>,
    pub(super) datagrams_sent: u64,
    pub(super) datagrams_retried: u64,
    pub(super) bindings_max: Option<u32>,
}

/// The last problem of a device.
#[derive(Debug, Deserialize)]
pub(super) struct LastError {
    pub(super) at_seconds: i64,
    pub(super) words: String,
}

impl Report {
    /// Whether every device answers, and the last cycle of each interval missed nothing.
    pub(super) fn is_well(&self) -> bool {
        let of_intervals = self.intervals.iter().filter_map(|round| round.cycle.as_ref());
        let missed: u64 =
            self.cycle.iter().chain(of_intervals).map(|cycle| cycle.targets_missed).sum();
        missed == 0 && self.devices.iter().all(Device::answers)
    }
}

impl Device {
    pub(super) fn answers(&self) -> bool {
        matches!(&*self.health, "answering" | "restarted" | "unknown")
    }

    /// Whether there is something to tell of it.
    pub(super) fn is_of_note(&self) -> bool {
        self.problem.is_some()
            || self.last_error.is_some()
            || self.datagrams_retried > 0
            || self.bindings_max.is_some()
    }
}
