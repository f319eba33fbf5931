//! A datagram that waits for its answer.

use super::config::Config;
use super::event::RequestToken;
use super::walk::WalkStep;
use crate::error::DecodeError;
use std::time::Duration;

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
    timeout: Duration,
    retries: u32,
}

/// The content of a datagram.
#[derive(Debug)]
pub(super) enum Ask {
    /// The instances at these positions of a GET's list.
    Get {
        places: Vec<usize>,
    },
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
        Flight { request_id, token, ask, deadline, malformed: None, timeout, retries: 0 }
    }

    pub(super) fn may_retry(&self, config: &Config) -> bool {
        let probe = matches!(&self.ask, Ask::Walk(step) if step.is_probe);
        !probe && self.retries < config.retries
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
