//! What a run tells the program around it.

use disk::Moment;

/// The clock and the progress display of a run.
pub trait Watch: Sync {
    /// The time.
    fn now(&self) -> Moment;

    /// Shows the progress.
    fn show(&self, _report: &Report) {}
}

/// The result of a run, or its state so far.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The snapshot's number.
    pub number: u32,
    /// Whether the snapshot needs no earlier pack.
    pub full: bool,
    /// All files.
    pub files: u64,
    /// The bytes of all files.
    pub bytes: u64,
    /// Directories.
    pub directories: u64,
    /// Symbolic links.
    pub links: u64,
    /// Files that were not read because nothing about them had changed.
    pub unchanged: u64,
    /// Bytes read from the source.
    pub read_bytes: u64,
    /// Bytes added to the backup, without the index.
    pub added_bytes: u64,
    /// Bytes read back.
    pub verified_bytes: u64,
    /// Ring stores.
    pub stores: u64,
    /// Files that changed during every attempt to read them.
    pub unsettled: u64,
    /// Killed runs whose unfinished index was used.
    pub resumed: usize,
    /// Snapshots that were removed.
    pub removed: Vec<u32>,
    /// Whether source and backup are on the same file system, so that one fault may destroy both.
    pub same_file_system: bool,
    /// Files that could not be copied, and why.
    pub problems: Vec<String>,
    /// The number of such problems.
    pub problem_count: u64,
    /// Earlier indexes that are damaged and were not used.
    pub damaged: Vec<String>,
}
