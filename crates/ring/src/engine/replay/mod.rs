//! Replaying the log. It is read once, from end to end, when a store is opened: all of it is
//! checked, names are made good, and of each group is noted where its records stand. A group is
//! replayed when it is needed, or in the background.

mod runs;
mod pieces;
mod outline;
mod apply;
mod event;
mod attic;
mod gaps;
mod room;
mod progress;
mod waiting;
mod replayer;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use disk::Medium;
use journal::{
    Generation, Journal, JournalError, JournalOptions, Leniency, LogPiece, LogPosition, RawRecord,
    RecordHead, RecordPlace, RrdId, SeenSegments, Start,
};
use logform::is_update;
use rrd::{Definition, Timestamp};
use store::{Error, SourceTuning};

use self::apply::Room;
pub(super) use self::gaps::Gap;
use self::gaps::Gaps;
pub(super) use self::outline::OutlineBuilder;
use self::outline::Told;
pub use self::progress::ReplayWatch;
pub(super) use self::replayer::{Replayer, ReplayerParts};
pub(super) use self::waiting::Waiting;
use super::edits::tuned;
use super::world::{World, group_of, member_of};
use crate::catalogue::{Changes, GroupId, RrdEntry};
use crate::record::Event;

/// Names that records give to databases of groups that are not opened, and these groups.
pub(super) type Elsewhere = HashMap<String, BTreeSet<GroupId>>;

/// What the log said.
pub(super) struct Replayed<M: Medium> {
    pub(super) journal: Journal<Arc<M>>,
    pub(super) world: World,
    /// For each group that is known, by number, the records that it waits for.
    pub(super) waiting: Vec<Option<Waiting>>,
    /// Where what is damaged was given up: stretches of the log that are missing.
    pub(super) gaps: Vec<Gap>,
    /// What it said of names and definitions.
    pub(super) said: Said,
    /// A group was needed whose newest checkpoint is damaged, and its records since the one before
    /// were not looked for.
    pub(super) lacks_records: bool,
}

/// What the log said of names and definitions.
#[derive(Default)]
pub(super) struct Said {
    /// What the catalogue does not have yet.
    pub(super) changes: Changes,
    /// The first record that it does not have.
    pub(super) pending_from: Option<LogPosition>,
    /// Where what is damaged is given up: names that went to another database.
    pub(super) replaced: Option<Vec<String>>,
    /// Where not all groups are open: names that records give to databases of the others.
    pub(super) elsewhere: Elsewhere,
}

/// How the log is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    /// The catalogue has the records before.
    pub(super) applied: LogPosition,
    /// Whether what is damaged is given up.
    pub(super) give_up: bool,
    /// Whether all groups are open. Where only some are, records of the others are passed over, but
    /// for the names that they give.
    pub(super) all: bool,
}

/// Opens the journal and takes into the world what it says of names, from `applied` on; of each
/// group is noted where its records from its checkpoint on stand. `seen` is what an earlier look at
/// the segments found, if there was one.
pub(super) fn read_log<M: Medium<File: 'static>>(
    medium: &Arc<M>,
    options: JournalOptions,
    (start, seen): (Start, Option<SeenSegments<M::File>>),
    world: World,
    how: How,
) -> Result<Replayed<M>, Error> {
    let mut gaps = how.give_up.then(|| Gaps::new(start.from));
    let mut reader = LogReader::new(&**medium, world, how);
    let visit = |piece: LogPiece<'_>| match piece {
        LogPiece::Record(at, place, record) => {
            if let Some(gaps) = &mut gaps {
                gaps.see(at, &record);
            }
            reader.take(at, place, &record);
        }
        LogPiece::Outline(_, bytes, is_enough) => {
            *is_enough = reader.take_outline(start.from, bytes);
        }
    };
    let journal = read_journal(medium, options, (start, seen), how, visit)?;
    if let Some(error) = reader.failed {
        return Err(error);
    }
    let LogReader { mut world, waiting, said, named_groups, lacks_records, .. } = reader;
    // A group that is gone keeps its number as long as a record names it.
    world.keep_numbers(named_groups);
    let gaps = gaps.map_or_else(Vec::new, Gaps::finish);
    Ok(Replayed { journal, world, waiting, gaps, said, lacks_records })
}

/// Opens the journal, and hands its records over on the way.
fn read_journal<M: Medium<File: 'static>>(
    medium: &Arc<M>,
    options: JournalOptions,
    (start, seen): (Start, Option<SeenSegments<M::File>>),
    How { give_up, all, .. }: How,
    visit: impl FnMut(LogPiece<'_>),
) -> Result<Journal<Arc<M>>, JournalError> {
    let medium = Arc::clone(medium);
    let leniency = if give_up { Leniency::GiveUp } else { Leniency::Strict };
    match (all, seen) {
        (false, _) => Journal::read(medium, options, start, visit),
        (true, Some(seen)) => Journal::open_seen(medium, options, start, (leniency, seen), visit),
        (true, None) => Journal::open_placed(medium, options, start, leniency, visit),
    }
}

/// Takes the records of the log, one after the other.
struct LogReader<'a, M> {
    medium: &'a M,
    world: World,
    failed: Option<Error>,
    applied: LogPosition,
    /// For each group that is known, by number, where its records stand.
    waiting: Vec<Option<Waiting>>,
    said: Said,
    room: Room,
    /// Records name groups below this number.
    named_groups: u32,
    all: bool,
    lacks_records: bool,
}

impl<'a, M: Medium<File: 'static>> LogReader<'a, M> {
    fn new(medium: &'a M, world: World, how: How) -> Self {
        let waiting = Waiting::of_all(&world);
        let said = Said { replaced: how.give_up.then(Vec::new), ..Said::default() };
        Self {
            medium,
            world,
            failed: None,
            applied: how.applied,
            waiting,
            said,
            room: Room::default(),
            named_groups: 0,
            all: how.all,
            lacks_records: false,
        }
    }

    fn take(&mut self, at: LogPosition, place: RecordPlace, record: &RawRecord<'_>) {
        if self.lacks_records || self.failed.is_some() {
            return; // the log is read anew, or not at all
        }
        let group = group_of(record.rrd());
        self.named_groups = self.named_groups.max(group + 1);
        if !is_update(record.kind()) {
            let is_open = self.all || self.world.knows_group(group);
            let taken = match is_open {
                true => self.take_event(at, record),
                false => self.take_name_elsewhere(at, record),
            };
            if let Err(error) = taken {
                self.failed.get_or_insert(error);
            }
        }
        // A group that is damaged waits for nothing.
        if let Some(waiting) = self.waiting.get_mut(group as usize).and_then(Option::as_mut) {
            waiting.note(at, place, record);
        }
    }

    /// Takes what an outline tells of a segment. Returns whether it tells something.
    fn take_outline(&mut self, from: LogPosition, outline: &[u8]) -> bool {
        let Ok(told) = Told::of(outline) else { return false };
        for (group, runs) in told.groups {
            self.named_groups = self.named_groups.max(group + 1);
            if let Some(waiting) = self.waiting.get_mut(group as usize).and_then(Option::as_mut) {
                // What lies before may have been freed.
                runs.into_iter()
                    .filter(|run| run.end() > from)
                    .for_each(|run| waiting.note_run(run));
            }
        }
        for (at, record) in told.records.iter().filter(|(at, _)| *at >= from) {
            if let Err(error) = self.take_event(*at, record) {
                self.failed.get_or_insert(error);
            }
        }
        true
    }

    /// Takes what a record says of names and definitions, before its group learns of it.
    fn take_event(&mut self, at: LogPosition, record: &RawRecord<'_>) -> Result<(), Error> {
        let undecodable = |error| Error::from(JournalError::undecodable(at, error));
        let RecordHead { rrd, generation, .. } = record.head();
        let event = Event::decode(record).map_err(undecodable)?;
        let new = at >= self.applied;
        // The catalogue learns of every event but these.
        let is_of_group = matches!(event, Event::Tile { .. } | Event::Attic { .. });
        if new && !is_of_group && !matches!(event, Event::Smooth) {
            self.said.pending_from.get_or_insert(at);
        }
        match event {
            Event::Create { start, name, definition } => {
                if new {
                    self.free_place(rrd, generation)?;
                    self.free_name(rrd, name)?;
                }
                self.created(new, (rrd, generation, start), name, &definition);
            }
            Event::Delete if new => {
                self.world.take_name(rrd);
                self.said.changes.remove_rrd(rrd, generation);
            }
            Event::Rename { name } if new => {
                self.free_name(rrd, name)?;
                self.world.take_name(rrd);
                let _ = self.world.give_name(rrd, name); // it was free when it was given
                self.said.changes.rename(rrd, generation, name);
            }
            Event::Tune(tuning) => self.tuned(new, rrd, generation, &tuning)?,
            _ => {}
        }
        Ok(())
    }

    /// Notes the name that a record gives to a database of a group that is not open.
    fn take_name_elsewhere(
        &mut self,
        at: LogPosition,
        record: &RawRecord<'_>,
    ) -> Result<(), Error> {
        if at < self.applied {
            return Ok(()); // the catalogue has it
        }
        let undecodable = |error| Error::from(JournalError::undecodable(at, error));
        let (rrd, event) = (record.rrd(), Event::decode(record).map_err(undecodable)?);
        if let Event::Create { name, .. } | Event::Rename { name } = event {
            self.said.elsewhere.entry(name.into()).or_default().insert(GroupId::of(rrd));
        }
        Ok(())
    }

    fn created(
        &mut self,
        new: bool,
        (rrd, generation, start): (RrdId, Generation, Timestamp),
        name: &str,
        definition: &Definition,
    ) {
        let (number, is_new) = self.world.definitions.intern(definition);
        if is_new {
            self.said.changes.put_definition(number, definition);
        }
        if new && self.world.knows_group(group_of(rrd)) {
            let _ = self.world.give_name(rrd, name); // it was free
            let pdp = start.seconds.div_euclid(definition.step_seconds as i64).max(0);
            let born_step = pdp.cast_unsigned();
            let entry = RrdEntry { generation, definition: number, born_step, name: name.into() };
            self.said.changes.put_rrd(rrd, entry);
        }
    }

    fn tuned(
        &mut self,
        new: bool,
        rrd: RrdId,
        generation: Generation,
        tuning: &SourceTuning,
    ) -> Result<(), Error> {
        // What it is tuned from depends on what came before.
        if !self.catch_up(group_of(rrd))? {
            return Ok(());
        }
        let tuned = self.world.known_cell(group_of(rrd)).and_then(|cell| {
            let holder = cell.group_so_far().member(member_of(rrd), generation).copied()?;
            tuned(self.world.definition(holder.definition), tuning)
        });
        let Some(tuned) = tuned else { return Ok(()) };
        let (number, is_new) = self.world.definitions.intern(&tuned);
        if is_new {
            self.said.changes.put_definition(number, &tuned);
        }
        if new {
            self.said.changes.redefine(rrd, generation, number);
        }
        Ok(())
    }

    /// Replays a group as far as the log was read. Returns whether it is there.
    fn catch_up(&mut self, group: u32) -> Result<bool, Error> {
        let Some(waiting) = self.waiting.get_mut(group as usize).and_then(Option::as_mut) else {
            return Ok(false);
        };
        let Some(cell) = self.world.known_cell(group) else { return Ok(false) };
        let definitions = &self.world.definitions;
        let caught_up =
            waiting.catch_up(self.medium, definitions, &mut cell.group_so_far(), &mut self.room);
        match caught_up {
            Ok(()) => Ok(true),
            Err(waiting::Fault::Failed(error)) => Err(error),
            Err(_) => {
                self.lacks_records = true;
                Ok(false)
            }
        }
    }
}
