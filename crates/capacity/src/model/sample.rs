//! What is sampled of a fleet, and how much of it.

pub(super) const DAY_SECONDS: f64 = 86_400.0;

/// Samples taken of each kind of reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precision {
    /// Of what happens with every row.
    pub of_rows: u32,
    /// Of what happens when a ring enters a new page.
    pub of_new_pages: u32,
}

impl Default for Precision {
    fn default() -> Self {
        Self { of_rows: 16_384, of_new_pages: 4096 }
    }
}

/// One kind of reference, at one place in life.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) group: usize,
    pub(super) is_metadata: bool,
    /// How often it happens to each file of the group, a day.
    pub(super) per_day: f64,
    /// The stack distance in pages: its mean, and its deviation where neighbours are averaged.
    pub(super) distance: f64,
    pub(super) deviation: f64,
}
