//! Several updaters at the same time, each with its own part of the files.

use std::ops::Range;

use testbed::ProcessCounters;

use super::cohorts::{Cohorts, part};
use crate::files::Files;
use crate::journal::Journal;
use crate::updating::{Readings, Updater};
use crate::ways::Way;

/// Updaters of one way, with a journal in front of them.
pub(super) struct Writers {
    files: Files,
    updaters: Vec<Updater>,
    journal: Journal,
    /// The readings to write now, oldest first.
    due: Vec<Readings>,
}

impl Writers {
    pub(super) fn new(
        files: Files,
        way: Way,
        journal_cycles: u64,
        writers: u32,
    ) -> Result<Self, String> {
        let updaters = (0..writers).map(|_| Updater::new(way, &files));
        let updaters = updaters.collect::<Result<_, _>>()?;
        Ok(Self { files, updaters, journal: Journal::new(journal_cycles), due: Vec::new() })
    }

    /// Takes the readings of a cycle for this many files.
    pub(super) fn take(&mut self, databases: u32, at_seconds: u64) {
        self.files.count = databases;
        self.files.last_seconds = at_seconds;
        let readings = Readings::at(&self.files);
        self.due = self.journal.take(&self.files, readings).unwrap_or_default();
    }

    /// Writes the due readings to a range of files.
    pub(super) fn write(&mut self, range: &Range<u32>, cohorts: &Cohorts) -> Result<(), String> {
        let Self { files, updaters, due, .. } = self;
        if due.is_empty() {
            return Ok(());
        }
        let (files, due, parts) = (&*files, &**due, updaters.len() as u32);
        std::thread::scope(|scope| {
            let started: Vec<_> = (0..)
                .zip(updaters)
                .map(|(nth, updater)| {
                    let range = part(range, nth, parts);
                    scope.spawn(move || update(updater, files, range, due, cohorts))
                })
                .collect();
            started.into_iter().try_for_each(|it| it.join().map_err(|_| "a writer panicked")?)
        })
    }

    /// The kernel's counters of the updaters; one for each, if each is a process.
    pub(super) fn counters(&self) -> Result<Vec<ProcessCounters>, String> {
        let are_own = matches!(self.updaters[0], Updater::Rrdtool(_));
        let counted = if are_own { self.updaters.len() } else { 1 };
        self.updaters[..counted].iter().map(Updater::counters).collect()
    }
}

fn update(
    updater: &mut Updater,
    files: &Files,
    mut range: Range<u32>,
    due: &[Readings],
    cohorts: &Cohorts,
) -> Result<(), String> {
    range.try_for_each(|nth| {
        // A file that did not exist yet has no journaled updates.
        let own = due.len().min(cohorts.cycles_of(nth));
        updater.update(&files.path(nth), &due[due.len() - own..])
    })
}
