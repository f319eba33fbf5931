//! What is kept of a device's limits when this program ends, and is the starting point of the next
//! run: what it does not answer need not be found out again by timeouts.

use crate::uptime::Uptime;
use rrd::Timestamp;
use snmp::Limits;
use std::time::Duration;

/// That a device does not answer GETBULK is believed for so long. Then it is tried again.
const BROKEN_BULK_FOR: Duration = Duration::from_secs(24 * 3600);

/// The limits that a device has shown, and since which start of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// The limits.
    pub limits: Limits,
    /// Whether none of the 64-bit counters that it was asked for is there.
    pub has_only_narrow: bool,
    /// When it had these limits.
    pub at: Timestamp,
    /// Its sysUpTime then, in hundredths of a second.
    pub uptime_ticks: Option<u32>,
    /// How often its engine had started then, with SNMPv3.
    pub engine_boots: Option<u32>,
}

impl Learnt {
    /// Whether it tells of no limit at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.limits == Limits::default() && !self.has_only_narrow
    }

    /// What is still believed of it at a time.
    pub(crate) fn believed_at(mut self, wall: Timestamp) -> Self {
        let is_old = passed(self.at, wall).is_none_or(|passed| passed >= BROKEN_BULK_FOR);
        self.limits.has_broken_bulk &= !is_old;
        self
    }

    /// Whether the device has started again between `self` and what it tells `now`. It may be said
    /// of one that was young then and has not.
    pub(crate) fn is_of_an_earlier_start(&self, now: &Self) -> bool {
        if let (Some(before), Some(now)) = (self.engine_boots, now.engine_boots)
            && before != now
        {
            return true;
        }
        let (Some(before), Some(ticks)) = (self.uptime_ticks, now.uptime_ticks) else {
            return false;
        };
        let Some(passed) = passed(self.at, now.at) else { return true };
        let before = Uptime { ticks: before, at: Duration::ZERO };
        before.restarted_before(Uptime { ticks, at: passed })
    }
}

/// The time between two moments; `None` if the clock was set back between them.
fn passed(before: Timestamp, now: Timestamp) -> Option<Duration> {
    let seconds = now.seconds.saturating_sub(before.seconds);
    Some(Duration::from_secs(u64::try_from(seconds).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_TICKS: u32 = 8_640_000;
    const AT_SECONDS: i64 = 1_700_000_000;

    fn learnt(at_seconds: i64, uptime_ticks: u32, engine_boots: u32) -> Learnt {
        Learnt {
            limits: Limits { has_broken_bulk: true, ..Limits::default() },
            has_only_narrow: false,
            at: Timestamp::from_seconds(at_seconds),
            uptime_ticks: Some(uptime_ticks),
            engine_boots: Some(engine_boots),
        }
    }

    #[test]
    fn a_start_between_two_runs_is_noticed() {
        let before = learnt(AT_SECONDS, 10 * DAY_TICKS, 3);
        let later = |ticks, boots| learnt(AT_SECONDS + 86_400, ticks, boots);
        assert!(!before.is_of_an_earlier_start(&later(11 * DAY_TICKS, 3)));
        assert!(before.is_of_an_earlier_start(&later(11 * DAY_TICKS, 4)));
        assert!(before.is_of_an_earlier_start(&later(DAY_TICKS / 2, 3)));
        // After a month without this program.
        let month = learnt(AT_SECONDS + 30 * 86_400, 20 * DAY_TICKS, 3);
        assert!(before.is_of_an_earlier_start(&month));
        // The clock went back: nothing can be said, and trying anew costs little.
        assert!(before.is_of_an_earlier_start(&learnt(AT_SECONDS - 5, 10 * DAY_TICKS, 3)));
    }

    #[test]
    fn broken_bulk_is_believed_for_a_day() {
        let learnt = learnt(AT_SECONDS, DAY_TICKS, 3);
        let believed = |seconds| {
            learnt.believed_at(Timestamp::from_seconds(AT_SECONDS + seconds)).limits.has_broken_bulk
        };
        assert!(believed(0) && believed(86_399));
        assert!(!believed(86_400) && !believed(-1));
    }
}
