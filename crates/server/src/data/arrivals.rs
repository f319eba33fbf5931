//! Samples that agents send over HTTP, and what becomes of them.

use std::io::Read as _;
use std::sync::Arc;

use access::Role;
use agents::now_micros;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use intake::{Batch, Intake, Outcomes, Protocol, Taking, Tallies};
use senders::Sent;
use senders::influx::{self, Precision};
use senders::remote_write::{self, WriteLimits};

use super::form::Form;
use crate::visitor::Visitor;

/// The most bytes of lines after decompression.
const LINES_BYTES_MAX: u64 = 64 << 20;
/// Lines of about so many bytes are stored at once.
const STRETCH_BYTES: usize = 1 << 20;
/// As many samples of remote write are.
const SAMPLES_AT_ONCE: usize = 50_000;

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
    Partial(Box<Partial>),
    #[error("the store cannot take it now: {0}")]
    Store(store::Error),
}

/// Samples of which some cannot be taken.
#[derive(Debug, Default)]
pub(super) struct Partial {
    outcomes: Outcomes,
    /// Lines or series that cannot be read, and what is wrong about the first.
    wrong: u64,
    first: Option<String>,
    /// The first error of a single database.
    fault: Option<store::Error>,
}

impl Partial {
    fn is_whole(&self) -> bool {
        let Outcomes { refused, unmade, forbidden, failed, .. } = self.outcomes;
        self.wrong + refused + unmade + forbidden + failed == 0
    }
}

impl std::fmt::Display for Partial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Outcomes { taken, late, refused, unmade, forbidden, failed, .. } = self.outcomes;
        write!(f, "partial write: {taken} samples taken, {late} late")?;
        if let Some(first) = &self.first {
            write!(f, "; {} cannot be read, the first: {first}", self.wrong)?;
        }
        for (count, why) in [
            (refused, "of a time that cannot be meant, or not of their databases' kind"),
            (unmade, "without a database: its name is not possible, or too many are new"),
            (forbidden, "of databases that this token is not for"),
            (failed, "of databases that cannot be updated"),
        ] {
            if count > 0 {
                write!(f, "; {count} samples {why}")?;
            }
        }
        self.fault.as_ref().map_or(Ok(()), |fault| write!(f, ": {fault}"))
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
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Sending {
    /// Takes Influx' lines.
    pub(super) fn take_lines(&self) -> Result<(), Refusal> {
        self.check()?;
        let form = Form::of(&self.uri, &HeaderMap::new(), &Bytes::new());
        let precision = Precision::of_word(form.get("precision").unwrap_or_default());
        let precision = precision.ok_or(Refusal::Precision)?;
        let unpacked = match self.word(&header::CONTENT_ENCODING) {
            "" | "identity" => None,
            "gzip" => Some(unpacked(&self.body)?),
            _ => return Err(Refusal::Encoding { expected: "gzip or identity" }),
        };
        let mut rest = unpacked.as_deref().unwrap_or(&self.body);
        let (mut all, mut lines_before) = (Partial::default(), 0);
        while !rest.is_empty() {
            let (stretch, behind) = rest.split_at(influx::stretch(rest, STRETCH_BYTES));
            rest = behind;
            let mut batch = self.arrivals.intake.batch();
            let lines = influx::read(stretch, precision, &mut |sent| batch.add(sent));
            let first = lines.first.map(|first| first.moved_by(lines_before).to_string());
            lines_before += memchr::memchr_iter(b'\n', stretch).count() as u64;
            all.wrong += lines.wrong;
            all.first = all.first.or(first);
            self.store(Protocol::Influx, batch, &mut all)?;
        }
        self.concluded(Protocol::Influx, all)
    }

    /// Takes a message of remote write.
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
        // Nothing is taken of a message that is damaged.
        let left_out = remote_write::read(&message, &limits, &mut |_| ()).map_err(wrong)?;
        let first = left_out.first.map(|first| first.to_string());
        let mut all = Partial { wrong: left_out.series, first, ..Partial::default() };
        let (mut batch, mut stored) = (None, Ok(()));
        let mut add = |sent: &Sent<'_>| {
            if stored.is_err() {
                return;
            }
            let filled = batch.get_or_insert_with(|| self.arrivals.intake.batch());
            filled.add(sent);
            if filled.len() >= SAMPLES_AT_ONCE
                && let Some(filled) = batch.take()
            {
                stored = self.store(Protocol::RemoteWrite, filled, &mut all);
            }
        };
        let _ = remote_write::read(&message, &limits, &mut add).map_err(wrong)?;
        stored?;
        if let Some(rest) = batch {
            self.store(Protocol::RemoteWrite, rest, &mut all)?;
        }
        self.concluded(Protocol::RemoteWrite, all)
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

    /// Stores a batch, and adds what became of it.
    fn store(
        &self,
        protocol: Protocol,
        batch: Batch<'_>,
        all: &mut Partial,
    ) -> Result<(), Refusal> {
        let Self { arrivals, visitor, .. } = self;
        let sees = |name: &str| visitor.scope.sees(name);
        let may_reach: Option<&dyn Fn(&str) -> bool> = match visitor.scope.is_everything() {
            true => None,
            false => Some(&sees),
        };
        let Taking { outcomes, failure, fault } =
            arrivals.intake.take(batch, may_reach, now_micros());
        arrivals.tallies.of(protocol).add(&outcomes);
        all.outcomes = all.outcomes + outcomes;
        all.fault = all.fault.take().or(fault);
        match failure {
            Some(error) => Err(Refusal::Store(error)),
            None => Ok(()),
        }
    }

    fn concluded(&self, protocol: Protocol, all: Partial) -> Result<(), Refusal> {
        self.arrivals.tallies.of(protocol).add_wrong(all.wrong);
        if all.is_whole() { Ok(()) } else { Err(Refusal::Partial(Box::new(all))) }
    }
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
