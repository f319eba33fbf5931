//! From a target's sample to what is written of it.

use mrtg::Number;
use rrd::{SourceKind, Timestamp};

use super::super::alarms::Concern;
use super::super::queue::Write;
use super::super::reading_kept::ReadingKept;
use super::{Measured, Sample};

/// A restart that seems to lie up to this long after a database's last update may in fact precede
/// it, because the clocks of device and machine differ. Such a restart needs no unknown sample.
const RESTART_SLACK_SECONDS: i64 = 10;

impl Measured {
    /// Whether `MaxAge` forbids a sample of this time, because the last one is too long ago.
    fn is_too_old(&mut self, nth: usize, time: Timestamp) -> bool {
        let Some(max_age) = self.configuration.globals.max_age else {
            return false;
        };
        let target = &mut self.targets[nth];
        let opened_seconds = target.database.and_then(|it| it.last_update_seconds);
        let last = target.written_seconds.or(opened_seconds);
        let age_seconds = last.map_or(0, |last| time.seconds.saturating_sub(last));
        let is_old = u64::try_from(age_seconds).is_ok_and(|age| age > max_age.as_secs());
        if !is_old {
            target.written_seconds = Some(time.seconds);
            target.is_told_old = false;
        } else if !std::mem::replace(&mut target.is_told_old, true) {
            let said = &self.configuration.targets[nth];
            self.remarks.push(format!(
                "{}: target {} is not updated: its last update is {age_seconds} s ago, and MaxAge \
                 is {}; is the clock right?",
                said.position,
                said.name,
                max_age.as_secs()
            ));
        }
        is_old
    }

    pub(super) fn write(&mut self, nth: usize, sample: Sample) -> Option<Write> {
        let precision = self.targets[nth].precision;
        let time = precision.round(sample.time?);
        self.targets[nth].is_broken |= sample.discontinuity;
        if self.is_too_old(nth, time) {
            return None;
        }
        let max_bytes = self.speeds.max_bytes(nth, &self.configuration.targets[nth]);
        let target = &mut self.targets[nth];
        let database = target.database.as_mut()?;
        let is_difference = target.takes != Takes::Values;
        let just_before = is_difference.then(|| precision.just_before(time));
        // gyre may have been restarted: then only the database knows when the target was updated
        // last.
        let last_update_seconds = database.last_update_seconds.take();
        let restarted_unseen = last_update_seconds.is_some_and(|last| {
            let unharmed_until = last + RESTART_SLACK_SECONDS;
            sample.booted_seconds.is_some_and(|booted| booted > unharmed_until)
        });
        let is_broken = std::mem::take(&mut target.is_broken) || restarted_unseen;
        let last_update = last_update_seconds.map(Timestamp::from_seconds);
        Some(Write {
            database: self.database_names.name(&self.configuration.targets[nth]),
            time,
            readings: sample.readings,
            unknown_until: just_before.filter(|_| is_broken),
            just_before,
            concern: Concern::of(&self.configuration, nth, max_bytes, last_update),
        })
    }
}

/// What both data sources of a target take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// A COUNTER.
    Counts,
    /// A DERIVE.
    Differences,
    /// A GAUGE or an ABSOLUTE, each reading of which stands for itself.
    Values,
}

impl Takes {
    pub(super) fn of(kind: SourceKind) -> Self {
        match kind {
            SourceKind::Counter => Self::Counts,
            SourceKind::Derive => Self::Differences,
            _ => Self::Values,
        }
    }
}

/// A reading in the form that the database takes.
pub(super) fn storable(takes: Takes, reading: Option<Number>) -> ReadingKept {
    let storable = reading.filter(|number| match takes {
        Takes::Counts => number.as_integer().is_some_and(|integer| u64::try_from(integer).is_ok()),
        Takes::Differences => number.as_integer().is_some(),
        Takes::Values => true,
    });
    storable.map_or(ReadingKept::UNKNOWN, ReadingKept::of)
}
