//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;

use super::pattern::PARTS;
use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill, fill_list};

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    pub(super) sizes_mib: Vec<u64>,
    pub(super) records_kib: Vec<u64>,
    pub(super) memory_mib: u64,
    /// Whether a limit of memory can be set here.
    pub(super) limited: bool,
    /// The most reads for a pattern without the kernel's readahead.
    pub(super) reads_max: u64,
    pub(super) rounds: usize,
    pub(super) parts: Vec<&'static str>,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "readahead";
    const ABOUT: &'static str = "adaptive readahead in user space beside the kernel's own (a quarter of an hour at full size)";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--sizes", "MIB,...", "files (64,256,1024)", |o, it| {
            fill_list(&mut o.sizes_mib, &it)
        }),
        checked("--records", "KIB,...", "records (4,64,1024)", |o, it| {
            fill_list(&mut o.records_kib, &it)
        }),
        checked("--memory-mib", "N", "the limit of memory and page cache (256)", |o, it| {
            fill(&mut o.memory_mib, &it)
        }),
        checked("--reads", "N", "the most reads where one waits for each (16384)", |o, it| {
            fill(&mut o.reads_max, &it)
        }),
        checked("--rounds", "N", "rounds, the two taking turns (3)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
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
