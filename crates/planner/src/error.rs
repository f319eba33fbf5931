//! Why nothing can be said of a fleet.

/// A fleet of which nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// No database, no machine.
    #[error(
        "expected at least one database, of at least one archive, and a step and a cadence of at least one second"
    )]
    Nothing,
    /// A layout whose files would be too large.
    #[error("group {group}: expected a layout whose file has fewer than 2^30 pages")]
    TooLarge {
        /// Its position in the fleet.
        group: usize,
    },
    /// A layout that the ring store cannot hold.
    #[error("group {group}: a row of {sources} sources does not fit a page of the ring store")]
    TooWide {
        /// Its position in the fleet.
        group: usize,
        /// Sources of its layout.
        sources: usize,
    },
}
