//! What is asked of a session, and what comes of it.

use crate::error::DecodeError;
use crate::oid::Oid;
use crate::pdu::{ErrorStatus, VarBind};
use std::time::Duration;

/// What to ask of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The values of these instances, split over as many datagrams as it takes.
    Get(Vec<Oid>),
    /// Every instance below this name, in order.
    Walk(Oid),
}

/// Names a submitted request within its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestToken(pub(super) u64);

/// The end of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The request.
    pub token: RequestToken,
    /// Its answer, or why there is none.
    pub result: Result<Answer, RequestError>,
}

/// What the device said.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Of a GET: in the order asked, those in `failed` left out; what does not exist has an
    /// exception as its value, in v1 too. Of a walk: in rising order, no exceptions.
    pub bindings: Vec<VarBind>,
    /// The instances that brought no value, although others did.
    pub failed: Vec<(Oid, Failure)>,
    /// When the first datagram was sent.
    pub started_at: Duration,
    /// When the last answer came.
    pub finished_at: Duration,
    /// Datagrams it took, retries included.
    pub transmissions: u32,
}

/// Why one instance of a GET has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The agent refused it.
    #[error("the agent says {0}")]
    Refused(ErrorStatus),
    /// No answer came.
    #[error("no answer in time")]
    TimedOut,
    /// The answer leaves it out.
    #[error("the agent's answer leaves it out")]
    LeftOut,
}

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// No readable answer came, often as it was asked.
    #[error("no answer to {transmissions} datagrams{}", unreadable(malformed))]
    TimedOut {
        /// Datagrams sent for the request.
        transmissions: u32,
        /// What was wrong with an answer that could not be read.
        malformed: Option<DecodeError>,
    },
    /// The agent refused a walk.
    #[error("the agent says {status} to what follows {after}")]
    Refused {
        /// Its reason.
        status: ErrorStatus,
        /// The name behind which it was asked to go on.
        after: Oid,
    },
    /// The agent's names do not rise: it would be walked for ever.
    #[error("the agent answers {found} to what follows {after}: its names do not rise")]
    NotIncreasing {
        /// The name behind which it was asked to go on.
        after: Oid,
        /// The name that it answered.
        found: Oid,
    },
    /// A walk that brings more rows than the limit.
    #[error("the walk brings more than {rows_max} rows")]
    TooManyRows {
        /// The limit.
        rows_max: usize,
    },
    /// A walk whose rows are longer together than the limit.
    #[error("the walk brings more than {bytes_max} bytes")]
    TooManyBytes {
        /// The limit.
        bytes_max: usize,
    },
    /// A walk's answer without a binding.
    #[error("the agent answers nothing at all to what follows {after}")]
    Empty {
        /// The name behind which it was asked to go on.
        after: Oid,
    },
}

/// What went over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Datagrams sent, without retries.
    pub sent: u64,
    /// Datagrams sent again.
    pub retried: u64,
    /// Questions given up.
    pub timed_out: u64,
    /// Datagrams taken, good or bad.
    pub received: u64,
    /// Of these: not readable.
    pub malformed: u64,
    /// Of these: another version or community, or not a response.
    pub foreign: u64,
    /// Of these: a request id that is not in flight, so late, twice, or a guess.
    pub stale: u64,
}

fn unreadable(malformed: &Option<DecodeError>) -> String {
    malformed.as_ref().map_or_else(String::new, |error| {
        format!("; it did answer, but not in a form that can be read: {error}")
    })
}
