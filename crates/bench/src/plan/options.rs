//! The words of the command line.

use std::path::PathBuf;

use serde::Serialize;

use crate::options::{Row, option, switch};

const PARTS: [&str; 4] = ["files", "no-advice", "journal", "ring"];

/// How large and how long.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    pub(super) rrds: u64,
    /// Pages of page cache for each file, where there are files.
    pub(super) pages: Vec<u64>,
    /// The ring store's memory for each database, in bytes: K is chosen by it.
    pub(super) ring_bytes: Vec<u64>,
    pub(super) warm_cycles: u64,
    pub(super) cycles: u64,
    /// Cycles between two write-backs of a file.
    pub(super) write_cycles: u64,
    /// Cycles without advice, of which half warm up.
    pub(super) few_cycles: u64,
    pub(super) parts: Vec<&'static str>,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "plan";
    const ABOUT: &'static str =
        "bytes written, page-ins and memory of real runs, beside what the planner predicts";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [Row<Self>] = &[
        option(
            "--directory",
            "D",
            "where, on a file system that nobody else writes (.)",
            |o, it| it.path(&mut o.directory),
        ),
        option("--rrds", "N", "databases (100000)", |o, it| it.number(&mut o.rrds)),
        option("--pages", "P,...", "pages of page cache for each file (6)", |o, it| {
            it.numbers(&mut o.pages)
        }),
        option(
            "--ring-bytes",
            "B,...",
            "memory of a database in the ring store (1000)",
            |o, it| it.numbers(&mut o.ring_bytes),
        ),
        option("--warm-cycles", "N", "cycles before those that count (30)", |o, it| {
            it.number(&mut o.warm_cycles)
        }),
        option("--cycles", "N", "cycles that count, around 00:00 UTC (48)", |o, it| {
            it.number(&mut o.cycles)
        }),
        option("--write-cycles", "N", "cycles between two write-backs of a file (12)", |o, it| {
            it.number(&mut o.write_cycles)
        }),
        option(
            "--few-cycles",
            "N",
            "cycles without advice, the first half uncounted (24)",
            |o, it| it.number(&mut o.few_cycles),
        ),
        option("--only", "P,...", "some of", |o, it| it.parts(&PARTS, &mut o.parts)),
        switch("--json", "the figures as JSON", |o, it| it.set(&mut o.json, true)),
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
