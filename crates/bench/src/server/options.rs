//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;

use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill};

/// The parts, in the order in which they are measured.
pub(super) const PARTS: [&str; 3] = ["verbs", "librrd", "busy"];

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    /// Databases for the verbs.
    pub(super) few_rrds: u64,
    /// Cycles in these databases before the measurement.
    pub(super) history_cycles: u64,
    /// Rounds of each verb, alternately with the two stores.
    pub(super) rounds: u64,
    /// Updates in a round from Perl.
    pub(super) perl_updates: usize,
    /// Databases that are updated every cycle.
    pub(super) rrds: u64,
    /// The length of a cycle.
    pub(super) cycle_seconds: f64,
    /// Cycles without readers, and as many with exports and graphs.
    pub(super) cycles: u64,
    /// Lines of a BATCH.
    pub(super) batch_lines: usize,
    /// Graphs drawn in a second.
    pub(super) graphs_a_second: u64,
    /// Databases that are exported in each cycle.
    pub(super) exported_rrds: u64,
    pub(super) parts: Vec<&'static str>,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "server";
    const ABOUT: &'static str =
        "a ring store that a server has open: verbs beside those on a closed one, and under load";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--few-rrds", "N", "databases that verbs work on (1000)", |o, it| {
            fill(&mut o.few_rrds, &it)
        }),
        checked("--history-cycles", "N", "cycles that these have seen (300)", |o, it| {
            fill(&mut o.history_cycles, &it)
        }),
        checked("--rounds", "N", "rounds of each verb, the two taking turns (300)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        checked("--perl-updates", "N", "updates of a round from Perl (20000)", |o, it| {
            fill(&mut o.perl_updates, &it)
        }),
        checked("--rrds", "N", "databases that are updated every cycle (1000000)", |o, it| {
            fill(&mut o.rrds, &it)
        }),
        checked("--cycle-seconds", "S", "how long a cycle takes (60)", |o, it| {
            fill(&mut o.cycle_seconds, &it)
        }),
        checked("--cycles", "N", "cycles in quiet, and as many under load (5)", |o, it| {
            fill(&mut o.cycles, &it)
        }),
        checked("--batch-lines", "N", "lines of a BATCH (1000)", |o, it| {
            fill(&mut o.batch_lines, &it)
        }),
        checked("--graphs", "N", "graphs that are asked for in a second (100)", |o, it| {
            fill(&mut o.graphs_a_second, &it)
        }),
        checked("--exported", "N", "databases that are exported in each cycle (10000)", |o, it| {
            fill(&mut o.exported_rrds, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            few_rrds: 1000,
            history_cycles: 300,
            rounds: 300,
            perl_updates: 20_000,
            rrds: 1_000_000,
            cycle_seconds: 60.0,
            cycles: 5,
            batch_lines: 1000,
            graphs_a_second: 100,
            exported_rrds: 10_000,
            parts: PARTS.into(),
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self {
            few_rrds: 48,
            history_cycles: 20,
            rounds: 10,
            perl_updates: 200,
            rrds: 4800,
            cycle_seconds: 2.0,
            cycles: 2,
            batch_lines: 100,
            graphs_a_second: 20,
            exported_rrds: 480,
            ..Self::full()
        })
    }
}

impl Options {
    pub(super) fn wants(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }
}
