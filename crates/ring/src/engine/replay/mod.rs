//! Replaying the log: one thread reads it, others apply it, each to its own groups.

mod apply;
mod work;
mod attic;
mod gaps;
mod room;

use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc::{SyncSender, channel, sync_channel};
use std::sync::{Arc, PoisonError};

use disk::Medium;
use rrd::{Definition, Timestamp};
use tracing_mutex::stdsync::{Mutex, RwLock};

use self::apply::{Replaying, put_entry};
pub(super) use self::gaps::Gap;
use journal::{
    Generation, Journal, JournalError, JournalOptions, LogPosition, RawRecord, RecordHead, RrdId,
    Start,
};
use logform::is_update;
use store::{Error, SourceTuning};

use self::gaps::Gaps;
use self::work::{GroupEvent, Work, work_off};
use super::Cell;
use super::edits::tuned;
use super::world::{World, group_of, member_of};
use crate::attic::AtticGrowth;
use crate::catalogue::{Changes, GroupId, RrdEntry};
use crate::record::Event;

/// Bytes of updates that are handed on at once: those of a whole group for a few cycles, so that
/// each member has several, and no more than stays in the processor's cache.
const CHUNK_BYTES: usize = 512 << 10;
/// Pieces of work that wait for a thread.
const QUEUE: usize = 8;

/// Names that records give to databases of groups that are not opened, and these groups.
pub(super) type Elsewhere = HashMap<String, BTreeSet<GroupId>>;

/// What the log said.
pub(super) struct Replayed<M: Medium> {
    pub(super) journal: Journal<Arc<M>>,
    pub(super) world: World,
    /// Where what is damaged was given up: stretches of the log that are missing.
    pub(super) gaps: Vec<Gap>,
    /// What it said of names and definitions.
    pub(super) said: Said,
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

/// How the log is replayed.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    /// The catalogue has the records before.
    pub(super) applied: LogPosition,
    /// Threads that apply; none for this one alone.
    pub(super) threads: usize,
    /// Whether what is damaged is given up.
    pub(super) give_up: bool,
    /// Whether all groups are open. Where only some are, records of the others are passed over, but
    /// for the names that they give.
    pub(super) all: bool,
}

/// Opens the journal and takes into the world what it says: into each group from its checkpoint
/// on, into the names from `applied` on.
pub(super) fn replay<M: Medium<File: 'static>>(
    medium: &Arc<M>,
    options: JournalOptions,
    start: Start,
    world: World,
    how: How,
) -> Result<Replayed<M>, Error> {
    let world = RwLock::new(world);
    let failed = Mutex::new(None);
    let mut gaps = how.give_up.then(|| Gaps::new(start.from));
    let (said, opened) = std::thread::scope(|scope| {
        let worker = |_| {
            let (sender, receiver) = sync_channel(QUEUE);
            let (world, failed) = (&world, &failed);
            scope.spawn(move || work_off(&receiver, &**medium, world, failed));
            sender
        };
        let workers = (0..how.threads).map(worker).collect();
        let mut reader = LogReader::new(&**medium, &world, &failed, workers, how);
        let visit = |at, record: RawRecord<'_>| {
            if let Some(gaps) = &mut gaps {
                gaps.see(at, &record);
            }
            reader.take(at, record);
        };
        let opened = read_journal(medium, options, start, how, visit);
        (reader.finish(), opened)
    });
    let journal = opened?;
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let world = world.into_inner().expect("no thread panicked");
    Ok(Replayed { journal, world, gaps: gaps.map_or_else(Vec::new, Gaps::finish), said })
}

/// Opens the journal, and hands its records over on the way.
fn read_journal<M: Medium<File: 'static>>(
    medium: &Arc<M>,
    options: JournalOptions,
    start: Start,
    How { give_up, all, .. }: How,
    visit: impl FnMut(LogPosition, RawRecord<'_>),
) -> Result<Journal<Arc<M>>, JournalError> {
    let medium = Arc::clone(medium);
    match (all, give_up) {
        (false, _) => Journal::read(medium, options, start, visit),
        (true, true) => Journal::salvage(medium, options, start, visit),
        (true, false) => Journal::open(medium, options, start, visit),
    }
}

/// The thread that reads the log.
struct LogReader<'a, M> {
    medium: &'a M,
    world: &'a RwLock<World>,
    failed: &'a Mutex<Option<Error>>,
    workers: Vec<SyncSender<Work>>,
    applied: LogPosition,
    /// For each group, its updates that are not handed on yet.
    chunks: Vec<Option<Chunk>>,
    said: Said,
    scratch: Replaying,
    /// Records name groups below this number.
    named_groups: u32,
    /// Where only some groups are open: which, by their numbers.
    open: Option<Vec<bool>>,
}

struct Chunk {
    cell: Arc<Cell>,
    /// Records before it are in the group's checkpoint.
    position: LogPosition,
    bytes: Vec<u8>,
}

impl<'a, M: Medium<File: 'static>> LogReader<'a, M> {
    fn new(
        medium: &'a M,
        world: &'a RwLock<World>,
        failed: &'a Mutex<Option<Error>>,
        workers: Vec<SyncSender<Work>>,
        how: How,
    ) -> Self {
        Self {
            medium,
            world,
            failed,
            workers,
            applied: how.applied,
            chunks: Vec::new(),
            said: Said { replaced: how.give_up.then(Vec::new), ..Said::default() },
            scratch: Replaying::default(),
            named_groups: 0,
            open: (!how.all).then(|| open_groups(world)),
        }
    }

    /// Hands on what is left. The threads that apply end when they have done it.
    fn finish(mut self) -> Said {
        self.hand_on_all();
        // A group that is gone keeps its number as long as a record names it.
        self.write_world(|world| world.keep_numbers(self.named_groups));
        self.said
    }

    fn take(&mut self, at: LogPosition, record: RawRecord<'_>) {
        self.named_groups = self.named_groups.max(group_of(record.rrd()) + 1);
        let is_update = is_update(record.kind());
        let is_open = |open: &Vec<bool>| open.get(group_of(record.rrd()) as usize) == Some(&true);
        if !self.open.as_ref().is_none_or(is_open) {
            if !is_update {
                let taken = self.take_name_elsewhere(at, &record);
                self.note(taken);
            }
            return;
        }
        if !is_update {
            let taken = self.take_event(at, &record);
            self.note(taken);
            return;
        }
        let group = group_of(record.rrd());
        let Some(chunk) = chunk_of(&mut self.chunks, self.world, group) else { return };
        if at < chunk.position {
            return;
        }
        put_entry(at, &record, &mut chunk.bytes);
        if chunk.bytes.len() >= CHUNK_BYTES {
            self.hand_on(group);
        }
    }

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
        let event = match event {
            Event::Update(_) => None,
            Event::Create { .. } | Event::Delete | Event::Rename { .. } => {
                self.take_change_of_name(at, rrd, generation, event, new)
            }
            Event::Tune(tuning) => self.tuned(new, rrd, generation, &tuning),
            Event::Smooth => Some(GroupEvent::Smooth { member: member_of(rrd), generation }),
            Event::Tile { offset_bytes, page } => {
                Some(GroupEvent::Tile { offset_bytes, page: page.to_vec() })
            }
            Event::Attic { growth } => {
                Some(GroupEvent::Attic(AtticGrowth::decode(growth).map_err(undecodable)?))
            }
        };
        if let Some(event) = event {
            self.hand_on_event(group_of(rrd), at, event);
        }
        Ok(())
    }

    /// Takes a database's beginning, its end or its other name, and tells what that is to its
    /// group. The catalogue has it unless it is `new`.
    fn take_change_of_name(
        &mut self,
        at: LogPosition,
        rrd: RrdId,
        generation: Generation,
        event: Event<'_>,
        new: bool,
    ) -> Option<GroupEvent> {
        let member = member_of(rrd);
        match event {
            Event::Create { start, name, definition } => {
                if new {
                    self.free_place(rrd, generation);
                    self.free_name(at, rrd, name);
                }
                let number = self.created(new, (rrd, generation, start), name, &definition);
                Some(GroupEvent::Insert { member, generation, number, start })
            }
            Event::Delete => {
                if new {
                    self.write_world(|world| world.take_name(rrd));
                    self.said.changes.remove_rrd(rrd, generation);
                }
                Some(GroupEvent::Remove { member, generation })
            }
            Event::Rename { name } => {
                if new {
                    self.free_name(at, rrd, name);
                    self.write_world(|world| {
                        world.take_name(rrd);
                        let _ = world.give_name(rrd, name); // it was free when it was given
                    });
                    self.said.changes.rename(rrd, generation, name);
                }
                None
            }
            _ => None,
        }
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
    ) -> u32 {
        let (number, is_new) = self.write_world(|world| world.definitions.intern(definition));
        if is_new {
            self.said.changes.put_definition(number, definition);
        }
        if new && self.read_world(|world| world.knows_group(group_of(rrd))) {
            self.write_world(|world| {
                let _ = world.give_name(rrd, name); // it was free
            });
            let pdp = start.seconds.div_euclid(definition.step_seconds as i64).max(0);
            let born_step = u32::try_from(pdp).unwrap_or(u32::MAX);
            let entry = RrdEntry { generation, definition: number, born_step, name: name.into() };
            self.said.changes.put_rrd(rrd, entry);
        }
        number.0
    }

    fn tuned(
        &mut self,
        new: bool,
        rrd: RrdId,
        generation: Generation,
        tuning: &SourceTuning,
    ) -> Option<GroupEvent> {
        // What it is tuned from depends on what came before.
        self.wait_for(group_of(rrd));
        let tuned = self.read_world(|world| {
            let group = world.cell(group_of(rrd))?.group();
            let holder = group.member(member_of(rrd), generation)?;
            tuned(world.definition(holder.definition), tuning)
        })?;
        let (number, is_new) = self.write_world(|world| world.definitions.intern(&tuned));
        if is_new {
            self.said.changes.put_definition(number, &tuned);
        }
        if new {
            self.said.changes.redefine(rrd, generation, number);
        }
        let member = member_of(rrd);
        Some(GroupEvent::Redefine { member, generation, number: number.0 })
    }

    fn read_world<T>(&self, work: impl FnOnce(&World) -> T) -> T {
        work(&self.world.read().expect("no thread panicked"))
    }

    fn write_world<T>(&self, work: impl FnOnce(&mut World) -> T) -> T {
        work(&mut self.world.write().expect("no thread panicked"))
    }

    fn note(&self, result: Result<(), Error>) {
        if let Err(error) = result {
            self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    fn hand_on_all(&mut self) {
        (0..self.chunks.len() as u32).for_each(|group| self.hand_on(group));
    }

    /// Hands on the updates of a group.
    fn hand_on(&mut self, group: u32) {
        let chunk = self.chunks.get_mut(group as usize).and_then(Option::as_mut);
        let Some(chunk) = chunk.filter(|chunk| !chunk.bytes.is_empty()) else { return };
        let bytes = std::mem::take(&mut chunk.bytes);
        let work = Work::Updates { cell: Arc::clone(&chunk.cell), bytes };
        self.give(group, work);
    }

    fn hand_on_event(&mut self, group: u32, at: LogPosition, event: GroupEvent) {
        self.hand_on(group);
        let Some(chunk) = chunk_of(&mut self.chunks, self.world, group) else { return };
        if at >= chunk.position {
            let work = Work::Event { cell: Arc::clone(&chunk.cell), at, event };
            self.give(group, work);
        }
    }

    fn wait_for(&mut self, group: u32) {
        self.hand_on(group);
        if !self.workers.is_empty() {
            let (done, wait) = channel();
            self.give(group, Work::Barrier(done));
            let _ = wait.recv(); // a worker that is gone has nothing left to do
        }
    }

    fn give(&mut self, group: u32, work: Work) {
        match self.workers.len() {
            0 => {
                let done = work.run(self.medium, self.world, &mut self.scratch);
                self.note(done);
            }
            count => drop(self.workers[group as usize % count].send(work)),
        }
    }
}

/// By number, whether a group is known; it may be one that is lost.
fn open_groups(world: &RwLock<World>) -> Vec<bool> {
    let world = world.read().expect("no thread panicked");
    (0..world.groups_end()).map(|group| world.knows_group(group)).collect()
}

fn chunk_of<'a>(
    chunks: &'a mut Vec<Option<Chunk>>,
    world: &RwLock<World>,
    group: u32,
) -> Option<&'a mut Chunk> {
    let nth = group as usize;
    if chunks.len() <= nth {
        chunks.resize_with(nth + 1, || None);
    }
    let chunk = &mut chunks[nth];
    if chunk.is_none() {
        // A group that is damaged has none.
        let cell = Arc::clone(world.read().expect("no thread panicked").cell(group)?);
        let places = cell.group().places;
        let position = places[0].position.max(places[1].position);
        *chunk = Some(Chunk { cell, position, bytes: Vec::new() });
    }
    chunk.as_mut()
}
