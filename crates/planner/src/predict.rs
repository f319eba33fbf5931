//! The entry point for all three ways.

use crate::{Fleet, Machine, PlanError, Prediction, Way, files, journal, ring};

/// Predicts the load of a fleet that is kept in some way on a machine.
///
/// # Errors
///
/// [`PlanError`].
pub fn predict(fleet: &Fleet, machine: &Machine, way: Way) -> Result<Prediction, PlanError> {
    check(fleet, way)?;
    match way {
        Way::Files(access) => files::predict(fleet, machine, access),
        Way::Journal { write_seconds, access } => {
            journal::predict(fleet, machine, write_seconds.max(1), access)
        }
        Way::Ring { pace } => ring::predict(fleet, machine, pace),
    }
}

/// Whether a machine has the room for a fleet: a prediction for less work, as long as it is not
/// known whether the updates are in time. A ring store is predicted without one.
pub(crate) fn has_room(fleet: &Fleet, machine: &Machine, way: Way) -> Result<bool, PlanError> {
    check(fleet, way)?;
    let room = match way {
        Way::Files(_) => files::room(fleet, machine)?,
        Way::Journal { write_seconds, .. } => journal::room(fleet, machine, write_seconds.max(1))?,
        Way::Ring { pace } => return Ok(ring::predict(fleet, machine, pace)?.fits()),
    };
    Ok(room.is_there(machine))
}

/// Refuses what no prediction is made for.
fn check(fleet: &Fleet, way: Way) -> Result<(), PlanError> {
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
    Ok(())
}
