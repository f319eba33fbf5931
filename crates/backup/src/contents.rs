//! Reads a file of a snapshot page by page, and checks each page.

use crate::entry::Entry;
use crate::packs::Packs;
use crate::table::{PAGE_BYTES, Place, ZEROS, hash_of};

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
    let damaged = |offset_bytes, what: String| vec![Damage { offset_bytes, what }];
    let Some(wanted) = entry.table() else {
        let lost = entry.facts.bytes > 0;
        return Ok(if lost { damaged(0, "it has no table".into()) } else { Vec::new() });
    };
    let table = match packs.table(wanted) {
        Ok(table) => table,
        Err(error) => return Ok(damaged(0, error.to_string())),
    };
    let bytes = entry.facts.bytes;
    if table.hashes.len() as u64 != bytes.div_ceil(PAGE_BYTES as u64) {
        return Ok(damaged(0, format!("its table is not one of {bytes} bytes")));
    }
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
                    Err((page, what)) => {
                        let offset_bytes = offset_bytes + (page * PAGE_BYTES) as u64;
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

/// Reads adjacent pages; returns the index of the first damaged one.
fn check(
    packs: &Packs,
    place: Place,
    hashes: &[u64],
    buffer: &mut [u8],
) -> Result<(), (usize, String)> {
    packs.read(place, buffer).map_err(|error| (0, error.to_string()))?;
    let pages = buffer.chunks(PAGE_BYTES).zip(hashes);
    let bad = pages.enumerate().find(|(_, (page, hash))| hash_of(page) != **hash);
    let Some((nth, _)) = bad else { return Ok(()) };
    let at = place.offset_bytes + (nth * PAGE_BYTES) as u64;
    let path = packs.path(place.pack);
    Err((nth, format!("{}: at byte {at}: expected the page that was copied", path.display())))
}
