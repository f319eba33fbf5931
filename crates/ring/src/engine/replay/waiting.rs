//! What a group waits for: its checkpoint, and records of the log.

use disk::Medium;
use journal::{LogPosition, RawRecord, RecordPlace};
use logform::is_update;
use store::Error;

use super::super::FileKind;
use super::super::read_checkpoints::{Checkpoints, read_group};
use super::super::world::World;
use super::apply::{Room, apply_updates};
use super::event::apply_event;
use super::pieces::Pieces;
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
    pub(super) named: Vec<bool>,
    /// Epochs of attics of which there are files.
    pub(super) attics: Vec<u32>,
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

    /// Bytes of the records.
    pub(super) fn bytes(&self) -> u64 {
        self.pieces.bytes()
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
pub(super) fn check_definitions(definitions: &Definitions, group: &Group) -> Result<(), Fault> {
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
pub(super) struct Taking<'a, M> {
    pub(super) medium: &'a M,
    pub(super) definitions: &'a Definitions,
    pub(super) group: &'a mut Group,
    pub(super) room: &'a mut Room,
}

impl<M: Medium> Taking<'_, M> {
    pub(super) fn take(&mut self, at: LogPosition, record: &RawRecord<'_>) -> Result<(), Fault> {
        if is_update(record.kind()) {
            if self.room.put(at, record) {
                apply_updates(self.definitions, self.group, self.room)?;
            }
            return Ok(());
        }
        apply_updates(self.definitions, self.group, self.room)?;
        Ok(apply_event(self.medium, self.definitions, self.group, at, record)?)
    }

    pub(super) fn finish(self) -> Result<(), Fault> {
        Ok(apply_updates(self.definitions, self.group, self.room)?)
    }
}
