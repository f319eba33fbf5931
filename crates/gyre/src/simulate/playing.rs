//! A trace through every cache at once: it is read a single time, so that it may come from a pipe.

use capacity::cache::Counts;
use capacity::replay::Play;
use capacity::scenario::{Outcome, player};
use capacity::trace_text::{Files, Line};

use super::arguments::Wanted;
use super::sources::Listener;
use super::table::{self, Row, Table};
use crate::progress::Progress;

/// All simulations, side by side.
pub(super) struct Playing<'a> {
    wanted: &'a Wanted,
    files: Files,
    pages_per_file: Vec<u32>,
    /// Row by row, those of each pair of policies.
    simulations: Vec<Simulation>,
    updates: u64,
    progress: Progress,
}

struct Simulation {
    play: Box<dyn Play>,
    /// When counting began.
    before: Counts,
}

impl<'a> Playing<'a> {
    pub(super) fn new(wanted: &'a Wanted) -> Self {
        Self {
            wanted,
            files: Files::default(),
            pages_per_file: Vec::new(),
            simulations: Vec::new(),
            updates: 0,
            progress: Progress::new("updates"),
        }
    }

    /// The files, and what was counted.
    pub(super) fn end(mut self) -> (Files, Table) {
        self.write_back();
        let pairs = table::pairs(self.wanted);
        let outcome = |each: &Simulation| Outcome {
            updates: self.updates,
            counts: each.play.counts().since(&each.before),
        };
        let rows = self.pages_per_file.iter().zip(self.simulations.chunks(pairs.len()));
        let row = |(pages_per_file, simulations): (&u32, &[Simulation])| Row {
            pages_per_file: *pages_per_file,
            outcomes: simulations.iter().map(outcome).collect(),
        };
        let table = Table { columns: table::columns(&pairs), rows: rows.map(row).collect() };
        (self.files, table)
    }

    fn write_back(&mut self) {
        self.simulations.iter_mut().for_each(|each| each.play.write_back());
    }
}

impl Listener for Playing<'_> {
    fn files(&mut self, files: &Files) -> Result<(), String> {
        let of_group = files.groups().iter().map(|group| group.data_pages + group.metadata_pages);
        self.pages_per_file = table::pages(self.wanted, of_group.max().unwrap_or(1));
        for pages in &self.pages_per_file {
            let capacity = table::capacity(*pages, files.files())?;
            for ((_, cache), (_, readahead)) in table::pairs(self.wanted) {
                let play = player(files, self.wanted.method, cache, readahead, capacity);
                self.simulations.push(Simulation { play, before: Counts::default() });
            }
        }
        self.files = files.clone();
        Ok(())
    }

    fn line(&mut self, line: Line<'_>) -> Result<(), String> {
        match line {
            Line::Nothing => {}
            Line::Cycle(_) => {
                self.write_back();
                self.progress.count(self.updates);
            }
            Line::Count => {
                self.write_back();
                self.simulations.iter_mut().for_each(|each| each.before = each.play.counts());
                self.updates = 0;
            }
            Line::Update { file, runs } => {
                self.simulations.iter_mut().for_each(|each| each.play.update(file, runs));
                self.updates += 1;
            }
        }
        Ok(())
    }
}
