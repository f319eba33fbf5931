//! Where round robin databases rest: the [`Store`] trait and its backends.
//!
//! A backend decides where live state rests and where rows land; the arithmetic is `rrd`'s. There
//! are two: a directory of `.rrd` files ([`DirectoryStore`]), over single files ([`RrdFile`]), and the
//! ring store ([`RingStore`]).

use rrd::fetch::Query;
use rrd::{Definition, LiveState, Series, Snapshot, Timestamp};

mod error;
mod samples;
mod rrd_file;
mod open_files;
mod aside;
mod create;
mod directory;
pub mod journal;
pub mod ring;
pub mod cache;

pub use cache::{CacheOptions, FileCache};
pub use create::{
    Existing, create, create_while, create_with, restore, restore_cached, restore_with, write_file,
};
pub use directory::DirectoryStore;
pub use disk::{Durability, GoesOn};
pub use error::Error;
pub use open_files::{OPEN_FILES_MAX, OpenFiles};
pub use ring::{RingOptions, RingStore};
pub use rrd_file::{Access, Io, Locking, RrdFile, Transfer};
pub use samples::{Arguments, Refused, Samples, Taken, Update, Watch};

/// A place for many round robin databases, each under a name.
///
/// A name is a relative path such as `router/port1.rrd`, so that it can stand in a graph's
/// arguments wherever the database rests.
pub trait Store: Send + Sync {
    /// Makes a new database that has seen no update since `start`.
    ///
    /// # Errors
    /// [`Error::Exists`] if there is one already; it is not touched.
    fn create(&self, name: &str, definition: &Definition, start: Timestamp) -> Result<(), Error>;

    /// Makes new databases, with one wait for the disk where the store can. Returns the failures with
    /// their positions.
    fn create_all(&self, new: &[NewDatabase<'_>]) -> Vec<(usize, Error)> {
        let created = new.iter().map(|each| self.create(each.name, each.definition, each.start));
        created.enumerate().filter_map(|(nth, created)| Some((nth, created.err()?))).collect()
    }

    /// Takes samples, in order for each name. Returns the failures with their positions in the
    /// batch; everything else is acknowledged. Samples before a refused one are taken.
    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)>;

    /// Takes samples of one database; `watch` sees each as it is taken.
    ///
    /// # Errors
    /// One is refused; those before it are taken.
    fn update_watched(&self, update: &Update<'_>, watch: &mut Watch<'_>) -> Result<(), Refused>;

    /// The rows that answer a query.
    ///
    /// # Errors
    /// There is no such database, it is damaged, or has no archive for the query.
    fn fetch(&self, name: &str, query: &Query) -> Result<Series, Error>;

    /// Definition and live state.
    ///
    /// # Errors
    /// There is no such database, or it is damaged.
    fn describe(&self, name: &str) -> Result<(Definition, LiveState), Error>;

    /// The whole database.
    ///
    /// # Errors
    /// There is no such database, or it is damaged.
    fn snapshot(&self, name: &str) -> Result<Snapshot, Error>;

    /// Puts a whole database in place of what stands under its name.
    ///
    /// # Errors
    /// It cannot be written; what was there is then untouched.
    fn restore(&self, name: &str, snapshot: &Snapshot) -> Result<(), Error>;

    /// Every name, sorted.
    ///
    /// # Errors
    /// The store cannot be read.
    fn names(&self) -> Result<Vec<String>, Error>;
}

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
    pub name: &'a str,
    /// What it holds.
    pub definition: &'a Definition,
    /// It has seen no update since.
    pub start: Timestamp,
}

/// A database to be made, and what is to become of one that has its name.
#[derive(Clone, Copy, Debug)]
pub struct Making<'a> {
    /// The new one.
    pub new: NewDatabase<'a>,
    /// What is to become of one that is there.
    pub existing: Existing,
}
