//! The sums over all files.

use pagecache::residency::{Counts, States};

/// Files and their pages, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    /// Files that were looked at.
    pub(super) files: u64,
    /// Those of `files` that the kernel does not tell this user about; their pages are not counted.
    pub(super) unknown_files: u64,
    /// Files that could not be looked at.
    pub(super) failed: u64,
    pub(super) pages: u64,
    pub(super) resident_pages: u64,
    pub(super) states: States,
    /// Files without known page states. If there are any, the sums of states would be too low.
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

    /// The sums, in the form of one file's counts.
    pub(super) fn counts(&self) -> Counts {
        Counts {
            pages: self.pages,
            resident_pages: self.resident_pages,
            states: (self.stateless_files == 0).then_some(self.states),
        }
    }
}
