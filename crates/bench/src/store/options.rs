//! The words of the command line.

use std::path::PathBuf;

use serde::Serialize;

use super::protocol::{Kind, StoreSpec};
use crate::kernel::Caches;
use crate::words::{number, parts};
use crate::workload::{DAY_CYCLES, Layout};

/// What is measured, in the order in which it is measured.
pub(crate) const PARTS: [&str; 8] =
    ["peers", "day", "fetch", "restart", "limit", "out-of-step", "smallest", "second-pass"];

/// How large and how long.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(crate) directory: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) rrds: u64,
    /// Files of the peers.
    pub(crate) peer_rrds: u64,
    /// Cycles measured.
    pub(crate) cycles: u64,
    /// Cycles before those, until every group is in the middle of its work.
    pub(crate) warm_cycles: u64,
    /// Cycles of the network out of step.
    pub(crate) uneven_cycles: u64,
    /// RRDs that are filled in afterwards, and the cycles that they get.
    pub(crate) back_filled: (u64, u64),
    /// Fetches timed.
    pub(crate) fetches: u64,
    pub(crate) flush_cycles: u32,
    pub(crate) tile_rows: u32,
    pub(crate) sparse: bool,
    pub(crate) memory_bytes_max: u64,
    pub(crate) caches: Caches,
    pub(crate) parts: Vec<&'static str>,
    pub(crate) json: bool,
}

impl Options {
    /// The benchmark as the project's table of figures asks for it.
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

    /// Everything in seconds, and nothing that others on the machine would feel.
    fn quick() -> Self {
        Self {
            rrds: 480,
            peer_rrds: 96,
            cycles: 6,
            warm_cycles: 2,
            uneven_cycles: 12,
            back_filled: (4, 40),
            fetches: 8,
            caches: Caches::Keep,
            ..Self::full()
        }
    }

    /// Reads the words.
    pub(crate) fn parse(words: &[String]) -> Result<Self, String> {
        let quick = words.iter().any(|word| word == "--quick");
        let mut options = if quick { Self::quick() } else { Self::full() };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            options.take(word, &mut words)?;
        }
        if options.memory_bytes_max == 0 {
            // The figures are asked for with 2 GiB for a million; a few MiB no program can do without.
            options.memory_bytes_max = ((2 << 30) * options.rrds / 1_000_000).max(64 << 20);
        }
        Ok(options)
    }

    fn take<'a>(
        &mut self,
        word: &'a str,
        words: &mut impl Iterator<Item = &'a str>,
    ) -> Result<(), String> {
        let mut value = || words.next().ok_or(format!("{word}: expected a value after it"));
        match word {
            "--quick" => {}
            "--json" => self.json = true,
            "--dense" => self.sparse = false,
            "--directory" => self.directory = value()?.into(),
            "--store" => self.kind = kind(value()?)?,
            "--only" => self.parts = parts(value()?, &PARTS)?,
            "--rrds" => self.rrds = number(word, value()?)?,
            "--peer-rrds" => self.peer_rrds = number(word, value()?)?,
            "--cycles" => self.cycles = number(word, value()?)?,
            "--warm-cycles" => self.warm_cycles = number(word, value()?)?,
            "--uneven-cycles" => self.uneven_cycles = number(word, value()?)?,
            "--fetches" => self.fetches = number(word, value()?)?,
            "--flush-cycles" => self.flush_cycles = number(word, value()?)?,
            "--tile-rows" => self.tile_rows = number(word, value()?)?,
            "--memory-mib" => self.memory_bytes_max = number::<u64>(word, value()?)? << 20,
            _ => return Err(format!("{word}: no option of bench store; see bench --help")),
        }
        Ok(())
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

fn kind(text: &str) -> Result<Kind, String> {
    match text {
        "ring" => Ok(Kind::Ring),
        "directory" => Ok(Kind::Directory),
        _ => Err(format!("--store {text}: expected ring or directory")),
    }
}
