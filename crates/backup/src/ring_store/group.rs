//! Copies a group: its two checkpoints, its tiles and its attics, all of one moment.

use std::io;
use std::path::Path;
use std::sync::Arc;

use disk::FileFacts;
use ring::copied::{
    CheckpointFacts, WrittenPages, attic_name, checkpoint_facts, group_of, is_sound_attic_page,
    is_whole_tile, place_names, tiles_name, written_pages,
};

use super::Ring;
use crate::copy::{Fault, Sound, is_zero, newest_table};
use crate::entry::{Entry, OF_STORE};
use crate::steady::{TRIES, is_racy, is_same, open, renewed, wait_before};
use crate::table::{PAGE_BYTES, Table, hashes_of};
use crate::uncached;

/// How often a group that seems damaged is read again.
const TRIES_DAMAGED: u32 = 5;
/// In an undamaged store, the oldest attic is at most this many epochs behind the newest.
const EPOCHS_MAX: u32 = 64;

/// A group that was copied.
#[derive(Debug)]
pub(super) struct Copied {
    pub(super) entries: Vec<Entry>,
    /// Its files when it was copied: the name, and the metadata if the file existed.
    seen: Vec<(String, Option<FileFacts>)>,
    /// Its newest checkpoint includes all records of the log before this position; `None` if no
    /// checkpoint is valid.
    pub(super) position: Option<u64>,
    /// The number of invalid checkpoints, and of pages of tiles and attics that are damaged or
    /// missing in every attempt.
    pub(super) damaged: usize,
    /// The newest start of the log that its checkpoints name.
    pub(super) log_start: u64,
}

impl Copied {
    /// Whether the group has not been written since.
    pub(super) fn is_current(&self, root: &Path) -> bool {
        self.seen.iter().all(|(name, then)| is_as_seen(root, name, then.as_ref()))
    }
}

fn is_as_seen(root: &Path, name: &str, then: Option<&FileFacts>) -> bool {
    match (then, FileFacts::at(&root.join(name))) {
        (Some(then), Ok(now)) => is_same(then, &now),
        (None, Err(error)) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}

fn facts_at(path: &Path) -> Result<Option<FileFacts>, Fault> {
    match FileFacts::at(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        facts => facts.map(Some).map_err(Fault::Source),
    }
}

/// One of the two places for a checkpoint.
struct Place {
    name: String,
    bytes: Vec<u8>,
    says: Option<CheckpointFacts>,
}

impl<'b: 'scope, 'scope> Ring<'_, 'b, 'scope> {
    /// Copies a group; `None` if it no longer exists.
    pub(super) fn copy_group(&mut self, group: u32) -> Result<Option<Copied>, Fault> {
        // Tables of the previous attempt, so that the next one adds no page twice.
        let mut tables: Vec<(String, Table)> = Vec::new();
        for attempt in 0..TRIES {
            wait_before(attempt);
            let Some((seen, places)) = self.look_at_group(group)? else { return Ok(None) };
            let now = self.copier.watch.now();
            let is_young = |facts: &FileFacts| is_racy(facts, now);
            let quiet = !seen.iter().filter_map(|(_, facts)| facts.as_ref()).any(is_young);
            let is_last = attempt + 1 == TRIES;
            if !quiet && !is_last {
                continue;
            }
            let settled = |seen: &[(String, Option<FileFacts>)], root: &Path| {
                quiet && seen.iter().all(|(name, then)| is_as_seen(root, name, then.as_ref()))
            };
            let copied = self.copy_files(&seen, &places, &mut tables, settled)?;
            let torn = places.iter().filter(|place| place.says.is_none()).count();
            if let Some((entries, unsound)) = copied {
                // A write may have begun before the first look and been delayed: then a page is
                // torn although the file's times did not change. Read again, it is whole. Real
                // damage remains.
                let missing = tiles_missing(&seen, &places) + attic_pages_missing(&seen, &places);
                let damaged = torn + unsound + missing;
                if damaged > 0 && attempt < TRIES_DAMAGED {
                    continue;
                }
                let says = || places.iter().filter_map(|place| place.says);
                let position = says().map(|says| says.position).max();
                let log_start = says().map(|says| says.log_start).max().unwrap_or(0);
                return Ok(Some(Copied { entries, seen, position, damaged, log_start }));
            }
            if is_last {
                let path = self.path.join(tiles_name(group));
                self.copier.problem(&path, "written whenever it was read; it is not copied");
            }
        }
        Ok(None)
    }

    /// The metadata of a group's files, and its checkpoints, which tell the attics; `None` if the
    /// group no longer exists.
    #[expect(clippy::type_complexity)] // it is taken apart at once
    fn look_at_group(
        &self,
        group: u32,
    ) -> Result<Option<(Vec<(String, Option<FileFacts>)>, Vec<Place>)>, Fault> {
        let mut seen = Vec::new();
        for name in [tiles_name(group)].into_iter().chain(place_names(group)) {
            let Some(facts) = facts_at(&self.root.join(&name))? else { return Ok(None) };
            seen.push((name, Some(facts)));
        }
        let mut places = Vec::new();
        for (name, facts) in &seen[1..] {
            let bytes = facts.map_or(0, |facts| facts.bytes);
            let bytes = read_whole(&self.root.join(name), bytes).map_err(Fault::Source)?;
            let says = checkpoint_facts(&bytes, group);
            places.push(Place { name: name.clone(), bytes, says });
        }
        let epochs = || places.iter().filter_map(|place| Some(place.says?.attic_epoch));
        if let (Some(oldest), Some(newest)) = (epochs().min(), epochs().max()) {
            // The log may use an attic that no checkpoint names yet.
            for epoch in oldest.max(newest.saturating_sub(EPOCHS_MAX)).. {
                let name = attic_name(group, epoch);
                let facts = facts_at(&self.root.join(&name))?;
                let is_last = epoch > newest && facts.is_none();
                seen.push((name, facts));
                if is_last {
                    break;
                }
            }
        }
        Ok(Some((seen, places)))
    }

    /// Copies the files; `None` if they changed meanwhile.
    fn copy_files(
        &mut self,
        seen: &[(String, Option<FileFacts>)],
        places: &[Place],
        tables: &mut Vec<(String, Table)>,
        settled: impl Fn(&[(String, Option<FileFacts>)], &Path) -> bool,
    ) -> Result<Option<(Vec<Entry>, usize)>, Fault> {
        let (mut entries, mut unsound) = (Vec::new(), 0);
        let mut copied = Vec::new();
        for (name, facts) in seen {
            let Some(facts) = facts else { continue };
            let path = self.path.join(name);
            let known = self.known_of(name);
            let current = known.iter().find(|entry| entry.is_current(facts)).cloned();
            if let Some(entry) = current.filter(|_| !self.copier.read_all) {
                self.copier.report.unchanged += 1;
                let entry = renewed(entry, *facts);
                entries.push(Entry { flags: OF_STORE, ..entry });
                continue;
            }
            let earlier = tables.iter().rposition(|(other, _)| other == name);
            let previous = match earlier {
                Some(nth) => Some(tables.swap_remove(nth).1),
                None => newest_table(self.copier.packs, known),
            };
            let (table, bad) = self.copy_pages(name, facts.bytes, places, previous.as_ref())?;
            unsound += bad;
            copied.push((path, *facts, table));
        }
        if !settled(seen, &self.root) {
            let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into();
            tables.extend(copied.into_iter().map(|(path, _, table)| (name(&path), table)));
            return Ok(None);
        }
        for (path, facts, table) in copied {
            entries.push(self.copier.entry(&path, OF_STORE, facts, &table)?);
        }
        Ok(Some((entries, unsound)))
    }

    /// Copies the pages of a file that are not in its earlier table. Returns the new table, and the
    /// number of damaged pages.
    fn copy_pages(
        &mut self,
        name: &str,
        file_bytes: u64,
        places: &[Place],
        previous: Option<&Table>,
    ) -> Result<(Table, usize), Fault> {
        if let Some(place) = places.iter().find(|place| place.name == name) {
            return Ok((self.add_whole(&place.bytes, previous)?, 0));
        }
        let file = open(&self.root.join(name)).map_err(Fault::Source)?;
        let sound = soundness_of(name, places);
        let (table, _, bad) = self.copier.pages(self.pool, &file, (file_bytes, previous), sound)?;
        Ok((table, bad))
    }

    /// Adds a file that was read already.
    pub(super) fn add_whole(
        &mut self,
        bytes: &[u8],
        previous: Option<&Table>,
    ) -> Result<Table, Fault> {
        let mut table = Table::default();
        self.copier.add_whole(&mut table, previous, bytes, &hashes_of(bytes))?;
        Ok(table)
    }
}

/// The check for damaged pages in a file of a group.
fn soundness_of(name: &str, places: &[Place]) -> Sound {
    let Some(group) = group_of(name) else { return Arc::new(|_, _| true) };
    if name == tiles_name(group) {
        let written = written_tiles(group, places);
        return Arc::new(move |number, page| {
            is_whole_tile(page) && !(is_zero(page) && written.has(number))
        });
    }
    let counted = attic_pages_of(name, places);
    Arc::new(move |number, page| {
        let Some(number) = u32::try_from(number).ok().filter(|number| *number < counted) else {
            return true;
        };
        is_sound_attic_page(page, group, number)
    })
}

/// Which tiles were written, from the newest checkpoint; none if it has an older format.
fn written_tiles(group: u32, places: &[Place]) -> WrittenPages {
    let newest = newest_of(places).and_then(|(place, _)| written_pages(&place.bytes, group));
    newest.unwrap_or_default()
}

/// The newest valid checkpoint and its facts.
fn newest_of(places: &[Place]) -> Option<(&Place, CheckpointFacts)> {
    let whole = places.iter().filter_map(|place| Some((place, place.says?)));
    whole.max_by_key(|(_, says)| says.position)
}

/// The number of written tiles that are missing because the file is too short.
fn tiles_missing(seen: &[(String, Option<FileFacts>)], places: &[Place]) -> usize {
    let tiles = seen.iter().find_map(|(name, facts)| {
        let group = group_of(name).filter(|group| *name == tiles_name(*group))?;
        Some((group, facts.as_ref()?.bytes))
    });
    let Some((group, bytes)) = tiles else { return 0 };
    written_tiles(group, places).count_from(bytes.div_ceil(PAGE_BYTES as u64)) as usize
}

/// The number of valid pages of an attic, from the checkpoints; pages after them may be torn.
fn attic_pages_of(name: &str, places: &[Place]) -> u32 {
    let says = places.iter().filter_map(|place| place.says);
    let of_it = says.filter(|says| {
        group_of(name).is_some_and(|group| attic_name(group, says.attic_epoch) == name)
    });
    of_it.map(|says| says.attic_pages).max().unwrap_or(0)
}

/// The number of attic pages in the newest checkpoint that are missing because the file is too
/// short. An attic that only the older checkpoint names may have been removed.
fn attic_pages_missing(seen: &[(String, Option<FileFacts>)], places: &[Place]) -> usize {
    let Some((_, newest)) = newest_of(places) else { return 0 };
    let is_newest = |name: &str| {
        group_of(name).is_some_and(|group| attic_name(group, newest.attic_epoch) == name)
    };
    let there = seen.iter().find(|(name, _)| is_newest(name)).and_then(|(_, facts)| *facts);
    // A partial page was already checked as it is.
    let pages = there.map_or(0, |facts| facts.bytes.div_ceil(PAGE_BYTES as u64));
    u64::from(newest.attic_pages).saturating_sub(pages) as usize
}

pub(super) fn read_whole(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut read = vec![0; usize::try_from(bytes).map_err(io::Error::other)?];
    let count = uncached::read(&file, &mut read, 0)?;
    read.truncate(count);
    Ok(read)
}
