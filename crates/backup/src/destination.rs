//! The directory of a backup: its list of snapshots and its lock.

use std::path::{Path, PathBuf};

use disk::{File, Mode};

use crate::Error;
use crate::index::{self, Head, IndexReader, Summary};
use crate::pack;

/// The file that marks a directory as a backup. The process that works on the backup holds a lock
/// on it.
const LOCK_FILE: &str = "gyre-backup";

/// The directory of a backup, locked.
#[derive(Debug)]
pub(crate) struct Destination {
    pub(crate) root: PathBuf,
    _lock: File,
}

/// The numbers of the files in a backup, each list sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) snapshots: Vec<u32>,
    /// Unfinished indexes of killed runs.
    pub(crate) parts: Vec<u32>,
    pub(crate) packs: Vec<u32>,
}

/// A snapshot of a backup.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Its number.
    pub number: u32,
    /// When the run began, in seconds since 1970.
    pub begun_seconds: i64,
    /// When the run ended.
    pub ended_seconds: i64,
    /// The path of the source.
    pub source: PathBuf,
    /// Whether it needs no earlier pack.
    pub full: bool,
    /// The number of files.
    pub files: u64,
    /// The bytes of all files.
    pub bytes: u64,
    /// The bytes added to the backup.
    pub added_bytes: u64,
}

/// Whether a directory is a backup.
#[must_use]
pub fn is_backup(root: &Path) -> bool {
    File::identity_of(&root.join(LOCK_FILE)).is_ok()
}

impl Destination {
    /// Locks a backup for writing. A missing or empty directory becomes a backup.
    pub(crate) fn open_or_create(root: &Path) -> Result<Self, Error> {
        disk::create_directory(root).map_err(Error::io("creating", root))?;
        if !is_backup(root) {
            let names = disk::names_in(root).map_err(Error::io("listing", root))?;
            if !names.is_empty() {
                let root = root.display();
                let words = format!("{root}: expected a backup or an empty directory");
                return Err(Error::Refused(words));
            }
            let path = root.join(LOCK_FILE);
            File::create(&path).map_err(Error::io("creating", &path))?;
        }
        Self::locked(root, Mode::Update)
    }

    /// Locks a backup for reading, so that no snapshot is removed meanwhile.
    pub(crate) fn open(root: &Path) -> Result<Self, Error> {
        if is_backup(root) {
            return Self::locked(root, Mode::Read);
        }
        Err(Error::Refused(format!("{}: expected a backup, found none", root.display())))
    }

    fn locked(root: &Path, mode: Mode) -> Result<Self, Error> {
        let path = root.join(LOCK_FILE);
        let lock = File::open(&path, mode).map_err(Error::io("opening", &path))?;
        if lock.try_lock(mode).map_err(Error::io("locking", &path))? {
            return Ok(Self { root: root.to_path_buf(), _lock: lock });
        }
        let words = "another process is working on this backup";
        Err(Error::Refused(format!("{}: {words}", root.display())))
    }

    pub(crate) fn numbers(&self) -> Result<Numbers, Error> {
        numbers(&self.root)
    }

    /// The requested snapshot, or the newest.
    pub(crate) fn choose(&self, wanted: Option<u32>) -> Result<u32, Error> {
        let there = self.numbers()?.snapshots;
        let found = match wanted {
            Some(number) => there.contains(&number).then_some(number),
            None => there.last().copied(),
        };
        let what = wanted.map_or("a snapshot".into(), |number| format!("snapshot {number}"));
        let words = || format!("{}: expected {what}, found none", self.root.display());
        found.ok_or_else(|| Error::Refused(words()))
    }

    /// Removes all snapshots except the newest `count`, then packs that no snapshot needs. Returns
    /// the numbers of the removed snapshots.
    pub(crate) fn keep(&self, count: usize) -> Result<Vec<u32>, Error> {
        let there = self.numbers()?.snapshots;
        let (gone, kept) = there.split_at(there.len().saturating_sub(count.max(1)));
        let mut oldest = kept.first().copied().unwrap_or(0);
        for number in kept {
            let needed = IndexReader::open(&self.root, *number)?.summary()?.oldest_pack;
            if needed != 0 {
                oldest = oldest.min(needed);
            }
        }
        for number in gone {
            self.remove(&index::name_of(*number))?;
        }
        // Packs may be removed only after the removal of the indexes that need them is on disk.
        disk::sync_directory(&self.root).map_err(Error::io("syncing", &self.root))?;
        for number in self.numbers()?.packs.into_iter().filter(|number| *number < oldest) {
            self.remove(&pack::name_of(number))?;
        }
        Ok(gone.to_vec())
    }

    /// Removes the unfinished indexes of killed runs: a complete snapshot has all useful parts of
    /// them.
    pub(crate) fn remove_parts(&self) -> Result<(), Error> {
        for number in self.numbers()?.parts {
            self.remove(&index::part_name(number))?;
        }
        Ok(())
    }

    /// Removes the files that a run with this number wrote, to free disk space.
    pub(crate) fn abandon(&self, number: u32) {
        let _ = self.remove(&index::part_name(number));
        let _ = self.remove(&pack::name_of(number));
    }

    fn remove(&self, name: &str) -> Result<(), Error> {
        let path = self.root.join(name);
        disk::remove_file(&path).map_err(Error::io("removing", &path))
    }
}

impl Numbers {
    /// An unused number.
    pub(crate) fn next(&self) -> u32 {
        let all = self.snapshots.iter().chain(&self.parts).chain(&self.packs);
        all.max().map_or(1, |last| last + 1)
    }
}

fn numbers(root: &Path) -> Result<Numbers, Error> {
    let names = disk::names_in(root).map_err(Error::io("listing", root))?;
    let of = |extension| {
        let numbers = names.iter().filter_map(|(name, _)| index::number_of(name, extension));
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers
    };
    Ok(Numbers { snapshots: of("index"), parts: of("part"), packs: of("pack") })
}

/// The snapshots of a backup, oldest first. A damaged index appears as an error.
///
/// # Errors
///
/// The directory is not a backup; those of the machine.
pub fn list(root: &Path) -> Result<Vec<Result<Snapshot, Error>>, Error> {
    if !is_backup(root) {
        return Err(Error::Refused(format!("{}: expected a backup, found none", root.display())));
    }
    let snapshot = |number| {
        let reader = IndexReader::open(root, number)?;
        let summary = reader.summary()?;
        Ok(snapshot_of(reader.head(), &summary, reader.file_bytes()))
    };
    Ok(numbers(root)?.snapshots.into_iter().map(snapshot).collect())
}

fn snapshot_of(head: &Head, summary: &Summary, index_bytes: u64) -> Snapshot {
    Snapshot {
        number: head.number,
        begun_seconds: head.begun_seconds,
        ended_seconds: summary.ended_seconds,
        source: head.source.clone().into(),
        full: head.full,
        files: summary.files,
        bytes: summary.bytes,
        added_bytes: summary.added_bytes + index_bytes,
    }
}
