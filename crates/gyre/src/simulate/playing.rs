//! Plays a trace through every simulated cache at once. The trace is read a single time, so it may
//! come from a pipe.

use capacity::replay::Play;
use capacity::scenario::players;
use capacity::trace_text::{Files, Line};

use super::arguments::Wanted;
use super::failure::Failure;
use super::listener::Listener;
use super::table::{self, Column, Pair, Table};
use crate::progress::Progress;

/// All simulations.
pub(super) struct Playing<'a> {
    wanted: &'a Wanted,
    files: Files,
    pages_per_file: Vec<u32>,
    simulations: Vec<Simulations>,
    updates: u64,
    progress: Progress,
}

/// The simulations of one pair of policies, one for each row of the table.
struct Simulations {
    pair: Pair,
    players: Vec<Box<dyn Play>>,
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

    /// The files, and the counts.
    pub(super) fn end(mut self) -> (Files, Table) {
        self.each(|play| play.write_back());
        let column = |each: &Simulations| {
            let outcomes = each.players.iter().flat_map(|play| play.outcomes());
            Column::new(&each.pair, outcomes.collect())
        };
        let columns = self.simulations.iter().map(column).collect();
        (self.files, Table { pages_per_file: self.pages_per_file, columns })
    }

    fn each(&mut self, play: impl FnMut(&mut Box<dyn Play>)) {
        self.simulations.iter_mut().flat_map(|each| &mut each.players).for_each(play);
    }
}

impl Listener for Playing<'_> {
    fn files(&mut self, files: &Files) -> Result<(), Failure> {
        let of_group = files.groups().iter().map(|group| group.data_pages + group.metadata_pages);
        self.pages_per_file = table::pages(self.wanted, of_group.max().unwrap_or(1));
        let capacities = table::capacities(&self.pages_per_file, u64::from(files.files()))?;
        let method = self.wanted.method;
        let simulations = |pair: Pair| Simulations {
            pair,
            players: players(files, method, pair.0.1, pair.1.1, &capacities),
        };
        self.simulations = table::pairs(self.wanted).into_iter().map(simulations).collect();
        self.files = files.clone();
        Ok(())
    }

    fn line(&mut self, line: Line<'_>) -> Result<(), Failure> {
        match line {
            Line::Nothing => {}
            Line::Cycle(_) => {
                self.each(|play| play.write_back());
                self.progress.count(self.updates);
            }
            Line::Count => self.each(|play| play.restart()),
            Line::Update { file, runs } => {
                self.each(|play| play.update(file, runs));
                self.updates += 1;
            }
        }
        Ok(())
    }
}
