//! Samples that agents send over HTTP, and what becomes of them.

use std::io::Read as _;
use std::sync::Arc;
use std::time::SystemTime;

use access::Role;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use intake::{Batch, Intake, Outcomes, Protocol, Taking, Tallies};
use senders::Lines;
use senders::influx::{self, Precision};
use senders::remote_write::{self, WriteLimits};

use crate::visitor::Visitor;

/// The most bytes of lines after decompression.
const LINES_BYTES_MAX: u64 = 64 << 20;

/// Takes samples of agents, and counts what becomes of them.
#[derive(Clone)]
pub struct Arrivals {
    /// What stores them.
    intake: Arc<Intake>,
    /// The counts of all protocols.
    tallies: Arc<Tallies>,
}

impl Arrivals {
    /// Takes samples by these rules, counted there.
    #[must_use]
    pub fn new(intake: Arc<Intake>, tallies: Arc<Tallies>) -> Self {
        Self { intake, tallies }
    }
}

/// Why a request is not taken, or not whole.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("this needs a token with the role write")]
    Role,
    #[error("a browser sent this: without --tokens, programs alone may")]
    Browser,
    #[error("Content-Encoding: expected {expected}")]
    Encoding { expected: &'static str },
    #[error("Content-Type: expected remote write of version 1")]
    Version,
    #[error("precision: expected ns, us, ms, s, m or h")]
    Precision,
    #[error("body: {0}")]
    Compression(std::io::Error),
    #[error("body: expected at most {LINES_BYTES_MAX} bytes of lines")]
    TooLarge,
    #[error(transparent)]
    Message(#[from] remote_write::WrongMessage),
    #[error("{0}")]
    Partial(Partial),
    #[error("the store cannot take it now: {0}")]
    Store(store::Error),
}

/// Samples of which some cannot be taken.
#[derive(Debug)]
pub(super) struct Partial {
    outcomes: Outcomes,
    lines: Lines,
}

impl std::fmt::Display for Partial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Outcomes { taken, late, refused, unmade, forbidden, .. } = self.outcomes;
        write!(f, "partial write: {} samples taken", taken + late)?;
        if let Some(first) = self.lines.first {
            write!(f, "; {} lines wrong, the first: {first}", self.lines.wrong)?;
        }
        for (count, why) in [
            (refused, "of the future, or of a kind that their databases do not take"),
            (unmade, "without a database: its name is not possible, or too many are new"),
            (forbidden, "of databases that this token is not for"),
        ] {
            if count > 0 {
                write!(f, "; {count} samples {why}")?;
            }
        }
        Ok(())
    }
}

impl Refusal {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Role | Self::Browser => StatusCode::FORBIDDEN,
            Self::Encoding { .. } | Self::Version => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Precision | Self::Compression(_) | Self::Message(_) | Self::Partial(_) => {
                StatusCode::BAD_REQUEST
            }
        }
    }

    /// The word by which Influx 2 names it.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Role | Self::Browser => "forbidden",
            Self::TooLarge => "request too large",
            Self::Store(_) => "unavailable",
            _ => "invalid",
        }
    }
}

/// A request, and who sends it.
pub(super) struct Sending {
    pub(super) arrivals: Arrivals,
    /// Whether senders show a token. Where nobody has to, a page of a stranger could make a browser
    /// send something, so that requests of browsers are refused.
    pub(super) asks_who: bool,
    pub(super) visitor: Visitor,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Sending {
    pub(super) fn take_lines(&self, precision: Precision) -> Result<(), Refusal> {
        self.check()?;
        let unpacked = match self.word(&header::CONTENT_ENCODING) {
            "" | "identity" => None,
            "gzip" => Some(unpacked(&self.body)?),
            _ => return Err(Refusal::Encoding { expected: "gzip or identity" }),
        };
        let bytes = unpacked.as_deref().unwrap_or(&self.body);
        let mut batch = self.arrivals.intake.batch();
        let lines = influx::read(bytes, precision, &mut |sent| batch.add(sent));
        self.store(Protocol::Influx, batch, lines)
    }

    pub(super) fn take_remote(&self) -> Result<(), Refusal> {
        self.check()?;
        if !matches!(self.word(&header::CONTENT_ENCODING), "" | "snappy") {
            return Err(Refusal::Encoding { expected: "snappy" });
        }
        if self.word(&header::CONTENT_TYPE).contains("io.prometheus.write.v2") {
            return Err(Refusal::Version);
        }
        let limits = WriteLimits::default();
        let counts = self.arrivals.tallies.of(Protocol::RemoteWrite);
        let wrong = |wrong| {
            counts.add_wrong(1);
            Refusal::Message(wrong)
        };
        let message = remote_write::message(&self.body, limits.bytes).map_err(wrong)?;
        let mut batch = self.arrivals.intake.batch();
        remote_write::read(&message, &limits, &mut |sent| batch.add(sent)).map_err(wrong)?;
        self.store(Protocol::RemoteWrite, batch, Lines::default())
    }

    fn check(&self) -> Result<(), Refusal> {
        if !self.visitor.role.includes(Role::Write) {
            return Err(Refusal::Role);
        }
        let of_browsers = ["origin", "referer", "sec-fetch-site"].map(HeaderName::from_static);
        let is_browser = of_browsers.iter().any(|name| self.headers.contains_key(name));
        match is_browser && !self.asks_who {
            true => Err(Refusal::Browser),
            false => Ok(()),
        }
    }

    fn word(&self, name: &HeaderName) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    fn store(&self, protocol: Protocol, batch: Batch<'_>, lines: Lines) -> Result<(), Refusal> {
        let Self { arrivals, visitor, .. } = self;
        let sees = |name: &str| visitor.scope.sees(name);
        let may_reach: Option<&dyn Fn(&str) -> bool> = match visitor.scope.is_everything() {
            true => None,
            false => Some(&sees),
        };
        let Taking { outcomes, failure } = arrivals.intake.take(batch, may_reach, now_micros());
        let counts = arrivals.tallies.of(protocol);
        counts.add(&outcomes);
        counts.add_wrong(lines.wrong);
        if let Some(error) = failure {
            return Err(Refusal::Store(error));
        }
        match lines.wrong + outcomes.refused + outcomes.unmade + outcomes.forbidden {
            0 => Ok(()),
            _ => Err(Refusal::Partial(Partial { outcomes, lines })),
        }
    }
}

fn now_micros() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}

/// Lines that were packed by gzip.
fn unpacked(body: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let mut reader = flate2::read::MultiGzDecoder::new(body).take(LINES_BYTES_MAX + 1);
    reader.read_to_end(&mut bytes).map_err(Refusal::Compression)?;
    match bytes.len() as u64 > LINES_BYTES_MAX {
        true => Err(Refusal::TooLarge),
        false => Ok(bytes),
    }
}
