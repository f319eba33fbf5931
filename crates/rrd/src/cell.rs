//! A consolidated data point in the making.

/// The consolidated data point (CDP) of one archive and source in the making.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellState {
    /// What the consolidation function has gathered so far.
    pub value: f64,
    /// How many PDPs of the current row are unknown.
    pub unknown_pdps: u64,
    /// The first row of those that became final last.
    pub primary: f64,
    /// Every further row of those that became final last.
    pub secondary: f64,
}
