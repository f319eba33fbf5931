//! The alarm of each slot: a heap whose outdated entries are skipped.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// One alarm for each slot.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Duration, u32)>>,
    armed: Vec<Option<Duration>>,
}

impl Timers {
    /// Sets a slot's alarm, which replaces an earlier one.
    pub(crate) fn arm(&mut self, slot: u32, at: Duration) {
        let index = slot as usize;
        if self.armed.len() <= index {
            self.armed.resize(index + 1, None);
        }
        if self.armed[index] != Some(at) {
            self.armed[index] = Some(at);
            self.heap.push(Reverse((at, slot)));
        }
    }

    /// A slot whose alarm is due; clears the alarm.
    pub(crate) fn take_due(&mut self, now: Duration) -> Option<u32> {
        let (at, slot) = self.first()?;
        if at > now {
            return None;
        }
        self.heap.pop();
        self.armed[slot as usize] = None;
        Some(slot)
    }

    /// The earliest alarm.
    pub(crate) fn earliest(&mut self) -> Option<Duration> {
        Some(self.first()?.0)
    }

    fn first(&mut self) -> Option<(Duration, u32)> {
        while let Some(Reverse((at, slot))) = self.heap.peek().copied() {
            if self.armed[slot as usize] == Some(at) {
                return Some((at, slot));
            }
            self.heap.pop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alarm_set_anew_rings_once_and_at_its_new_time() {
        let mut timers = Timers::default();
        let at = Duration::from_secs;
        timers.arm(3, at(10));
        timers.arm(1, at(5));
        timers.arm(3, at(2));
        assert_eq!(timers.earliest(), Some(at(2)));
        assert_eq!(timers.take_due(at(1)), None);
        assert_eq!(timers.take_due(at(2)), Some(3));
        assert_eq!(timers.take_due(at(20)), Some(1));
        assert_eq!(timers.take_due(at(20)), None);
        assert_eq!(timers.earliest(), None);
    }
}
