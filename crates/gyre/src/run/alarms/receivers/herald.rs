//! Leaves what samples say on the noticeboard.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use thresholds::Verdict;
use thresholds::alerts::{About, Seen};

use super::super::concern::Sampled;
use super::noticeboard::Noticeboard;

/// An alert that is not confirmed ends after so many intervals, as one of Prometheus does.
const INTERVALS: i64 = 4;

/// The shortest interval that counts there.
const INTERVAL_SECONDS_MIN: u64 = 60;

/// Where alerts come from.
pub(in super::super::super) struct Origin {
    /// The labels of the series of a database.
    pub(in super::super::super) labels: Box<lookup::MoreLabels>,
    /// Where the web pages are.
    pub(in super::super::super) web_url: Option<String>,
}

/// Leaves what samples say on the noticeboard, with where they come from.
pub(in super::super::super) struct Herald {
    board: Arc<Noticeboard>,
    origin: Origin,
}

impl Herald {
    pub(super) fn new(board: Arc<Noticeboard>, origin: Origin) -> Self {
        Self { board, origin }
    }

    /// Takes the verdicts that a sample led to.
    pub(in super::super) fn take(&self, sample: &Sampled, verdicts: &[Verdict<'_>]) {
        let target = sample.concern.target();
        let nanoseconds = sample.time.micros as i32 * 1000;
        let Ok(at) = Timestamp::new(sample.time.seconds, nanoseconds) else { return };
        let seconds = target.settings.interval.step_seconds().max(INTERVAL_SECONDS_MIN);
        let valid = SignedDuration::from_secs(seconds as i64 * INTERVALS);
        let Ok(until) = at.checked_add(valid) else { return };
        self.board.take(&target.name, Seen { verdicts, at, until }, || self.about(sample));
    }

    fn about(&self, sample: &Sampled) -> About {
        let name = &sample.concern.target().name;
        let page = |url: &String| format!("{url}{}", server::path_of_target(name));
        About {
            labels: (self.origin.labels)(&sample.database),
            page: self.origin.web_url.as_ref().map(page),
        }
    }
}
