//! What a feed has done.

/// Counts since a feed began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Rows that were written and committed.
    pub rows: u64,
    /// Transactions that were committed.
    pub commits: u64,
    /// Databases whose rows were fed from the begin: new ones, and those that were restored or got
    /// other archives.
    pub databases_begun: u64,
    /// Databases that are gone.
    pub databases_removed: u64,
    /// Databases that got another name.
    pub databases_renamed: u64,
    /// Databases that are not fed since their name is too long for a table.
    pub names_refused: u64,
    /// Values that are infinite, and unknown in a database that has no infinity.
    pub infinite: u64,
    /// Rows that an archive had overwritten before they could be fed.
    pub rows_lost: u64,
    /// Databases that could not be read.
    pub unreadable: u64,
}

impl Tally {
    /// This and what a later feeder counted.
    #[must_use]
    pub fn and(&self, later: &Self) -> Self {
        Self {
            rows: self.rows + later.rows,
            commits: self.commits + later.commits,
            databases_begun: self.databases_begun + later.databases_begun,
            databases_removed: self.databases_removed + later.databases_removed,
            databases_renamed: self.databases_renamed + later.databases_renamed,
            names_refused: self.names_refused + later.names_refused,
            infinite: self.infinite + later.infinite,
            rows_lost: self.rows_lost + later.rows_lost,
            unreadable: self.unreadable + later.unreadable,
        }
    }
}
