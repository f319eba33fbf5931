//! Groups that wait to be replayed, and what replays them.

use std::sync::{Arc, PoisonError};

use disk::Medium;
use journal::{Journal, LogPosition, RawRecord, RecordPlace};
use logform::is_update;
use store::{DamagedGroup, Error};
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use super::super::FileKind;
use super::super::cell::{Loss, Replays};
use super::super::due::Due;
use super::super::health::Health;
use super::super::notes::Notes;
use super::super::read_checkpoints::{Checkpoints, read_group};
use super::super::world::{World, group_of};
use super::apply::{Room, apply_updates};
use super::event::apply_event;
use super::pieces::Pieces;
use super::progress::ReplayWatch;
use super::runs::Run;
use crate::catalogue::Definitions;
use crate::group::Group;

/// What a group waits for.
#[derive(Debug, Default)]
pub(in super::super) struct Waiting {
    /// Whether it was filled from its checkpoint.
    is_filled: bool,
    /// Records before it are in its newest checkpoint.
    position: LogPosition,
    /// Those since.
    pieces: Pieces,
    /// The places whose holders have a name.
    named: Vec<bool>,
    /// Epochs of attics of which there are files.
    attics: Vec<u32>,
}

/// Why a group cannot be replayed.
pub(super) enum Fault {
    /// None of its checkpoints is whole.
    Lost(String),
    /// Its newest checkpoint is damaged. It was filled from the one before, and lacks the records
    /// from there on.
    Older,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Waiting {
    /// What the groups of a world wait for before the log is read, by number.
    pub(super) fn of_all(world: &World) -> Vec<Option<Self>> {
        let of = |group| {
            let cell = world.known_cell(group)?;
            let places = cell.known_places();
            let position = places[0].position.max(places[1].position);
            Some(Self { is_filled: cell.is_filled(), position, ..Self::default() })
        };
        (0..world.groups_end()).map(of).collect()
    }

    /// Notes where a record stands, unless the checkpoint has it.
    pub(super) fn note(&mut self, at: LogPosition, place: RecordPlace, record: &RawRecord<'_>) {
        if at >= self.position {
            self.pieces.push(at, place, record);
        }
    }

    /// Notes where a run of records stands, unless the checkpoint has them.
    pub(super) fn note_run(&mut self, run: Run) {
        if run.end() > self.position {
            self.pieces.push_run(run);
        }
    }

    /// Tells it which of its members have a name, and which attics there are.
    pub(in super::super) fn note_files(&mut self, named: Vec<bool>, attics: Vec<u32>) {
        (self.named, self.attics) = (named, attics);
    }

    /// Replays a group as far as its records are known.
    pub(super) fn catch_up<M: Medium>(
        &mut self,
        medium: &M,
        definitions: &Definitions,
        group: &mut Group,
        room: &mut Room,
    ) -> Result<(), Fault> {
        if !self.is_filled {
            let position = fill(medium, group)?;
            self.is_filled = true;
            if position < self.position {
                return Err(Fault::Older);
            }
        }
        check_definitions(definitions, group)?;
        let pieces = std::mem::take(&mut self.pieces);
        let mut taking = Taking { medium, definitions, group, room };
        pieces.read(medium, self.position, |at, record| taking.take(at, &record))?;
        taking.finish()
    }
}

/// Fills a group from its newest checkpoint that is whole. Returns where that stands.
fn fill<M: Medium>(medium: &M, group: &mut Group) -> Result<LogPosition, Fault> {
    match read_group(medium, group)? {
        Ok(Checkpoints { group: mut filled, .. }) => {
            filled.queued = group.queued;
            *group = filled;
        }
        Err(faults) => return Err(Fault::Lost(faults.to_string())),
    }
    Ok(group.last_record)
}

/// Checks that the definitions are known that members have.
fn check_definitions(definitions: &Definitions, group: &Group) -> Result<(), Fault> {
    let known = definitions.len() as u32;
    match group.present().all(|(_, holder)| holder.definition < known) {
        true => Ok(()),
        false => {
            let file = FileKind::Checkpoint(0).name(group.id);
            let what = "a member's definition is not in the catalogue".into();
            Err(Error::Damaged { file, offset_bytes: 0, what }.into())
        }
    }
}

/// Records of a group that are being applied.
struct Taking<'a, M> {
    medium: &'a M,
    definitions: &'a Definitions,
    group: &'a mut Group,
    room: &'a mut Room,
}

impl<M: Medium> Taking<'_, M> {
    fn take(&mut self, at: LogPosition, record: &RawRecord<'_>) -> Result<(), Fault> {
        if is_update(record.kind()) {
            if self.room.put(at, record) {
                apply_updates(self.definitions, self.group, self.room)?;
            }
            return Ok(());
        }
        apply_updates(self.definitions, self.group, self.room)?;
        Ok(apply_event(self.medium, self.definitions, self.group, at, record)?)
    }

    fn finish(self) -> Result<(), Fault> {
        Ok(apply_updates(self.definitions, self.group, self.room)?)
    }
}

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
        let bytes = waiting.iter().flatten().map(|waiting| waiting.pieces.bytes()).sum();
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
    pub(in super::super) fn lost(&self) -> Vec<DamagedGroup> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
        let bytes = waiting.pieces.bytes();
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
