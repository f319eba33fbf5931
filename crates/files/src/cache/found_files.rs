//! The files of which the log had something when the cache was opened.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use store::Error;
use tracing_mutex::stdsync::Mutex;

use super::entry::EntryState;
use super::journaled::Journaled;
use super::report::Reporter;
use super::settler::Settler;
use super::table::Table;
use super::together::work_together;
use super::unsettled::Unsettled;

/// How soon files that cannot be settled are tried again.
const PAUSE_MIN: Duration = Duration::from_secs(1);
/// How long they are left alone at most, unless they are used.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// Makes the entries of these files, and settles them.
pub(super) struct FoundFiles {
    pub(super) directory: PathBuf,
    pub(super) journaled: Arc<Journaled>,
    pub(super) table: Arc<Table>,
    pub(super) settler: Arc<Settler>,
    pub(super) reporter: Arc<Reporter>,
}

impl FoundFiles {
    /// Makes the entries of the files that the log has something of, and rrdcached's own journals.
    /// None is opened. Names there that are no absolute paths lead from `base`.
    ///
    /// # Errors
    /// Such a journal cannot be read.
    pub(super) fn find_logged(&self, base: &Path) -> Result<(), Error> {
        let Some(replay) = self.journaled.found.replay() else { return Ok(()) };
        self.table.number_from(replay.next_number().0);
        // A file has several numbers where it was forgotten and came back. The one that the log had
        // last goes on: its lines to come are then behind all lines of the others.
        let mut files: Vec<_> = replay.files().collect();
        files.sort_unstable_by_key(|found| Reverse(found.log_pin));
        for found in files {
            let path = Path::new(OsStr::from_bytes(found.path));
            let entry = self.table.get_or_add_numbered(path, found.number.0);
            entry.lock().logged.unsettled.insert(0, (found.number, found.log_pin));
        }
        self.find_legacy(base)
    }

    fn find_legacy(&self, base: &Path) -> Result<(), Error> {
        let note = |text: String| self.reporter.note(&text);
        let legacy = self.journaled.found.read_legacy(&self.directory, base, note)?;
        for (path, values) in legacy.values {
            self.table.get_or_add(&path).lock().logged.legacy = values;
        }
        Ok(())
    }

    /// Settles every file that is not, about in the order of their paths, until `stop` says so.
    /// Several threads do it: where nothing is in memory, the disk is asked for many heads at once.
    /// Returns those that cannot be now.
    pub(super) fn settle_all(&self, stop: impl Fn() -> bool + Sync) -> Unsettled {
        let mut entries = self.table.all();
        entries.retain(|entry| !entry.lock().logged.is_settled());
        entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        let unsettled = Mutex::new(Unsettled::default());
        let is_wanted = |state: &EntryState| !stop() && !state.gone && !state.logged.is_settled();
        work_together(&entries, is_wanted, |entry, state, head_reader| {
            if let Err(error) = self.settler.ensure_settled(entry, state, head_reader) {
                let mut unsettled = unsettled.lock().unwrap_or_else(PoisonError::into_inner);
                unsettled.add(&entry.path, &error);
            }
        });
        unsettled.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the thread does that settles files.
    pub(super) fn run(&self) {
        let Journaled { log, found, ending, .. } = &*self.journaled;
        let (mut told, mut pause) = (0, PAUSE_MIN);
        loop {
            let unsettled = self.settle_all(|| ending.is_over());
            let all = self.table.all();
            if all.iter().all(|entry| !entry.lock().logged.needs_replay()) {
                found.drop_replay();
            }
            if all.iter().all(|entry| entry.lock().logged.is_settled()) {
                self.reporter.is_done_or_noted(found.remove_legacy(&self.directory, log));
                return;
            }
            // Files may stay away for days: they are told once, and asked for now and then.
            pause = if unsettled.files() == told { PAUSE_MAX.min(2 * pause) } else { PAUSE_MIN };
            if unsettled.files() != std::mem::replace(&mut told, unsettled.files()) {
                unsettled.notes().for_each(|note| self.reporter.note(&note));
            }
            if ending.wait_for_end(pause) {
                return;
            }
        }
    }

    /// How many of them are not settled.
    pub(super) fn count_unsettled(&self) -> u64 {
        let Some(_replay) = self.journaled.found.replay() else {
            return self.journaled.found.count_absent();
        };
        let entries = self.table.all();
        let waiting = entries.iter().filter(|entry| !entry.lock().logged.is_settled());
        waiting.count() as u64
    }
}
