//! What all files together have.

use pagecache::residency::{Counts, States};

/// Files and their pages, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    /// Files that were looked at.
    pub(super) files: u64,
    /// Of these, those that the kernel does not tell this user about; their pages count nowhere.
    pub(super) unknown_files: u64,
    /// What could not be looked at.
    pub(super) failed: u64,
    pub(super) pages: u64,
    pub(super) resident_pages: u64,
    pub(super) states: States,
    /// Files whose pages' states are not known: added up they would tell too little.
    stateless_files: u64,
}

impl Total {
    pub(super) fn add(&mut self, counts: Option<&Counts>) {
        self.files += 1;
        let Some(counts) = counts else {
            self.unknown_files += 1;
            return;
        };
        self.pages += counts.pages;
        self.resident_pages += counts.resident_pages;
        match counts.states {
            Some(states) => self.states += states,
            None => self.stateless_files += 1,
        }
    }

    /// All together as the counts of one file.
    pub(super) fn counts(&self) -> Counts {
        Counts {
            pages: self.pages,
            resident_pages: self.resident_pages,
            states: (self.stateless_files == 0).then_some(self.states),
        }
    }
}
