//! Where round robin databases rest: the [`Store`] trait, its values and its errors.
//!
//! A store decides where live state rests and where rows land; the arithmetic is `rrd`'s. The
//! stores are crates of their own: `files` has two of `.rrd` files, in place and behind a journal;
//! `ring` has that of whole pages; `remote` one that a server elsewhere has.

use std::ops::ControlFlow;
use std::path::Path;

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
mod edit;
mod memory;
mod aside;
mod deferred;
mod inspect;
mod report;
mod adopt;

pub use adopt::{ADOPTEES_MAX, Adopt, Adoptee};
pub use aside::put_aside;
pub use deferred::{Deferred, Flushed};
pub use disk::{Durability, GoesOn};
pub use edit::{Edit, SourceTuning, Unmade, edited_whole, resized};
pub use error::Error;
pub use existing::Existing;
pub use fetch::{TakeRows, Wanted};
pub use inspect::Inspect;
pub use locking::Locking;
pub use memory::room as memory_room;
pub use names::{NamePattern, NamesPage, PartPattern, behind_all};
pub use phrase::Phrase;
pub use report::{Damage, DamagedGroup, GroupReport, StoreReport, Verified};
pub use samples::{Arguments, Refused, Resolved, Samples, Taken, Update, Watch};
pub use since::RowsSince;

/// Names that are asked for in one go.
pub const NAMES_AT_ONCE: usize = 4096;

/// A place for many round robin databases, each under a name.
///
/// A name is a relative path such as `router/port1.rrd`, so that it can stand in a graph's
/// arguments wherever the database rests; where any file is served, it is any path.
pub trait Store: Send + Sync {
    /// Makes databases in their order, with one wait for the disk where the store can. Returns the
    /// failures with their positions, in order.
    fn make(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)>;

    /// Makes a database that has seen no update since `start`.
    ///
    /// # Errors
    /// [`Error::Exists`] if there is one already; it is not touched.
    fn create(&self, name: &Path, definition: &Definition, start: Timestamp) -> Result<(), Error> {
        let making = Making::new(NewDatabase { name, definition, start });
        self.make(&[making], &|| true).pop().map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Takes samples, in order for each name. Returns the failures with their positions in the
    /// batch, in order; everything else is acknowledged. Samples before a refused one are taken.
    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)>;

    /// Takes samples of one database; `watch` sees each as it is taken.
    ///
    /// # Errors
    /// One is refused; those before it are taken.
    fn update_watched(&self, update: &Update<'_>, watch: &mut Watch<'_>) -> Result<(), Refused>;

    /// What the database holds, and when its last update was.
    ///
    /// # Errors
    /// There is no such database, or it is damaged; as with all that follow.
    fn outline(&self, name: &Path) -> Result<Outline, Error> {
        let Header { definition, live, .. } = self.header(name)?;
        Ok(Outline { definition, last_update: live.last_update })
    }

    /// Definition and live state, as the head of the file that the database is, or would be.
    ///
    /// # Errors
    /// As [`Store::outline`].
    fn header(&self, name: &Path) -> Result<Header, Error>;

    /// The rows that answer a query.
    ///
    /// # Errors
    /// As [`Store::outline`]; it has no archive for the query.
    fn fetch(&self, name: &Path, query: &Query) -> Result<Series, Error>;

    /// The same without the rows that no archive holds, which may be any number.
    ///
    /// # Errors
    /// As [`Store::fetch`].
    fn fetch_stretch(&self, name: &Path, query: &Query) -> Result<Stretch, Error>;

    /// The rows that answer many queries, without those that no archive holds, in the order in
    /// which the store reads them best. Each answer is handed to `take`, which must not ask the
    /// store, with the position of its query as soon as it is read; those of one database may not
    /// be of the same moment.
    ///
    /// # Errors
    /// The store cannot go on. What is wrong with one query `take` is told.
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
        // A store that cannot go on tells each why.
        let why = |wanted: &Wanted<'_>| match &done {
            Ok(()) => Error::missing(wanted.name),
            Err(error) => error.again(),
        };
        let answer = |(answer, wanted): (Option<_>, _)| answer.unwrap_or_else(|| Err(why(wanted)));
        answers.into_iter().zip(wanted).map(answer).collect()
    }

    /// The rows that became final after a mark, all as they were at one moment, so that nobody
    /// misses one who goes on from the last update that he is told. Nothing came after a mark that
    /// is later than the last update.
    ///
    /// # Errors
    /// As [`Store::outline`].
    fn rows_since(&self, name: &Path, mark_seconds: i64) -> Result<RowsSince, Error>;

    /// The whole database, and the head of the file that it is or would be.
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

    /// The bytes of the file that the database is, or would be.
    ///
    /// # Errors
    /// As [`Store::outline`]; [`Error::TooLarge`].
    fn image(&self, name: &Path) -> Result<Vec<u8>, Error> {
        let (header, whole) = self.whole(name)?;
        rrdfile::encode_behind(&header, &whole.rows).ok_or_else(|| Error::TooLarge(name.into()))
    }

    /// The same of many: each is handed to `take`, which must not ask the store, with its name.
    ///
    /// # Errors
    /// The store cannot go on. What is wrong with one database `take` is told.
    fn images(&self, names: &[String], take: &mut TakeImage<'_>) -> Result<(), Error> {
        names.iter().for_each(|name| take(name, self.image(Path::new(name))));
        Ok(())
    }

    /// Whether something has the name, be it a damaged database that does not answer.
    fn has(&self, name: &Path) -> bool;

    /// Changes a database; nothing that was acknowledged is lost over it.
    ///
    /// # Errors
    /// [`Error::Edit`] where the change is refused, [`Error::Exists`] where a name is taken.
    fn edit(&self, name: &Path, edit: &Edit<'_>, goes_on: GoesOn<'_>) -> Result<(), Error>;

    /// Names that match, sorted, from a text on: at most so many. Fewer may come where the store
    /// would have to look long; what [`NamesPage::next`] tells is where to go on.
    ///
    /// # Errors
    /// The store cannot be read.
    fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error>;

    /// Every name that matches, sorted. What gets another name meanwhile may be told by both, or by
    /// neither.
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

    /// Every name that begins so, sorted.
    ///
    /// # Errors
    /// As [`Store::names_from`].
    fn names(&self, beginning: &str) -> Result<Vec<String>, Error> {
        self.names_like(&NamePattern::beginning(beginning))
    }

    /// Waits until everything that was taken is on disk, as far as the store promises that it ever
    /// is.
    ///
    /// # Errors
    /// A disk did not take it.
    fn sync(&self) -> Result<(), Error> {
        Ok(())
    }

    /// What waits to be written, where taking and writing are not the same.
    fn deferred(&self) -> Option<&dyn Deferred> {
        None
    }

    /// What can be asked of the store as a whole, where it is more than its files.
    fn inspect(&self) -> Option<&dyn Inspect> {
        None
    }

    /// The store as one that takes in whole databases with all that their files had, if it is such.
    fn adopts(&self) -> Option<&dyn Adopt> {
        None
    }
}

/// Gets the files of databases, each with its name.
pub type TakeImage<'t> = dyn FnMut(&str, Result<Vec<u8>, Error>) + 't;

/// What is known of a database without its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// What it holds.
    pub definition: Definition,
    /// When its last update was.
    pub last_update: Timestamp,
}

/// A database to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewDatabase<'a> {
    /// Its name.
    pub name: &'a Path,
    /// What it holds.
    pub definition: &'a Definition,
    /// It has seen no update since.
    pub start: Timestamp,
}

/// How a database is to be made.
#[derive(Clone, Copy, Debug)]
pub struct Making<'a> {
    /// The new one.
    pub new: NewDatabase<'a>,
    /// The whole of it, where it takes rows over from others.
    pub past: Option<&'a Snapshot>,
    /// What is to become of one that is there.
    pub existing: Existing,
}

impl<'a> Making<'a> {
    /// Without rows, under a free name.
    #[must_use]
    pub fn new(new: NewDatabase<'a>) -> Self {
        Self { new, past: None, existing: Existing::Keep }
    }
}
