//! The intervals of a plan, each with start times and cycles of its own.

use crate::cycles::Cycles;
use crate::grid::{Grid, Phase};
use crate::plan::Plan;
use crate::report::{CycleId, CycleReport, Traffic};
use rrd::Timestamp;
use std::time::Duration;

/// The devices that are polled at one interval, as far as they have something in common.
#[derive(Debug)]
pub(crate) struct Round {
    interval: Duration,
    pub(crate) grid: Grid,
    pub(crate) cycles: Cycles,
    pub(crate) traffic: Traffic,
    devices: usize,
    /// Whether the plan has it. One that a reload took away waits for its last polls.
    is_wanted: bool,
}

/// All intervals that there are, or were before a reload.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    all: Vec<Round>,
}

/// The position of a round, which stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoundIndex(usize);

impl Rounds {
    /// Follows a plan. A new interval begins with a quick first round of its devices.
    pub(crate) fn follow(&mut self, plan: &Plan, now: Duration, wall: Timestamp) {
        let was_wanted: Vec<bool> = self.all.iter().map(|round| round.is_wanted).collect();
        for round in &mut self.all {
            (round.devices, round.is_wanted) = (0, false);
        }
        for interval in &plan.intervals {
            self.want(*interval, now, wall);
        }
        for device in &plan.devices {
            let index = self.want(device.interval, now, wall);
            self.all[index.0].devices += 1;
        }
        for (nth, round) in self.all.iter_mut().enumerate().filter(|(_, round)| round.is_wanted) {
            if !was_wanted.get(nth).is_some_and(|was_wanted| *was_wanted) {
                round.begin(now, wall);
            }
        }
    }

    fn want(&mut self, interval: Duration, now: Duration, wall: Timestamp) -> RoundIndex {
        let index = self.find(interval).unwrap_or_else(|| {
            let grid = Grid::new(interval, 0, 0, now, wall);
            let (cycles, traffic) = (Cycles::default(), Traffic::default());
            let (devices, is_wanted) = (0, false);
            self.all.push(Round { interval, grid, cycles, traffic, devices, is_wanted });
            RoundIndex(self.all.len() - 1)
        });
        self.all[index.0].is_wanted = true;
        index
    }

    /// The round of an interval.
    pub(crate) fn find(&self, interval: Duration) -> Option<RoundIndex> {
        let found = self.all.iter().position(|round| round.interval == interval);
        found.map(RoundIndex)
    }

    pub(crate) fn at(&self, index: RoundIndex) -> &Round {
        &self.all[index.0]
    }

    pub(crate) fn at_mut(&mut self, index: RoundIndex) -> &mut Round {
        &mut self.all[index.0]
    }

    /// The traffic that no device has caused.
    pub(crate) fn foreign_traffic(&mut self) -> Option<&mut Traffic> {
        let wanted = self.all.iter_mut().find(|round| round.is_wanted)?;
        Some(&mut wanted.traffic)
    }

    /// The present cycle of each interval, and when it is over.
    pub(crate) fn present(&self, now: Duration) -> impl Iterator<Item = (CycleId, Duration)> {
        self.all.iter().filter(|round| round.is_wanted).map(move |round| {
            let number = round.grid.cycle_at(now);
            (round.cycle(number), round.grid.cycle_start(number + 1))
        })
    }

    /// The devices are others than before: `to_start` tells how many of a round are still to start in
    /// a cycle.
    pub(crate) fn expect(&mut self, to_start: impl Fn(RoundIndex, u64) -> usize) {
        for (nth, round) in self.all.iter_mut().enumerate() {
            round.cycles.expect(|cycle| to_start(RoundIndex(nth), cycle));
        }
    }

    /// The reports on cycles that are over.
    pub(crate) fn take_over(&mut self, now: Duration) -> Option<CycleReport> {
        self.all.iter_mut().find_map(|round| round.take_over(now))
    }
}

impl Round {
    /// Begins, or begins again, with a quick round.
    fn begin(&mut self, now: Duration, wall: Timestamp) {
        let first = match self.cycles.has_opened(0) {
            true => self.grid.cycle_at(now) + 1,
            false => 0,
        };
        self.grid = Grid::new(self.interval, first, self.devices, now, wall);
        self.cycles.open(first);
    }

    /// The first cycle and start of a device that joins, at this time or later. A cycle that is over
    /// and told, because all others were polled, has no place for it any more.
    pub(crate) fn first_start(&self, phase: Phase, earliest: Duration) -> (u64, Duration) {
        self.grid.next_start(self.cycles.reported_below(), phase, earliest)
    }

    pub(crate) fn cycle(&self, number: u64) -> CycleId {
        CycleId { interval: self.interval, number }
    }

    fn take_over(&mut self, now: Duration) -> Option<CycleReport> {
        let current = self.grid.cycle_at(now);
        match self.is_wanted {
            true => self.cycles.open(current),
            false => self.cycles.forget_empty(),
        }
        let mut report = self.cycles.take_over(self.devices, current)?;
        report.cycle.interval = self.interval;
        report.traffic = std::mem::take(&mut self.traffic);
        Some(report)
    }
}
