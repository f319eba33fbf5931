//! One door to the three ways.

use crate::{Fleet, Machine, Prediction, Way, files, journal, ring};

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

/// What a machine will have to bear for a fleet that is kept in some way.
///
/// # Errors
/// [`PlanError`].
pub fn predict(fleet: &Fleet, machine: &Machine, way: Way) -> Result<Prediction, PlanError> {
    let is_nothing = |group: &crate::FleetGroup| {
        let definition = &group.definition;
        group.cadence_seconds == 0
            || definition.step_seconds == 0
            || definition.sources.is_empty()
            || definition.archives.is_empty()
    };
    if fleet.databases() == 0 || fleet.groups.iter().any(is_nothing) {
        return Err(PlanError::Nothing);
    }
    match way {
        Way::Files(access) => files::predict(fleet, machine, access),
        Way::Journal { write_seconds, access } => {
            journal::predict(fleet, machine, write_seconds.max(1), access)
        }
        Way::Ring { pace } => ring::predict(fleet, machine, pace),
    }
}
