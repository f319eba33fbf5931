//! A group filled from one of its checkpoints, and from what its attic has beyond that.

use std::path::Path;
use std::sync::Arc;

use disk::{Medium, MediumFile};
use geometry::PAGE_BYTES;
use store::Error;

use super::FileKind;
use crate::attic::{AtticIndex, entries_of};
use crate::checkpoint::{self, CheckpointFault, Stamp};
use crate::group::{Group, Place, SavedRows, Status};

/// What is wrong with one of the two places of a group's checkpoints.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {what}")]
pub(super) struct PlaceFault {
    name: String,
    what: PlaceFaultKind,
}

#[derive(Debug, thiserror::Error)]
enum PlaceFaultKind {
    #[error("there is no such file")]
    Missing,
    #[error("expected {length_bytes} bytes")]
    Short { length_bytes: u64 },
    #[error("{0}")]
    Damaged(CheckpointFault),
}

/// What is wrong with the places of a group's checkpoints, of which none is whole.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.iter().map(PlaceFault::to_string).collect::<Vec<_>>().join("; "))]
pub(super) struct PlaceFaults(Vec<PlaceFault>);

/// What the checkpoints of a group say.
pub(super) struct Checkpoints {
    /// As the newest that is whole has it.
    pub(super) group: Group,
    /// Of those that are whole, as far as was looked.
    pub(super) stamps: Vec<Stamp>,
}

/// What the headers of a group's checkpoints say.
pub(super) struct Headers {
    pub(super) places: [Place; 2],
    pub(super) stamps: Vec<Stamp>,
}

/// The headers of a group's checkpoints, or why there is none.
pub(super) fn read_places<M: Medium>(
    medium: &M,
    group: u32,
) -> Result<Result<Headers, PlaceFaults>, Error> {
    let (mut places, mut stamps, mut faults) = ([Place::default(); 2], Vec::new(), Vec::new());
    for (nth, place) in places.iter_mut().enumerate() {
        match look_at_place(medium, group, nth)? {
            Ok((stamp, _)) => {
                *place = place_of(&stamp);
                stamps.push(stamp);
            }
            Err(fault) => faults.push(fault),
        }
    }
    Ok(if stamps.is_empty() { Err(PlaceFaults(faults)) } else { Ok(Headers { places, stamps }) })
}

/// A group like an empty one, filled from its newest checkpoint that is whole; or why none is.
pub(super) fn read_group<M: Medium>(
    medium: &M,
    empty: &Group,
) -> Result<Result<Checkpoints, PlaceFaults>, Error> {
    let mut found = Vec::new();
    let mut faults = Vec::new();
    for nth in 0..2 {
        match look_at_place(medium, empty.id, nth)? {
            Ok((stamp, bytes)) => found.push((nth, stamp, bytes)),
            Err(fault) => faults.push(fault),
        }
    }
    found.sort_by_key(|(_, stamp, _)| std::cmp::Reverse(stamp.sequence));
    while let Some((nth, stamp, length_bytes)) = found.first().copied() {
        let mut group = empty.emptied();
        group.attic = stamp.attic;
        match fill(medium, &mut group, nth, length_bytes)? {
            Ok(()) => {
                for (nth, stamp, _) in &found {
                    group.places[*nth] = place_of(stamp);
                }
                group.last_record = stamp.position;
                group.attic_oldest = stamp.attic.epoch;
                index_attic(medium, &mut group)?;
                find_attic_pages(medium, &mut group)?;
                let stamps = found.iter().map(|(_, stamp, _)| *stamp).collect();
                return Ok(Ok(Checkpoints { group, stamps }));
            }
            Err(fault) => faults.push(fault),
        }
        found.remove(0);
    }
    Ok(Err(PlaceFaults(faults)))
}

fn place_of(stamp: &Stamp) -> Place {
    let Stamp { sequence, position, log_start, attic } = *stamp;
    Place { sequence, position, log_start, attic_epoch: attic.epoch }
}

/// A checkpoint's stamp and length, or why there is none.
pub(super) fn look_at_place<M: Medium>(
    medium: &M,
    group: u32,
    nth: usize,
) -> Result<Result<(Stamp, u64), PlaceFault>, Error> {
    let name = FileKind::Checkpoint(nth).name(group);
    let io = || Error::io("reading", Path::new(&name));
    let file = match medium.open(&name) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Err(PlaceFault { name, what: PlaceFaultKind::Missing }));
        }
        opened => opened.map_err(io())?,
    };
    // Of the older one no more than this is read; the kernel shall not read it ahead.
    file.advise_random().map_err(io())?;
    let mut header = vec![0; checkpoint::HEADER_BYTES];
    let read = file.read_at(&mut header, 0).map_err(io())?;
    header.truncate(read);
    let stamp = checkpoint::stamp_of(&header, group);
    Ok(stamp.map_err(|fault| PlaceFault { name, what: PlaceFaultKind::Damaged(fault) }))
}

/// Fills a group from one of its places, or says why that cannot be.
fn fill<M: Medium>(
    medium: &M,
    group: &mut Group,
    nth: usize,
    length_bytes: u64,
) -> Result<Result<(), PlaceFault>, Error> {
    let name = FileKind::Checkpoint(nth).name(group.id);
    let io = || Error::io("reading", Path::new(&name));
    let file = medium.open(&name).map_err(io())?;
    if length_bytes > file.len_bytes().map_err(io())? {
        return Ok(Err(PlaceFault { name, what: PlaceFaultKind::Short { length_bytes } }));
    }
    let mut bytes = vec![0; length_bytes as usize];
    file.read_at(&mut bytes, 0).map_err(io())?;
    let filled = checkpoint::check_body(&bytes).and_then(|()| checkpoint::decode(&bytes, group));
    Ok(filled.map_err(|fault| PlaceFault { name, what: PlaceFaultKind::Damaged(fault) }))
}

/// Reads the attic of a checkpoint of an earlier version, which does not say whose rows stand
/// where.
fn index_attic<M: Medium>(medium: &M, group: &mut Group) -> Result<(), Error> {
    if group.attic_index.pages() == group.attic.pages {
        return Ok(());
    }
    let name = FileKind::Attic(group.attic.epoch).name(group.id);
    let io = || Error::io("reading", Path::new(&name));
    let file = match medium.open(&name) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        opened => Some(opened.map_err(io())?),
    };
    let sources = group.geometry.sources();
    let mut index = AtticIndex::default();
    let mut page = vec![0; PAGE_BYTES];
    for number in 0..group.attic.pages {
        page.fill(0);
        if let Some(file) = &file {
            file.read_at(&mut page, u64::from(number) * PAGE_BYTES as u64).map_err(io())?;
        }
        match entries_of(&page, sources, group.id, number) {
            Some(entries) => index.push(entries.iter().map(|entry| entry.member)),
            None => index.push_unreadable(),
        }
    }
    group.attic_index = Arc::new(index);
    Ok(())
}

/// Adds the pages of the attic that came after the checkpoint. Nothing tells whether their sync
/// succeeded, and what can be read may be on no disk: they are written again.
fn find_attic_pages<M: Medium>(medium: &M, group: &mut Group) -> Result<(), Error> {
    let name = FileKind::Attic(group.attic.epoch).name(group.id);
    let io = || Error::io("reading", Path::new(&name));
    let file = match medium.open(&name) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        opened => opened.map_err(io())?,
    };
    let sources = group.geometry.sources();
    let known_pages = group.attic.pages;
    let mut page = vec![0; PAGE_BYTES];
    loop {
        let offset_bytes = u64::from(group.attic.pages) * PAGE_BYTES as u64;
        let read = file.read_at(&mut page, offset_bytes).map_err(io())?;
        let whole = (read == PAGE_BYTES).then_some(&page);
        let entries = whole.and_then(|page| entries_of(page, sources, group.id, group.attic.pages));
        let Some(entries) = entries else { break };
        file.write_at(&page, offset_bytes).map_err(Error::io("writing", Path::new(&name)))?;
        Arc::make_mut(&mut group.attic_index).push(entries.iter().map(|entry| entry.member));
        group.saved_uncounted.extend(entries.iter().map(|entry| SavedRows::of(entry, sources)));
        for entry in entries {
            if let Some(member) = group.members.get_mut(usize::from(entry.member)) {
                member.status.set(Status::ATTIC, true);
            }
        }
        group.attic.pages += 1;
    }
    if group.attic.pages == known_pages {
        return Ok(());
    }
    let synced = file.sync_data().and_then(|()| medium.sync_directory());
    synced.map_err(Error::io("syncing", Path::new(&name)))
}
