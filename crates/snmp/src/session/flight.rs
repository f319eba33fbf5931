//! A datagram that waits for its answer.

use super::config::Config;
use super::event::RequestToken;
use super::get::GetAsk;
use super::walk::WalkStep;
use crate::error::DecodeError;
use crate::v3::Report;
use std::time::Duration;

/// The most reports after which a request is sent anew: one that names the engine, one that tells
/// the time, and one more if the device restarts meanwhile.
const REPEATS_MAX: u32 = 3;
/// The longest timeout, for any backoff.
const TIMEOUT_MAX: Duration = Duration::from_secs(3600);

#[derive(Debug)]
pub(super) struct Flight {
    pub(super) request_id: i32,
    pub(super) token: RequestToken,
    pub(super) ask: Ask,
    pub(super) deadline: Duration,
    /// The error of the last answer, if it was not readable.
    pub(super) malformed: Option<DecodeError>,
    /// What a report says that need not be authentic. It is the error if no answer comes.
    pub(super) denial: Option<Report>,
    timeout: Duration,
    retries: u32,
    /// The last report after which it is sent anew, and how many there were.
    repeated: Option<Report>,
    repeats: u32,
    is_due_anew: bool,
}

/// The content of a datagram.
#[derive(Debug)]
pub(super) enum Ask {
    Get(GetAsk),
    Walk(WalkStep),
}

impl Flight {
    pub(super) fn new(
        request_id: i32,
        token: RequestToken,
        ask: Ask,
        now: Duration,
        config: &Config,
    ) -> Flight {
        let timeout = config.timeout.min(TIMEOUT_MAX);
        let deadline = now.saturating_add(timeout);
        Flight {
            request_id,
            token,
            ask,
            deadline,
            malformed: None,
            denial: None,
            timeout,
            retries: 0,
            repeated: None,
            repeats: 0,
            is_due_anew: false,
        }
    }

    /// After a report that leads to an answer, it is to be sent at once, with a new id: another
    /// report of the old datagram says nothing new. Returns false if this does not help.
    pub(super) fn repeat(&mut self, request_id: i32, report: Report) -> bool {
        if self.repeated == Some(report) || self.repeats == REPEATS_MAX {
            return false;
        }
        self.request_id = request_id;
        self.deadline = Duration::ZERO;
        self.repeated = Some(report);
        self.repeats += 1;
        self.is_due_anew = true;
        true
    }

    /// The agent seems to refuse it. A true answer, which a forged report would precede, has a
    /// quarter of the timeout to come.
    pub(super) fn doubt(&mut self, now: Duration, report: Report) {
        self.denial = Some(report);
        self.deadline = self.deadline.min(now.saturating_add(self.timeout / 4));
    }

    /// Whether it is to be sent after a report. Then it is on its way for the first time.
    pub(super) fn begin_anew(&mut self, now: Duration, config: &Config) -> bool {
        if !self.is_due_anew {
            return false;
        }
        self.is_due_anew = false;
        self.denial = None;
        self.retries = 0;
        self.timeout = config.timeout.min(TIMEOUT_MAX);
        self.deadline = now.saturating_add(self.timeout);
        true
    }

    pub(super) fn may_retry(&self, config: &Config) -> bool {
        let is_once = match &self.ask {
            Ask::Walk(step) => step.is_probe,
            Ask::Get(ask) => ask.is_trial,
        };
        !is_once && self.denial.is_none() && self.retries < config.retries
    }

    /// Whether it asks for cells by GETBULK, and did not only begin to.
    pub(super) fn is_unanswered_bulk(&self) -> bool {
        self.retries > 0 && matches!(&self.ask, Ask::Get(ask) if ask.is_bulk())
    }

    pub(super) fn retry(&mut self, now: Duration, config: &Config) {
        let seconds = self.timeout.as_secs_f64() * config.backoff.max(0.0);
        let longer = Duration::try_from_secs_f64(seconds).unwrap_or(TIMEOUT_MAX);
        self.timeout = longer.min(TIMEOUT_MAX);
        self.deadline = now.saturating_add(self.timeout);
        self.retries += 1;
        if let Ask::Walk(step) = &mut self.ask {
            step.shrink();
        }
    }
}
