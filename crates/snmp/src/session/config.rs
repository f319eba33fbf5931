//! The parameters of a session.

use crate::message::{Community, Version};
use crate::usm::User;
use crate::v3::Context;
use std::time::Duration;

/// The rows of a walk's GETBULK. Their names and texts fit into a datagram.
const WALK_REPETITIONS: u32 = 25;

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
    /// The most repetitions of any GETBULK, if the operator sets it. Without, a walk asks for 25 rows
    /// at a time, and cells of a table for as many as its answer has room for.
    pub repetitions_max: Option<u32>,
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
    /// The defaults: a timeout of 2 s, 4 retries, no backoff, 20 bindings, answers of 1,400 bytes,
    /// one datagram in flight, a million rows of 16 MiB together.
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
            repetitions_max: None,
            walk_rows_max: 1_000_000,
            walk_bytes_max: 16 << 20,
        }
    }

    /// The most rows that one GETBULK of a walk asks for.
    pub(super) fn walk_repetitions(&self) -> u32 {
        self.repetitions_max.unwrap_or(WALK_REPETITIONS).max(1)
    }

    /// The most rows that one GETBULK of a table's cells asks for.
    pub(super) fn table_repetitions(&self) -> usize {
        self.repetitions_max.map_or(usize::MAX, |most| most.max(1) as usize)
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
