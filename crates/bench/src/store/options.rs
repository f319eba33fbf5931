//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;
use testbed::Caches;

use super::protocol::{Kind, StoreSpec};
use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill};
use crate::workload::{DAY_CYCLES, Layout};

/// The parts, in the order in which they are measured.
pub(crate) const PARTS: [&str; 8] =
    ["peers", "day", "fetch", "restart", "limit", "out-of-step", "smallest", "second-pass"];

const KINDS: [(&str, Kind); 2] = [("ring", Kind::Ring), ("directory", Kind::Directory)];

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(crate) directory: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) rrds: u64,
    /// Files of the peers.
    pub(crate) peer_rrds: u64,
    /// Measured cycles.
    pub(crate) cycles: u64,
    /// Cycles before those, until the flushes of all groups are spread evenly.
    pub(crate) warm_cycles: u64,
    /// Cycles of the network out of step.
    pub(crate) uneven_cycles: u64,
    /// RRDs that are filled in afterwards, and the number of their cycles.
    pub(crate) back_filled: (u64, u64),
    /// Measured fetches.
    pub(crate) fetches: u64,
    pub(crate) flush_cycles: u32,
    pub(crate) tile_rows: u32,
    pub(crate) sparse: bool,
    pub(crate) memory_bytes_max: u64,
    pub(crate) caches: Caches,
    pub(crate) parts: Vec<&'static str>,
    pub(crate) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "store";
    const ABOUT: &'static str =
        "the store's table of figures, beside rrdtool, librrd and rrdcached (hours at full size)";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system (.)", |o, it| {
            o.directory = it.path()
        }),
        checked(
            "--store",
            "S",
            "ring, or directory: gyre's own directory of files (ring)",
            |o, it| {
                (_, o.kind) = it.one_of(&KINDS)?;
                Ok(())
            },
        ),
        checked("--rrds", "N", "RRDs, each updated once a cycle (1000000)", |o, it| {
            fill(&mut o.rrds, &it)
        }),
        checked("--cycles", "N", "cycles measured (288, a day)", |o, it| fill(&mut o.cycles, &it)),
        checked("--warm-cycles", "N", "cycles before those (36)", |o, it| {
            fill(&mut o.warm_cycles, &it)
        }),
        checked("--uneven-cycles", "N", "cycles of the network out of step (72)", |o, it| {
            fill(&mut o.uneven_cycles, &it)
        }),
        checked("--fetches", "N", "fetches timed (200)", |o, it| fill(&mut o.fetches, &it)),
        checked("--flush-cycles", "C", "cycles between two flushes of a group (18)", |o, it| {
            fill(&mut o.flush_cycles, &it)
        }),
        checked("--tile-rows", "K", "the most rows of a tile (18)", |o, it| {
            fill(&mut o.tile_rows, &it)
        }),
        switch("--dense", "take all space when an RRD is made", |o| o.sparse = false),
        checked("--memory-mib", "N", "the limit of memory (2048 for a million RRDs)", |o, it| {
            o.memory_bytes_max = it.mebibytes()?;
            Ok(())
        }),
        checked("--peer-rrds", "N", "files of the peers (50000)", |o, it| {
            fill(&mut o.peer_rrds, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            kind: Kind::Ring,
            rrds: 1_000_000,
            peer_rrds: 50_000,
            cycles: DAY_CYCLES,
            warm_cycles: 36,
            uneven_cycles: 72,
            back_filled: (1000, 7 * DAY_CYCLES),
            fetches: 200,
            flush_cycles: 18,
            tile_rows: 18,
            sparse: true,
            memory_bytes_max: 0,
            caches: Caches::permitted(),
            parts: PARTS.into(),
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self {
            rrds: 480,
            peer_rrds: 96,
            cycles: 6,
            warm_cycles: 2,
            uneven_cycles: 12,
            back_filled: (4, 40),
            fetches: 8,
            caches: Caches::Keep,
            ..Self::full()
        })
    }
}

impl Options {
    /// Parses the arguments.
    pub(crate) fn parse(words: &[String]) -> Result<Self, String> {
        let mut options: Self = crate::options::parse(words)?;
        if options.memory_bytes_max == 0 {
            // The figures are defined with 2 GiB for a million RRDs; a program needs at least some
            // MiB.
            options.memory_bytes_max = ((2 << 30) * options.rrds / 1_000_000).max(64 << 20);
        }
        Ok(options)
    }

    pub(crate) fn wants(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }

    /// A store in a directory of its own.
    pub(crate) fn store(&self, name: &str, inside: &std::path::Path) -> StoreSpec {
        StoreSpec {
            kind: self.kind,
            directory: inside.join(name),
            rrds: self.rrds,
            layout: Layout::Mrtg,
            flush_cycles: self.flush_cycles,
            tile_rows: self.tile_rows,
            sparse: self.sparse,
        }
    }
}
