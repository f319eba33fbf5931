//! New `.rrd` files, empty or from a snapshot.

use std::io;
use std::path::Path;

use disk::{Durability, GoesOn};
use rrd::{Definition, LiveState, Snapshot, Timestamp, UNKNOWN};
use rrdfile::Header;
use rrdfile::layout::RowIndex;

use store::{Error, Existing};

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
    create_with(path, definition, start, existing, Durability::Synced)
}

/// The same, where it is said what the file survives.
///
/// # Errors
/// As [`create`].
pub fn create_with(
    path: &Path,
    definition: &Definition,
    start: Timestamp,
    existing: Existing,
    durability: Durability,
) -> Result<(), Error> {
    create_while(path, definition, start, existing, durability, &|| true)
}

/// The same, as long as `goes_on` says so: a large file takes minutes to write.
///
/// # Errors
/// As [`create`]; [`Error::Io`] where it was given up, and then nothing is left of it.
pub fn create_while(
    path: &Path,
    definition: &Definition,
    start: Timestamp,
    existing: Existing,
    durability: Durability,
    goes_on: GoesOn<'_>,
) -> Result<(), Error> {
    let too_large = || Error::TooLarge(path.into());
    definition.check_files_can_say().map_err(Error::unwritable(path))?;
    let live = LiveState::fresh(definition, start);
    let header = Header::new(definition.clone(), live, newest_rows(definition));
    let header = header.ok_or_else(too_large)?;
    check_disk(path, header.layout.file_bytes())?;
    let mut head = header.encode().map_err(Error::unwritable(path))?;
    let file_bytes = usize::try_from(header.layout.file_bytes()).map_err(|_| too_large())?;
    // Up to a whole piece, so that the pieces that follow are those of the file.
    let piece = &UNKNOWN_PIECE[..];
    let whole_bytes = head.len().next_multiple_of(piece.len()).min(file_bytes);
    head.extend_from_slice(&piece[..whole_bytes.saturating_sub(head.len())]);
    let rest = file_bytes.saturating_sub(head.len());
    let pieces = std::iter::repeat_n(piece, rest / piece.len());
    let last = &piece[..rest % piece.len()];
    put(path, std::iter::once(&head[..]).chain(pieces).chain([last]), existing, durability, goes_on)
}

/// Refuses a file that the disk has no room for.
fn check_disk(path: &Path, file_bytes: u64) -> Result<(), Error> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let checked = disk::check_room(directory.unwrap_or(Path::new(".")), file_bytes);
    checked.map_err(Error::io("creating", path))
}

/// A piece of unknown values. The head of a file is a multiple of a value's size.
static UNKNOWN_PIECE: [u8; disk::PIECE_BYTES] = unknown_piece();

const fn unknown_piece() -> [u8; disk::PIECE_BYTES] {
    let value = UNKNOWN.to_le_bytes();
    let mut piece = [0; disk::PIECE_BYTES];
    let mut at = 0;
    while at < piece.len() {
        piece[at] = value[at % value.len()];
        at += 1;
    }
    piece
}

/// Makes a file from a snapshot.
///
/// # Errors
/// [`Error::Exists`], [`Error::TooLarge`], [`Error::Io`].
pub fn restore(path: &Path, snapshot: &Snapshot, existing: Existing) -> Result<(), Error> {
    restore_with(path, snapshot, existing, Durability::Synced)
}

/// As [`restore`], in place of what is there, but leaves it to the kernel when the file reaches the
/// disk: thousands of new files then cost no thousands of waits. For what can be made again, since
/// a power cut may leave damaged files.
///
/// # Errors
/// [`Error::TooLarge`], [`Error::Io`].
pub fn restore_cached(path: &Path, snapshot: &Snapshot) -> Result<(), Error> {
    restore_with(path, snapshot, Existing::Replace, Durability::Cached)
}

/// As [`restore`], where it is said what the file survives.
///
/// # Errors
/// As [`restore`].
pub fn restore_with(
    path: &Path,
    snapshot: &Snapshot,
    existing: Existing,
    durability: Durability,
) -> Result<(), Error> {
    let bytes = rrdfile::encode(snapshot, newest_rows(&snapshot.definition));
    let bytes = bytes.map_err(Error::unwritable(path))?;
    put(path, [&bytes[..]], existing, durability, &|| true)
}

/// Makes a file of this header and these rows, of each archive the oldest first, in place of what
/// is there.
///
/// # Errors
/// [`Error::TooLarge`], [`Error::Io`].
pub fn write_file(path: &Path, header: &Header, rows: &[Vec<f64>]) -> Result<(), Error> {
    let bytes = rrdfile::encode_behind(header, rows).map_err(Error::unwritable(path))?;
    put(path, [&bytes[..]], Existing::Replace, Durability::Synced, &|| true)
}

fn newest_rows(definition: &Definition) -> Vec<RowIndex> {
    definition.archives.iter().map(|archive| RowIndex(random() % archive.rows)).collect()
}

fn put<'a>(
    path: &Path,
    parts: impl IntoIterator<Item = &'a [u8]>,
    existing: Existing,
    durability: Durability,
    goes_on: GoesOn<'_>,
) -> Result<(), Error> {
    let written = match existing {
        Existing::Replace => disk::replace_while(path, parts, durability, goes_on),
        Existing::Keep => disk::create_while(path, parts, durability, goes_on),
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
