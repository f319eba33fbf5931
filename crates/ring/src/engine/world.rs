//! Which databases there are, in memory: names to places, groups, definitions.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use geometry::LayoutKey;
use journal::{LogPosition, RrdId};
use rrd::{Definition, SampleReader};
use store::Error;

use super::Cell;
use super::cell::Loss;
use crate::catalogue::{DefinitionId, Definitions, Fingerprint, Names};

/// Bits of an id that tell the member; the others tell the group.
const MEMBER_BITS: u32 = 12;
const _: () = assert!(geometry::GROUP_DATABASES_MAX <= 1 << MEMBER_BITS);

/// So many groups a store can have.
const GROUPS_MAX: u32 = 1 << (32 - MEMBER_BITS);

/// The fingerprint of a place without a name.
const NAMELESS: Fingerprint = Fingerprint(0);

/// The id of a member of a group: its address.
pub(crate) fn rrd_id(group: u32, member: u16) -> RrdId {
    assert!(u32::from(member) < 1 << MEMBER_BITS && group < GROUPS_MAX);
    RrdId(group << MEMBER_BITS | u32::from(member))
}

/// The group of an id.
pub(crate) fn group_of(rrd: RrdId) -> u32 {
    rrd.0 >> MEMBER_BITS
}

/// The member of an id.
pub(crate) fn member_of(rrd: RrdId) -> u16 {
    (rrd.0 & ((1 << MEMBER_BITS) - 1)) as u16
}

/// A group and what is looked up in it without its lock.
#[derive(Debug)]
pub(crate) struct WorldGroup {
    state: GroupState,
    /// The fingerprints of its members' names.
    fingerprints: Vec<Fingerprint>,
}

/// Whether a group can be used.
#[derive(Debug)]
enum GroupState {
    Open(Arc<Cell>, LayoutKey),
    /// Why it cannot be opened; the names of its members stay taken.
    Lost(Box<str>),
}

impl WorldGroup {
    fn new(state: GroupState) -> Self {
        Self { state, fingerprints: Vec::new() }
    }

    fn cell(&self) -> Option<&Arc<Cell>> {
        match &self.state {
            GroupState::Open(cell, _) => Some(cell).filter(|cell| cell.known_loss().is_none()),
            GroupState::Lost(_) => None,
        }
    }

    fn key(&self) -> Option<&LayoutKey> {
        match &self.state {
            GroupState::Open(_, key) => Some(key),
            GroupState::Lost(_) => None,
        }
    }

    fn why_lost(&self) -> Option<&str> {
        match &self.state {
            GroupState::Open(cell, _) => match cell.known_loss()? {
                Loss::Damaged(what) | Loss::Failed(what) => Some(what),
            },
            GroupState::Lost(what) => Some(what),
        }
    }

    fn members_named(&self) -> u64 {
        self.fingerprints.iter().filter(|name| **name != NAMELESS).count() as u64
    }
}

/// The groups of one layout.
#[derive(Clone, Debug, Default)]
pub(crate) struct Population {
    /// Newest last.
    pub(crate) groups: Vec<u32>,
    pub(crate) members: u64,
}

/// The number of a group that is gone.
#[derive(Clone, Copy, Debug)]
struct Retired {
    group: u32,
    /// Records of the log before it may name the group.
    until: LogPosition,
}

/// Which databases there are.
#[derive(Debug, Default)]
pub(crate) struct World {
    names: Names,
    /// By number; some are gone.
    groups: Vec<Option<WorldGroup>>,
    /// Numbers of groups that are gone, in the order in which they went.
    retired: VecDeque<Retired>,
    pub(crate) definitions: Definitions,
    pub(crate) populations: HashMap<LayoutKey, Population>,
}

impl World {
    /// All groups that are not known to be lost. Some may wait to be replayed.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &Arc<Cell>> {
        self.groups.iter().flatten().filter_map(WorldGroup::cell)
    }

    /// A group, replayed; `None` if it is lost.
    pub(crate) fn cell(&self, group: u32) -> Option<&Arc<Cell>> {
        self.known_cell(group).filter(|cell| cell.why_lost().is_none())
    }

    /// Whether a group waits to be replayed, each of whose places has a named member.
    pub(crate) fn waits_full(&self, group: u32) -> bool {
        let Some(Some(known)) = self.groups.get(group as usize) else { return false };
        let capacity = |cell: &Arc<Cell>| u64::from(cell.geometry.capacity());
        known
            .cell()
            .is_some_and(|cell| cell.is_waiting() && known.members_named() >= capacity(cell))
    }

    /// A group that is not known to be lost. It may wait to be replayed.
    pub(crate) fn known_cell(&self, group: u32) -> Option<&Arc<Cell>> {
        self.groups.get(group as usize)?.as_ref()?.cell()
    }

    /// The database of a name, and its group.
    ///
    /// # Errors
    /// There is no such database; [`Error::LostGroup`].
    pub(crate) fn place_of(&self, name: &str) -> Result<(RrdId, &Arc<Cell>), Error> {
        let rrd = self.find(name).ok_or_else(|| Error::missing(name))?;
        let cell = self.cell(group_of(rrd)).ok_or_else(|| self.unreachable(name, rrd))?;
        Ok((rrd, cell))
    }

    /// Why a database does not answer whose group is not there.
    pub(crate) fn unreachable(&self, name: impl AsRef<Path>, rrd: RrdId) -> Error {
        let group = group_of(rrd);
        let known = self.groups.get(group as usize).and_then(Option::as_ref);
        if let Some(GroupState::Open(cell, _)) = known.map(|group| &group.state)
            && let Some(Loss::Failed(what)) = cell.known_loss()
        {
            return Error::Stopped(what.to_string());
        }
        match known.and_then(WorldGroup::why_lost) {
            Some(what) => Error::LostGroup { path: name.as_ref().into(), group, what: what.into() },
            None => Error::missing(name),
        }
    }

    /// The groups that cannot be opened, and their members that have a name.
    pub(crate) fn lost_groups(&self) -> impl Iterator<Item = (u32, Vec<u16>)> {
        let groups =
            self.groups.iter().zip(0..).filter_map(|(group, id)| Some((group.as_ref()?, id)));
        let lost = groups.filter(|(group, _)| group.why_lost().is_some());
        lost.map(|(group, id)| {
            let named = group.fingerprints.iter().zip(0..).filter(|(it, _)| **it != NAMELESS);
            (id, named.map(|(_, member)| member).collect())
        })
    }

    /// No group has this number or a higher one.
    pub(crate) fn groups_end(&self) -> u32 {
        self.groups.len() as u32
    }

    /// Whether there is such a group, be it one that cannot be opened.
    pub(crate) fn knows_group(&self, group: u32) -> bool {
        self.groups.get(group as usize).is_some_and(Option::is_some)
    }

    /// A definition by its number.
    pub(crate) fn definition(&self, number: u32) -> &Arc<Definition> {
        self.definitions.get(DefinitionId(number)).expect("a member's definition is known")
    }

    /// What splits the updates of a definition's databases.
    pub(crate) fn reader(&self, number: u32) -> &SampleReader {
        self.definitions.reader(DefinitionId(number)).expect("a member's definition is known")
    }

    pub(crate) fn databases(&self) -> usize {
        self.names.len()
    }

    /// Bytes that names take in memory.
    pub(crate) fn names_bytes(&self) -> usize {
        let fingerprints = self.groups.iter().flatten().map(|group| group.fingerprints.capacity());
        self.names.memory_bytes() + fingerprints.sum::<usize>() * size_of::<Fingerprint>()
    }

    /// The database of a name.
    pub(crate) fn find(&self, name: &str) -> Option<RrdId> {
        let fingerprint = self.names.fingerprint(name);
        self.names.find(fingerprint, |rrd| fingerprint_in(&self.groups, rrd))
    }

    /// The database of a name that may well be the next one after another's.
    ///
    /// Databases that were made one after the other are mostly updated so too. Then a look at the
    /// next fingerprint, which lies beside the last one, spares the table, where each name costs
    /// two cache misses.
    pub(crate) fn find_after(&self, name: &str, before: Option<RrdId>) -> Option<RrdId> {
        let fingerprint = self.names.fingerprint(name);
        let next = before.and_then(|before| before.0.checked_add(1)).map(RrdId);
        // A member without a name has this fingerprint; a name that has it is looked up.
        let is_next = |rrd: &RrdId| {
            fingerprint != NAMELESS && fingerprint_in(&self.groups, *rrd) == fingerprint
        };
        next.filter(is_next)
            .or_else(|| self.names.find(fingerprint, |rrd| fingerprint_in(&self.groups, rrd)))
    }

    pub(crate) fn add_group(&mut self, cell: Arc<Cell>, key: LayoutKey) {
        let population = self.populations.entry(key.clone()).or_default();
        population.groups.push(cell.id);
        let place = self.place_of_group(cell.id);
        assert!(place.is_none(), "a group has a number of its own");
        *place = Some(WorldGroup::new(GroupState::Open(cell, key)));
    }

    /// Where a group stands, or is to stand.
    fn place_of_group(&mut self, group: u32) -> &mut Option<WorldGroup> {
        let nth = group as usize;
        if self.groups.len() <= nth {
            self.groups.resize_with(nth + 1, || None);
        }
        &mut self.groups[nth]
    }

    /// Takes a group away that has no member. Its number stays taken.
    pub(crate) fn remove_group(&mut self, group: u32) {
        let Some(gone) = self.groups[group as usize].take() else { return };
        assert!(gone.fingerprints.iter().all(|name| *name == NAMELESS), "nobody is left in it");
        let Some(key) = gone.key() else { return };
        if let Some(population) = self.populations.get_mut(key) {
            population.groups.retain(|each| *each != group);
            if population.groups.is_empty() {
                self.populations.remove(key);
            }
        }
    }

    /// A member of a group is gone.
    pub(crate) fn count_out(&mut self, group: u32) {
        let group = self.groups.get(group as usize).and_then(Option::as_ref);
        let Some(key) = group.and_then(WorldGroup::key) else { return };
        if let Some(population) = self.populations.get_mut(key) {
            population.members = population.members.saturating_sub(1);
        }
    }

    /// Numbers below are taken, by groups that are not there.
    pub(crate) fn keep_numbers(&mut self, below: u32) {
        let count = self.groups.len().max(below.min(GROUPS_MAX) as usize);
        self.groups.resize_with(count, || None);
    }

    /// The number of a group that is gone can be given to another one, once the log has no record
    /// before that position.
    pub(crate) fn retire_number(&mut self, group: u32, until: LogPosition) {
        self.retired.push_back(Retired { group, until });
    }

    /// All numbers without a group, but for these, are those of groups that are gone.
    pub(crate) fn retire_missing(&mut self, but: &[u32], until: LogPosition) {
        let missing = self.groups.iter().zip(0..).filter(|(group, _)| group.is_none());
        let missing = missing.map(|(_, number)| number).filter(|number| !but.contains(number));
        self.retired.extend(missing.map(|group| Retired { group, until }));
    }

    /// A number that no group has, and that no record of the log names, which was freed up to
    /// `freed`; `None` if all are taken.
    pub(crate) fn take_group_number(&mut self, freed: LogPosition) -> Option<u32> {
        if let Some(free) = self.retired.pop_front_if(|gone| gone.until <= freed) {
            return Some(free.group);
        }
        let number = u32::try_from(self.groups.len()).ok().filter(|number| *number < GROUPS_MAX)?;
        self.groups.push(None);
        Some(number)
    }

    /// Takes back the number of a group that was never made known, if it is the highest.
    pub(crate) fn give_group_number_back(&mut self, group: u32) {
        if self.groups.len() == group as usize + 1 {
            self.groups.pop_if(|last| last.is_none());
        }
    }

    /// Gives a group up that cannot be opened, be it known or not. The names of its members stay
    /// taken, as they are in the catalogue, and so does its number.
    pub(crate) fn lose_group(&mut self, group: u32, what: &str) {
        let lost = GroupState::Lost(what.into());
        match self.place_of_group(group) {
            Some(known) => known.state = lost,
            unknown => *unknown = Some(WorldGroup::new(lost)),
        }
        for population in self.populations.values_mut() {
            population.groups.retain(|each| *each != group);
        }
    }

    /// Of the members of a group, whether each has a name.
    pub(crate) fn named_members(&self, group: u32) -> Vec<bool> {
        let group = self.groups.get(group as usize).and_then(Option::as_ref);
        let names = group.map_or(&[][..], |group| &group.fingerprints);
        names.iter().map(|name| *name != NAMELESS).collect()
    }

    /// Counts the members of each layout anew, after the log was read.
    pub(crate) fn count_members(&mut self) {
        let Self { groups, populations, .. } = self;
        for population in populations.values_mut() {
            let groups = population.groups.iter().filter_map(|id| groups[*id as usize].as_ref());
            population.members = groups.map(WorldGroup::members_named).sum();
        }
    }

    /// Gives a name to a database.
    ///
    /// # Errors
    /// Another one has it.
    pub(crate) fn give_name(&mut self, rrd: RrdId, name: &str) -> Result<(), RrdId> {
        let fingerprint = self.names.fingerprint(name);
        let Self { names, groups, .. } = self;
        if let Some(holder) = names.find(fingerprint, |rrd| fingerprint_in(groups, rrd)) {
            return Err(holder);
        }
        self.keep_fingerprint(rrd, fingerprint);
        let Self { names, groups, .. } = self;
        let inserted = names.insert(fingerprint, rrd, |rrd| fingerprint_in(groups, rrd));
        inserted.map_err(|clash| clash.holder)
    }

    /// Notes the name that the catalogue gives to a database. It is found once all names are noted
    /// and [listed](Self::list_names).
    pub(crate) fn note_name(&mut self, rrd: RrdId, name: &str) {
        let fingerprint = self.names.fingerprint(name);
        self.keep_fingerprint(rrd, fingerprint);
    }

    /// Makes the table of all names that were noted, at once. The catalogue has each name once.
    pub(crate) fn list_names(&mut self) {
        let Self { names, groups, .. } = self;
        let named = groups.iter().zip(0..).filter_map(|(group, id)| Some((group.as_ref()?, id)));
        let named = named.flat_map(|(group, id)| {
            let members = group.fingerprints.iter().zip(0..);
            members.map(move |(fingerprint, member)| (*fingerprint, rrd_id(id, member)))
        });
        names.fill(named.filter(|(fingerprint, _)| *fingerprint != NAMELESS), |rrd| {
            fingerprint_in(groups, rrd)
        });
    }

    fn keep_fingerprint(&mut self, rrd: RrdId, fingerprint: Fingerprint) {
        let group = self.groups[group_of(rrd) as usize].as_mut().expect("the group is there");
        let member = usize::from(member_of(rrd));
        if group.fingerprints.len() <= member {
            group.fingerprints.resize(member + 1, NAMELESS);
        }
        group.fingerprints[member] = fingerprint;
    }

    /// Takes a database's name away.
    pub(crate) fn take_name(&mut self, rrd: RrdId) {
        let fingerprint = fingerprint_in(&self.groups, rrd);
        self.names.remove(fingerprint, rrd);
        let group = self.groups.get_mut(group_of(rrd) as usize).and_then(Option::as_mut);
        let member = usize::from(member_of(rrd));
        if let Some(place) = group.and_then(|group| group.fingerprints.get_mut(member)) {
            *place = NAMELESS;
        }
    }
}

fn fingerprint_in(groups: &[Option<WorldGroup>], rrd: RrdId) -> Fingerprint {
    let group = groups.get(group_of(rrd) as usize).and_then(Option::as_ref);
    let known = group.and_then(|group| group.fingerprints.get(usize::from(member_of(rrd))));
    known.copied().unwrap_or(NAMELESS)
}
