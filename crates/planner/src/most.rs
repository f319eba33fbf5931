//! The most databases that a machine carries.

use crate::predict::has_room;
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
    let resized = |databases| Some(fleet.resized(databases)).filter(|it| it.databases() > 0);
    most_of(fleet.databases(), machine, way, resized)
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
    most_of(fleet.databases(), machine, way, |more| {
        let mut grown = fleet.clone();
        let databases = &mut grown.groups[group].databases;
        *databases = databases.saturating_add(more);
        Some(grown)
    })
}

/// The largest number whose fleet a machine carries; no fleet is one that is rounded to nothing.
///
/// Room is looked at first, as that takes no simulation: on most machines it is what ends first.
fn most_of(
    near: u64,
    machine: &Machine,
    way: Way,
    fleet_of: impl Fn(u64) -> Option<Fleet>,
) -> Result<u64, PlanError> {
    let has_room = |number| match fleet_of(number) {
        Some(fleet) => has_room(&fleet, machine, way),
        None => Ok(true),
    };
    let fits = |number| match fleet_of(number) {
        Some(fleet) => Ok(has_room(number)? && predict(&fleet, machine, way)?.fits()),
        None => Ok(true),
    };
    let with_room = largest(near, has_room)?;
    if with_room == 0 || fits(with_room)? { Ok(with_room) } else { largest(near, fits) }
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
