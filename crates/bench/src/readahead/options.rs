//! The words of the command line.

use std::path::PathBuf;

use serde::Serialize;

use super::pattern::PARTS;
use crate::options::{Row, option, switch};

/// What is read, and how often.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    pub(super) sizes_mib: Vec<u64>,
    pub(super) records_kib: Vec<u64>,
    pub(super) memory_mib: u64,
    /// Whether the limit can be set here.
    pub(super) limited: bool,
    /// The most reads of a pattern that the kernel does not read ahead.
    pub(super) reads_max: u64,
    pub(super) rounds: usize,
    pub(super) parts: Vec<&'static str>,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "readahead";
    const ABOUT: &'static str = "adaptive readahead in user space beside the kernel's own (a quarter of an hour at full size)";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [Row<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            it.path(&mut o.directory)
        }),
        option("--sizes", "MIB,...", "files (64,256,1024)", |o, it| it.numbers(&mut o.sizes_mib)),
        option("--records", "KIB,...", "records (4,64,1024)", |o, it| {
            it.numbers(&mut o.records_kib)
        }),
        option("--memory-mib", "N", "the limit of memory and page cache (256)", |o, it| {
            it.number(&mut o.memory_mib)
        }),
        option("--reads", "N", "the most reads where one waits for each (16384)", |o, it| {
            it.number(&mut o.reads_max)
        }),
        option("--rounds", "N", "rounds, the two taking turns (3)", |o, it| {
            it.number(&mut o.rounds)
        }),
        option("--only", "P,...", "some of", |o, it| it.parts(&PARTS, &mut o.parts)),
        switch("--json", "the figures as JSON", |o, it| it.set(&mut o.json, true)),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            sizes_mib: vec![64, 256, 1024],
            records_kib: vec![4, 64, 1024],
            memory_mib: 256,
            limited: true,
            reads_max: 16_384,
            rounds: 3,
            parts: PARTS.into(),
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self {
            sizes_mib: vec![4],
            records_kib: vec![4, 64],
            reads_max: 256,
            rounds: 1,
            ..Self::full()
        })
    }
}
