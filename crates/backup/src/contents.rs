//! Reads a file of a snapshot page by page, and checks each page.

use crate::Error;
use crate::entry::Entry;
use crate::packs::Packs;
use crate::table::{PAGE_BYTES, Place, Table, ZEROS, hash_of};

/// The most pages of one read.
const RUN_PAGES: usize = 256;

/// A stretch of a file.
#[derive(Debug)]
pub(crate) enum Stretch<'a> {
    Bytes(&'a [u8]),
    /// This many zeros.
    Zeros(u64),
}

/// Why a part of a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The offset in the file.
    pub(crate) offset_bytes: u64,
    pub(crate) what: String,
}

/// Passes the content of a file to `take`, from the start to the end, without damaged parts.
/// Returns the damage.
///
/// # Errors
///
/// The error of `take`.
pub(crate) fn read<E>(
    packs: &Packs,
    entry: &Entry,
    mut take: impl FnMut(u64, Stretch<'_>) -> Result<(), E>,
) -> Result<Vec<Damage>, E> {
    let table = match table_of(packs, entry) {
        Ok(table) => table,
        Err(damage) => return Ok(damage.into_iter().collect()),
    };
    let bytes = entry.facts.bytes;
    let mut damage = Vec::new();
    let (mut offset_bytes, mut first) = (0, 0);
    let mut buffer = vec![0; RUN_PAGES * PAGE_BYTES];
    for extent in &table.extents {
        let mut pages = extent.pages as usize;
        let mut place = Place { pack: extent.pack, offset_bytes: extent.offset_bytes };
        while pages > 0 {
            let count = pages.min(RUN_PAGES);
            let run_bytes = ((count * PAGE_BYTES) as u64).min(bytes - offset_bytes);
            let buffer = &mut buffer[..run_bytes as usize];
            let hashes = &table.hashes[first..first + count];
            match extent.pack {
                ZEROS => take(offset_bytes, Stretch::Zeros(run_bytes))?,
                _ => match check(packs, place, hashes, buffer) {
                    Ok(()) => take(offset_bytes, Stretch::Bytes(buffer))?,
                    Err(BadPage { nth, what }) => {
                        let offset_bytes = offset_bytes + (nth * PAGE_BYTES) as u64;
                        damage.push(Damage { offset_bytes, what });
                    }
                },
            }
            (pages, first, offset_bytes) = (pages - count, first + count, offset_bytes + run_bytes);
            place.offset_bytes += run_bytes;
        }
    }
    Ok(damage)
}

/// The table of a file's pages.
///
/// # Errors
/// What is damaged; nothing is where an empty file has no table.
fn table_of(packs: &Packs, entry: &Entry) -> Result<Table, Option<Damage>> {
    let damaged = |what: String| Some(Damage { offset_bytes: 0, what });
    let bytes = entry.facts.bytes;
    let Some(wanted) = entry.table() else {
        return Err(if bytes > 0 { damaged("it has no table".into()) } else { None });
    };
    let table = packs.table(wanted).map_err(|error| damaged(error.to_string()))?;
    match table.hashes.len() as u64 == bytes.div_ceil(PAGE_BYTES as u64) {
        true => Ok(table),
        false => Err(damaged(format!("its table is not one of {bytes} bytes"))),
    }
}

/// A page that is damaged.
struct BadPage {
    /// Its number among those that are read at once.
    nth: usize,
    what: String,
}

/// Reads pages that lie side by side.
///
/// # Errors
/// The first that is damaged.
fn check(packs: &Packs, place: Place, hashes: &[u64], buffer: &mut [u8]) -> Result<(), BadPage> {
    let unread = |error: Error| BadPage { nth: 0, what: error.to_string() };
    packs.read(place, buffer).map_err(unread)?;
    let pages = buffer.chunks(PAGE_BYTES).zip(hashes);
    let bad = pages.enumerate().find(|(_, (page, hash))| hash_of(page) != **hash);
    let Some((nth, _)) = bad else { return Ok(()) };
    let at = place.offset_bytes + (nth * PAGE_BYTES) as u64;
    let path = packs.path(place.pack);
    let what = format!("{}: at byte {at}: expected the page that was copied", path.display());
    Err(BadPage { nth, what })
}
