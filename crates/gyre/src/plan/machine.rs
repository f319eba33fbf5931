//! The machine that is planned for: this machine, except for the properties that options set.

use std::io::{IsTerminal as _, Write as _};

use doctor::machine::Memory;
use doctor::place::{Device, Place};
use doctor::{Measured, Root};
use planner::{DiskRates, FileSystem, Machine, Processor};

use super::arguments::{Wanted, WantedMachine};
use super::disks::Disk;
use super::failure::Failure;
use super::subject::Subject;

/// The kernel's default readahead.
const USUAL_READAHEAD_KIBIBYTES: u64 = 128;

/// The machine, and where each of its properties comes from.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) machine: Machine,
    pub(super) memory_from: String,
    pub(super) room_from: String,
    pub(super) disk_from: String,
    pub(super) measured: Option<Measured>,
}

impl Found {
    pub(super) fn look(wanted: &Wanted, subject: &Subject) -> Result<Self, Failure> {
        let said = &wanted.machine;
        let path = subject.place.canonicalize().unwrap_or_else(|_| subject.place.clone());
        if wanted.place.is_some() && !path.is_dir() {
            return Err(Failure::Place(path));
        }
        let place = Place::read(&Root::here(), &path);
        let cores = said.cores.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
        });
        let (memory_bytes, memory_from) = memory(said, subject)?;
        let (disk_bytes, room_from) = room(said, subject, &place)?;
        let measured = said.measure.then(|| measure(&place)).transpose()?;
        let (disk, disk_from) = disk(said, &place, measured, cores);
        let device = place.device.as_ref().ok();
        let readahead = said.readahead_kibibytes.or(device.map(|it| it.read_ahead_kibibytes));
        let kind = place.mount.as_ref().map_or("ext4", |mount| &mount.kind);
        let machine = Machine {
            memory_bytes,
            cores,
            processor: Processor::default(),
            disk_bytes,
            disk,
            readahead_bytes: readahead.unwrap_or(USUAL_READAHEAD_KIBIBYTES) << 10,
            file_system: file_system(kind),
        };
        Ok(Self { machine, memory_from, room_from, disk_from, measured })
    }
}

/// Bytes of memory available to the databases, and how that is known.
fn memory(said: &WantedMachine, subject: &Subject) -> Result<(u64, String), Failure> {
    if let Some(bytes) = said.memory_bytes {
        return Ok((bytes, "as given".into()));
    }
    let memory = Memory::read(&Root::here());
    let memory = memory.map_err(|unseen| Failure::Unknown { option: "--memory", unseen })?;
    let limit = memory.group.map(|(limit, _)| limit);
    // An open store already holds memory for its databases; that memory is available to them.
    let available = memory.available_bytes.saturating_add(subject.held_bytes);
    Ok(match limit.filter(|limit| *limit < available) {
        Some(limit) => (limit, "the limit of the control group".into()),
        None => (available, "available".into()),
    })
}

/// Bytes of disk for the databases: what is free and what they already take; and how that is known.
fn room(said: &WantedMachine, subject: &Subject, place: &Place) -> Result<(u64, String), Failure> {
    if let Some(bytes) = said.room_bytes {
        return Ok((bytes, "as given".into()));
    }
    let unknown = |unseen| Failure::Unknown { option: "--disk", unseen };
    let room = place.room.as_ref().map_err(|unseen| unknown(unseen.clone()))?;
    let free = format!("free at {}", place.path.display());
    Ok(match subject.there_bytes {
        0 => (room.free_bytes, free),
        there => (room.free_bytes.saturating_add(there), format!("{free}, or theirs already")),
    })
}

fn measure(place: &Place) -> Result<Measured, Failure> {
    let is_seen = std::io::stderr().is_terminal();
    let mut error = std::io::stderr();
    if is_seen {
        let _ = write!(error, "measuring the disk ..."); // a terminal that is gone needs no words
    }
    let measured = Measured::take(&place.path);
    if is_seen {
        let _ = write!(error, "\r\x1b[K"); // as above
    }
    measured.map_err(Failure::Measure)
}

/// The speed of the disk, and how that is known.
fn disk(
    said: &WantedMachine,
    place: &Place,
    measured: Option<Measured>,
    cores: u32,
) -> (DiskRates, String) {
    let device = place.device.as_ref().ok();
    let (mut rates, mut from) = match (measured, said.disk, device) {
        (Some(measured), ..) => (rates_of(&measured, device, cores), "measured".into()),
        (None, Some(disk), _) => (disk.rates, format!("{} as most are", disk.name)),
        (None, None, Some(device)) => {
            let disk = Disk::like(device);
            (disk.rates, format!("{}, {} as most are: --measure-disk", device.name, disk.name))
        }
        (None, None, None) => (Disk::USUAL.rates, format!("{} as most are", Disk::USUAL.name)),
    };
    let before = rates;
    rates.random_reads_per_second = said.reads_per_second.unwrap_or(rates.random_reads_per_second);
    rates.random_writes_per_second =
        said.writes_per_second.unwrap_or(rates.random_writes_per_second);
    if let Some(bytes) = said.sequential_bytes_per_second {
        rates.sequential_bytes_per_second = bytes as f64;
    }
    if let Some(milliseconds) = said.sync_milliseconds {
        rates.synced_write_seconds = milliseconds / 1000.0;
    }
    if rates != before {
        from += ", some of it as given";
    }
    (rates, from)
}

fn rates_of(measured: &Measured, device: Option<&Device>, cores: u32) -> DiskRates {
    // A rotating disk serves one read at a time. Other disks serve as many as there are processors
    // to ask.
    let turns = device.is_some_and(|it| it.is_rotational && !it.is_virtual());
    let at_once = if turns { 1.0 } else { f64::from(cores) };
    let sequential = measured.write_bytes_per_second.min(measured.read_bytes_per_second);
    DiskRates {
        random_reads_per_second: at_once / measured.cold_read_seconds.max(1e-9),
        random_writes_per_second: measured.random_writes_per_second,
        sequential_bytes_per_second: sequential,
        synced_write_seconds: measured.sync_seconds,
    }
}

/// How a file system of this type writes its metadata.
fn file_system(kind: &str) -> FileSystem {
    match kind {
        "ext2" => FileSystem { has_journal: false, ..FileSystem::default() },
        "xfs" => FileSystem { inode_bytes: 512, ..FileSystem::default() },
        _ => FileSystem::default(),
    }
}
