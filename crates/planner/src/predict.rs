//! The entry point for all three ways.

use crate::{Fleet, Machine, PlanError, Prediction, Way, files, journal, ring};

/// Predicts the load of a fleet that is kept in some way on a machine.
///
/// # Errors
///
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
    let has_short_steps = |group: &crate::FleetGroup| !group.definition.tick.is_second();
    if let Some(group) = fleet.groups.iter().position(has_short_steps)
        && !matches!(way, Way::Ring { .. })
    {
        let rrd::Definition { tick, step_seconds, .. } = fleet.groups[group].definition;
        return Err(PlanError::ShortSteps { group, tick, step_seconds });
    }
    match way {
        Way::Files(access) => files::predict(fleet, machine, access),
        Way::Journal { write_seconds, access } => {
            journal::predict(fleet, machine, write_seconds.max(1), access)
        }
        Way::Ring { pace } => ring::predict(fleet, machine, pace),
    }
}
