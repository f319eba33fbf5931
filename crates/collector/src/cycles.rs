//! Gathers the report on each cycle from the polls of its devices.

use crate::report::{CycleReport, DevicePoll, Noisy, Outcome};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How many slow devices a report names.
const SLOWEST: usize = 5;
/// How many devices with unwanted datagrams a report names.
const NOISIEST: usize = 5;

/// The cycles of an interval that are in progress: one, or two while devices that start late in
/// their cycle wait for answers.
#[derive(Debug, Default)]
pub(crate) struct Cycles {
    open: BTreeMap<u64, Open>,
    opened_below: u64,
    reported_below: u64,
}

#[derive(Debug, Default)]
struct Open {
    started: usize,
    /// How many start in it, if that is not the number of devices.
    expected: Option<usize>,
    over: usize,
    first_start: Option<Duration>,
    report: CycleReport,
}

impl Cycles {
    /// Begins a cycle, before any device starts.
    pub(crate) fn open(&mut self, cycle: u64) {
        if cycle >= self.opened_below {
            self.opened_below = cycle + 1;
            self.at(cycle);
        }
    }

    /// Cycles below this one are over and told: no device can start in them any more.
    pub(crate) fn reported_below(&self) -> u64 {
        self.reported_below
    }

    /// Whether a cycle has begun.
    pub(crate) fn has_opened(&self, cycle: u64) -> bool {
        cycle < self.opened_below
    }

    /// The devices are others than before: tells how many are still to start in a cycle.
    pub(crate) fn expect(&mut self, to_start: impl Fn(u64) -> usize) {
        for (cycle, open) in &mut self.open {
            open.expected = Some(open.started + to_start(*cycle));
        }
    }

    /// A device starts its poll.
    pub(crate) fn start(&mut self, cycle: u64, now: Duration) {
        self.open(cycle);
        let open = self.at(cycle);
        open.started += 1;
        open.first_start.get_or_insert(now);
    }

    /// A device's poll has ended.
    pub(crate) fn end(&mut self, poll: &DevicePoll, name: &Arc<str>, now: Duration) {
        let open = self.at(poll.cycle.number);
        open.over += 1;
        let report = &mut open.report;
        let started_at = open.first_start.unwrap_or(now);
        let ended_at = match poll.outcome {
            Outcome::Answered => now,
            _ => started_at,
        };
        report.took = report.took.max(ended_at.saturating_sub(started_at));
        for reading in poll.readings.iter().chain(&poll.walked) {
            report.readings += usize::from(reading.is_ok());
            report.readings_missing += usize::from(reading.is_err());
        }
        if poll.unwanted > 0 {
            report.unwanted += poll.unwanted;
            note_noisy(&mut report.noisiest, name, poll.unwanted);
        }
        if poll.restarted {
            report.restarted.push(name.clone());
        }
        if poll.outcome == Outcome::Answered {
            report.answered += 1;
            report.busy += poll.took;
            rank(&mut report.slowest, name, poll.took);
        } else {
            report.missed.push(name.clone());
            match poll.outcome {
                Outcome::NoAddress(_) => report.without_address.push(name.clone()),
                Outcome::Denied(_) => report.denied.push(name.clone()),
                Outcome::Silent { .. } | Outcome::NoConnection(_) | Outcome::Answered => {}
            }
        }
    }

    /// The device of a poll in progress was removed from the plan.
    pub(crate) fn abandon(&mut self, cycle: u64) {
        self.at(cycle).over += 1;
    }

    /// The report on the oldest cycle if it is over: all polls have ended, and no device is still
    /// to start, either because all have started or because `current` is a later cycle.
    pub(crate) fn take_over(&mut self, devices: usize, current: u64) -> Option<CycleReport> {
        let oldest = self.open.first_entry()?;
        let cycle = *oldest.key();
        let open = oldest.get();
        let all_started = cycle < current || open.started >= open.expected.unwrap_or(devices);
        if !all_started || open.over < open.started {
            return None;
        }
        let open = oldest.remove();
        self.reported_below = cycle + 1;
        let mut report = open.report;
        report.cycle.number = cycle;
        // A reload may have taken devices away that started before it.
        report.devices = devices.max(open.started);
        Some(report)
    }

    /// Forgets cycles in which no device has started.
    pub(crate) fn forget_empty(&mut self) {
        self.open.retain(|_, open| open.started > 0);
    }

    fn at(&mut self, cycle: u64) -> &mut Open {
        self.open.entry(cycle).or_default()
    }
}

fn rank(slowest: &mut Vec<(Arc<str>, Duration)>, name: &Arc<str>, took: Duration) {
    let place = slowest.partition_point(|(_, other)| *other >= took);
    if place < SLOWEST {
        slowest.insert(place, (name.clone(), took));
        slowest.truncate(SLOWEST);
    }
}

fn note_noisy(noisiest: &mut Vec<Noisy>, name: &Arc<str>, unwanted: u64) {
    let place = noisiest.partition_point(|other| other.unwanted >= unwanted);
    if place < NOISIEST {
        noisiest.insert(place, Noisy { name: name.clone(), unwanted });
        noisiest.truncate(NOISIEST);
    }
}
