//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;

use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill};

/// The parts, in the order in which they are measured.
pub(super) const PARTS: [&str; 2] = ["ingest", "month"];

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    /// Databases that each cycle updates.
    pub(super) rrds: u64,
    /// Measured cycles, after some to warm up.
    pub(super) cycles: u64,
    /// Lines of a BATCH or of a request.
    pub(super) batch_lines: usize,
    /// Databases whose month is asked for by one request.
    pub(super) month_rrds: u64,
    /// Requests for the month, the two taking turns.
    pub(super) rounds: u64,
    pub(super) parts: Vec<&'static str>,
    /// Whether VictoriaMetrics is measured, too.
    pub(super) peer: bool,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "series";
    const ABOUT: &'static str = "updates taken and months read, beside VictoriaMetrics";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system with 20 GB free (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--rrds", "N", "databases that are updated every cycle (1000000)", |o, it| {
            fill(&mut o.rrds, &it)
        }),
        checked("--cycles", "N", "cycles measured, after as many (6 at most)", |o, it| {
            fill(&mut o.cycles, &it)
        }),
        checked("--batch-lines", "N", "lines of a BATCH or of a request (4000)", |o, it| {
            fill(&mut o.batch_lines, &it)
        }),
        checked("--month-rrds", "N", "databases whose month is asked for (1000)", |o, it| {
            fill(&mut o.month_rrds, &it)
        }),
        checked("--rounds", "N", "requests for it, the two taking turns (5)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--no-peer", "without VictoriaMetrics", |o| o.peer = false),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            rrds: 1_000_000,
            cycles: 6,
            batch_lines: 4000,
            month_rrds: 1000,
            rounds: 5,
            parts: PARTS.into(),
            peer: true,
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self {
            rrds: 4800,
            cycles: 3,
            batch_lines: 400,
            month_rrds: 48,
            rounds: 3,
            ..Self::full()
        })
    }
}
