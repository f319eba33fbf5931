//! Small groups of one layout, put together into a larger one in the background.
//!
//! A database that comes whole gets a group of its own, which takes far more room than its share of
//! a larger one. Where there are several such groups of about one size, one step copies their
//! members into one new group, in the way that whole databases come in, and one commit of the
//! catalogue makes it known in place of theirs. No lock is held while they are read and written.
//! The commit compares each member with what was copied, while no thread can update it: one that
//! was updated meanwhile stays where it is.
//!
//! Sizes are told apart by powers of eight: each step takes its databases to a larger size, so that
//! a database is copied no more than a few times, however many come one by one.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use disk::{GoesOn, Medium};
use geometry::GROUP_DATABASES_MAX;
use rrd::Definition;
use store::Adoptee;
use store::Error;
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::Cell;
use super::adopt::{Adopter, Coming, Origin, Seen, fits};
use super::copy_lock::CopyLock;
use super::departures::{Departures, split};
use super::health::Health;
use super::registry::Registry;
use super::vanish::Vanisher;
use super::world::{Population, World, group_of, rrd_id};
use crate::file::{Departure, Stay};

/// A step holds rows of so many bytes in memory.
const STEP_BYTES: u64 = 32 << 20;
/// Sizes of one class differ by less than this factor.
const CLASS_BITS: u32 = 3;
/// A group rests no longer than while so many looks are taken.
const REST_LOOKS_MAX: u64 = 1 << 14;

/// What is remembered from one step to the next.
#[derive(Debug, Default)]
pub(super) struct Regrouping {
    /// How often it was asked for something to do.
    looks: u64,
    /// Nothing is to be done before so many looks, unless a group changes.
    idle_until: u64,
    resting: BTreeMap<u32, Rest>,
    /// Groups without members that the world has forgotten, and whose files are to be removed.
    pub(super) vanishing: Vec<Arc<Cell>>,
    /// When that failed.
    pub(super) vanishing_rests: Rest,
}

/// A group that is left alone for a while: each time for twice as long as the time before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rest {
    failures: u32,
    /// How many looks have to be taken before.
    until: u64,
}

impl Rest {
    fn longer(self, looks: u64) -> Self {
        let rest = REST_LOOKS_MAX.min(1 << (self.failures + 1).min(63));
        Self { failures: self.failures.saturating_add(1), until: looks + rest }
    }
}

/// Removes groups that have lost all members, and puts small groups together.
pub(super) struct Regrouper<'e, M: Medium> {
    pub(super) registry: &'e Registry<M>,
    pub(super) vanisher: Vanisher<'e, M>,
    pub(super) departures: Departures<'e, M>,
    pub(super) adopter: Adopter<'e, M>,
    pub(super) health: &'e Health,
    pub(super) copy_lock: &'e CopyLock<M::File>,
    pub(super) stay: &'e Stay,
    pub(super) groups_changed: &'e AtomicBool,
    pub(super) regrouping: &'e Mutex<Regrouping>,
    /// So many small groups are put together at least.
    pub(super) regroup_from: usize,
}

impl<M: Medium<File: 'static>> Regrouper<'_, M> {
    /// Removes groups that have lost all members, or puts small groups together: one step of such
    /// work. Returns whether there was anything to do. `goes_on` is asked again and again while
    /// databases are read and written.
    ///
    /// # Errors
    /// Those of the machine; [`Error::Io`] where the step was given up. Everything stands where it
    /// stood before, and is left alone for a while.
    pub(super) fn step(&self, goes_on: GoesOn<'_>) -> Result<bool, Error> {
        let mut regrouping = self.regrouping();
        regrouping.looks += 1;
        if self.health.is_stopped() || self.copy_lock.is_held() || self.stay.is_asked() {
            return Ok(false);
        }
        let looks = regrouping.looks;
        if !self.groups_changed.swap(false, Ordering::Relaxed) && looks < regrouping.idle_until {
            return Ok(false);
        }
        regrouping.idle_until = looks; // there may be more to do
        if regrouping.vanishing_rests.until <= looks {
            self.vanisher.find_empty_groups(&mut regrouping.vanishing);
            let removed = self.vanisher.remove_empty_groups(&mut regrouping.vanishing);
            regrouping.vanishing_rests = match &removed {
                Ok(_) => Rest::default(),
                Err(_) => regrouping.vanishing_rests.longer(looks),
            };
            if removed? {
                return Ok(true);
            }
        }
        let Some(sources) = self.small_groups(&regrouping) else {
            regrouping.be_idle();
            return Ok(false);
        };
        self.put_together(&sources, &mut regrouping, goes_on).map(|()| true)
    }

    /// Whether something is to be done later though nothing changes: a process copies the store
    /// now, or a group rests.
    pub(super) fn waits_for_time(&self) -> bool {
        let idle_until = self.regrouping().idle_until;
        idle_until != u64::MAX || self.copy_lock.is_held() || self.stay.is_asked()
    }

    fn regrouping(&self) -> MutexGuard<'_, Regrouping> {
        self.regrouping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The groups that are to be put together next.
    fn small_groups(&self, regrouping: &Regrouping) -> Option<Vec<Arc<Cell>>> {
        let world = self.registry.world();
        let of_layout = |population| self.small_groups_of(&world, population, regrouping);
        let found = world.populations.values().filter_map(of_layout);
        // In an order that does not depend on how layouts are hashed.
        found.min_by_key(|cells| cells.iter().map(|cell| cell.id).min())
    }

    fn small_groups_of(
        &self,
        world: &World,
        population: &Population,
        regrouping: &Regrouping,
    ) -> Option<Vec<Arc<Cell>>> {
        let mut classes: BTreeMap<u32, Vec<(u64, &Arc<Cell>)>> = BTreeMap::new();
        let mut full = 0;
        for group in population.groups.iter().filter(|group| !regrouping.rests(**group)) {
            let Some(cell) = world.cell(*group) else { continue };
            let (members, definition) = {
                let group = cell.group();
                let first = group.present().next().map(|(_, holder)| holder.definition);
                let Some(definition) = first else { continue };
                (group.present().count() as u64, definition)
            };
            full = members_of_a_step(world.definition(definition));
            if 2 * members < full {
                classes.entry(members.ilog2() / CLASS_BITS).or_default().push((members, cell));
            }
        }
        let many = classes.into_values().find(|cells| cells.len() >= self.regroup_from);
        let mut cells = many?;
        cells.sort_by_key(|(members, cell)| (*members, cell.id));
        let mut left = full;
        let fitting = cells.into_iter().map_while(|(members, cell)| {
            left = left.checked_sub(members)?;
            Some(Arc::clone(cell))
        });
        let mut cells: Vec<Arc<Cell>> = fitting.collect();
        cells.sort_by_key(|cell| cell.id);
        (cells.len() > 1).then_some(cells)
    }

    /// Moves the members of some groups into one new group, but for those that are updated
    /// meanwhile.
    fn put_together(
        &self,
        sources: &[Arc<Cell>],
        regrouping: &mut Regrouping,
        goes_on: GoesOn<'_>,
    ) -> Result<(), Error> {
        let moved = self.move_members(sources, goes_on);
        let looks = regrouping.looks;
        let left_behind = match &moved {
            Ok(left_behind) => left_behind.clone(),
            Err(_) => sources.iter().map(|cell| cell.id).collect(),
        };
        for cell in sources {
            if !left_behind.contains(&cell.id) {
                regrouping.resting.remove(&cell.id);
            }
        }
        for group in left_behind {
            let rest = regrouping.resting.entry(group).or_default();
            *rest = rest.longer(looks);
        }
        moved.map(drop)
    }

    /// Returns the groups of which members stayed.
    fn move_members(&self, sources: &[Arc<Cell>], goes_on: GoesOn<'_>) -> Result<Vec<u32>, Error> {
        let (mut adoptees, mut origins, mut left_behind) = (Vec::new(), Vec::new(), Vec::new());
        for cell in sources {
            disk::expect_wanted(goes_on)
                .map_err(Error::io("reading", Path::new("small groups")))?;
            let count = adoptees.len();
            let seen = self.members_seen(cell);
            let members = seen.len();
            self.copy_members(cell, seen, &mut adoptees, &mut origins)?;
            if adoptees.len() < count + members {
                left_behind.push(cell.id);
            }
        }
        if adoptees.is_empty() {
            return Ok(left_behind);
        }
        let shared = adoptees.iter().all(Adoptee::is_shared);
        let coming = Coming { shared, origins: &origins, can_wait: true, goes_on };
        let taken = self.adopter.take_in(&adoptees, &coming)?;
        left_behind.extend(taken.changed.iter().map(|nth| group_of(origins[*nth].seen.rrd)));
        left_behind.sort_unstable();
        left_behind.dedup();
        Ok(left_behind)
    }

    /// The members of a group as they are now.
    fn members_seen(&self, cell: &Cell) -> BTreeMap<u16, Seen> {
        let world = self.registry.world();
        let members: Vec<u16> = cell.group().present().map(|(member, _)| member).collect();
        let seen = |member| Some((member, Seen::of(&world, rrd_id(cell.id, member))?));
        members.into_iter().filter_map(seen).collect()
    }

    /// Copies the members of a group that can be copied whole.
    fn copy_members(
        &self,
        cell: &Cell,
        mut seen: BTreeMap<u16, Seen>,
        adoptees: &mut Vec<Adoptee>,
        origins: &mut Vec<Origin>,
    ) -> Result<(), Error> {
        let mut parties = Vec::new();
        split(cell, seen.keys().copied().collect(), self.stay, &mut parties);
        for party in parties {
            self.departures.leave_each(&party, |member, _, departure| {
                // What is damaged stays where a report can name it.
                let (Ok(departure), Some(seen)) = (departure, seen.remove(&member)) else { return };
                let Departure { name, snapshot, shifts, foreign } = departure;
                let adoptee = Adoptee { name, snapshot, foreign };
                if fits(&adoptee) {
                    adoptees.push(adoptee);
                    origins.push(Origin { seen, shifts });
                }
            })?;
        }
        Ok(())
    }
}

impl Regrouping {
    fn rests(&self, group: u32) -> bool {
        self.resting.get(&group).is_some_and(|rest| rest.until > self.looks)
    }

    /// Nothing is to be done until a group changes, or has rested.
    fn be_idle(&mut self) {
        let looks = self.looks;
        let rests = self.resting.values().chain([&self.vanishing_rests]);
        let waited_for = rests.map(|rest| rest.until).filter(|until| *until > looks);
        self.idle_until = waited_for.min().unwrap_or(u64::MAX);
    }
}

/// So many databases of a definition make a group that is no longer small.
fn members_of_a_step(definition: &Definition) -> u64 {
    let rows = definition.archives.iter().map(|archive| archive.rows);
    let values = rows.fold(0, u64::saturating_add).saturating_mul(definition.sources.len() as u64);
    let database_bytes = values.saturating_mul(size_of::<f64>() as u64).max(1);
    (STEP_BYTES / database_bytes).min(GROUP_DATABASES_MAX.into())
}
