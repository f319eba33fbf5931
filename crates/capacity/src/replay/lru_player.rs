//! Plays a trace through LRU caches of several sizes at once.

use super::{Method, Outcome, Play};
use crate::cache::LruSizes;
use crate::trace_text::{Files, Run};

/// Plays updates through LRU caches of several sizes, without readahead.
#[derive(Clone, Debug)]
pub struct LruPlayer {
    files: Files,
    sizes: LruSizes,
    method: Method,
    /// The updates of each group.
    updates: Vec<u64>,
}

impl LruPlayer {
    /// Caches of these sizes, ascending.
    ///
    /// # Panics
    ///
    /// If the sizes are not ascending, or one is zero.
    #[must_use]
    pub fn new(files: Files, method: Method, capacities_pages: Vec<u32>) -> Self {
        let groups = files.groups().len();
        let sizes = LruSizes::new(capacities_pages, files.pages(), groups);
        Self { files, sizes, method, updates: vec![0; groups] }
    }
}

impl Play for LruPlayer {
    fn update(&mut self, file: u32, runs: &[Run]) {
        let place = self.files.place(file).expect("updates name files of the trace");
        self.updates[place.group] += 1;
        for run in runs {
            assert!(run.last_page < place.pages);
            for page in run.first_page..=run.last_page {
                let is_data = page < place.data_pages;
                for access in self.method.accesses(run.access, is_data) {
                    self.sizes.access(place.first_page + page, *access, place.group);
                }
            }
        }
    }

    fn write_back(&mut self) {
        self.sizes.write_back_all();
    }

    fn restart(&mut self) {
        self.sizes.restart_counts();
        self.updates.fill(0);
    }

    fn outcomes(&self) -> Vec<Outcome> {
        Outcome::by_size(&self.sizes, &self.updates)
    }
}
