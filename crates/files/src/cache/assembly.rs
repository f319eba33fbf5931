//! The parts of a cache, put together.

use std::sync::Arc;
use std::time::Duration;

use store::{Error, Follower};

use super::append::Updates;
use super::carry::Carrier;
use super::change::Changes;
use super::clock::Clock;
use super::descriptors::Descriptors;
use super::file_cache::{FileCache, Threads};
use super::forget::Forgetter;
use super::found_files::FoundFiles;
use super::in_doubt::DoubtSettler;
use super::intake::Intake;
use super::journaled::Journaled;
use super::keeper::Keeper;
use super::options::{CacheOptions, Journaling};
use super::read::Reader;
use super::report::Reporter;
use super::sample_log::SampleLog;
use super::schedule::Schedule;
use super::settler::Settler;
use super::shape::Shapes;
use super::table::Table;
use super::tidy::Tidier;
use super::write_back::Writer;

impl FileCache {
    /// Opens the cache and starts its threads. What its journal holds is there at once: each file
    /// is brought together with it when it is first used, or when its turn comes.
    ///
    /// # Errors
    /// A thread could not be started; the journal is damaged, or another process has it.
    pub fn open(options: CacheOptions) -> Result<Self, Error> {
        let cache = Shared::open(&options)?.cache(&options);
        if let Some(found_files) = &cache.found_files {
            found_files.find_logged(&options.base)?;
        }
        cache.start(options.writer_threads)?;
        Ok(cache)
    }
}

/// The parts that most others use.
struct Shared {
    clock: Clock,
    table: Arc<Table>,
    shapes: Arc<Shapes>,
    descriptors: Arc<Descriptors>,
    schedule: Arc<Schedule>,
    journaled: Option<Arc<Journaled>>,
    log: Arc<SampleLog>,
    reporter: Arc<Reporter>,
}

/// The parts that do something with one file, whose entry is held.
struct OfOneFile {
    settler: Arc<Settler>,
    forgetter: Arc<Forgetter>,
    writer: Arc<Writer>,
}

impl Shared {
    /// Opens the log, if there is to be one.
    ///
    /// # Errors
    /// The journal is damaged, or another process has it.
    fn open(options: &CacheOptions) -> Result<Self, Error> {
        let clock = Clock::start();
        let reporter = Arc::new(Reporter::new(Arc::clone(&options.notes)));
        let open = |journaling| Journaled::open(journaling, options, clock.clone());
        let journaled = options.journal.as_ref().map(open).transpose()?.map(Arc::new);
        let schedule = Schedule::new(clock.clone(), options.write_after, options.spread);
        Ok(Self {
            table: Arc::default(),
            shapes: Arc::default(),
            descriptors: Arc::new(Descriptors::new(options.open_files_max)),
            schedule: Arc::new(schedule),
            log: Arc::new(SampleLog::new(journaled.clone(), Arc::clone(&reporter))),
            journaled,
            clock,
            reporter,
        })
    }

    /// The cache; its threads do not run yet.
    fn cache(self, options: &CacheOptions) -> FileCache {
        let of_one = self.of_one_file(options.look_every);
        let reader = Arc::new(Reader {
            clock: self.clock.clone(),
            table: self.table.clone(),
            settler: of_one.settler.clone(),
        });
        let updates = Updates {
            table: self.table.clone(),
            reader: reader.clone(),
            settler: of_one.settler.clone(),
            log: self.log.clone(),
            reporter: self.reporter.clone(),
        };
        let log_parts = self.journaled.clone().zip(options.journal.as_ref());
        let keeper = log_parts.clone().map(|(log, it)| self.keeper(&of_one, log, it));
        let found_files = log_parts.map(|(log, it)| self.found_files(&of_one, log, it));
        FileCache {
            updates,
            reader,
            changes: self.changes(&of_one),
            tidier: Arc::new(self.tidier(&of_one, options.forget_after)),
            keeper: keeper.map(Arc::new),
            found_files: found_files.map(Arc::new),
            writer: of_one.writer,
            table: self.table,
            schedule: self.schedule,
            journaled: self.journaled,
            reporter: self.reporter,
            threads: Threads::default(),
            flush_on_close: options.flush_on_close,
            follower: Follower::default(),
        }
    }

    fn of_one_file(&self, look_every: Duration) -> OfOneFile {
        let settler = Arc::new(self.settler(look_every));
        let forgetter = Arc::new(Forgetter {
            table: self.table.clone(),
            descriptors: self.descriptors.clone(),
            log: self.log.clone(),
            reporter: self.reporter.clone(),
        });
        let writer = Arc::new(Writer {
            clock: self.clock.clone(),
            schedule: self.schedule.clone(),
            descriptors: self.descriptors.clone(),
            shapes: self.shapes.clone(),
            settler: settler.clone(),
            log: self.log.clone(),
            forgetter: forgetter.clone(),
            reporter: self.reporter.clone(),
        });
        OfOneFile { settler, forgetter, writer }
    }

    fn settler(&self, look_every: Duration) -> Settler {
        let intake = Arc::new(Intake {
            clock: self.clock.clone(),
            look_every,
            shapes: self.shapes.clone(),
            log: self.log.clone(),
            schedule: self.schedule.clone(),
            reporter: self.reporter.clone(),
        });
        Settler {
            clock: self.clock.clone(),
            found: self.journaled.as_ref().map(|journaled| journaled.found.clone()),
            shapes: self.shapes.clone(),
            intake,
            log: self.log.clone(),
            schedule: self.schedule.clone(),
            reporter: self.reporter.clone(),
        }
    }

    fn changes(&self, of_one: &OfOneFile) -> Changes {
        Changes {
            table: self.table.clone(),
            descriptors: self.descriptors.clone(),
            schedule: self.schedule.clone(),
            settler: of_one.settler.clone(),
            writer: of_one.writer.clone(),
            log: self.log.clone(),
            forgetter: of_one.forgetter.clone(),
        }
    }

    fn tidier(&self, of_one: &OfOneFile, forget_after: Duration) -> Tidier {
        Tidier {
            clock: self.clock.clone(),
            forget_after,
            table: self.table.clone(),
            shapes: self.shapes.clone(),
            schedule: self.schedule.clone(),
            forgetter: of_one.forgetter.clone(),
        }
    }

    fn keeper(
        &self,
        of_one: &OfOneFile,
        journaled: Arc<Journaled>,
        options: &Journaling,
    ) -> Keeper {
        let doubt_settler = DoubtSettler {
            journaled: journaled.clone(),
            table: self.table.clone(),
            descriptors: self.descriptors.clone(),
            schedule: self.schedule.clone(),
            settler: of_one.settler.clone(),
            forgetter: of_one.forgetter.clone(),
            reporter: self.reporter.clone(),
        };
        Keeper {
            sync_every: options.sync_every,
            carrier: Carrier::new(journaled.clone(), self.table.clone(), self.schedule.clone()),
            journaled,
            doubt_settler,
            reporter: self.reporter.clone(),
        }
    }

    fn found_files(
        &self,
        of_one: &OfOneFile,
        journaled: Arc<Journaled>,
        options: &Journaling,
    ) -> FoundFiles {
        FoundFiles {
            directory: options.directory.clone(),
            journaled,
            table: self.table.clone(),
            settler: of_one.settler.clone(),
            reporter: self.reporter.clone(),
        }
    }
}
