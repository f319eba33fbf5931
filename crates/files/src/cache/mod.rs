//! `.rrd` files served in place: updates are taken in memory, every read shows them at once, and
//! the files are written now and then, in the order in which they lie on disk.
//!
//! **The head of a file on disk is the checkpoint; memory holds what came since.** An entry is the
//! samples that are not in the file yet, as text, and the state of the sources, which tells of each
//! sample at once whether it is taken. It has no cells, no rows, no row pointers. Who reads, or
//! writes back, reads the head from the file and takes the samples into it, by the code that
//! updates any file ([`RrdFile`](crate::RrdFile)). So there is no cached header that could be
//! written over what another program made of the file, and archives that forecast are nothing
//! special.
//!
//! ```text
//!   UPDATE -> entry: sources, rrd::update -> refused, or kept as text -> log -> acknowledged
//!   FETCH  -> head on disk + samples -> rows on disk, final rows laid over them
//!   due    -> log durable, file locked, head + samples -> rows, then head, written
//! ```

mod options;
mod shape;
mod pending;
mod entry;
mod table;
mod append;
mod as_store;
mod doubtful;
mod load;
mod read;
mod descriptors;
mod write_back;
mod failure_notes;
mod schedule;
mod report;
mod change;
mod journaled;
mod lost_pages;
mod logged;
mod new_files;
mod carry;
mod in_doubt;
mod recover;
mod absent;
mod unsettled;
mod keeper;
mod record;
mod lines;
mod log;
mod log_pins;
mod log_start;
mod replay;
mod chains;
mod whole_state;
mod head_check;
mod settle;
mod legacy;
mod costs;
mod salvage;

use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use store::Error;
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use descriptors::Descriptors;
use failure_notes::FailureNotes;
use journaled::Journaled;
use keeper::Ending;
use report::Counters;
use schedule::{Clock, Schedule};
use shape::Shapes;
use table::Table;

pub use costs::Costs;
pub use head_check::{HeadCheck, PIECE_BYTES};
pub use legacy::Legacy;
pub use lines::Lines;
pub use log::{Acknowledge, Log, LogOptions};
pub use log_pins::LogPin;
pub use options::{CacheOptions, Journaling};
pub use record::{Base, BaseView, NewestRows};
pub use replay::{FoundFile, Replay, Step};
pub use report::Report;
pub use salvage::{JournalSalvage, LostRecords, SalvagedJournal};
pub use settle::{Head, Settled, Settling, settle};
pub use whole_state::{WholeState, base_of, fingerprint};
pub use write_back::Flushed;

/// `.rrd` files served in place. Threads share it.
#[derive(Debug)]
pub struct FileCache {
    core: Arc<Core>,
    writers: Mutex<Vec<JoinHandle<()>>>,
    keepers: Mutex<Vec<JoinHandle<()>>>,
}

/// What the threads of a cache share.
#[derive(Debug)]
struct Core {
    options: CacheOptions,
    clock: Clock,
    shapes: Shapes,
    table: Table,
    descriptors: Descriptors,
    schedule: Schedule,
    counters: Counters,
    failure_notes: FailureNotes,
    journaled: Option<Journaled>,
    ending: Ending,
}

impl FileCache {
    /// Opens the cache and starts its threads. What its journal holds is there at once: each file
    /// is brought together with it when it is first used, or when its turn comes.
    ///
    /// # Errors
    /// A thread could not be started; the journal is damaged, or another process has it.
    pub fn open(options: CacheOptions) -> Result<Self, Error> {
        let journaled = options.journal.as_ref();
        let journaled = journaled.map(|it| Journaled::open(it, &options)).transpose()?;
        let core = Arc::new(Core {
            clock: Clock::start(),
            shapes: Shapes::default(),
            table: Table::default(),
            descriptors: Descriptors::new(options.open_files_max),
            schedule: Schedule::default(),
            counters: Counters::default(),
            failure_notes: FailureNotes::default(),
            journaled,
            ending: Ending::default(),
            options,
        });
        core.find_logged()?;
        let keepers = Mutex::new(core.start_keepers()?);
        let cache = Self { core, writers: Mutex::default(), keepers };
        for _ in 0..cache.core.options.writer_threads.max(1) {
            let core = Arc::clone(&cache.core);
            let writer = std::thread::Builder::new()
                .name("gyre-write".into())
                .spawn(move || core.write_what_is_due());
            let started = writer.map_err(Error::io("starting a thread for", Path::new("files")));
            lock(&cache.writers).push(started?);
        }
        Ok(cache)
    }

    /// Ends the threads; first everything is written if `flush` says so. What could not be written
    /// is told by the options' `note`.
    pub fn close(&self, flush: bool) {
        let writers = std::mem::take(&mut *lock(&self.writers));
        if writers.is_empty() {
            return;
        }
        if flush {
            let _ = self.core.settle_all(|| false); // told when they were looked for first
            self.resume_all();
            self.flush_all();
        }
        self.core.schedule.end(flush);
        for writer in writers {
            if writer.join().is_err() {
                self.core.options.note("a thread that writes files panicked");
            }
        }
        self.core.ending.end();
        for keeper in std::mem::take(&mut *lock(&self.keepers)) {
            if keeper.join().is_err() {
                self.core.options.note("a thread that keeps the journal panicked");
            }
        }
        self.core.end_log();
    }
}

fn lock(threads: &Mutex<Vec<JoinHandle<()>>>) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
    threads.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for FileCache {
    fn drop(&mut self) {
        let flush = self.core.options.flush_on_close;
        self.close(flush);
    }
}
