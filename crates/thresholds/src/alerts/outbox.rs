//! What one receiver was told, and what it is to be told next.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::alert::{Alert, AlertId};

/// What a receiver was told of each alert.
#[derive(Debug)]
pub struct Outbox {
    told: BTreeMap<AlertId, Told>,
    /// After which time an alert that stands is told again.
    again: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Told {
    /// By this, alerts of one limit one after the other are told apart.
    starts: Timestamp,
    what: What,
}

/// What a receiver knows of an alert.
#[derive(Clone, Copy, Debug)]
enum What {
    /// It may know that the alert stands, for the answer was lost or was an error.
    Perhaps,
    /// It knew then that the alert stands.
    Stands(Instant),
    /// It knows that the alert ended.
    Ended,
}

impl Outbox {
    /// Nothing is told yet. An alert that stands is told again after that time.
    #[must_use]
    pub const fn new(again: Duration) -> Self {
        Self { told: BTreeMap::new(), again }
    }

    /// Those of all alerts that are to be told now. One that ended before it could be told is not.
    #[must_use]
    pub fn due(&self, alerts: &[Arc<Alert>], now: Instant) -> Vec<Arc<Alert>> {
        alerts.iter().filter(|alert| self.is_due(alert, now)).cloned().collect()
    }

    fn is_due(&self, alert: &Alert, now: Instant) -> bool {
        match self.known(alert) {
            None => alert.stands(),
            Some(What::Perhaps) => true,
            Some(What::Stands(then)) => {
                !alert.stands() || now.saturating_duration_since(then) >= self.again
            }
            Some(What::Ended) => false,
        }
    }

    /// What the receiver knows of an alert. One before it of whose end it was not told is the same to
    /// it, for both have the same labels.
    fn known(&self, alert: &Alert) -> Option<What> {
        let Told { starts, what } = *self.told.get(&alert.id)?;
        match what {
            _ if starts == alert.starts => Some(what),
            What::Ended => None,
            What::Perhaps | What::Stands(_) => Some(What::Perhaps),
        }
    }

    /// Whether the receiver knows what became of an alert, or need not know.
    #[must_use]
    pub fn is_settled(&self, alert: &Alert) -> bool {
        match self.known(alert) {
            None | Some(What::Ended) => !alert.stands(),
            Some(What::Perhaps) => false,
            Some(What::Stands(_)) => alert.stands(),
        }
    }

    /// The receiver is about to be told of these, and may get them even if no answer comes.
    pub fn trying(&mut self, alerts: &[Arc<Alert>]) {
        self.note(alerts, |_| What::Perhaps);
    }

    /// It took them.
    pub fn taken(&mut self, alerts: &[Arc<Alert>], now: Instant) {
        let what = |alert: &Alert| if alert.stands() { What::Stands(now) } else { What::Ended };
        self.note(alerts, what);
    }

    fn note(&mut self, alerts: &[Arc<Alert>], what: impl Fn(&Alert) -> What) {
        for alert in alerts {
            let told = Told { starts: alert.starts, what: what(alert) };
            self.told.insert(alert.id.clone(), told);
        }
    }

    /// Forgets alerts that are no longer kept. Returns how many of them have ended without the
    /// receiver knowing.
    pub fn forget_all_but(&mut self, alerts: &[Arc<Alert>]) -> usize {
        let mut unaware = 0;
        // Both are in the order of targets and limits.
        let mut kept = alerts.iter().map(|alert| &alert.id).peekable();
        self.told.retain(|id, told| {
            while kept.next_if(|next| *next < id).is_some() {}
            let is_kept = kept.peek() == Some(&id);
            unaware += usize::from(!is_kept && !matches!(told.what, What::Ended));
            is_kept
        });
        unaware
    }
}
