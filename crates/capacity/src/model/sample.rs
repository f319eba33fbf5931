//! Samples of a fleet's references, and their number.

pub(super) const DAY_SECONDS: f64 = 86_400.0;

/// The number of samples for each kind of reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// For references that happen with every row.
    pub of_rows: u32,
    /// For references that happen when a ring enters a new page.
    pub of_new_pages: u32,
}

impl Default for Precision {
    fn default() -> Self {
        Self { of_rows: 16_384, of_new_pages: 4096 }
    }
}

/// A kind of reference, at one sampled point in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) group: usize,
    pub(super) is_metadata: bool,
    /// How often it happens to each file of the group, a day.
    pub(super) per_day: f64,
    /// The stack distance in pages: its mean, and its standard deviation if neighbours are
    /// averaged.
    pub(super) distance: f64,
    pub(super) deviation: f64,
}
