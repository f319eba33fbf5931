//! New `.rrd` files, empty or from a snapshot.

use std::io;
use std::path::Path;

use disk::Durability;
use rrd::{Definition, LiveState, Snapshot, Timestamp, UNKNOWN};
use rrdfile::layout::RowIndex;

use crate::Error;

/// What to do with a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Put the new one in its place.
    Replace,
    /// Leave it and fail.
    Keep,
}

/// Makes a file that has seen no update since `start`, all its rows unknown.
///
/// The file appears under its name whole and with all its space taken.
///
/// # Errors
/// [`Error::Exists`], [`Error::TooLarge`], [`Error::Io`].
pub fn create(
    path: &Path,
    definition: &Definition,
    start: Timestamp,
    existing: Existing,
) -> Result<(), Error> {
    let sources = definition.sources.len();
    let empty = |rows: u64| Some(vec![UNKNOWN; usize::try_from(rows).ok()?.checked_mul(sources)?]);
    let rows = definition.archives.iter().map(|archive| empty(archive.rows));
    let rows = rows.collect::<Option<_>>().ok_or_else(|| Error::TooLarge(path.into()))?;
    let live = LiveState::fresh(definition, start);
    restore(path, &Snapshot { definition: definition.clone(), live, rows }, existing)
}

/// Makes a file from a snapshot.
///
/// # Errors
/// [`Error::Exists`], [`Error::TooLarge`], [`Error::Io`].
pub fn restore(path: &Path, snapshot: &Snapshot, existing: Existing) -> Result<(), Error> {
    write(path, snapshot, existing, Durability::Synced)
}

/// As [`restore`], in place of what is there, but leaves it to the kernel when the file reaches the
/// disk: thousands of new files then cost no thousands of waits. For what can be made again, since a
/// power cut may leave damaged files.
///
/// # Errors
/// [`Error::TooLarge`], [`Error::Io`].
pub fn restore_cached(path: &Path, snapshot: &Snapshot) -> Result<(), Error> {
    write(path, snapshot, Existing::Replace, Durability::Cached)
}

fn write(
    path: &Path,
    snapshot: &Snapshot,
    existing: Existing,
    durability: Durability,
) -> Result<(), Error> {
    let archives = snapshot.definition.archives.iter();
    let newest_rows = archives.map(|archive| RowIndex(random() % archive.rows)).collect();
    let bytes =
        rrdfile::encode(snapshot, newest_rows).ok_or_else(|| Error::TooLarge(path.into()))?;
    let written = match existing {
        Existing::Replace => disk::replace(path, &[&bytes], durability),
        Existing::Keep => disk::create_new(path, &[&bytes], durability),
    };
    written.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => Error::Exists(path.into()),
        _ => Error::Io { action: "creating", path: path.into(), source },
    })
}

/// A number for the first row of a ring: rings of many files should not wrap all at once.
fn random() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(())
}
