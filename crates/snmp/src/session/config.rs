//! The parameters of a session: those of the operator, and those learned from the device.

use crate::message::{Community, Version};
use crate::usm::User;
use crate::v3::Context;
use std::time::Duration;

/// The parameters of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The version, and the secrets; `Debug` does not show them.
    pub security: Security,
    /// The timeout of the first transmission.
    pub timeout: Duration,
    /// Further transmissions after the first one. The retries of mrtg.cfg also count the first one.
    pub retries: u32,
    /// The factor for the timeout at each retry, as in MRTG.
    pub backoff: f64,
    /// The most variable bindings of a GET.
    pub bindings_max: usize,
    /// The most bytes that an answer should have, as the requests are planned: a path may lose
    /// larger datagrams.
    pub response_bytes_max: usize,
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

/// How a session shows that it may ask.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Security {
    /// v1 or v2c: anyone who sees a message learns the community.
    Community {
        /// v1 or v2c.
        version: Version,
        /// The shared secret.
        community: Community,
    },
    /// SNMPv3, with the user-based security model.
    User {
        /// The user; its secrets decide what protects the messages.
        user: User,
        /// What it asks about.
        context: Context,
    },
}

impl Config {
    /// The defaults: a timeout of 2 s, 4 retries, no backoff, 20 bindings, answers of 1,400 bytes, 25
    /// repetitions, one datagram in flight, a million rows of 16 MiB together.
    pub fn new(version: Version, community: Community) -> Config {
        Config::with(Security::Community { version, community })
    }

    /// The same defaults with SNMPv3.
    pub fn with_user(user: User, context: Context) -> Config {
        Config::with(Security::User { user, context })
    }

    fn with(security: Security) -> Config {
        Config {
            security,
            timeout: Duration::from_secs(2),
            retries: 4,
            backoff: 1.0,
            bindings_max: 20,
            response_bytes_max: 1400,
            in_flight_max: 1,
            repetitions_max: 25,
            walk_rows_max: 1_000_000,
            walk_bytes_max: 16 << 20,
        }
    }
}

impl Security {
    /// Bytes of a response besides its bindings, at most nearly always.
    pub fn overhead_bytes(&self) -> usize {
        match self {
            Security::Community { community, .. } => 40 + community.as_bytes().len(),
            // Engine, user and context stand in it, and a digest.
            Security::User { .. } => 220,
        }
    }

    /// Whether GETBULK and 64-bit counters are missing from the version.
    pub fn is_v1(&self) -> bool {
        matches!(self, Security::Community { version: Version::V1, .. })
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
    /// The most bindings that it has answered so far in one response.
    pub(super) answered_max: usize,
    /// How often GETBULK had no answer while the device answered other requests.
    silences: u32,
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
            bulk: if config.security.is_v1() { Bulk::Broken } else { Bulk::Untried },
            answered_max: 0,
            silences: 0,
        }
    }

    /// The device answers, but not a GETBULK: it is tried again at most so often.
    pub(super) fn note_silence_to_bulk(&mut self, trials_max: u32) {
        self.silences += 1;
        self.bulk = if self.silences < trials_max { Bulk::Untried } else { Bulk::Broken };
    }

    /// The device answers a GETBULK.
    pub(super) fn note_bulk(&mut self) {
        self.silences = 0;
        self.bulk = Bulk::Works;
    }
}
