//! How a device is spoken to: what the operator says, and what the device teaches.

use crate::message::{Community, Version};
use std::time::Duration;

/// How a device is spoken to.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// v1 or v2c.
    pub version: Version,
    /// The shared secret; `Debug` does not show it.
    pub community: Community,
    /// Patience with the first transmission.
    pub timeout: Duration,
    /// Transmissions after the first one. What mrtg.cfg calls retries counts the first one too.
    pub retries: u32,
    /// The timeout is multiplied by this at each retry (MRTG's meaning).
    pub backoff: f64,
    /// Variable bindings a GET carries, at most.
    pub bindings_max: usize,
    /// Datagrams in flight to the device, at most.
    pub in_flight_max: usize,
    /// Repetitions that a GETBULK asks for, at most.
    pub repetitions_max: u32,
    /// Rows that a walk may bring, at most; more is a failure, not a larger answer.
    pub walk_rows_max: usize,
    /// Bytes on the wire of the rows that a walk may bring, at most: rows may be long, and a
    /// hostile device must not fill our memory.
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

/// What the device has taught us since the session began.
#[derive(Debug)]
pub(super) struct Learned {
    /// Variable bindings that it answers in one response.
    pub(super) bindings_max: usize,
    /// Repetitions that it answers in one response.
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
