//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;

use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill, fill_list};

const PARTS: [&str; 4] = ["files", "no-advice", "journal", "ring"];

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    pub(super) rrds: u64,
    /// Pages of page cache for each file.
    pub(super) pages: Vec<u64>,
    /// The ring store's memory for each database in bytes, by which K is chosen.
    pub(super) ring_bytes: Vec<u64>,
    pub(super) warm_cycles: u64,
    pub(super) cycles: u64,
    /// Cycles between two write-backs of a file.
    pub(super) write_cycles: u64,
    /// Cycles without advice; half of them warm up.
    pub(super) few_cycles: u64,
    pub(super) parts: Vec<&'static str>,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "plan";
    const ABOUT: &'static str =
        "bytes written, page-ins and memory of real runs, beside what the planner predicts";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option(
            "--directory",
            "D",
            "a directory on a file system without other writers (.)",
            |o, it| o.directory = it.path(),
        ),
        checked("--rrds", "N", "databases (100000)", |o, it| fill(&mut o.rrds, &it)),
        checked("--pages", "P,...", "pages of page cache for each file (6)", |o, it| {
            fill_list(&mut o.pages, &it)
        }),
        checked(
            "--ring-bytes",
            "B,...",
            "memory of a database in the ring store (1000)",
            |o, it| fill_list(&mut o.ring_bytes, &it),
        ),
        checked("--warm-cycles", "N", "cycles before those that count (30)", |o, it| {
            fill(&mut o.warm_cycles, &it)
        }),
        checked("--cycles", "N", "cycles that count, around 00:00 UTC (48)", |o, it| {
            fill(&mut o.cycles, &it)
        }),
        checked("--write-cycles", "N", "cycles between two write-backs of a file (12)", |o, it| {
            fill(&mut o.write_cycles, &it)
        }),
        checked(
            "--few-cycles",
            "N",
            "cycles without advice, the first half uncounted (24)",
            |o, it| fill(&mut o.few_cycles, &it),
        ),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            rrds: 100_000,
            pages: vec![6],
            ring_bytes: vec![1000],
            warm_cycles: 30,
            cycles: 48,
            write_cycles: 12,
            few_cycles: 24,
            parts: PARTS.into(),
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self { rrds: 500, warm_cycles: 13, cycles: 26, few_cycles: 4, ..Self::full() })
    }
}
