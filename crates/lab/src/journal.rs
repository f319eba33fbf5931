//! RRDCache's journal: a line for each update, in memory; now and then all are written, file by
//! file.

use std::io::Write as _;

use crate::files::Files;
use crate::updating::Readings;

/// Updates that wait.
#[derive(Default)]
pub(crate) struct Journal {
    /// How many cycles wait until they are written; 0: none does.
    cycles: u64,
    kept: Vec<Readings>,
    /// What they take in memory: the files' names and readings, as RRDCache kept them.
    lines: Vec<u8>,
}

impl Journal {
    pub(crate) fn new(cycles: u64) -> Self {
        Self { cycles, ..Self::default() }
    }

    /// Takes the readings of a cycle for all files; gives what is due for each of them now.
    pub(crate) fn take(&mut self, files: &Files, readings: Readings) -> Option<Vec<Readings>> {
        if self.cycles == 0 {
            return Some(vec![readings]);
        }
        for nth in 0..files.count {
            // By its name alone: how long the way there is says nothing of a site. A Vec takes
            // everything.
            let _ = writeln!(self.lines, "{} {}", Files::name(nth), readings.argument);
        }
        self.kept.push(readings);
        (self.kept.len() as u64 >= self.cycles).then(|| {
            self.lines.clear();
            std::mem::take(&mut self.kept)
        })
    }
}
