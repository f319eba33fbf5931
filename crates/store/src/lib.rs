//! The storage of round robin databases: the [`Store`] trait, its values and its errors.
//!
//! A store decides where live state and rows are kept; the arithmetic is in `rrd`. The stores are
//! crates of their own. `files` has two stores of `.rrd` files: one writes them in place, one has a
//! journal. `ring` writes whole pages of many databases. `remote` calls a store of another process.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use rrd::fetch::Query;
use rrd::{Definition, Series, Snapshot, Stretch, Timestamp};
use rrdfile::Header;

mod error;
mod phrase;
mod samples;
mod locking;
mod existing;
mod fetch;
mod since;
mod names;
mod rooted;
mod edit;
mod memory;
mod aside;
mod at_once;
mod deferred;
mod inspect;
mod report;
mod adopt;
mod follow;

pub use adopt::{ADOPTEES_MAX, Adopt, Adoptee};
pub use aside::put_aside;
pub use at_once::AtOnce;
pub use deferred::{Deferred, Flushed};
pub use disk::{Durability, GoesOn};
pub use edit::{Edit, SourceTuning, Unmade, edited_whole, resized, with_cells};
pub use error::Error;
pub use existing::Existing;
pub use fetch::{TakeRows, Wanted};
pub use follow::{Change, Follow, Follower};
pub use inspect::Inspect;
pub use locking::Locking;
pub use memory::room as memory_room;
pub use names::{NamePattern, NamesPage, PartPattern, behind_all};
pub use phrase::Phrase;
pub use report::{Damage, DamagedGroup, GroupReport, Replaying, StoreReport, Verified};
pub use rooted::{LeadsTo, Led, Rooted, Sees};
pub use samples::{Arguments, Refused, Resolved, Samples, Taken, Update, Watch};
pub use since::RowsSince;

/// How many names are looked up in one call.
pub const NAMES_AT_ONCE: usize = 4096;

/// A store of many round robin databases, each with a name.
///
/// A name is a relative path such as `router/port1.rrd`, so that the arguments of a graph can name
/// a database in any store. A store that serves any file takes any path.
pub trait Store: Send + Sync {
    /// Makes databases in the given order, with one wait for the disk if the store can. Returns the
    /// failures with their positions, in order.
    fn make(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)>;

    /// Makes a database whose last update is `start`.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] if there is one already; that one is unchanged.
    fn create(&self, name: &Path, definition: &Definition, start: Timestamp) -> Result<(), Error> {
        let making = Making::new(NewDatabase { name, definition, start });
        self.make(&[making], &|| true).pop().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Updates databases with samples, in order for each name. Returns the failures with their
    /// positions in the batch, in order; everything else is acknowledged. Samples before a refused
    /// one are applied.
    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)>;

    /// As [`Self::update`], but takes no update that would have to wait for more than the
    /// acknowledgement of all: for a file that is read first, or for a database that another thread
    /// works on. Each name stands in the batch for itself: where one of its updates is left, a later
    /// one may be taken.
    fn update_at_once(&self, batch: &[Update<'_>]) -> AtOnce {
        AtOnce::none(batch.len())
    }

    /// Whether an update is acknowledged only once it is on disk.
    fn acknowledges_on_disk(&self) -> bool {
        true
    }

    /// Updates one database; `watch` sees each sample when it is applied.
    ///
    /// # Errors
    ///
    /// A sample is refused; the samples before it are applied.
    fn update_watched(&self, update: &Update<'_>, watch: &mut Watch<'_>) -> Result<(), Refused>;

    /// The definition and the time of the last update.
    ///
    /// # Errors
    ///
    /// There is no such database, or it is damaged; the same for all methods below.
    fn outline(&self, name: &Path) -> Result<Outline, Error> {
        let Header { definition, live, .. } = self.header(name)?;
        Ok(Outline { definition, last_update: live.last_update })
    }

    /// The definition and live state, as the header of the database's file (or of the file that an
    /// export would make).
    ///
    /// # Errors
    /// As [`Store::outline`].
    fn header(&self, name: &Path) -> Result<Header, Error>;

    /// The rows that answer a query.
    ///
    /// # Errors
    /// As [`Store::outline`]; it has no archive for the query.
    fn fetch(&self, name: &Path, query: &Query) -> Result<Series, Error>;

    /// The rows that answer a query, without the unknown rows outside of the archive, of which
    /// there may be any number.
    ///
    /// # Errors
    /// As [`Store::fetch`].
    fn fetch_stretch(&self, name: &Path, query: &Query) -> Result<Stretch, Error>;

    /// Answers many queries as [`Self::fetch_stretch`] does, in the order in which the store reads
    /// best. Each answer is passed to `take` with the position of its query as soon as it is read.
    /// `take` must not call the store. Answers from one database may be of different moments.
    ///
    /// # Errors
    ///
    /// The store cannot go on. Errors of single queries are passed to `take`.
    fn fetch_many(&self, wanted: &[Wanted<'_>], take: &mut TakeRows<'_>) -> Result<(), Error> {
        let _: ControlFlow<()> = wanted.iter().enumerate().try_for_each(|(position, wanted)| {
            take(position, self.fetch_stretch(wanted.name, &wanted.query))
        });
        Ok(())
    }

    /// The same, with all answers in memory, in the order of the queries.
    fn fetch_all(&self, wanted: &[Wanted<'_>]) -> Vec<Result<Stretch, Error>> {
        let mut answers: Vec<_> = wanted.iter().map(|_| None).collect();
        let done = self.fetch_many(wanted, &mut |position, answer| {
            answers[position] = Some(answer);
            ControlFlow::Continue(())
        });
        // If the store fails, each remaining query gets the error.
        let why = |wanted: &Wanted<'_>| match &done {
            Ok(()) => Error::missing(wanted.name),
            Err(error) => error.again(),
        };
        let answer = |(answer, wanted): (Option<_>, _)| answer.unwrap_or_else(|| Err(why(wanted)));
        answers.into_iter().zip(wanted).map(answer).collect()
    }

    /// The rows that became final after `mark_seconds`, all read at one moment. So a reader that
    /// continues from the last update in the answer misses no row. A mark after the last update
    /// gives no rows.
    ///
    /// # Errors
    /// As [`Store::outline`].
    fn rows_since(&self, name: &Path, mark_seconds: i64) -> Result<RowsSince, Error>;

    /// The whole database, and the header of its file.
    ///
    /// # Errors
    /// As [`Store::outline`].
    fn whole(&self, name: &Path) -> Result<(Header, Snapshot), Error>;

    /// The whole database.
    ///
    /// # Errors
    /// As [`Store::outline`].
    fn snapshot(&self, name: &Path) -> Result<Snapshot, Error> {
        self.whole(name).map(|(_, snapshot)| snapshot)
    }

    /// The bytes of the database's file.
    ///
    /// # Errors
    /// As [`Store::outline`]; [`Error::TooLarge`].
    fn image(&self, name: &Path) -> Result<Vec<u8>, Error> {
        let (header, whole) = self.whole(name)?;
        rrdfile::encode_behind(&header, &whole.rows).map_err(Error::unwritable(name))
    }

    /// The bytes of many files. Each is passed with its name to `take`, which must not call the
    /// store.
    ///
    /// # Errors
    ///
    /// The store cannot go on. Errors of single databases are passed to `take`.
    fn images(&self, names: &[String], take: &mut TakeImage<'_>) -> Result<(), Error> {
        names.iter().for_each(|name| take(name, self.image(Path::new(name))));
        Ok(())
    }

    /// A number that is another one once the database was replaced as a whole; 0 where the store
    /// does not know.
    fn incarnation(&self, name: &Path) -> u64 {
        let _ = name;
        0
    }

    /// Whether the name is in use, even by a damaged database that cannot be read.
    fn has(&self, name: &Path) -> bool;

    /// Changes a database without losing acknowledged updates.
    ///
    /// # Errors
    ///
    /// [`Error::Edit`] if the change is refused, [`Error::Exists`] if a name is taken.
    fn edit(&self, name: &Path, edit: &Edit<'_>, goes_on: GoesOn<'_>) -> Result<(), Error>;

    /// Names that match, sorted, from `from` on: at most `limit`. There may be fewer if the store
    /// would have to search for long; [`NamesPage::next`] tells where to continue.
    ///
    /// # Errors
    /// The store cannot be read.
    fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error>;

    /// Every name that matches, sorted. A database that is renamed meanwhile may appear with both
    /// names or with neither.
    ///
    /// # Errors
    /// As [`Store::names_from`].
    fn names_like(&self, pattern: &NamePattern) -> Result<Vec<String>, Error> {
        let (mut all, mut from) = (Vec::new(), String::new());
        loop {
            let NamesPage { names, next } = self.names_from(pattern, &from, NAMES_AT_ONCE)?;
            all.extend(names);
            match next {
                Some(next) => from = next,
                None => return Ok(all),
            }
        }
    }

    /// Every name with this prefix, sorted.
    ///
    /// # Errors
    /// As [`Store::names_from`].
    fn names(&self, beginning: &str) -> Result<Vec<String>, Error> {
        self.names_like(&NamePattern::beginning(beginning))
    }

    /// Waits until all accepted updates are on disk, as far as the store's options promise that.
    ///
    /// # Errors
    ///
    /// A disk failed.
    fn sync(&self) -> Result<(), Error> {
        Ok(())
    }

    /// The interface for waiting updates, if the store writes later than it accepts.
    fn deferred(&self) -> Option<&dyn Deferred> {
        None
    }

    /// The interface for reports, if the store is more than a directory of files.
    fn inspect(&self) -> Option<&dyn Inspect> {
        None
    }

    /// The interface for importing whole databases, if the store has it.
    fn adopts(&self) -> Option<&dyn Adopt> {
        None
    }

    /// Tells `follow` of all updates and changes from now on, and of those that are under way.
    /// False if the store cannot, or tells too many already.
    fn follow(&self, follow: Arc<dyn Follow>) -> bool {
        let _ = follow;
        false
    }
}

/// Receives the files of databases, each with its name.
pub type TakeImage<'t> = dyn FnMut(&str, Result<Vec<u8>, Error>) + 't;

/// A database without its rows and state.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Its definition.
    pub definition: Definition,
    /// The time of its last update.
    pub last_update: Timestamp,
}

/// A new database.
#[derive(Clone, Copy, Debug)]
pub struct NewDatabase<'a> {
    /// Its name.
    pub name: &'a Path,
    /// Its definition.
    pub definition: &'a Definition,
    /// The time of its last update.
    pub start: Timestamp,
}

/// How to make a database.
#[derive(Clone, Copy, Debug)]
pub struct Making<'a> {
    /// The new one.
    pub new: NewDatabase<'a>,
    /// The whole database, if it takes rows from others.
    pub past: Option<&'a Snapshot>,
    /// What happens to an existing database.
    pub existing: Existing,
    /// Whether the directories on its way are made too, in a store that has some and takes whole
    /// paths. One that takes names makes them in any case.
    pub with_directories: bool,
}

impl<'a> Making<'a> {
    /// A database without rows, under a free name.
    #[must_use]
    pub fn new(new: NewDatabase<'a>) -> Self {
        Self { new, past: None, existing: Existing::Keep, with_directories: false }
    }
}
