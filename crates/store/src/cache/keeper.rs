//! The threads that keep the log: one syncs and frees, one settles what opening found.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Core;
use crate::Error;

/// How often the log is looked after where its syncs ask for nothing else.
const ROUND: Duration = Duration::from_secs(1);
/// Write-backs are made durable every so many rounds: the kernel writes them of its own accord about
/// as often, and until then the log is held.
const ROUNDS_A_SYNC: u32 = 30;

/// Tells threads to end.
#[derive(Debug, Default)]
pub(super) struct Ending {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Ending {
    /// Lets them end.
    pub(super) fn end(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Whether they are to end.
    pub(super) fn is_over(&self) -> bool {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits; true if they are to end.
    fn wait(&self, time: Duration) -> bool {
        let is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(is_over, time, |is_over| !*is_over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Core {
    /// Starts the threads; none where there is no log.
    pub(super) fn start_keepers(self: &Arc<Self>) -> Result<Vec<JoinHandle<()>>, Error> {
        if self.journaled.is_none() {
            return Ok(Vec::new());
        }
        let start = |name: &str, work: fn(&Self)| {
            let core = Arc::clone(self);
            let thread = std::thread::Builder::new().name(name.into());
            let started = thread.spawn(move || work(&core));
            started.map_err(Error::io("starting a thread for", std::path::Path::new("the journal")))
        };
        Ok(vec![start("gyre-journal", Self::keep_log)?, start("gyre-settle", Self::settle_found)?])
    }

    fn keep_log(&self) {
        let Some(journaled) = &self.journaled else { return };
        let sync_every = self.options.journal.as_ref().and_then(|journal| journal.sync_every);
        let round = sync_every.map_or(ROUND, |every| every.min(ROUND));
        let mut rounds = 0;
        while !self.ending.wait(round) {
            rounds += 1;
            self.note_error(self.commit_log());
            if rounds % ROUNDS_A_SYNC == 0 {
                self.note_error(journaled.sync_files());
            }
            self.note_error(journaled.log.tend().map_err(Error::from));
        }
    }

    fn settle_found(&self) {
        let Some(journaled) = &self.journaled else { return };
        loop {
            self.settle_all(|| self.ending.is_over());
            let all = self.table.all();
            if all.iter().all(|entry| entry.lock().logged.unsettled.is_empty()) {
                journaled.drop_replay();
                return;
            }
            if self.ending.wait(ROUND) {
                return;
            }
        }
    }

    /// What is left to do for the log once no file is written any more.
    pub(super) fn end_log(&self) {
        let Some(journaled) = &self.journaled else { return };
        self.note_error(journaled.sync_files());
        self.note_error(self.commit_log());
        self.note_error(journaled.log.tend().map_err(Error::from));
    }

    fn note_error(&self, done: Result<(), Error>) {
        if let Err(error) = done {
            self.options.note(&format!("journal: {error}"));
        }
    }
}
