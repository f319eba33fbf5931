//! The alerts that stand, and those that ended a moment ago.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::alert::{About, Alert, AlertId, Course};
use crate::check::Verdict;
use crate::limit::LimitId;

/// The most alerts that are kept.
pub const ALERTS_MAX: usize = 100_000;

/// How long an alert that ended is kept for receivers that could not be told. Prometheus keeps them
/// as long.
pub const RETAINED: SignedDuration = SignedDuration::from_mins(15);

/// What a sample says of the limits of a target.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The verdicts on all limits of the target.
    pub verdicts: &'a [Verdict<'a>],
    /// The time of the sample.
    pub at: Timestamp,
    /// Until when they hold if no other sample comes.
    pub until: Timestamp,
}

/// The alerts of all targets.
#[derive(Debug)]
pub struct Standing {
    of_target: BTreeMap<Arc<str>, BTreeMap<LimitId, Arc<Alert>>>,
    count: usize,
    /// Whether as many stand as may, since none has ended.
    is_full: bool,
    most: usize,
    lost: u64,
}

impl Standing {
    /// None yet, and at most that many.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { of_target: BTreeMap::new(), count: 0, is_full: false, most, lost: 0 }
    }

    /// Takes what a sample says of a target. `about` is asked if an alert begins. Returns whether
    /// one began or ended.
    ///
    /// An unknown value begins no alert and ends none.
    pub fn take(&mut self, target: &Arc<str>, seen: Seen<'_>, about: impl Fn() -> About) -> bool {
        let mut has_changed = self.end_those_without_limit(target, seen);
        for verdict in seen.verdicts {
            let before = self.of_target.get(target).and_then(|all| all.get(&verdict.limit));
            let before = before.filter(|alert| alert.stands());
            let (after, is_change) = match (verdict.is_broken(), before) {
                (Some(true), None) => (Alert::new(verdict, about(), seen.at, seen.until), true),
                (Some(true), Some(alert)) => (alert.again(verdict, seen.until), false),
                (Some(false), Some(alert)) => (alert.on(Course::Ended { at: seen.at }), true),
                (None, Some(alert)) => (alert.on(Course::Standing { until: seen.until }), false),
                (Some(false) | None, None) => continue,
            };
            self.is_full &= after.stands();
            has_changed |= self.put(after) && is_change;
        }
        has_changed
    }

    /// Takes an alert that an earlier process knew.
    pub fn restore(&mut self, alert: Alert) {
        self.put(alert);
    }

    /// A configuration that was read anew may have dropped limits.
    fn end_those_without_limit(&mut self, target: &Arc<str>, seen: Seen<'_>) -> bool {
        let Some(alerts) = self.of_target.get_mut(target) else { return false };
        let mut has_changed = false;
        for (limit, alert) in alerts.iter_mut().filter(|(_, alert)| alert.stands()) {
            if !seen.verdicts.iter().any(|verdict| verdict.limit == *limit) {
                *alert = Arc::new(alert.on(Course::Ended { at: seen.at }));
                has_changed = true;
            }
        }
        self.is_full &= !has_changed;
        has_changed
    }

    /// Whether there was room for it.
    fn put(&mut self, alert: Alert) -> bool {
        let AlertId { target, limit } = alert.id.clone();
        let is_kept = self.of_target.get(&target).is_some_and(|all| all.contains_key(&limit));
        if !is_kept && self.count >= self.most {
            // All are looked at once only, until one of them has ended.
            if !self.is_full {
                self.retain(Alert::stands);
                self.is_full = self.count >= self.most;
            }
            if self.is_full {
                self.lost += 1;
                return false;
            }
        }
        self.of_target.entry(target).or_default().insert(limit, Arc::new(alert));
        self.count += usize::from(!is_kept);
        true
    }

    fn retain(&mut self, is_kept: impl Fn(&Alert) -> bool) {
        self.of_target.retain(|_, all| {
            let before = all.len();
            all.retain(|_, alert| is_kept(alert));
            self.count -= before - all.len();
            !all.is_empty()
        });
    }

    /// Ends alerts that were not confirmed, and forgets those that ended long ago. Returns whether
    /// one ended.
    pub fn expire(&mut self, now: Timestamp) -> bool {
        let mut has_changed = false;
        for alert in self.of_target.values_mut().flat_map(BTreeMap::values_mut) {
            if let Course::Standing { until } = alert.course
                && until <= now
            {
                *alert = Arc::new(alert.on(Course::Ended { at: until }));
                has_changed = true;
            }
        }
        self.is_full &= !has_changed;
        self.retain(|alert| alert.stands() || now.duration_since(alert.ends()) < RETAINED);
        has_changed
    }

    /// All of them in the order of targets.
    #[must_use]
    pub fn alerts(&self) -> Vec<Arc<Alert>> {
        self.of_target.values().flat_map(BTreeMap::values).cloned().collect()
    }

    /// How many stand.
    #[must_use]
    pub fn count_standing(&self) -> usize {
        let all = self.of_target.values().flat_map(BTreeMap::values);
        all.filter(|alert| alert.stands()).count()
    }

    /// How often there was no room for a limit that was broken.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }
}
