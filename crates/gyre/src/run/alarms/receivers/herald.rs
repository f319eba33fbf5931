//! Leaves what samples say on the noticeboard.

use std::sync::Arc;

use thresholds::Verdict;
use thresholds::alerts::About;

use super::super::concern::Sampled;
use super::super::seen::seen;
use super::noticeboard::Noticeboard;

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
        if let Some(seen) = seen(sample, verdicts) {
            let target = &sample.concern.target().name;
            self.board.take(target, seen, || self.about(sample));
        }
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
