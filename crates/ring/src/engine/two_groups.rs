//! The groups that one new database concerns, and the order in which they are locked.

use std::sync::Arc;

use tracing_mutex::stdsync::MutexGuard;

use super::occupant::Occupant;
use super::world::group_of;
use super::{Cell, World};
use crate::group::Group;

/// The group of a new database, and that of the one whose name it gets, if it is another.
pub(super) struct GroupsOfOne {
    cell: Arc<Cell>,
    other: Option<Arc<Cell>>,
}

/// These groups, locked.
pub(super) struct LockedGroups<'g> {
    pub(super) group: MutexGuard<'g, Group>,
    pub(super) other: Option<MutexGuard<'g, Group>>,
}

impl GroupsOfOne {
    pub(super) fn of(world: &World, cell: &Arc<Cell>, occupant: Option<&Occupant>) -> Self {
        let other = occupant.map(|occupant| group_of(occupant.rrd)).filter(|id| *id != cell.id);
        let other = other.and_then(|id| world.cell(id).cloned());
        Self { cell: Arc::clone(cell), other }
    }

    /// Of two groups the one with the lower number is locked first.
    pub(super) fn lock(&self) -> LockedGroups<'_> {
        let lower = self.other.as_ref().filter(|other| other.id < self.cell.id);
        let lower = lower.map(|other| other.group());
        let group = self.cell.group();
        let other = lower.or_else(|| Some(self.other.as_ref()?.group()));
        LockedGroups { group, other }
    }
}
