//! Entries are forgotten, and what waits for their files is dropped.

use std::sync::Arc;

use super::descriptors::Descriptors;
use super::entry::{Entry, EntryState};
use super::report::Reporter;
use super::sample_log::SampleLog;
use super::table::Table;

/// Forgets entries, which are held.
pub(super) struct Forgetter {
    pub(super) table: Arc<Table>,
    pub(super) descriptors: Arc<Descriptors>,
    pub(super) log: Arc<SampleLog>,
    pub(super) reporter: Arc<Reporter>,
}

impl Forgetter {
    /// Forgets an entry and what waits for it.
    pub(super) fn let_go(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        self.log.note_dropped(entry, state);
        state.logged.forget_base();
        state.pending.clear();
        state.is_cut_short = false;
        state.known = None;
        self.descriptors.close(entry);
        self.table.remove(entry, state);
    }

    /// Drops what waits for a file that was deleted.
    pub(super) fn drop_deleted(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        let samples = state.pending.count();
        if samples > 0 {
            self.reporter.counters.orphaned.add(samples.into());
            let path = entry.path.display();
            self.reporter
                .note(&format!("{path}: the file is gone; {samples} waiting samples were dropped"));
        }
        self.let_go(entry, state);
    }

    /// Drops what waits for a file that was deleted, and keeps its entry: the file is made again.
    pub(super) fn drop_orphans(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        if !state.pending.is_empty() {
            self.reporter.counters.orphaned.add(state.pending.count().into());
            self.log.note_dropped(entry, state);
            state.pending.clear();
            state.is_cut_short = false;
        }
    }

    /// Forgets the entry of a file that is not there, and for which opening found samples.
    pub(super) fn forget_absent(&self, entry: &Arc<Entry>, state: &mut EntryState) {
        self.log.drop_found(entry, state);
        self.let_go(entry, state);
    }
}
