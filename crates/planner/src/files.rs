//! Files that are written in place, and the parts of the model that apply to files in general.

use capacity::replay::Method;

use crate::cycle::{Work, Works};
use crate::room::NeededRoom;
use crate::simulated::{PAGE_BYTES, PagesOfUpdate, PagesRead, Rhythm, pages_of_updates, shape};
use crate::{Access, Fleet, FleetGroup, Machine, Memory, PlanError, Prediction, Reads, Written};

/// Bytes of kernel memory for a file in use, apart from its pages: ext4's inode, the name, a node
/// of its page tree.
const FILE_KERNEL_BYTES: f64 = 1950.0;
/// Bytes of a further node of the page tree, and the pages that one covers.
const NODE_BYTES: f64 = 576.0;
const NODE_PAGES: f64 = 64.0;
/// Bytes of kernel memory for a written page: ext4's record of its block.
const BUFFER_BYTES: f64 = 104.0;
/// Bytes of the kernel's memory for a process.
const PROCESS_KERNEL_BYTES: f64 = 1e6;
/// Bytes of a process that updates files, independent of their number.
const PROCESS_BYTES: f64 = 10e6;

/// The load of files that does not depend on the program that writes them.
pub(crate) struct FileLoad {
    pub(crate) memory: Memory,
    pub(crate) room: NeededRoom,
    pub(crate) reads: Reads,
    pub(crate) written: Written,
    pub(crate) pages_per_file: f64,
    /// Of writing files: opening, reading, writing.
    pub(crate) works: Works,
}

/// The prediction for files that are written in place.
pub(crate) fn predict(
    fleet: &Fleet,
    machine: &Machine,
    access: Access,
) -> Result<Prediction, PlanError> {
    let at_once = |group: &FleetGroup| Rhythm { every_seconds: group.cadence_seconds, parts: 1 };
    let rhythms: Vec<Rhythm> = fleet.groups.iter().map(at_once).collect();
    let processor = &machine.processor;
    let update_seconds = match access.method {
        Method::Pwrite | Method::Prefetch => processor.pwrite_update_seconds,
        Method::Mapping | Method::Stream => processor.mapped_update_seconds,
    };
    let own = Own { process_bytes: PROCESS_BYTES, log_bytes: 0.0, write_seconds: update_seconds };
    let load = file_load(fleet, &rhythms, machine, access, &own)?;
    let cycle = load.works.cycle(fleet, machine);
    Ok(Prediction {
        updates_per_second: fleet.updates_per_second(),
        loads: load.works.loads(&cycle, load.room, machine),
        memory: load.memory,
        disk_bytes: load.room.disk_bytes,
        reads: load.reads,
        written: load.written,
        cycle,
        // After a kill, the kernel has everything that was acknowledged.
        restart_seconds: 0.0,
        pages_per_file: Some(load.pages_per_file),
        pace: None,
    })
}

/// The room that they need.
pub(crate) fn room(fleet: &Fleet, machine: &Machine) -> Result<NeededRoom, PlanError> {
    room_beside(fleet, machine, PROCESS_BYTES)
}

/// The room that files need, and the process that writes them.
pub(crate) fn room_beside(
    fleet: &Fleet,
    machine: &Machine,
    process_bytes: f64,
) -> Result<NeededRoom, PlanError> {
    let pages_bytes = all_pages(fleet)? * PAGE_BYTES as f64;
    Ok(NeededRoom {
        memory_bytes: process_bytes + kernel_bytes(fleet),
        disk_bytes: pages_bytes as u64 + fleet.databases() * machine.file_system.inode_bytes,
    })
}

fn kernel_bytes(fleet: &Fleet) -> f64 {
    PROCESS_KERNEL_BYTES + fleet.databases() as f64 * FILE_KERNEL_BYTES
}

/// The needs of the process that writes the files.
pub(crate) struct Own {
    /// Bytes of memory.
    pub(crate) process_bytes: f64,
    /// Bytes of page cache for data that is written once and not read, but stays cached for a
    /// while.
    pub(crate) log_bytes: f64,
    /// Seconds of a processor for each write of a file.
    pub(crate) write_seconds: f64,
}

/// The load of files that are each written once in `every_seconds`.
pub(crate) fn file_load(
    fleet: &Fleet,
    rhythms: &[Rhythm],
    machine: &Machine,
    access: Access,
    own: &Own,
) -> Result<FileLoad, PlanError> {
    let all_pages = all_pages(fleet)?;
    let Cached { memory, cache_pages } = Cached::of(fleet, machine, own, all_pages);
    let file_pages = (cache_pages - own.log_bytes / PAGE_BYTES as f64).max(1.0);
    let readahead_bytes = machine.readahead_bytes;
    let pages = pages_of_updates(fleet, rhythms, access, readahead_bytes, file_pages as u64)?;
    let rates = (fleet.groups.iter().zip(rhythms))
        .map(|(group, rhythm)| group.databases as f64 / rhythm.every_seconds as f64);
    let turns = Turns { pages, rates: rates.collect() };
    let writes_per_second: f64 = turns.rates.iter().sum();
    let updates_per_second = fleet.updates_per_second();
    let data_bytes = turns.total(|it| it.written) * PAGE_BYTES as f64;
    let page_ins_per_second = turns.total(|it| it.read.pages);
    let written = Written { data_bytes, ..Written::default() };
    let work = |read| work(read, &turns, data_bytes, machine, access, own);
    Ok(FileLoad {
        memory,
        room: room_beside(fleet, machine, own.process_bytes)?,
        reads: Reads {
            page_ins_per_second,
            waits_per_second: turns.total(|it| it.read.waits),
            page_ins_per_update: page_ins_per_second / updates_per_second,
            page_ins_per_update_max: turns.total(|it| it.read_max.pages) / updates_per_second,
        },
        written: with_metadata(written, writes_per_second, machine),
        pages_per_file: file_pages / fleet.databases() as f64,
        works: Works {
            mean: work(turns.total_read(|it| it.read)),
            longest: work(turns.total_read(|it| it.read_max)),
            first: work(turns.total_read(|it| it.read_first)),
        },
    })
}

/// What memory is taken by.
struct Cached {
    memory: Memory,
    /// Pages of the page cache.
    cache_pages: f64,
}

impl Cached {
    fn of(fleet: &Fleet, machine: &Machine, own: &Own, all_pages: f64) -> Self {
        let files = fleet.databases() as f64;
        let fixed_bytes = own.process_bytes + PROCESS_KERNEL_BYTES;
        let room_bytes = machine.memory_bytes as f64 - fixed_bytes - files * FILE_KERNEL_BYTES;
        // A page that is alone among its neighbours has a node of its own.
        let nodes =
            (all_pages / NODE_PAGES - files).min(room_bytes / PAGE_BYTES as f64 - files).max(0.0);
        let room_bytes = room_bytes - nodes * NODE_BYTES;
        let cache_pages =
            (room_bytes / (PAGE_BYTES as f64 + BUFFER_BYTES)).clamp(1.0, all_pages.max(1.0));
        let memory = Memory {
            process_bytes: own.process_bytes,
            kernel_bytes: kernel_bytes(fleet),
            page_notes_bytes: nodes * NODE_BYTES + cache_pages * BUFFER_BYTES,
            page_cache_bytes: cache_pages * PAGE_BYTES as f64,
        };
        Self { memory, cache_pages }
    }
}

/// What the writes of each group do, and how many there are in a second.
struct Turns {
    pages: Vec<PagesOfUpdate>,
    rates: Vec<f64>,
}

impl Turns {
    /// Of all groups, in a second.
    fn total(&self, of: impl Fn(&PagesOfUpdate) -> f64) -> f64 {
        self.pages.iter().zip(&self.rates).map(|(pages, rate)| of(pages) * rate).sum()
    }

    fn total_read(&self, of: fn(&PagesOfUpdate) -> PagesRead) -> PagesRead {
        PagesRead { pages: self.total(|it| of(it).pages), waits: self.total(|it| of(it).waits) }
    }
}

/// The work of a second in which so much is read.
fn work(
    read: PagesRead,
    turns: &Turns,
    data_bytes: f64,
    machine: &Machine,
    access: Access,
    own: &Own,
) -> Work {
    let disk = &machine.disk;
    let writes_per_second: f64 = turns.rates.iter().sum();
    // What a daemon asks for before it writes lies at random places, like what it waits for.
    let singles = if access.has_advice { read.pages } else { read.waits };
    let ahead_bytes = (read.pages - singles).max(0.0) * PAGE_BYTES as f64;
    Work {
        processor: writes_per_second * own.write_seconds
            + singles * machine.processor.page_in_seconds,
        waits: singles / disk.random_reads_per_second
            + ahead_bytes / disk.sequential_bytes_per_second,
        // What midnight writes more waits in the page cache for cycles that write less.
        writes: data_bytes / PAGE_BYTES as f64 / disk.random_writes_per_second,
    }
}

/// Each write of a file changes its inode; neighbours share a block of the inode table, and are
/// written together.
fn with_metadata(written: Written, writes_per_second: f64, machine: &Machine) -> Written {
    let file_system = &machine.file_system;
    let times = if file_system.has_journal { 2.0 } else { 1.0 };
    let metadata_bytes = writes_per_second * file_system.inode_bytes as f64 * times;
    Written { metadata_bytes, ..written }
}

/// Pages of all files.
fn all_pages(fleet: &Fleet) -> Result<f64, PlanError> {
    let groups = fleet.groups.iter().enumerate();
    let pages = groups.map(|(nth, group)| {
        Ok(f64::from(shape(nth, group)?.data_pages()) * group.databases as f64)
    });
    pages.sum()
}
