//! The threads that keep the log: one syncs and frees, one settles what opening found.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use disk::{File, Mode};
use journal::LogPosition;
use store::Error;
use tracing_mutex::stdsync::{Condvar, Mutex, MutexGuard};

use super::Core;
use super::journaled::{Journaled, SyncsFiles, Written};

/// How often the log is looked after where its syncs ask for nothing else.
const ROUND: Duration = Duration::from_secs(1);
/// How long at most a file that is not there is not asked for, unless somebody uses it.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// The same in rounds, for files whose sync failed and that cannot be opened to be written.
const PAUSE_ROUNDS_MAX: u64 = PAUSE_MAX.as_secs();
/// Write-backs are made durable every so many rounds: the kernel writes them of its own accord
/// about as often, and until then the log is held.
const ROUNDS_A_SYNC: u64 = 30;

/// Tells threads to end, or that there is work before its time.
#[derive(Debug, Default)]
pub(super) struct Ending {
    state: Mutex<Call>,
    changed: Condvar,
    /// Whether the thread that keeps the log sleeps until there is work.
    sleeps: AtomicBool,
}

#[derive(Debug, Default)]
struct Call {
    is_over: bool,
    is_due: bool,
}

impl Ending {
    /// Lets them end.
    pub(super) fn end(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// There is work.
    pub(super) fn call(&self) {
        self.state().is_due = true;
        self.changed.notify_all();
    }

    /// Something was logged, or written to a file: the keeper that sleeps until there is work is
    /// woken. It is to be called once that can be seen.
    pub(super) fn wake(&self) {
        if self.sleeps.load(Ordering::SeqCst) {
            self.call();
        }
    }

    /// Waits; `is_quiet` says whether there is nothing to do, and then one waits until there is.
    /// True if they are to end.
    fn wait_for_work(&self, round: Duration, is_quiet: impl FnOnce() -> bool) -> bool {
        // Before one looks: what comes behind the look finds that somebody sleeps.
        self.sleeps.store(true, Ordering::SeqCst);
        let is_quiet = is_quiet();
        // Who logs while a round is waited for must not begin the next one: each would bring syncs.
        self.sleeps.store(is_quiet, Ordering::SeqCst);
        let is_over = self.wait(if is_quiet { PAUSE_MAX } else { round });
        self.sleeps.store(false, Ordering::SeqCst);
        is_over
    }

    /// Whether they are to end.
    pub(super) fn is_over(&self) -> bool {
        self.state().is_over
    }

    /// Waits; true if they are to end.
    fn wait(&self, time: Duration) -> bool {
        let rests = |call: &mut Call| !call.is_over && !call.is_due;
        let waited = self.changed.wait_timeout_while(self.state(), time, rests);
        let mut call = waited.unwrap_or_else(PoisonError::into_inner).0;
        call.is_due = false;
        call.is_over
    }

    /// Waits, whatever work there is for others; true if they are to end.
    fn wait_for_end(&self, time: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.state(), time, |call| !call.is_over);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_over
    }

    fn state(&self) -> MutexGuard<'_, Call> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When the files in doubt are asked for next.
#[derive(Debug, Default)]
struct InDoubtRetry {
    /// How many there were when they were asked for last.
    files: usize,
    pause_rounds: u64,
    rounds_to_wait: u64,
}

/// Since when there was nothing to do for the log.
#[derive(Debug, Default)]
struct Rest {
    position: LogPosition,
    rounds: u64,
}

impl Rest {
    /// Whether the log was left alone for longer than there is between two commits, has room, and
    /// no write-back waits to be made durable. It is then looked after now and then.
    fn begins(&mut self, core: &Core, journaled: &Journaled, rounds_a_commit: u64) -> bool {
        let position = journaled.log.position();
        let is_same = std::mem::replace(&mut self.position, position) == position;
        let waits = !journaled.written().is_empty()
            || !journaled.carried().is_empty()
            || journaled.count_in_doubt() > 0
            || core.is_log_half_full();
        self.rounds = if is_same && !waits { self.rounds + 1 } else { 0 };
        if self.rounds <= rounds_a_commit + 1 {
            return false;
        }
        self.rounds = 0; // what woke it is work for some rounds
        true
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
        // Where each is waited for, there is nothing to sync here.
        let rounds_a_commit = sync_every.map_or(1, |every| every.as_secs().max(1));
        let mut rounds: u64 = 0;
        let mut doubt = InDoubtRetry::default();
        let mut rest = Rest::default();
        while !self.ending.wait_for_work(round, || rest.begins(self, journaled, rounds_a_commit)) {
            rounds += 1;
            let mut failures = 0;
            let mut tell = |done| failures += u32::from(!self.is_done_or_noted(done));
            if rounds.is_multiple_of(rounds_a_commit) {
                // The files first: samples that are on disk are worth nothing without theirs.
                tell(self.sync_every_new_file());
                tell(self.commit_log());
            }
            let rounds_a_sync = if self.is_log_half_full() { 1 } else { ROUNDS_A_SYNC };
            if rounds.is_multiple_of(rounds_a_sync) {
                tell(self.sync_files());
            }
            tell(self.shorten_log());
            tell(self.look_after_doubt(journaled, &mut doubt));
            tell(journaled.log.tend().map_err(Error::from));
            if failures > 0 {
                rest = Rest::default(); // it is tried again in the next round
            }
        }
    }

    /// Settles files in doubt; those that cannot be are asked for now and then.
    fn look_after_doubt(
        &self,
        journaled: &Journaled,
        doubt: &mut InDoubtRetry,
    ) -> Result<(), Error> {
        let files = journaled.count_in_doubt();
        if files == 0 {
            *doubt = InDoubtRetry::default();
            return Ok(());
        }
        let before = self.long_ago(&journaled.log);
        doubt.rounds_to_wait = doubt.rounds_to_wait.saturating_sub(1);
        let is_pressing = self.is_log_half_full() && journaled.has_doubt_before(before);
        if doubt.rounds_to_wait > 0 && files <= doubt.files && !is_pressing {
            return Ok(());
        }
        let settled = self.settle_in_doubt(before);
        doubt.files = journaled.count_in_doubt();
        doubt.pause_rounds = if doubt.files < files {
            1
        } else {
            PAUSE_ROUNDS_MAX.min(2 * doubt.pause_rounds.max(1))
        };
        doubt.rounds_to_wait = doubt.pause_rounds;
        settled
    }

    fn settle_found(&self) {
        let Some(journaled) = &self.journaled else { return };
        let (mut told, mut pause) = (0, ROUND);
        loop {
            let unsettled = self.settle_all(|| self.ending.is_over());
            let all = self.table.all();
            if all.iter().all(|entry| !entry.lock().logged.needs_replay()) {
                journaled.drop_replay();
            }
            if all.iter().all(|entry| entry.lock().logged.is_settled()) {
                let directory = self.options.journal.as_ref().map(|it| &it.directory);
                self.note_error(directory.map_or(Ok(()), |it| journaled.remove_legacy(it)));
                return;
            }
            // Files may stay away for days: they are told once, and asked for now and then.
            pause = if unsettled.files() == told { PAUSE_MAX.min(2 * pause) } else { ROUND };
            if unsettled.files() != std::mem::replace(&mut told, unsettled.files()) {
                unsettled.notes().for_each(|note| self.options.note(&note));
            }
            if self.ending.wait_for_end(pause) {
                return;
            }
        }
    }

    /// What is left to do for the log once no file is written any more.
    pub(super) fn end_log(&self) {
        let Some(journaled) = &self.journaled else { return };
        self.note_error(self.sync_files());
        self.note_error(self.commit_log());
        self.note_error(journaled.log.tend().map_err(Error::from));
    }

    /// Waits until every write-back so far is durable.
    ///
    /// # Errors
    /// A file system cannot be synced; what the log has for its files stays there.
    pub(super) fn sync_files(&self) -> Result<(), Error> {
        self.journaled.as_ref().map_or(Ok(()), |journaled| journaled.sync_files(self))
    }

    fn note_error(&self, done: Result<(), Error>) {
        self.is_done_or_noted(done);
    }

    /// Whether it was done; why not, is noted.
    fn is_done_or_noted(&self, done: Result<(), Error>) -> bool {
        let noted = done.inspect_err(|error| self.options.note(&format!("journal: {error}")));
        noted.is_ok()
    }
}

impl SyncsFiles for Core {
    fn sync_device(&self, written: &[Written]) -> Result<(), Error> {
        let Some(Written { device, entry, .. }) = written.first() else { return Ok(()) };
        let new_files = self.journaled.as_ref().map(|journaled| &journaled.new_files);
        let failed_before = new_files.is_some_and(|it| it.take_failed(*device));
        Core::sync_device(self, *device, written.iter().map(|it| &*it.entry.path))?;
        if failed_before {
            let error = std::io::Error::other("an earlier sync of its file system failed");
            return Err(Error::io("syncing", &entry.path)(error));
        }
        if let Some(synced) = &self.options.synced {
            synced();
        }
        Ok(())
    }

    fn sync_file(&self, path: &Path) -> Result<(), Error> {
        match File::open(path, Mode::Read) {
            Ok(file) => file.sync_all().map_err(Error::io("syncing", path)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("syncing", path)(error)),
        }
    }
}
