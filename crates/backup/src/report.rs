//! What a run tells the program around it.

use disk::Moment;

/// The world around a run.
pub trait Watch: Sync {
    /// The time.
    fn now(&self) -> Moment;

    /// How far it has come.
    fn show(&self, _report: &Report) {}
}

/// What became of a run, or of as much as is done.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The snapshot's number.
    pub number: u32,
    /// Whether it needs no earlier pack.
    pub full: bool,
    /// Files, all of them.
    pub files: u64,
    /// What they have together.
    pub bytes: u64,
    /// Directories.
    pub directories: u64,
    /// Symbolic links.
    pub links: u64,
    /// Files that were not read, for nothing of them had changed.
    pub unchanged: u64,
    /// What was read of the source.
    pub read_bytes: u64,
    /// What was added to the backup, without the index.
    pub added_bytes: u64,
    /// What was read back.
    pub verified_bytes: u64,
    /// Ring stores.
    pub stores: u64,
    /// Files that changed however often they were read.
    pub unsettled: u64,
    /// Runs that were killed whose work was of use.
    pub resumed: usize,
    /// Snapshots that were taken away.
    pub removed: Vec<u32>,
    /// Source and backup are on one file system, which one fault may take.
    pub same_file_system: bool,
    /// What could not be copied.
    pub problems: Vec<String>,
    /// How many of those there were.
    pub problem_count: u64,
    /// Earlier indexes that could not be used.
    pub damaged: Vec<String>,
}
