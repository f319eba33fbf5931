//! Why nothing can be said of a fleet.

use rrd::Tick;

/// Why a fleet has no prediction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// There is no database, or no machine.
    #[error(
        "expected at least one database, of at least one archive, and a step and a cadence of at least one second"
    )]
    Nothing,
    /// `.rrd` files have no steps below a second.
    #[error(
        "group {group}: a step of {} s is for a ring store: files count whole seconds",
        tick.told(i64::try_from(*step_seconds).unwrap_or(i64::MAX))
    )]
    ShortSteps {
        /// Its position in the fleet.
        group: usize,
        /// What its step is counted in.
        tick: Tick,
        /// Its step.
        step_seconds: u64,
    },
    /// The files of a layout would be too large.
    #[error("group {group}: expected a layout whose file has fewer than 2^30 pages")]
    TooLarge {
        /// Its position in the fleet.
        group: usize,
    },
    /// The ring store does not support a layout.
    #[error("group {group}: a row of {sources} sources does not fit a page of the ring store")]
    TooWide {
        /// Its position in the fleet.
        group: usize,
        /// The number of its data sources.
        sources: usize,
    },
}
