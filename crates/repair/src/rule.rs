//! What can be wrong with rows, and what is to stand there instead.

use rrd::{Snapshot, Tick};

/// The rows that rules look at: those that end after `start_seconds`, up to `end_seconds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Rows that end here or before are left alone.
    pub start_seconds: i64,
    /// Rows that end later are left alone.
    pub end_seconds: i64,
}

impl Span {
    /// All rows.
    pub const ALL: Self = Self { start_seconds: i64::MIN, end_seconds: i64::MAX };

    /// The same in ticks, which count from the same moment.
    pub(crate) fn in_ticks(self, tick: Tick) -> Self {
        Self {
            start_seconds: Tick::SECOND.to_floor(self.start_seconds, tick),
            end_seconds: Tick::SECOND.to_floor(self.end_seconds, tick),
        }
    }

    pub(crate) fn has(self, row_end_seconds: i64) -> bool {
        self.start_seconds < row_end_seconds && row_end_seconds <= self.end_seconds
    }
}

/// What replaces a spike, or fills a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Nothing is known of the row.
    Unknown,
    /// On a line between the known rows at both sides; unknown where a side has none.
    Line,
    /// What the known row before it holds; unknown if there is none.
    Previous,
    /// The mean of the known rows that the rule leaves.
    Mean,
}

/// One rule. Each looks at the rows of one archive and source at a time.
#[derive(Clone, Copy, Debug)]
pub enum Rule<'a> {
    /// Rows further than so many standard deviations above the mean are spikes. Mean and deviation
    /// are those of the rows between the 5th and the 95th percentile, so that spikes do not hide
    /// each other. Where that deviation is 0, no row is a spike.
    Deviations {
        /// How many.
        count: f64,
        /// Whether rows that far below the mean are spikes, too.
        both_ways: bool,
    },
    /// Rows above so many times a percentile are spikes.
    Percentile {
        /// The percentile, above 0 and at most 100, by nearest rank over known rows.
        percent: f64,
        /// How many times.
        times: f64,
    },
    /// Rows outside of limits are spikes; a NaN is no limit.
    Limits {
        /// The lowest that is believed.
        minimum: f64,
        /// The highest that is believed.
        maximum: f64,
    },
    /// Rows outside of the limits that the database itself has for the source are spikes.
    OwnLimits,
    /// Unknown rows between known ones are filled where they last at most so long.
    Gaps {
        /// The longest gap.
        seconds_max: u64,
        /// What they are filled with.
        by: Replacement,
    },
    /// All rows of the span happened so much later. Their old places become unknown, where no
    /// other row comes to stand.
    Shift {
        /// How much later; negative: earlier.
        seconds: i64,
    },
    /// All rows are so many times what they say; [`crate::plan()`] expects more than 0.
    Scale {
        /// How many times.
        factor: f64,
    },
    /// Unknown rows are taken from another history of the same target.
    Merge(&'a Snapshot),
}

impl Rule<'_> {
    /// The same with its spans in ticks.
    pub(crate) fn in_ticks(self, tick: Tick) -> Self {
        let per_second = tick.per_second();
        match self {
            Self::Gaps { seconds_max, by } => {
                Self::Gaps { seconds_max: seconds_max.saturating_mul(per_second.into()), by }
            }
            Self::Shift { seconds } => {
                Self::Shift { seconds: seconds.saturating_mul(per_second.into()) }
            }
            other => other,
        }
    }
}
