//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;

use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill, fill_list};

/// The parts, in the order in which they are measured.
pub(super) const PARTS: [&str; 7] =
    ["mariadb", "postgres", "sqlite", "pool", "blocks", "busy", "outage"];

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    /// Series of the rounds.
    pub(super) series: u64,
    /// Slots of the rounds' ring.
    pub(super) slots: u64,
    /// The buffer pool that a table is five times as large as, in MB.
    pub(super) pool_mb: u64,
    /// The same where sizes of blocks are compared.
    pub(super) blocks_pool_mb: u64,
    /// Sizes of blocks that are compared.
    pub(super) block_slots: Vec<u64>,
    /// Seconds for which the table with a trigger is filled, in each way.
    pub(super) trigger_seconds: u64,
    /// Databases of the store that is fed while it is updated.
    pub(super) rrds: u64,
    /// Cycles of it that are measured, with a feed and without.
    pub(super) cycles: u64,
    /// Databases that are updated for an hour while their tables cannot be reached.
    pub(super) outage_rrds: u64,
    /// Whether the first row of a block reserves the other slots, as the feed has it.
    pub(super) reserves: bool,
    pub(super) parts: Vec<&'static str>,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "sql";
    const ABOUT: &'static str = "rings as tables of MariaDB, PostgreSQL and SQLite";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system with 20 GB free (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--series", "N", "series whose ring goes round three times (100000)", |o, it| {
            fill(&mut o.series, &it)
        }),
        checked("--slots", "N", "slots of that ring (24)", |o, it| fill(&mut o.slots, &it)),
        checked("--pool-mb", "MB", "a fifth of a table's size (128)", |o, it| {
            fill(&mut o.pool_mb, &it)
        }),
        checked("--blocks-pool-mb", "MB", "the same for sizes of blocks (48)", |o, it| {
            fill(&mut o.blocks_pool_mb, &it)
        }),
        checked("--block-slots", "K,...", "sizes of blocks (1,6,12,24)", |o, it| {
            fill_list(&mut o.block_slots, &it)
        }),
        checked("--trigger-seconds", "S", "time for each way beside (10)", |o, it| {
            fill(&mut o.trigger_seconds, &it)
        }),
        checked("--rrds", "N", "databases of a store, a tenth is fed (1000000)", |o, it| {
            fill(&mut o.rrds, &it)
        }),
        checked("--cycles", "N", "cycles of it, with a feed and without (12)", |o, it| {
            fill(&mut o.cycles, &it)
        }),
        checked("--outage-rrds", "N", "databases of an hour's outage (100000)", |o, it| {
            fill(&mut o.outage_rrds, &it)
        }),
        switch(
            "--unreserved",
            "without reserved slots in the tables of the databases' parts",
            |o| o.reserves = false,
        ),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            series: 100_000,
            slots: 24,
            pool_mb: 128,
            blocks_pool_mb: 48,
            block_slots: vec![1, 6, 12, 24],
            trigger_seconds: 10,
            rrds: 1_000_000,
            cycles: 12,
            outage_rrds: 100_000,
            reserves: true,
            parts: PARTS.into(),
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self {
            series: 2_000,
            pool_mb: 6,
            blocks_pool_mb: 6,
            block_slots: vec![1, 12],
            trigger_seconds: 1,
            rrds: 4_800,
            cycles: 3,
            outage_rrds: 960,
            ..Self::full()
        })
    }
}
