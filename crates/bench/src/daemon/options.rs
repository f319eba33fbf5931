//! The words of the command line.

use std::path::PathBuf;

use serde::Serialize;

use crate::kernel::Caches;
use crate::words::{number, parts};

/// What is measured, in the order in which it is measured.
pub(super) const PARTS: [&str; 6] =
    ["batch-ring", "first-touch", "round-trip", "visible", "write-back", "restart"];

/// How large and how long.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Options {
    pub(super) directory: PathBuf,
    /// RRDs of the ring store, and files whose heads alone are touched.
    pub(super) rrds: u64,
    /// Files with all their bytes on disk, for the write-back.
    pub(super) dense_files: u64,
    /// Files of the round trips.
    pub(super) few_files: u64,
    /// Lines of a BATCH.
    pub(super) batch_lines: usize,
    /// Connections that send batches at once.
    pub(super) connections: u64,
    /// Cycles measured of the ring store, after some to warm up.
    pub(super) cycles: u64,
    /// Updates of each part that sends one a round trip.
    pub(super) round_trips: u64,
    /// Updates looked at by another client.
    pub(super) looks: u64,
    pub(super) caches: Caches,
    pub(super) parts: Vec<&'static str>,
    /// Whether Debian's rrdcached is measured too.
    pub(super) peer: bool,
    pub(super) json: bool,
}

impl Options {
    /// The benchmark as the project's table of figures asks for it.
    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            rrds: 320_000,
            dense_files: 20_000,
            few_files: 10_000,
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

    /// Everything in seconds, and nothing that others on the machine would feel.
    fn quick() -> Self {
        Self {
            rrds: 480,
            dense_files: 48,
            few_files: 96,
            batch_lines: 100,
            cycles: 4,
            round_trips: 640,
            looks: 8,
            caches: Caches::Keep,
            ..Self::full()
        }
    }

    /// Reads the words.
    pub(super) fn parse(words: &[String]) -> Result<Self, String> {
        let quick = words.iter().any(|word| word == "--quick");
        let mut options = if quick { Self::quick() } else { Self::full() };
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            options.take(word, &mut words)?;
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
            "--no-peer" => self.peer = false,
            "--keep-caches" => self.caches = Caches::Keep,
            "--directory" => self.directory = value()?.into(),
            "--only" => self.parts = parts(value()?, &PARTS)?,
            "--rrds" => self.rrds = number(word, value()?)?,
            "--dense-files" => self.dense_files = number(word, value()?)?,
            "--few-files" => self.few_files = number(word, value()?)?,
            "--batch-lines" => self.batch_lines = number(word, value()?)?,
            "--connections" => self.connections = number(word, value()?)?,
            "--cycles" => self.cycles = number(word, value()?)?,
            "--round-trips" => self.round_trips = number(word, value()?)?,
            "--looks" => self.looks = number(word, value()?)?,
            _ => return Err(format!("{word}: no option of bench daemon; see bench --help")),
        }
        Ok(())
    }

    pub(super) fn wants(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }
}
