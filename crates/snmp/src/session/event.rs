//! Requests to a session, and their results.

use super::names::Names;
use crate::error::DecodeError;
use crate::oid::Oid;
use crate::pdu::{ErrorStatus, VarBind};
use crate::v3::Report;
use crate::value::Value;
use std::sync::Arc;
use std::time::Duration;

/// A request to a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The values of these instances, split over as many datagrams as necessary.
    Get(Vec<Oid>),
    /// The same, but the answer has a value for each name, and cells of a table may be asked for by
    /// GETBULK.
    Values(Arc<Names>),
    /// Every instance below this name, in order.
    Walk(Oid),
    /// The first instances below this name, so many at most.
    First {
        /// The name.
        root: Oid,
        /// How many.
        rows: usize,
    },
    /// The instance that follows this name, asked for with GETNEXT, wherever it is.
    Next(Oid),
}

/// Identifies a submitted request within its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestToken(pub(super) u64);

/// The end of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The request.
    pub token: RequestToken,
    /// The answer, or the error.
    pub result: Result<Answer, RequestError>,
}

/// A device's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// For a GET: in the order of the request, without those in `failed`; an instance that does not
    /// exist has an exception as its value, also in v1. For a walk: in rising order, without
    /// exceptions.
    pub bindings: Vec<VarBind>,
    /// The instances without a value, although others have one.
    pub failed: Vec<(Oid, Failure)>,
    /// For [`Request::Values`]: what became of each name, in their order.
    pub values: Vec<Result<Value, Failure>>,
    /// For a GET: in how many responses the values came. Values of one response are of one moment.
    pub responses: u32,
    /// When the first datagram was sent.
    pub started_at: Duration,
    /// When the last answer arrived.
    pub finished_at: Duration,
    /// Datagrams sent, including retries.
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
    /// The answer does not include it.
    #[error("the agent's answer leaves it out")]
    LeftOut,
}

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// No readable answer arrived after all transmissions.
    #[error("no answer to {transmissions} datagrams{}", unreadable(malformed))]
    TimedOut {
        /// Datagrams sent for the request.
        transmissions: u32,
        /// The error of an unreadable answer, if there was one.
        malformed: Option<DecodeError>,
    },
    /// The agent reports what is wrong with a user of SNMPv3.
    #[error("user {user}: {report}")]
    Denied {
        /// The user's name.
        user: Box<str>,
        /// What it reports.
        report: Report,
    },
    /// The agent names its engine, but is silent to the user of SNMPv3.
    #[error(
        "user {user}: no answer to {transmissions} datagrams, though the agent told its engine; \
         the privacy's password or protocol, or the context, may not be the agent's"
    )]
    Ignored {
        /// The user's name.
        user: Box<str>,
        /// Datagrams sent for the request.
        transmissions: u32,
    },
    /// The agent refused a request of a walk.
    #[error("the agent says {status} to what follows {after}")]
    Refused {
        /// Its reason.
        status: ErrorStatus,
        /// The name after which the walk was to continue.
        after: Oid,
    },
    /// The agent's names do not rise, so the walk would not end.
    #[error("the agent answers {found} to what follows {after}: its names do not rise")]
    NotIncreasing {
        /// The name after which the walk was to continue.
        after: Oid,
        /// The name in the answer.
        found: Oid,
    },
    /// A walk with more rows than the limit.
    #[error("the walk brings more than {rows_max} rows")]
    TooManyRows {
        /// The limit.
        rows_max: usize,
    },
    /// A walk whose rows together exceed the limit.
    #[error("the walk brings more than {bytes_max} bytes")]
    TooManyBytes {
        /// The limit.
        bytes_max: usize,
    },
    /// A walk's answer without a binding.
    #[error("the agent answers nothing at all to what follows {after}")]
    Empty {
        /// The name after which the walk was to continue.
        after: Oid,
    },
}

/// Network traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Datagrams sent, without retries.
    pub sent: u64,
    /// Datagrams sent again.
    pub retried: u64,
    /// Requests that were given up.
    pub timed_out: u64,
    /// Datagrams handled.
    pub received: u64,
    /// Those of them that were not readable.
    pub malformed: u64,
    /// Those of them with another version or community, or that were not a response.
    pub foreign: u64,
    /// Those of them that were not authentic: forged, less protected than the request, or too old.
    pub forged: u64,
    /// Those of them whose request id was not in flight: late, repeated or guessed.
    pub stale: u64,
}

impl Tally {
    /// Datagrams handled that were no awaited answer.
    pub fn unwanted(&self) -> u64 {
        self.malformed + self.foreign + self.forged + self.stale
    }
}

fn unreadable(malformed: &Option<DecodeError>) -> String {
    malformed.as_ref().map_or_else(String::new, |error| {
        format!("; it did answer, but not in a form that can be read: {error}")
    })
}
