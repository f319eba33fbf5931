//! Replaying the log: one thread reads it, others apply it, each to its own groups.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use disk::{Medium, MediumFile};
use rrd::{Definition, Sample, Timestamp};

use super::life::tuned;
use super::world::{World, group_of, member_of};
use super::{Cell, FileKind};
use crate::Error;
use crate::journal::record::{EventView, Kind, Readings, Tuning};
use crate::journal::{
    Generation, Journal, JournalError, JournalOptions, LogPosition, RawRecord, RecordView, RrdId,
    Start,
};
use crate::ring::catalogue::{Changes, RrdEntry};
use crate::ring::geometry::PAGE_BYTES;
use crate::ring::group::{Group, Scratch, Status};
use crate::ring::state::State;
use crate::ring::tile::{TilePlace, block_in};

/// Bytes of updates that are handed on at once: those of a whole group for a few cycles, so that each
/// member has several, and no more than stays in the processor's cache.
const CHUNK_BYTES: usize = 512 << 10;
/// Before each record of a chunk: its length, position and member.
const ENTRY_HEAD_BYTES: usize = 4 + 8 + 2;
/// So many readings need no list of their own.
const READINGS_AT_HAND: usize = 16;
/// Pieces of work that wait for a thread.
const QUEUE: usize = 8;

/// What the log said.
pub(super) struct Replayed<M: Medium> {
    pub(super) journal: Journal<Arc<M>>,
    pub(super) world: World,
    /// What the catalogue does not have yet.
    pub(super) changes: Changes,
    /// The first record that it does not have.
    pub(super) pending_from: Option<LogPosition>,
}

/// Opens the journal and takes into the world what it says: into each group from its checkpoint
/// on, into the names from `applied` on.
pub(super) fn replay<M: Medium<File: 'static>>(
    medium: &Arc<M>,
    options: JournalOptions,
    start: Start,
    world: World,
    (applied, threads): (LogPosition, usize),
) -> Result<Replayed<M>, Error> {
    let world = RwLock::new(world);
    let failed = Mutex::new(None);
    let (changes, pending_from, opened) = std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for _ in 0..threads {
            let (sender, receiver) = sync_channel(QUEUE);
            workers.push(sender);
            let (world, failed) = (&world, &failed);
            scope.spawn(move || work_off(&receiver, &**medium, world, failed));
        }
        let mut reader = Reader {
            medium: &**medium,
            world: &world,
            failed: &failed,
            workers,
            applied,
            chunks: Vec::new(),
            changes: Changes::new(),
            pending_from: None,
            scratch: Replaying::default(),
        };
        let opened =
            Journal::open(Arc::clone(medium), options, start, |at, record| reader.take(at, record));
        reader.hand_on_all();
        (reader.changes, reader.pending_from, opened)
    });
    let journal = opened?;
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => {
            let world = world.into_inner().expect("no thread panicked");
            Ok(Replayed { journal, world, changes, pending_from })
        }
    }
}

/// Something to be done to a group.
enum Work {
    /// Updates: each after its length, position and member.
    Updates {
        cell: Arc<Cell>,
        bytes: Vec<u8>,
    },
    Event {
        cell: Arc<Cell>,
        at: LogPosition,
        event: GroupEvent,
    },
    /// Tells when all before is done.
    Barrier(Sender<()>),
}

enum GroupEvent {
    Insert { member: u16, generation: Generation, number: u32, start: Timestamp },
    Remove { member: u16, generation: Generation },
    Redefine { member: u16, generation: Generation, number: u32 },
    Tile { offset_bytes: u64, page: Vec<u8> },
}

/// Room that applying shares.
#[derive(Default)]
struct Replaying {
    scratch: Scratch,
    texts: Texts,
    entries: Vec<Entry>,
}

/// Readings written out, one after the other.
#[derive(Default)]
struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Writes out readings.
    fn take(&mut self, readings: Readings<'_>) {
        self.text.clear();
        self.ends.clear();
        for reading in readings {
            reading.push_to(&mut self.text);
            self.ends.push(self.text.len());
        }
    }

    fn each(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start..*end])
    }
}

/// The thread that reads the log.
struct Reader<'a, M> {
    medium: &'a M,
    world: &'a RwLock<World>,
    failed: &'a Mutex<Option<Error>>,
    workers: Vec<SyncSender<Work>>,
    applied: LogPosition,
    /// For each group, its updates that are not handed on yet.
    chunks: Vec<Option<Chunk>>,
    changes: Changes,
    pending_from: Option<LogPosition>,
    scratch: Replaying,
}

struct Chunk {
    cell: Arc<Cell>,
    /// Records before it are in the group's checkpoint.
    position: LogPosition,
    bytes: Vec<u8>,
}

impl<M: Medium<File: 'static>> Reader<'_, M> {
    fn take(&mut self, at: LogPosition, record: RawRecord<'_>) {
        if record.kind() != Kind::Update {
            let taken = self.take_event(at, &record);
            self.note(taken);
            return;
        }
        let group = group_of(record.rrd());
        let Some(chunk) = chunk_of(&mut self.chunks, self.world, group) else { return };
        if at < chunk.position {
            return;
        }
        chunk.bytes.extend_from_slice(&(record.bytes().len() as u32).to_le_bytes());
        chunk.bytes.extend_from_slice(&at.0.to_le_bytes());
        chunk.bytes.extend_from_slice(&member_of(record.rrd()).to_le_bytes());
        chunk.bytes.extend_from_slice(record.bytes());
        if chunk.bytes.len() >= CHUNK_BYTES {
            self.hand_on(group);
        }
    }

    fn take_event(&mut self, at: LogPosition, record: &RawRecord<'_>) -> Result<(), Error> {
        let undecodable = |error| Error::from(JournalError::undecodable(at, error));
        let RecordView { rrd, generation, event } = record.decode().map_err(undecodable)?;
        let new = at >= self.applied;
        if new && !matches!(event, EventView::Tile { .. }) {
            self.pending_from.get_or_insert(at);
        }
        let member = member_of(rrd);
        let event = match event {
            EventView::Update { .. } => return Ok(()),
            EventView::Create { start, name, definition } => {
                let number = self.created(new, (rrd, generation, start), name, &definition);
                GroupEvent::Insert { member, generation, number, start }
            }
            EventView::Delete => {
                if new {
                    self.write_world(|world| world.take_name(rrd));
                    self.changes.remove_rrd(rrd, generation);
                }
                GroupEvent::Remove { member, generation }
            }
            EventView::Rename { name } => {
                if new {
                    self.write_world(|world| {
                        world.take_name(rrd);
                        let _ = world.give_name(rrd, name); // it was free when it was given
                    });
                    self.changes.rename(rrd, generation, name);
                }
                return Ok(());
            }
            EventView::Tune(tuning) => match self.tuned(new, rrd, generation, &tuning) {
                Some(number) => GroupEvent::Redefine { member, generation, number },
                None => return Ok(()),
            },
            EventView::Tile { offset_bytes, page } => {
                GroupEvent::Tile { offset_bytes, page: page.to_vec() }
            }
        };
        self.hand_on_event(group_of(rrd), at, event);
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
            self.changes.put_definition(number, definition);
        }
        if new && self.read_world(|world| world.knows_group(group_of(rrd))) {
            self.write_world(|world| {
                let _ = world.give_name(rrd, name); // it was free
            });
            let pdp = start.seconds.div_euclid(definition.step_seconds as i64).max(0);
            let born_step = u32::try_from(pdp).unwrap_or(u32::MAX);
            let entry = RrdEntry { generation, definition: number, born_step, name: name.into() };
            self.changes.put_rrd(rrd, entry);
        }
        number.0
    }

    fn tuned(
        &mut self,
        new: bool,
        rrd: RrdId,
        generation: Generation,
        tuning: &Tuning,
    ) -> Option<u32> {
        // What it is tuned from depends on what came before.
        self.wait_for(group_of(rrd));
        let tuned = self.read_world(|world| {
            let group = world.cell(group_of(rrd))?.group();
            let holder = group.member(member_of(rrd), generation)?;
            tuned(world.definition(holder.definition), tuning)
        })?;
        let (number, is_new) = self.write_world(|world| world.definitions.intern(&tuned));
        if is_new {
            self.changes.put_definition(number, &tuned);
        }
        if new {
            self.changes.redefine(rrd, generation, number);
        }
        Some(number.0)
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

/// A thread that applies what it is given.
fn work_off<M: Medium>(
    receiver: &Receiver<Work>,
    medium: &M,
    world: &RwLock<World>,
    failed: &Mutex<Option<Error>>,
) {
    let mut room = Replaying::default();
    for work in receiver {
        if let Err(error) = work.run(medium, world, &mut room) {
            failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

impl Work {
    fn run<M: Medium>(
        self,
        medium: &M,
        world: &RwLock<World>,
        room: &mut Replaying,
    ) -> Result<(), Error> {
        match self {
            Self::Updates { cell, bytes } => {
                let world = world.read().expect("no thread panicked");
                apply_updates(&world, &mut cell.group(), &bytes, room)
            }
            Self::Event { cell, at, event } => {
                let world = world.read().expect("no thread panicked");
                cell.group().last_record = at;
                event.run(medium, &world, &cell)
            }
            Self::Barrier(done) => {
                let _ = done.send(()); // whoever waited may have given up
                Ok(())
            }
        }
    }
}

/// Applies updates as they were applied before the restart: what was refused is refused again.
///
/// Member by member, whose samples keep their order: each state is unpacked once, and what it
/// touches stays in the processor's cache.
fn apply_updates(
    world: &World,
    group: &mut Group,
    bytes: &[u8],
    room: &mut Replaying,
) -> Result<(), Error> {
    room.entries.clear();
    room.entries.extend(Entries { bytes, at: 0 });
    // A stable sort keeps the order of a member's samples.
    room.entries.sort_by_key(|entry| entry.member);
    let mut entries = std::mem::take(&mut room.entries);
    for of_member in entries.chunk_by(|a, b| a.member == b.member) {
        apply_samples(world, group, (bytes, of_member), room)?;
    }
    let last = entries.iter().map(|entry| entry.at).max();
    group.last_record = group.last_record.max(last.unwrap_or_default());
    entries.clear();
    room.entries = entries;
    Ok(())
}

/// Applies the samples of one member.
fn apply_samples(
    world: &World,
    group: &mut Group,
    (bytes, entries): (&[u8], &[Entry]),
    room: &mut Replaying,
) -> Result<(), Error> {
    let member = entries[0].member;
    let Some(holder) = group.members.get(usize::from(member)).copied() else { return Ok(()) };
    if !holder.status.has(Status::PRESENT) {
        return Ok(());
    }
    let definition = world.definition(holder.definition);
    group.state(member, &mut room.scratch.state);
    for entry in entries {
        let record = &bytes[entry.start..entry.end];
        let undecodable = |error| JournalError::undecodable(entry.at, error);
        let view = RecordView::decode(record).map_err(undecodable)?;
        let EventView::Update { time, readings } = view.event else { continue };
        // A record of an earlier holder, or one that was never written for this one.
        if view.generation != holder.generation || readings.len() != definition.sources.len() {
            continue;
        }
        room.texts.take(readings);
        let mut texts = [""; READINGS_AT_HAND];
        let many: Vec<&str>;
        let readings = match texts.get_mut(..room.texts.ends.len()) {
            Some(texts) => {
                texts.iter_mut().zip(room.texts.each()).for_each(|(room, text)| *room = text);
                &*texts
            }
            None => {
                many = room.texts.each().collect();
                &many
            }
        };
        group.apply_in_hand(member, definition, &Sample { time, readings }, &mut room.scratch);
    }
    group.put_state(member, &room.scratch.state);
    Ok(())
}

/// One update among those that were handed on together.
#[derive(Clone, Copy, Debug)]
struct Entry {
    member: u16,
    at: LogPosition,
    /// Where its record stands.
    start: usize,
    end: usize,
}

/// The updates that were handed on together.
struct Entries<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let (head, _) = self.bytes.get(self.at..)?.split_at_checked(ENTRY_HEAD_BYTES)?;
        let length = u32::from_le_bytes(head[..4].as_chunks().0[0]) as usize;
        let at = LogPosition(u64::from_le_bytes(head[4..12].as_chunks().0[0]));
        let member = u16::from_le_bytes(head[12..].as_chunks().0[0]);
        let start = self.at + ENTRY_HEAD_BYTES;
        self.at = start + length;
        Some(Entry { member, at, start, end: self.at })
    }
}

impl GroupEvent {
    fn run<M: Medium>(self, medium: &M, world: &World, cell: &Cell) -> Result<(), Error> {
        let mut group = cell.group();
        match self {
            Self::Insert { member, generation, number, start } => {
                if group
                    .members
                    .get(usize::from(member))
                    .is_some_and(|holder| holder.status.has(Status::PRESENT))
                {
                    group.remove(member); // its delete is lost with a damaged stretch of the log
                }
                let state = State::fresh(&group.layout, world.definition(number), start);
                group.insert(member, generation, number, &state);
            }
            Self::Remove { member, generation } => {
                if group.member(member, generation).is_some() {
                    group.remove(member);
                }
            }
            Self::Redefine { member, generation, number } => {
                if group.member(member, generation).is_some() {
                    group.members[usize::from(member)].definition = number;
                }
            }
            Self::Tile { offset_bytes, page } => {
                drop(group);
                return put_tile(medium, cell, offset_bytes, &page);
            }
        }
        Ok(())
    }
}

/// Writes a page again that may have been torn, unless a newer block stands there.
fn put_tile<M: Medium>(
    medium: &M,
    cell: &Cell,
    offset_bytes: u64,
    page: &[u8],
) -> Result<(), Error> {
    let name = FileKind::Tiles.name(cell.id);
    let io = || Error::io("writing", Path::new(&name));
    let tiles = medium.open(&name).map_err(io())?;
    let number = |at: usize| u32::from_le_bytes(page[at..at + 4].as_chunks().0[0]);
    let place = TilePlace { group: cell.id, shape: number(24), column: number(28) };
    let Ok(Some(block)) = block_in(page, place) else { return Ok(()) };
    let mut there = vec![0; PAGE_BYTES];
    let read = tiles.read_at(&mut there, offset_bytes).map_err(io())?;
    let newer =
        read == PAGE_BYTES && matches!(block_in(&there, place), Ok(Some(found)) if found > block);
    if newer {
        return Ok(());
    }
    tiles.write_at(page, offset_bytes).map_err(io())?;
    tiles.sync_data().map_err(io())
}
