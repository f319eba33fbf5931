//! What the daemon asks of the part that keeps the databases.

mod stamp;
mod files;
mod ring;

use std::path::Path;

use rrd::fetch::Query;
use rrd::{Definition, Series, Snapshot, Timestamp};
use rrdfile::Header;
use rrdtool::tune::Tuning;
use store::GoesOn;
use store::Outline;

pub(crate) use files::Files;
pub(crate) use ring::Ring;

/// Databases by their paths, shared by every connection.
///
/// A path is the one that a client named, resolved against the base directory and permitted. Every
/// read shows what was acknowledged before, whether or not it has reached a file.
pub trait Backend: Send + Sync {
    /// Takes updates in their order and returns once what was taken is as safe as the daemon's
    /// options promise. Gives the refused ones with their positions, in order; of those, the values
    /// before the refused one are taken all the same.
    fn update(&self, updates: &[Update<'_>]) -> Vec<(usize, Failure)>;

    /// Brings the file up to date.
    ///
    /// # Errors
    /// There is no such database, or it cannot be written.
    fn flush(&self, path: &Path) -> Result<Flushed, Failure>;

    /// Begins to bring every file up to date, and does not wait.
    fn flush_all(&self);

    /// The updates that have not reached the file, as they came; none of a file that nothing is known
    /// of.
    fn pending(&self, path: &Path) -> Vec<String>;

    /// Drops the updates that have not reached the file.
    ///
    /// # Errors
    /// [`Failure::Missing`]: nothing is known of the file.
    fn forget(&self, path: &Path) -> Result<(), Failure>;

    /// The files that wait to be written, each with its number of updates.
    fn queue(&self) -> Vec<(u64, Vec<u8>)>;

    /// Keeps a file from being written until [`Backend::resume`]; false if it was before.
    ///
    /// # Errors
    /// [`Failure::Missing`]: nothing is known of the file.
    fn suspend(&self, path: &Path) -> Result<bool, Failure>;

    /// Lets a file be written again; false if it was not suspended.
    ///
    /// # Errors
    /// [`Failure::Missing`]: nothing is known of the file.
    fn resume(&self, path: &Path) -> Result<bool, Failure>;

    /// Suspends every file that is known. Returns how many were not before.
    fn suspend_all(&self) -> u64;

    /// Resumes every file that is suspended. Returns how many.
    fn resume_all(&self) -> u64;

    /// Counters since the start, but for those of commands.
    fn statistics(&self) -> Statistics;

    /// What the database holds, and when its last update was.
    ///
    /// # Errors
    /// There is no such database, or it is damaged; as with all that follow.
    fn outline(&self, path: &Path) -> Result<Outline, Failure>;

    /// Definition and live state, as the head of the file.
    ///
    /// # Errors
    /// As with [`Backend::outline`].
    fn header(&self, path: &Path) -> Result<Header, Failure>;

    /// The rows that answer a query.
    ///
    /// # Errors
    /// As with [`Backend::outline`].
    fn fetch(&self, path: &Path, query: &Query) -> Result<Series, Failure>;

    /// The whole database.
    ///
    /// # Errors
    /// As with [`Backend::outline`].
    fn snapshot(&self, path: &Path) -> Result<(Header, Snapshot), Failure>;

    /// Makes a database. What is there already is replaced, unless the creation says otherwise.
    ///
    /// # Errors
    /// It cannot be made.
    fn create(&self, path: &Path, creation: &Creation<'_>) -> Result<(), Failure>;

    /// Makes databases in their order, with one wait for the disk where the store can. Gives the
    /// failures with their positions, in order.
    fn create_all(&self, new: &[New<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Failure)> {
        let create = |new: &New<'_>| {
            let New { path, definition, start, keeps_existing } = *new;
            self.create(path, &Creation { definition, start, past: None, keeps_existing, goes_on })
        };
        let created = new.iter().map(create).enumerate();
        created.filter_map(|(nth, created)| Some((nth, created.err()?))).collect()
    }

    /// Changes a database; nothing that was acknowledged is lost over it.
    ///
    /// # Errors
    /// What of the tuning is wrong; what stood before that is done.
    fn tune(&self, path: &Path, tuning: &Tuning<'_>) -> Result<(), Failure>;

    /// Whether databases are files, which lie in directories.
    fn has_directories(&self) -> bool;

    /// The names below a directory: each relative to it, directories only where nothing below them
    /// is wanted. Links are followed where `is_open` allows it.
    ///
    /// # Errors
    /// There is no such directory.
    fn list(
        &self,
        directory: &Path,
        is_recursive: bool,
        is_open: &dyn Fn(&Path) -> bool,
    ) -> Result<Vec<String>, std::io::Error>;

    /// Ends: nothing is asked any more. With `is_flushing` every file is brought up to date.
    ///
    /// # Errors
    /// What could not be written; nothing acknowledged is lost.
    fn close(&self, is_flushing: bool) -> Result<(), Failure>;
}

/// The values of one UPDATE.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a> {
    /// The database.
    pub path: &'a Path,
    /// Each a time and readings, `TIME:READING[:READING...]`.
    pub values: &'a [&'a str],
}

/// A database to be made.
#[derive(Clone, Copy)]
pub struct Creation<'a> {
    /// What it holds.
    pub definition: &'a Definition,
    /// It has seen no update since.
    pub start: Timestamp,
    /// The whole of it, where it takes rows over from others.
    pub past: Option<&'a Snapshot>,
    /// Whether one that is there already is left alone, and told.
    pub keeps_existing: bool,
    /// Whether somebody waits for it.
    pub goes_on: GoesOn<'a>,
}

/// A database to be made that takes no rows over.
#[derive(Clone, Copy, Debug)]
pub struct New<'a> {
    /// Where it is to be.
    pub path: &'a Path,
    /// What it holds.
    pub definition: &'a Definition,
    /// It has seen no update since.
    pub start: Timestamp,
    /// Whether one that is there already is left alone, and told.
    pub keeps_existing: bool,
}

/// What a flush found to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flushed {
    /// The file was written, or had been since it was first heard of.
    Written,
    /// Nothing is known of it.
    Nothing,
}

/// Why a request failed. Each command has its own words for the first two, and before those of
/// rrdtool's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// There is no such database, or nothing is known of it.
    Missing,
    /// What stands there is no file.
    Irregular,
    /// The words of rrdtool's.
    Rrd(String),
    /// Words as they are.
    Told(String),
}

/// Counters since the start. The first nine are rrdcached's, under its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Files that wait to be written.
    pub queue_length: u64,
    /// Files written, each time counted.
    pub updates_written: u64,
    /// Values written to files.
    pub data_sets_written: u64,
    /// Files that are known.
    pub tree_nodes_number: u64,
    /// Bytes written to the journal.
    pub journal_bytes: u64,
    /// Times that the journal went on to a fresh segment.
    pub journal_rotate: u64,
    /// What this backend counts besides, in a fixed order.
    pub more: Vec<(&'static str, u64)>,
}
