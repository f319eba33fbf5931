//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;

use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill};

/// The parts, in the order in which they are measured.
pub(super) const PARTS: [&str; 6] = ["steady", "reload", "faults", "v3", "most", "mrtg"];

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    /// Devices of a steady run.
    pub(super) devices: u32,
    /// Ports of each; some have no target, as nothing is connected to them.
    pub(super) ports: u32,
    /// The time between two polls.
    pub(super) interval_seconds: u64,
    /// Cycles that are measured, after the first.
    pub(super) cycles: u64,
    /// Devices of the runs that compare.
    pub(super) few_devices: u32,
    /// Devices that are added until a cycle is late.
    pub(super) more_devices: u32,
    /// Targets that MRTG polls, too.
    pub(super) mrtg_targets: usize,
    pub(super) parts: Vec<&'static str>,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "collect";
    const ABOUT: &'static str =
        "gyre run over simulated devices of this machine: processor time, memory, lateness";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--devices", "N", "devices of a steady run (10000)", |o, it| {
            fill(&mut o.devices, &it)
        }),
        checked("--ports", "N", "ports of each (110, of which 101 have targets)", |o, it| {
            fill(&mut o.ports, &it)
        }),
        checked("--interval-seconds", "S", "the time between two polls (60)", |o, it| {
            fill(&mut o.interval_seconds, &it)
        }),
        checked("--cycles", "N", "cycles that are measured, after the first (10)", |o, it| {
            fill(&mut o.cycles, &it)
        }),
        checked("--few-devices", "N", "devices of the runs that compare (2000)", |o, it| {
            fill(&mut o.few_devices, &it)
        }),
        checked("--more-devices", "N", "devices added until a cycle is late (5000)", |o, it| {
            fill(&mut o.more_devices, &it)
        }),
        checked("--mrtg-targets", "N", "targets that MRTG polls, too (2000)", |o, it| {
            fill(&mut o.mrtg_targets, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            devices: 10_000,
            ports: 110,
            interval_seconds: 60,
            cycles: 10,
            few_devices: 2000,
            more_devices: 5000,
            mrtg_targets: 2000,
            parts: PARTS.into(),
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self {
            devices: 40,
            ports: 12,
            interval_seconds: 2,
            cycles: 2,
            few_devices: 20,
            more_devices: 20,
            mrtg_targets: 20,
            parts: vec!["steady", "reload", "faults", "v3", "mrtg"],
            ..Self::full()
        })
    }
}

impl Options {
    pub(super) fn wants(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }
}
