//! A ring store, copied while a process has it open and goes on measuring.
//!
//! The process that has the store open does not wait for the copier. The copier copies each group,
//! and copies it again if it was written meanwhile. Then it copies the catalogue, then the log. A
//! process that opens the copy replays the log, which brings all groups to one moment.
//! [`ring::copied`] tells what must hold between groups, catalogue and log. The copier repeats the
//! copies that do not meet these conditions. A store flushes a group once in many cycles, so one
//! round is nearly always enough.
//!
//! The copier holds a shared lock on the catalogue. While that lock is held, the process that has
//! the store open frees no part of its log and waits a little between two commits. Without the lock
//! a copy would be correct, too, but might never end if groups are flushed faster than they are
//! copied. The log is not kept forever: if a copier is stopped for long, records that some groups
//! need are freed, and it copies these groups again.

mod group;
mod log;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{File, FileFacts, FileKind, Mode};
use journal::{is_note, is_outline, is_segment};
use ring::copied::{CATALOGUE, group_of, tiles_name};

use crate::Error;
use crate::copy::{Copier, Fault, newest_table};
use crate::entry::{Entry, OF_STORE, PROGRESS, UNSETTLED};
use crate::pool::Pool;
use crate::previous::Known;
use crate::steady::{TRIES, is_quiet, is_same, open, wait_before};
use crate::table::Table;
use group::Copied;
use log::LogCopy;

/// How often to copy groups again that were flushed twice before all was copied.
const ROUNDS: u32 = 40;

/// Copies the ring store in a directory, whose entry is in the index already.
pub(crate) fn copy<'b: 'scope, 'scope>(
    copier: &mut Copier<'b>,
    pool: &Pool<'scope>,
    path: &Path,
    known: HashMap<OsString, Known>,
) -> Result<(), Error> {
    copier.report.stores += 1;
    let root = copier.source.join(path);
    // The process that has the store open sees this lock, and frees no part of its log meanwhile.
    let held = File::open(&root.join(CATALOGUE), Mode::Read);
    let _held = held.and_then(|file| file.try_lock(Mode::Read).map(|_| file));
    let groups = BTreeMap::new();
    let mut ring = Ring { copier, pool, path, root, known, groups, catalogue: None };
    match ring.copy() {
        Err(Fault::Source(error)) => {
            copier.problem(path, error);
            Ok(())
        }
        Err(Fault::Run(error)) => Err(error),
        Ok(()) => Ok(()),
    }
}

/// A store that is being copied.
struct Ring<'a, 'b, 'scope> {
    copier: &'a mut Copier<'b>,
    pool: &'a Pool<'scope>,
    /// The path below the source.
    path: &'a Path,
    root: PathBuf,
    known: HashMap<OsString, Known>,
    groups: BTreeMap<u32, Copied>,
    catalogue: Option<Catalogue>,
}

/// A copy of the catalogue.
struct Catalogue {
    facts: FileFacts,
    table: Table,
    settled: bool,
}

impl<'b: 'scope, 'scope> Ring<'_, 'b, 'scope> {
    fn copy(&mut self) -> Result<(), Fault> {
        for round in 0..ROUNDS {
            wait_before(round);
            self.copy_groups()?;
            let is_last = round + 1 == ROUNDS;
            let Some(log) = self.copy_catalogue_and_log(is_last)? else { continue };
            let outdated = self.outdated(&log);
            if outdated.is_empty() && self.reaches_back(&log) || is_last {
                if outdated.is_empty() && !self.reaches_back(&log) {
                    let words = "freed more often than it could be copied; the copy is not whole";
                    self.copier.problem(&self.path.join("the log"), words);
                }
                for group in outdated {
                    let name = tiles_name(group);
                    let words = "flushed more often than it could be copied; the copy is not whole";
                    self.copier.problem(&self.path.join(name), words);
                }
                return self.finish(&log);
            }
            self.groups.retain(|group, _| !outdated.contains(group));
        }
        unreachable!("the last round returns")
    }

    /// Copies the groups that are not copied yet.
    fn copy_groups(&mut self) -> Result<(), Fault> {
        let there = self.groups_there()?;
        // A group that lost its last database is removed, and the present catalogue does not have
        // it.
        self.groups.retain(|group, _| there.contains(group));
        for group in there {
            if self.groups.contains_key(&group) {
                continue;
            }
            if let Some(copied) = self.copy_group(group)? {
                for entry in &copied.entries {
                    let flags = entry.flags | PROGRESS;
                    self.copier.put(&Entry { flags, ..entry.clone() })?;
                }
                self.groups.insert(group, copied);
            }
        }
        Ok(())
    }

    fn groups_there(&self) -> Result<Vec<u32>, Fault> {
        let names = disk::names_in(&self.root).map_err(Fault::Source)?;
        let names = names.iter().filter_map(|(name, _)| name.to_str());
        let groups = names.filter(|name| name.ends_with(".tiles")).filter_map(group_of);
        Ok(groups.collect())
    }

    /// Copies the catalogue, then the log; `None` if there are new groups, which must be copied
    /// first.
    fn copy_catalogue_and_log(&mut self, is_last: bool) -> Result<Option<LogCopy>, Fault> {
        let mut log = LogCopy::default();
        for attempt in 0..TRIES {
            wait_before(attempt);
            self.copy_catalogue()?;
            if !is_last && self.groups_there()?.iter().any(|group| !self.groups.contains_key(group))
            {
                return Ok(None);
            }
            let log_start = self.log_start();
            self.copy_log(log_start, &mut log)?;
            if log.is_whole && self.catalogue_is_current() {
                return Ok(Some(log));
            }
        }
        if is_last {
            let words = "committed or written more often than it could be copied";
            self.copier.problem(&self.path.join(CATALOGUE), words);
        }
        Ok(is_last.then_some(log))
    }

    fn copy_catalogue(&mut self) -> Result<(), Fault> {
        let path = self.root.join(CATALOGUE);
        for attempt in 0..TRIES {
            wait_before(attempt);
            let before = FileFacts::at(&path).map_err(Fault::Source)?;
            if self.catalogue.as_ref().is_some_and(|copied| is_same(&copied.facts, &before)) {
                return Ok(());
            }
            let file = open(&path).map_err(Fault::Source)?;
            let quiet = is_quiet(&file, &before, self.copier.watch.now());
            if !quiet && attempt + 1 < TRIES {
                continue;
            }
            let previous = match self.catalogue.take() {
                Some(copied) => Some(copied.table),
                None => newest_table(self.copier.packs, self.known_of(CATALOGUE)),
            };
            let extent = (before.bytes, previous.as_ref());
            let (table, bytes, _) =
                self.copier.pages(self.pool, &file, extent, Arc::new(|_, _| true))?;
            let after = FileFacts::at(&path).map_err(Fault::Source)?;
            let settled = quiet && is_same(&before, &after) && bytes == before.bytes;
            self.catalogue =
                Some(Catalogue { facts: FileFacts { bytes, ..before }, table, settled });
            if settled {
                return Ok(());
            }
        }
        Ok(())
    }

    fn catalogue_is_current(&self) -> bool {
        let now = FileFacts::at(&self.root.join(CATALOGUE));
        let same = |copied: &Catalogue| {
            copied.settled && now.as_ref().is_ok_and(|now| is_same(&copied.facts, now))
        };
        self.catalogue.as_ref().is_some_and(same)
    }

    /// The newest start of the log in any checkpoint.
    fn log_start(&self) -> u64 {
        self.groups.values().map(|group| group.log_start).max().unwrap_or(0)
    }

    /// Groups that need records which the copied log may lack.
    fn outdated(&self, log: &LogCopy) -> Vec<u32> {
        let (log_start, reaches_back) = (self.log_start(), self.reaches_back(log));
        let is_outdated = |(group, copied): (&u32, &Copied)| {
            let behind = copied.position.is_none_or(|position| position < log_start);
            let suspect = behind || !reaches_back;
            (suspect && !copied.is_current(&self.root)).then_some(*group)
        };
        self.groups.iter().filter_map(is_outdated).collect()
    }

    fn reaches_back(&self, log: &LogCopy) -> bool {
        log.first.is_none_or(|first| first <= self.log_start())
    }

    /// Adds the entries to the snapshot.
    fn finish(&mut self, log: &LogCopy) -> Result<(), Fault> {
        self.copy_others()?;
        let catalogue = self.catalogue.take();
        if let Some(Catalogue { facts, table, settled }) = catalogue {
            let flags = OF_STORE | if settled { 0 } else { UNSETTLED };
            let entry = self.copier.entry(&self.path.join(CATALOGUE), flags, facts, &table)?;
            self.copier.put(&entry)?;
        }
        for (group, copied) in std::mem::take(&mut self.groups) {
            if copied.damaged > 0 {
                let words =
                    format!("{} pages or checkpoints are damaged; copied as is", copied.damaged);
                self.copier.problem(&self.path.join(tiles_name(group)), words);
            }
            copied.entries.iter().try_for_each(|entry| self.copier.put(entry))?;
        }
        log.entries().try_for_each(|entry| self.copier.put(entry))?;
        Ok(())
    }

    /// Copies the other files of the directory, such as the store's lock.
    fn copy_others(&mut self) -> Result<(), Fault> {
        let names = disk::names_in(&self.root).map_err(Fault::Source)?;
        for (name, kind) in names {
            let text = name.to_str().unwrap_or_default();
            let is_log = is_segment(text) || is_note(text) || is_outline(text);
            if group_of(text).is_some() || is_log || text == CATALOGUE {
                continue;
            }
            if kind == FileKind::Socket {
                continue; // the process that has the store open answers others there
            }
            let path = self.path.join(&name);
            if kind != FileKind::Regular {
                self.copier.problem(&path, "in the directory of a store only files are copied");
                continue;
            }
            let known = self.known.remove(path.as_os_str()).unwrap_or_default();
            let looked = self.copier.look_at(self.pool, &path, known).wait();
            if let Some(entry) = self.copier.take(self.pool, &path, looked, OF_STORE)? {
                self.copier.put(&entry)?;
            }
        }
        Ok(())
    }

    fn known_of(&self, name: &str) -> &Known {
        static NOTHING: Known = Vec::new();
        self.known.get(self.path.join(name).as_os_str()).unwrap_or(&NOTHING)
    }
}
