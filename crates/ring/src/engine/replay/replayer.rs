//! What brings groups up to the log's end.

use std::sync::{Arc, PoisonError};

use disk::Medium;
use journal::{Journal, LogPosition};
use store::{DamagedGroup, Error};
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::super::FileKind;
use super::super::cell::{Loss, Replays};
use super::super::due::Due;
use super::super::health::Health;
use super::super::notes::Notes;
use super::super::world::{World, group_of};
use super::apply::Room;
use super::progress::ReplayWatch;
use super::waiting::{Fault, Taking, Waiting, check_definitions};
use crate::catalogue::Definitions;
use crate::group::Group;

/// Replays the groups of a store.
pub(in super::super) struct Replayer<M: Medium> {
    parts: ReplayerParts<M>,
    /// By number; `None` where nothing is waited for, or no longer.
    waiting: Mutex<Vec<Option<Waiting>>>,
    /// Groups whose checkpoints turned out to be damaged.
    lost: Mutex<Vec<DamagedGroup>>,
    /// What failed first.
    failed: Mutex<Option<Error>>,
    watch: ReplayWatch,
}

/// What a replayer needs of the engine.
pub(in super::super) struct ReplayerParts<M: Medium> {
    pub(in super::super) medium: Arc<M>,
    pub(in super::super) journal: Arc<Journal<Arc<M>>>,
    pub(in super::super) definitions: Definitions,
    /// The log was read up to here.
    pub(in super::super) read_to: LogPosition,
    /// It is not kept before.
    pub(in super::super) kept_from: LogPosition,
    pub(in super::super) due: Arc<Due>,
    pub(in super::super) health: Arc<Health>,
    pub(in super::super) notes: Arc<Notes>,
}

impl<M: Medium<File: 'static>> Replayer<M> {
    pub(in super::super) fn new(parts: ReplayerParts<M>, waiting: Vec<Option<Waiting>>) -> Self {
        let groups = waiting.iter().flatten().count() as u64;
        let bytes = waiting.iter().flatten().map(|waiting| waiting.bytes()).sum();
        Self {
            parts,
            waiting: Mutex::new(waiting),
            lost: Mutex::default(),
            failed: Mutex::default(),
            watch: ReplayWatch::of(groups, bytes),
        }
    }

    /// How far it is.
    pub(in super::super) fn watch(&self) -> &ReplayWatch {
        &self.watch
    }

    /// Groups whose checkpoints turned out to be damaged.
    ///
    /// Nobody misses one that has no database any more.
    pub(in super::super) fn lost(&self, world: &World) -> Vec<DamagedGroup> {
        let empty = world.lost_groups().filter(|(_, members)| members.is_empty());
        let empty: Vec<u32> = empty.map(|(group, _)| group).collect();
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        lost.iter().filter(|each| !empty.contains(&each.group)).cloned().collect()
    }

    /// What failed first, once.
    pub(in super::super) fn take_failure(&self) -> Option<Error> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Option<Waiting>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replay_group(&self, group: &mut Group, waiting: &mut Waiting) -> Result<(), Fault> {
        let ReplayerParts { medium, definitions, .. } = &self.parts;
        let mut room = Room::default();
        match waiting.catch_up(&**medium, definitions, group, &mut room) {
            Err(Fault::Older) => self.replay_older(group, &mut room)?,
            caught_up => caught_up?,
        }
        group.note_doubtful();
        group.vacate_nameless(&waiting.named);
        group.find_vacant();
        self.remove_stale_attics(group, &waiting.attics);
        if group.clock.is_due() && !group.queued {
            group.queued = true;
            self.parts.due.push(group.id);
        }
        Ok(())
    }

    /// Replays a group from its older checkpoint on, from which it was filled. Not all of its
    /// records were looked for when the log was read.
    fn replay_older(&self, group: &mut Group, room: &mut Room) -> Result<(), Fault> {
        let ReplayerParts { medium, definitions, journal, .. } = &self.parts;
        check_definitions(definitions, group)?;
        let (id, from) = (group.id, group.last_record.max(self.parts.kept_from));
        let mut taking = Taking { medium: &**medium, definitions, group, room };
        let mut taken = Ok(());
        journal.read_between(from, self.parts.read_to, |at, record| {
            if group_of(record.rrd()) == id && taken.is_ok() {
                taken = taking.take(at, &record);
            }
        })?;
        taken?;
        taking.finish()
    }

    /// Removes attics that no checkpoint of the group names. What cannot be removed is removed by
    /// the next opening.
    fn remove_stale_attics(&self, group: &Group, epochs: &[u32]) {
        let oldest = group.places[0].attic_epoch.min(group.places[1].attic_epoch);
        for epoch in epochs.iter().filter(|epoch| !(oldest..=group.attic.epoch).contains(epoch)) {
            let _ = self.parts.medium.remove(&FileKind::Attic(*epoch).name(group.id));
        }
    }

    /// Takes note of a group that cannot be replayed. Returns why.
    fn note_fault(&self, group: u32, fault: Fault) -> Loss {
        match fault {
            Fault::Lost(what) => {
                let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
                lost.push(DamagedGroup { group, what: what.clone() });
                self.parts.notes.say(format!("group {group} cannot be opened: {what}"));
                Loss::Damaged(what.into())
            }
            Fault::Failed(error) => {
                // Its records are in the log alone, which must not be freed.
                self.parts.health.note(&error);
                self.parts.health.stop();
                let what = error.to_string();
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.get_or_insert(error);
                self.parts.notes.say(format!("the store has stopped: {what}"));
                Loss::Failed(what.into())
            }
            Fault::Older => unreachable!("its records were looked for"),
        }
    }
}

impl<M: Medium<File: 'static>> Replays for Replayer<M> {
    fn replay(&self, id: u32, group: &mut Group) -> Result<(), Loss> {
        let waiting = self.waiting().get_mut(id as usize).and_then(Option::take);
        let Some(mut waiting) = waiting else { return Ok(()) };
        let bytes = waiting.bytes();
        let replayed = self.replay_group(group, &mut waiting);
        self.watch.count(bytes);
        replayed.map_err(|fault| self.note_fault(id, fault))
    }
}

impl<M: Medium> std::fmt::Debug for Replayer<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replayer").field("watch", &self.watch).finish_non_exhaustive()
    }
}
