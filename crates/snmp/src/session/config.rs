//! The parameters of a session: those of the operator, and those learned from the device.

use crate::message::{Community, Version};
use std::time::Duration;

/// The parameters of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// v1 or v2c.
    pub version: Version,
    /// The shared secret; `Debug` does not show it.
    pub community: Community,
    /// The timeout of the first transmission.
    pub timeout: Duration,
    /// Further transmissions after the first one. The retries of mrtg.cfg also count the first one.
    pub retries: u32,
    /// The factor for the timeout at each retry, as in MRTG.
    pub backoff: f64,
    /// The most variable bindings of a GET.
    pub bindings_max: usize,
    /// The most datagrams in flight to the device.
    pub in_flight_max: usize,
    /// The most repetitions of a GETBULK.
    pub repetitions_max: u32,
    /// The most rows of a walk; more rows are an error.
    pub walk_rows_max: usize,
    /// The most bytes of the rows of a walk, as encoded: rows may be long, and a hostile device
    /// must not fill our memory.
    pub walk_bytes_max: usize,
}

impl Config {
    /// The defaults: a timeout of 2 s, 4 retries, no backoff, 20 bindings, 25 repetitions, one
    /// datagram in flight, a million rows of 16 MiB together.
    pub fn new(version: Version, community: Community) -> Config {
        Config {
            version,
            community,
            timeout: Duration::from_secs(2),
            retries: 4,
            backoff: 1.0,
            bindings_max: 20,
            in_flight_max: 1,
            repetitions_max: 25,
            walk_rows_max: 1_000_000,
            walk_bytes_max: 16 << 20,
        }
    }
}

/// Limits learned from the device during the session.
#[derive(Debug)]
pub(super) struct Learned {
    /// The bindings that it answers in one response.
    pub(super) bindings_max: usize,
    /// The repetitions that it answers in one response.
    pub(super) repetitions_max: u32,
    pub(super) bulk: Bulk,
}

/// Whether the device answers GETBULK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bulk {
    Untried,
    Works,
    Broken,
}

impl Learned {
    pub(super) fn new(config: &Config) -> Learned {
        Learned {
            bindings_max: config.bindings_max.max(1),
            repetitions_max: config.repetitions_max.max(1),
            bulk: if config.version == Version::V1 { Bulk::Broken } else { Bulk::Untried },
        }
    }
}
