//! The most databases that a machine carries.

use crate::{Fleet, Machine, PlanError, Way, predict};

/// More than any machine carries.
const DATABASES_MAX: u64 = 1 << 40;
/// The result is accurate to one part in this number.
const PARTS: u64 = 500;

/// The most databases of the same mix that a machine carries: 0 if it does not carry one.
///
/// # Errors
/// As [`predict()`].
pub fn most(fleet: &Fleet, machine: &Machine, way: Way) -> Result<u64, PlanError> {
    if fleet.databases() == 0 {
        return Err(PlanError::Nothing);
    }
    largest(fleet.databases(), |databases| {
        let resized = fleet.resized(databases);
        // So few that every group is rounded to none.
        Ok(resized.databases() == 0 || predict(&resized, machine, way)?.fits())
    })
}

/// How many more databases like those of one group a machine carries in addition to a fleet; 0 if
/// it does not carry the fleet.
///
/// # Errors
///
/// As [`predict()`].
///
/// # Panics
///
/// If the fleet has no such group.
pub fn most_more(
    fleet: &Fleet,
    group: usize,
    machine: &Machine,
    way: Way,
) -> Result<u64, PlanError> {
    largest(fleet.databases(), |more| {
        let mut grown = fleet.clone();
        let databases = &mut grown.groups[group].databases;
        *databases = databases.saturating_add(more);
        Ok(predict(&grown, machine, way)?.fits())
    })
}

/// The largest number that fits, if all smaller ones do. The search begins at `near`.
fn largest(near: u64, fits: impl Fn(u64) -> Result<bool, PlanError>) -> Result<u64, PlanError> {
    let (mut fit, mut too_many) = (0, near.clamp(1, DATABASES_MAX));
    while fits(too_many)? {
        fit = too_many;
        if fit >= DATABASES_MAX {
            return Ok(fit);
        }
        too_many *= 2;
    }
    while fit == 0 && too_many > 1 {
        let half = too_many / 2;
        if fits(half)? {
            fit = half;
        } else {
            too_many = half;
        }
    }
    while too_many - fit > (fit / PARTS).max(1) {
        let middle = fit + (too_many - fit) / 2;
        if fits(middle)? {
            fit = middle;
        } else {
            too_many = middle;
        }
    }
    Ok(fit)
}
