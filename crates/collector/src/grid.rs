//! The start time of each device in each cycle.
//!
//! ```text
//! origin                                          time ─▶
//! |~~~|      |--------- cycle 1 ---------|--------- cycle 2 ---------|
//!  cycle 0   a..b.c...de.....f..g..h.ij..a..b.c...de.....f..g..h.ij..
//! ```
//!
//! A device has a phase, the hash of its address. It starts at that phase in every interval of the
//! *wall* clock as it was at the origin, so a restart of the collector changes no device's start
//! times. Cycle 0 is a quick first round that shows an operator at once which devices do not
//! answer.

use crate::plan::DevicePlan;
use crate::stamp::micros_of;
use rrd::Timestamp;
use std::time::Duration;

/// The first round takes at most this part of an interval.
const FIRST_ROUND_PART: u32 = 10;
/// Devices start at so many different times in an interval, at most, as far as [`TICK_MAX`] allows:
/// those of one time are sent to and read from with few system calls.
const TICKS: u32 = 1000;
/// The longest time between two of these.
const TICK_MAX: Duration = Duration::from_millis(20);
/// The first round takes this long for each device.
const FIRST_ROUND_PER_DEVICE: Duration = Duration::from_millis(2);

/// Start times, on the monotonic clock.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    interval: Duration,
    /// Devices start at multiples of it.
    tick: Duration,
    first_cycle: u64,
    origin: Duration,
    first_round: Duration,
    /// The position of cycle 1's start within an interval of the wall clock.
    wall_offset: Duration,
}

/// A device's position in an interval, as a part of 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Phase(u64);

impl Phase {
    /// The phase of a device. The hash spreads devices evenly even if their addresses are similar
    /// (FNV-1a, then the finalizer of SplitMix64). It must not change, because devices would then
    /// move within their interval.
    pub(crate) fn of(device: &DevicePlan) -> Self {
        let port = device.port.to_be_bytes();
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in device.host.bytes().chain(port) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(chance::mix(hash))
    }

    /// The start within a span, at a whole tick.
    fn of_span(self, span: Duration, tick: Duration) -> Duration {
        let ticks = span.as_nanos() / tick.as_nanos().max(1);
        let nth = (ticks.saturating_mul(u128::from(self.0))) >> 64;
        Duration::from_nanos((nth * tick.as_nanos()) as u64)
    }
}

impl Grid {
    /// A grid whose first cycle is `first_cycle`, the quick round, and begins now.
    pub(crate) fn new(
        interval: Duration,
        first_cycle: u64,
        devices: usize,
        now: Duration,
        wall: Timestamp,
    ) -> Self {
        let interval = interval.max(Duration::from_millis(1));
        let devices = u32::try_from(devices).unwrap_or(u32::MAX);
        let first_round = FIRST_ROUND_PER_DEVICE.saturating_mul(devices);
        let interval_micros = interval.as_micros() as i64;
        let wall_micros = (micros_of(wall) + interval_micros / 2).rem_euclid(interval_micros);
        Self {
            interval,
            tick: (interval / TICKS).min(TICK_MAX),
            first_cycle,
            origin: now,
            first_round: first_round.min(interval / FIRST_ROUND_PART),
            wall_offset: Duration::from_micros(wall_micros as u64),
        }
    }

    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// When a device starts in a cycle.
    pub(crate) fn start(&self, cycle: u64, phase: Phase) -> Duration {
        if cycle <= self.first_cycle {
            return self.origin + phase.of_span(self.first_round, self.tick);
        }
        let wall_phase = phase.of_span(self.interval, self.tick);
        let into_cycle = match wall_phase.checked_sub(self.wall_offset) {
            Some(later) => later,
            None => wall_phase + self.interval - self.wall_offset,
        };
        self.cycle_start(cycle) + into_cycle
    }

    /// When a cycle begins: no device starts earlier in it, and the cycle before has no more
    /// starts.
    pub(crate) fn cycle_start(&self, cycle: u64) -> Duration {
        let Some(nth) = cycle.checked_sub(self.first_cycle + 1) else {
            return self.origin;
        };
        self.origin + self.interval / 2 + times(self.interval, nth)
    }

    /// The cycle at a time.
    pub(crate) fn cycle_at(&self, now: Duration) -> u64 {
        match now.checked_sub(self.cycle_start(self.first_cycle + 1)) {
            None => self.first_cycle,
            Some(since) => {
                let nth = since.as_nanos() / self.interval.as_nanos();
                self.first_cycle + 1 + nth as u64
            }
        }
    }

    /// The first start of a device at `now` or later, in cycle `earliest` or later.
    pub(crate) fn next_start(&self, earliest: u64, phase: Phase, now: Duration) -> (u64, Duration) {
        let mut cycle = self.cycle_at(now).max(earliest);
        while self.start(cycle, phase) < now {
            cycle += 1;
        }
        (cycle, self.start(cycle, phase))
    }
}

fn times(interval: Duration, count: u64) -> Duration {
    let nanos = interval.as_nanos().saturating_mul(u128::from(count));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn phases() -> impl Iterator<Item = Phase> {
        (0..100).map(|nth| Phase(u64::MAX / 100 * nth))
    }

    #[test]
    fn every_device_starts_once_in_each_cycle_and_an_interval_apart() {
        let grid = Grid::new(MINUTE, 0, 100, MINUTE * 7, Timestamp::from_seconds(12_345));
        for phase in phases() {
            assert!(grid.start(0, phase) - MINUTE * 7 < Duration::from_millis(200));
            for cycle in 1..5 {
                let start = grid.start(cycle, phase);
                assert!(start >= grid.cycle_start(cycle) && start < grid.cycle_start(cycle + 1));
                assert_eq!(grid.start(cycle + 1, phase) - start, MINUTE);
                assert_eq!(grid.cycle_at(start), cycle);
            }
        }
    }

    #[test]
    fn a_restart_of_the_collector_moves_no_device() {
        let first = Grid::new(MINUTE, 0, 100, Duration::ZERO, Timestamp::from_seconds(1000));
        // A second collector, 777 s later, with another monotonic clock.
        let second = Grid::new(MINUTE, 0, 100, MINUTE, Timestamp::from_seconds(1777));
        for phase in phases() {
            let before = first.start(1, phase) + Duration::from_secs(1000);
            let after = second.start(1, phase) - MINUTE + Duration::from_secs(1777);
            let apart = (after - before).as_micros() % MINUTE.as_micros();
            assert!(apart <= 1 || apart >= MINUTE.as_micros() - 1, "{apart}");
        }
    }

    #[test]
    fn one_that_is_late_goes_on_with_the_present_cycle() {
        let grid = Grid::new(MINUTE, 0, 1, Duration::ZERO, Timestamp::from_seconds(0));
        for phase in phases() {
            let now = MINUTE * 10;
            let (cycle, start) = grid.next_start(2, phase, now);
            assert!(start >= now && start < now + MINUTE);
            assert_eq!(start, grid.start(cycle, phase));
        }
    }
}
