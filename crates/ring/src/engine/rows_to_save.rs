//! Rows that a flush is about to write over while a member still shows them.

/// Rows of a member that are to be saved.
#[derive(Clone, Copy)]
pub(super) struct RowsToSave {
    pub(super) member: u16,
    pub(super) generation: u32,
    /// The oldest row that the member shows.
    pub(super) oldest_row: i64,
}
