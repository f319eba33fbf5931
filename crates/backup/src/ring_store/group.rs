//! A group: its two checkpoints, its tiles, its attic, all of one moment.

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

/// How often a group is read once more that seems damaged.
const TRIES_DAMAGED: u32 = 5;
/// No attic of a sound store is so far behind.
const EPOCHS_MAX: u32 = 64;

/// A group as it was copied.
#[derive(Debug)]
pub(super) struct Copied {
    pub(super) entries: Vec<Entry>,
    /// What was to be seen of its files: name, and facts if there was one.
    seen: Vec<(String, Option<FileFacts>)>,
    /// Records of the log before it are in its newest checkpoint; `None` if there is no whole one.
    pub(super) position: Option<u64>,
    /// Places without a whole checkpoint, and pages of tiles and attics that are not whole or not
    /// there, however often they were read.
    pub(super) damaged: usize,
    /// What its checkpoints say of the others.
    pub(super) log_start: u64,
}

impl Copied {
    /// Whether nobody has written it since.
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

/// A place of a checkpoint.
struct Place {
    name: String,
    bytes: Vec<u8>,
    says: Option<CheckpointFacts>,
}

impl<'b: 'scope, 'scope> Ring<'_, 'b, 'scope> {
    /// Copies a group; `None` if it is gone.
    pub(super) fn copy_group(&mut self, group: u32) -> Result<Option<Copied>, Fault> {
        // What the try before copied; the next one adds no page twice.
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
                // A write that began before the first look and was held up leaves a torn page
                // behind times that say nothing; read once more it is whole. What is damaged stays
                // so.
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

    /// What is to be seen of a group's files, and its checkpoints, which tell what attics there
    /// are; `None` if it is gone.
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
            // An attic that no checkpoint names yet may be counted by the log.
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

    /// Copies what was seen; `None` if it is no longer so.
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

    /// Copies the pages of one file that its table of an earlier copy does not have. Gives the new
    /// table, and how many pages are unsound.
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

    /// Adds what was read already.
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

/// Which pages of a group's tiles or of one of its attics are sound.
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

/// Tiles that were written, as the newest checkpoint says; none if it is of an earlier version.
fn written_tiles(group: u32, places: &[Place]) -> WrittenPages {
    let newest = newest_of(places).and_then(|(place, _)| written_pages(&place.bytes, group));
    newest.unwrap_or_default()
}

/// The newest checkpoint that is whole, and what it says.
fn newest_of(places: &[Place]) -> Option<(&Place, CheckpointFacts)> {
    let whole = places.iter().filter_map(|place| Some((place, place.says?)));
    whole.max_by_key(|(_, says)| says.position)
}

/// Tiles that were written and that their file is too short for.
fn tiles_missing(seen: &[(String, Option<FileFacts>)], places: &[Place]) -> usize {
    let tiles = seen.iter().find_map(|(name, facts)| {
        let group = group_of(name).filter(|group| *name == tiles_name(*group))?;
        Some((group, facts.as_ref()?.bytes))
    });
    let Some((group, bytes)) = tiles else { return 0 };
    written_tiles(group, places).count_from(bytes.div_ceil(PAGE_BYTES as u64)) as usize
}

/// Pages of an attic that its group's checkpoints count; what stands behind them may be torn.
fn attic_pages_of(name: &str, places: &[Place]) -> u32 {
    let says = places.iter().filter_map(|place| place.says);
    let of_it = says.filter(|says| {
        group_of(name).is_some_and(|group| attic_name(group, says.attic_epoch) == name)
    });
    of_it.map(|says| says.attic_pages).max().unwrap_or(0)
}

/// Pages that the newest checkpoint counts and its attic is too short for. One that an older
/// checkpoint alone names may be removed already.
fn attic_pages_missing(seen: &[(String, Option<FileFacts>)], places: &[Place]) -> usize {
    let Some((_, newest)) = newest_of(places) else { return 0 };
    let is_newest = |name: &str| {
        group_of(name).is_some_and(|group| attic_name(group, newest.attic_epoch) == name)
    };
    let there = seen.iter().find(|(name, _)| is_newest(name)).and_then(|(_, facts)| *facts);
    // A page of which a part is there was looked at as it is.
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
