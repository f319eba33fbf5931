//! What the daemon asks of whoever keeps the databases.

use std::path::Path;

use rrd::fetch::Query;
use rrd::{Definition, Series, Snapshot, Timestamp};
use rrdfile::Header;

/// Databases by their paths, shared by every connection.
///
/// A path is the one that a client named, resolved against the base directory and permitted. Every
/// read shows what was acknowledged before, whether or not it has reached a file.
pub trait Backend: Send + Sync {
    /// Takes updates in their order and returns once what was taken is as safe as the daemon's
    /// options promise. Gives the refused ones with their positions; of those, the values before the
    /// refused one are taken all the same.
    fn update(&self, updates: &[Update<'_>]) -> Vec<(usize, Failure)>;

    /// Brings the file up to date.
    ///
    /// # Errors
    /// There is no such database, or it cannot be written.
    fn flush(&self, path: &Path) -> Result<Flushed, Failure>;

    /// Begins to bring every file up to date, and does not wait.
    fn flush_all(&self);

    /// The updates that have not reached the file, as they came.
    ///
    /// # Errors
    /// Nothing is known of the file.
    fn pending(&self, path: &Path) -> Result<Vec<String>, Failure>;

    /// Drops the updates that have not reached the file.
    ///
    /// # Errors
    /// Nothing is known of the file.
    fn forget(&self, path: &Path) -> Result<(), Failure>;

    /// The files that wait to be written, each with its number of updates.
    fn queue(&self) -> Vec<(u64, String)>;

    /// Keeps a file from being written until [`Backend::resume`].
    ///
    /// # Errors
    /// Nothing is known of the file.
    fn suspend(&self, path: &Path) -> Result<(), Failure>;

    /// Lets a file be written again.
    ///
    /// # Errors
    /// Nothing is known of the file.
    fn resume(&self, path: &Path) -> Result<(), Failure>;

    /// Suspends every file that is known. Returns how many.
    fn suspend_all(&self) -> u64;

    /// Resumes every file that is known. Returns how many.
    fn resume_all(&self) -> u64;

    /// Counters since the start.
    fn statistics(&self) -> Statistics;

    /// Definition and live state, as the head of the file.
    ///
    /// # Errors
    /// There is no such database, or it is damaged; as with all that follow.
    fn header(&self, path: &Path) -> Result<Header, Failure>;

    /// When the last update was: of all reads the one that needs least.
    fn last_update(&self, path: &Path) -> Result<Timestamp, Failure>;

    /// The rows that answer a query.
    fn fetch(&self, path: &Path, query: &Query) -> Result<Series, Failure>;

    /// The whole database.
    fn snapshot(&self, path: &Path) -> Result<(Header, Snapshot), Failure>;

    /// Makes a database.
    fn create(&self, path: &Path, creation: &Creation<'_>) -> Result<(), Failure>;

    /// Puts what `work` makes of a whole database into its place; nothing that was acknowledged is
    /// lost over it.
    fn rework(
        &self,
        path: &Path,
        work: &dyn Fn(&Header, &Snapshot) -> Result<Snapshot, Failure>,
    ) -> Result<(), Failure>;

    /// The names below a directory: each relative to it, directories only where nothing below them
    /// is wanted.
    fn list(&self, directory: &Path, recursive: bool) -> Result<Vec<String>, Failure>;
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
#[derive(Clone, Copy, Debug)]
pub struct Creation<'a> {
    /// What it holds.
    pub definition: &'a Definition,
    /// It has seen no update since.
    pub start: Timestamp,
    /// Databases whose rows it takes over.
    pub sources: &'a [&'a Path],
    /// Whether one that is there already is left alone, and told.
    pub keep_existing: bool,
}

/// What a flush found to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flushed {
    /// The file was written.
    Written,
    /// It was up to date.
    Nothing,
}

/// Why a request failed, in the words of the reply's status line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Failure {
    /// The words, in rrdcached's way where it has any.
    pub words: String,
    /// How many values of the same command were taken nevertheless.
    pub values_taken: usize,
}

/// Counters since the start. The first nine are rrdcached's, under its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Files that wait to be written.
    pub queue_length: u64,
    /// UPDATE commands taken.
    pub updates_received: u64,
    /// FLUSH commands taken.
    pub flushes_received: u64,
    /// Files written, each time counted.
    pub updates_written: u64,
    /// Values written to files.
    pub data_sets_written: u64,
    /// Files that are known.
    pub tree_nodes_number: u64,
    /// The depth that a balanced tree of them would have.
    pub tree_depth: u64,
    /// Bytes written to the journal.
    pub journal_bytes: u64,
    /// Times that the journal went on to a fresh segment.
    pub journal_rotate: u64,
    /// What this backend counts besides, in a fixed order.
    pub more: Vec<(&'static str, u64)>,
}
