//! What is ranked.

use std::sync::Arc;

/// The databases that are ranked, by their positions. They are made when they are asked for.
pub trait Subjects: Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The name under which one of them is told.
    fn name(&self, position: usize) -> Arc<str>;

    /// One of them.
    fn subject(&self, position: usize) -> Subject;
}

/// One of them: its database, and what its values mean.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The name of its database in the store; the first two data sources are ranked.
    pub database: Arc<str>,
    /// What its values mean.
    pub traits: Traits,
}

/// What the values of a subject mean. Many subjects share one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// Seconds between two measurements.
    pub step_seconds: u64,
    /// What is measured.
    pub kind: Kind,
    /// The expected maxima, in the units of the database; 0 or NaN where none is expected.
    pub maxima: [f64; 2],
    /// Which of both values are shown.
    pub are_shown: [bool; 2],
    /// Whether the values are rates of counters of 32 bits.
    pub is_narrow: bool,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Bytes a second.
    Traffic,
    /// Errors or discarded packets.
    Errors,
    /// Anything else: a temperature, a load, a count.
    Other,
}
