//! Updates of single databases of a store that no process has open.
//!
//! Opening a store reads every name and every checkpoint and replays the log for all of them;
//! closing it writes every checkpoint. Here the group of one database is opened, as for [`LookUp`],
//! its update is taken in memory, and the update's record is appended to the log and synced.
//! Nothing but the log is written (where the last process was killed, the catalogue's first page
//! once more, as it is): the store is left as by a process that was killed after the update, and
//! the next one that opens it replays the record.
//!
//! ```text
//!   name ── catalogue ──▶ group ── checkpoint, its records in the log ──▶ rrd::update
//!                                                                            │
//!           the log's end made durable ◀── record appended, synced ◀─────────┘
//! ```
//!
//! Nothing frees the log meanwhile, and each update reads what those before have left there. So
//! when they have read as much together as an opening of all of the store costs, the store is
//! opened and ended in order: the log begins anew. All of it is opened, too, where a part cannot be
//! by itself, and says what is wrong.
//!
//! [`LookUp`]: super::LookUp

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use disk::{AnyMedium, HeldLock, Medium, PosixMedium};
use store::{Error, Refused, Update, Watch};

use super::catalogue::{Catalogue, GroupId};
use super::engine::{Engine, open_groups_to_update};
use super::store_lock::lock_of;
use super::{RingOptions, Sync};

/// So many bytes of the log all updates together may read, each by itself. A store of a million
/// databases is opened and ended in about the same time.
const READ_BYTES_MAX: u64 = 4 << 30;

/// Updates of single databases of a store that no process has open.
///
/// As long as it lives no other process can use the store.
#[derive(Debug)]
pub struct LoneUpdates {
    below: AnyMedium,
    root: PathBuf,
    options: RingOptions,
    read_bytes_max: u64,
    take_note: fn(&str),
    // Last, so that the lock outlives everything else.
    _lock: Option<HeldLock>,
}

/// What an update is taken by.
enum Taker {
    /// The groups that it needs.
    Part(Box<Engine<AnyMedium>>),
    /// The whole store, since a part of it cannot be opened by itself.
    Whole,
    /// The whole store, so that the log begins anew.
    WholeToEnd,
}

impl LoneUpdates {
    /// Of the store in a directory.
    pub(super) fn at(root: &Path, options: RingOptions) -> Result<Self, Error> {
        let lock = lock_of(root)?;
        let below = PosixMedium::open(root).map_err(Error::io("opening", root))?;
        Ok(Self { root: root.into(), _lock: Some(lock), ..Self::over(below, options) })
    }

    /// Of a store on a medium, which no other process uses meanwhile.
    #[must_use]
    pub fn over<M: Medium<File: 'static>>(medium: M, options: RingOptions) -> Self {
        Self {
            below: AnyMedium::of(medium),
            root: PathBuf::new(),
            options: RingOptions { sync: Sync::Always, ..options },
            read_bytes_max: READ_BYTES_MAX,
            take_note: |_| (),
            _lock: None,
        }
    }

    /// Where a store that is opened as a whole says what it has to tell without being asked.
    #[must_use]
    pub fn giving_notes_to(self, take_note: fn(&str)) -> Self {
        Self { take_note, ..self }
    }

    /// All updates together may read so many bytes of the log, each by itself, before the store is
    /// opened as a whole.
    #[must_use]
    pub fn reading_at_most(self, read_bytes_max: u64) -> Self {
        Self { read_bytes_max, ..self }
    }

    /// Takes samples of one database, in order, until one is refused. What is taken is on disk when
    /// this returns. `watch` sees each sample as it is taken.
    ///
    /// # Errors
    /// A sample is refused; there is no such database; the store cannot be opened.
    pub fn update(
        &self,
        update: &Update<'_>,
        watch: Option<&mut Watch<'_>>,
    ) -> Result<(), Refused> {
        let Some(name) = update.name.to_str() else {
            return Err(Refused::first(Error::missing(update.name)));
        };
        match self.taker_of(name) {
            Ok(Taker::Part(part)) => take(&part, update, watch),
            // All of the store then says what is wrong, if it cannot do without what is damaged.
            Ok(Taker::Whole) | Err(_) => {
                let whole = self.open_whole().map_err(Refused::first)?;
                let taken = take(&whole, update, watch);
                let _ = whole.work(); // what fails is in the log
                taken
            }
            Ok(Taker::WholeToEnd) => {
                let whole = self.open_whole().map_err(Refused::first)?;
                let taken = take(&whole, update, watch);
                let _ = whole.end(); // what fails is in the log
                taken
            }
        }
    }

    fn open_whole(&self) -> Result<Engine<AnyMedium>, Error> {
        let opened = Engine::open_store(self.below.clone(), self.options);
        let engine = opened.map_err(Error::refused(&self.root))?;
        engine.give_notes_to(self.take_note);
        Ok(engine)
    }

    /// Opens the groups that an update of a name needs, so that the log can be written to.
    fn taker_of(&self, name: &str) -> Result<Taker, Error> {
        let catalogue = Catalogue::open_in_part(&self.below)?;
        let mut groups: BTreeSet<GroupId> =
            catalogue.id_of(name)?.map(GroupId::of).into_iter().collect();
        loop {
            let part = open_groups_to_update(&self.below, self.options, &groups)?;
            if part.read_by_lone_updates() > self.read_bytes_max {
                return Ok(Taker::WholeToEnd);
            }
            // The log may have given the name to a database of another group since.
            let known = groups.len();
            groups.extend(part.elsewhere(name));
            if groups.len() == known {
                if part.has(name) {
                    // The update is worth nothing without the database that it is of.
                    catalogue.make_durable()?;
                    if !part.go_on_with_log()? {
                        return Ok(Taker::Whole);
                    }
                }
                return Ok(Taker::Part(Box::new(part)));
            }
        }
    }
}

fn take(
    engine: &Engine<AnyMedium>,
    update: &Update<'_>,
    watch: Option<&mut Watch<'_>>,
) -> Result<(), Refused> {
    match watch {
        Some(watch) => engine.update_watched(update, watch),
        None => {
            let refused = engine.update(std::slice::from_ref(update)).pop();
            refused.map_or(Ok(()), |(_, refused)| Err(refused))
        }
    }
}
