//! RRDCache's journal: a line in memory for each update; at intervals all lines are written, file
//! by file.

use std::io::Write as _;

use crate::files::Files;
use crate::updating::Readings;

/// Waiting updates.
#[derive(Default)]
pub(crate) struct Journal {
    /// The number of cycles until they are written; 0 for no journal.
    cycles: u64,
    kept: Vec<Readings>,
    /// The lines in memory, with names and readings as RRDCache kept them.
    lines: Vec<u8>,
}

impl Journal {
    pub(crate) fn new(cycles: u64) -> Self {
        Self { cycles, ..Self::default() }
    }

    /// Takes the readings of a cycle for all files; returns the readings that are due for each of
    /// them.
    pub(crate) fn take(&mut self, files: &Files, readings: Readings) -> Option<Vec<Readings>> {
        if self.cycles == 0 {
            return Some(vec![readings]);
        }
        for nth in 0..files.count {
            // Only the file's name, because the length of the directory's path is not part of the
            // experiment. Writing to a Vec cannot fail.
            let _ = writeln!(self.lines, "{} {}", Files::name(nth), readings.argument);
        }
        self.kept.push(readings);
        (self.kept.len() as u64 >= self.cycles).then(|| {
            self.lines.clear();
            std::mem::take(&mut self.kept)
        })
    }
}
