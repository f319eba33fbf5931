//! A run of some cycles, and what it cost.

use std::path::Path;

use serde::Serialize;
use testbed::ProcessCounters;

use super::agents::{Agents, Wanted};
use super::subject::{Collector, Cycle};

/// What a run of some cycles cost.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Cost {
    pub(super) targets: usize,
    pub(super) cycles: Vec<Cycle>,
    /// Processor time of the collector in each cycle.
    pub(super) processor_seconds: Vec<f64>,
    /// Processor time of the devices in each cycle.
    pub(super) agents_seconds: Vec<f64>,
    pub(super) major_faults: u64,
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
    /// The resident memory at the end, and the most of it.
    pub(super) resident_bytes: u64,
    pub(super) resident_bytes_max: u64,
    /// From the start to the end of the first round, in which every target has its first sample.
    pub(super) first_round_seconds: f64,
}

/// A collector at work over its devices.
pub(super) struct AtWork {
    pub(super) agents: Agents,
    pub(super) collector: Collector,
    pub(super) first: Cycle,
}

impl AtWork {
    /// Starts both, and waits for the end of the first round.
    pub(super) fn start(gyre: &Path, wanted: &Wanted) -> Result<Self, String> {
        let agents = Agents::start(wanted)?;
        let collector = Collector::start(gyre, &wanted.configuration)?;
        let first = collector.next_cycle()?;
        Ok(Self { agents, collector, first })
    }

    /// Kills the collector and starts it again over its store. Gives the seconds until every target
    /// has a sample once more.
    pub(super) fn restart(&mut self, gyre: &Path, configuration: &Path) -> Result<f64, String> {
        self.collector.kill();
        self.collector = Collector::start(gyre, configuration)?;
        Ok(self.collector.next_cycle()?.told_seconds)
    }

    /// Waits for so many cycles more, and says what they cost.
    pub(super) fn measure(&self, cycles: u64) -> Result<Cost, String> {
        // The round at the start runs into the next cycle.
        self.collector.next_cycle()?;
        let begun = self.collector.counters()?;
        let (mut ours, mut theirs) = (begun, self.agents.counters()?);
        let mut cost = Cost {
            targets: self.agents.targets,
            cycles: Vec::new(),
            processor_seconds: Vec::new(),
            agents_seconds: Vec::new(),
            major_faults: 0,
            read_bytes: 0,
            written_bytes: 0,
            resident_bytes: 0,
            resident_bytes_max: 0,
            first_round_seconds: self.first.told_seconds,
        };
        for _ in 0..cycles {
            cost.cycles.push(self.collector.next_cycle()?);
            let (now, agents) = (self.collector.counters()?, self.agents.counters()?);
            cost.processor_seconds.push(processor_seconds(now) - processor_seconds(ours));
            cost.agents_seconds.push(processor_seconds(agents) - processor_seconds(theirs));
            (ours, theirs) = (now, agents);
        }
        cost.major_faults = ours.major_faults - begun.major_faults;
        cost.read_bytes = ours.read_bytes - begun.read_bytes;
        cost.written_bytes = ours.written_bytes - begun.written_bytes;
        cost.resident_bytes = ours.resident_bytes;
        cost.resident_bytes_max = ours.resident_bytes_max;
        Ok(cost)
    }
}

impl Cost {
    /// Processor seconds of the collector, a cycle.
    pub(super) fn a_cycle_seconds(&self) -> f64 {
        mean(&self.processor_seconds)
    }

    /// The same of the devices.
    pub(super) fn agents_a_cycle_seconds(&self) -> f64 {
        mean(&self.agents_seconds)
    }

    /// The same of the collector for a target, in microseconds.
    pub(super) fn a_target_us(&self) -> f64 {
        self.a_cycle_seconds() / self.targets as f64 * 1e6
    }

    /// Targets without a sample, in all cycles.
    pub(super) fn missed(&self) -> usize {
        self.cycles.iter().map(|cycle| cycle.missed).sum()
    }

    /// The longest time from the first question of a cycle to its last answer.
    pub(super) fn longest_seconds(&self) -> f64 {
        self.cycles.iter().map(|cycle| cycle.poll_seconds).fold(0.0, f64::max)
    }
}

pub(super) fn processor_seconds(counters: ProcessCounters) -> f64 {
    counters.user_seconds + counters.system_seconds
}

fn mean(figures: &[f64]) -> f64 {
    figures.iter().sum::<f64>() / figures.len().max(1) as f64
}
