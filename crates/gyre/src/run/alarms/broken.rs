//! The limits that are broken now, for the pages.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use server::BrokenLimit;
use thresholds::Verdict;
use thresholds::alerts::{ALERTS_MAX, About, Alert, Standing};

use super::concern::Sampled;
use super::seen::seen;

/// The limits that are broken now. The watching thread tells of them, pages ask.
#[derive(Clone)]
pub(in super::super) struct BrokenLimits(Arc<Mutex<Standing>>);

impl Default for BrokenLimits {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Standing::new(ALERTS_MAX))))
    }
}

impl BrokenLimits {
    /// Takes the verdicts that a sample led to.
    pub(super) fn take(&self, sample: &Sampled, verdicts: &[Verdict<'_>]) {
        let target = &sample.concern.target().name;
        if let Some(seen) = seen(sample, verdicts) {
            self.standing().take(target, seen, About::default);
        }
    }

    /// Those that are broken now.
    pub(in super::super) fn now(&self) -> Vec<BrokenLimit> {
        let mut standing = self.standing();
        standing.expire(Timestamp::now());
        let alerts = standing.alerts();
        drop(standing);
        alerts.iter().filter(|alert| alert.stands()).map(|alert| told(alert)).collect()
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn told(alert: &Alert) -> BrokenLimit {
    let target = &alert.id.target;
    let annotation = |name: &str| alert.annotations.get(name).map_or("", String::as_str);
    let summary = annotation("summary");
    let words = summary.strip_prefix(&format!("{target}: ")).unwrap_or(summary);
    BrokenLimit {
        target: target.clone(),
        key: alert.id.limit.key(),
        words: match annotation("description") {
            "" => words.to_owned(),
            description => format!("{words} ({description})"),
        },
        since_seconds: alert.starts.as_second(),
    }
}
