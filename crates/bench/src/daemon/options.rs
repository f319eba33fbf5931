//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;
use testbed::Caches;

use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill};

/// The parts, in the order in which they are measured.
pub(super) const PARTS: [&str; 7] =
    ["create", "batch-ring", "first-touch", "round-trip", "visible", "write-back", "restart"];

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    /// RRDs of the ring store, and files of which only the headers are read.
    pub(super) rrds: u64,
    /// Files with all their bytes on disk, for the write-back.
    pub(super) dense_files: u64,
    /// Files for the round trips.
    pub(super) few_files: u64,
    /// Databases that each number of clients makes.
    pub(super) creates: u64,
    /// Lines of a BATCH.
    pub(super) batch_lines: usize,
    /// Connections that send batches at the same time.
    pub(super) connections: u64,
    /// Measured cycles of the ring store, after some to warm up.
    pub(super) cycles: u64,
    /// Updates of each part that sends one for each round trip.
    pub(super) round_trips: u64,
    /// Updates that another client fetches.
    pub(super) looks: u64,
    pub(super) caches: Caches,
    pub(super) parts: Vec<&'static str>,
    /// Whether Debian's rrdcached is measured, too.
    pub(super) peer: bool,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "daemon";
    const ABOUT: &'static str =
        "the daemon's table of figures, beside rrdcached (a quarter of an hour at full size)";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system with 30 GB free (.)", |o, it| {
            o.directory = it.path()
        }),
        checked(
            "--rrds",
            "N",
            "databases of the ring store; files whose heads alone are on disk (320000)",
            |o, it| fill(&mut o.rrds, &it),
        ),
        checked(
            "--dense-files",
            "N",
            "files with all their bytes, for the write-back (20000)",
            |o, it| fill(&mut o.dense_files, &it),
        ),
        checked("--few-files", "N", "files of the round trips (10000)", |o, it| {
            fill(&mut o.few_files, &it)
        }),
        checked(
            "--creates",
            "N",
            "databases made in the ring store by each number of clients (50000)",
            |o, it| fill(&mut o.creates, &it),
        ),
        checked("--batch-lines", "N", "lines of a BATCH (4000)", |o, it| {
            fill(&mut o.batch_lines, &it)
        }),
        checked("--connections", "N", "connections that send batches at once (2)", |o, it| {
            fill(&mut o.connections, &it)
        }),
        checked("--cycles", "N", "cycles measured of the ring store, after 20 (24)", |o, it| {
            fill(&mut o.cycles, &it)
        }),
        checked(
            "--round-trips",
            "N",
            "updates of each part that sends one a round trip (200000)",
            |o, it| fill(&mut o.round_trips, &it),
        ),
        checked("--looks", "N", "updates that another client looks at (200)", |o, it| {
            fill(&mut o.looks, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--keep-caches", "drop no caches: nothing is cold then", |o| {
            o.caches = Caches::Keep
        }),
        switch("--no-peer", "without rrdcached", |o| o.peer = false),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            rrds: 320_000,
            dense_files: 20_000,
            few_files: 10_000,
            creates: 50_000,
            batch_lines: 4_000,
            connections: 2,
            cycles: 24,
            round_trips: 200_000,
            looks: 200,
            caches: Caches::permitted(),
            parts: PARTS.into(),
            peer: true,
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self {
            rrds: 480,
            dense_files: 48,
            few_files: 96,
            creates: 480,
            batch_lines: 100,
            cycles: 4,
            round_trips: 640,
            looks: 8,
            caches: Caches::Keep,
            ..Self::full()
        })
    }
}

impl Options {
    pub(super) fn wants(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }
}
