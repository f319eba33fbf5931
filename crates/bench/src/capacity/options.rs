//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;

use super::WAYS;
use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill, fill_list};

const PARTS: [&str; WAYS.len()] = names();

const fn names() -> [&'static str; WAYS.len()] {
    let mut names = [""; WAYS.len()];
    let mut nth = 0;
    while nth < WAYS.len() {
        names[nth] = WAYS[nth].name;
        nth += 1;
    }
    names
}

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    pub(super) files: u32,
    /// Pages of page cache for each file.
    pub(super) sizes: Vec<u64>,
    /// The device's readahead window during the benchmark; 0 for no change.
    pub(super) window_kib: u64,
    pub(super) warm_cycles: u64,
    pub(super) cycles: u64,
    pub(super) parts: Vec<&'static str>,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "capacity";
    const ABOUT: &'static str =
        "pages that this kernel reads for updates, beside what is predicted";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--files", "N", "files of MRTG's layout (4000)", |o, it| fill(&mut o.files, &it)),
        checked("--sizes", "P,...", "pages a file that fit in memory (4,6,8,10,14,20)", |o, it| {
            fill_list(&mut o.sizes, &it)
        }),
        checked(
            "--window-kib",
            "N",
            "the device's readahead window meanwhile (as it is)",
            |o, it| fill(&mut o.window_kib, &it),
        ),
        checked("--warm-cycles", "N", "cycles before those that count (24)", |o, it| {
            fill(&mut o.warm_cycles, &it)
        }),
        checked("--cycles", "N", "cycles that count (24)", |o, it| fill(&mut o.cycles, &it)),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            files: 4000,
            sizes: vec![4, 6, 8, 10, 14, 20],
            window_kib: 0,
            warm_cycles: 24,
            cycles: 24,
            parts: PARTS.into(),
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        let few = vec!["pwrite-advice", "mapping"];
        Some(Self {
            files: 500,
            sizes: vec![10],
            warm_cycles: 2,
            cycles: 2,
            parts: few,
            ..Self::full()
        })
    }
}
