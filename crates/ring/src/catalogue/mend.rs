//! A damaged catalogue from what redb keeps of it twice: its head is known, and it has two roots.

use disk::{Medium, MediumFile, MemoryMedium};

use super::backend::{FLAGS, ROOTS};
use super::{Catalogue, CatalogueError, FILE, FILE_IN_MAKING, Meta};

/// The first root is the newer one, and the file is to be checked when it is opened.
const CHECK_FIRST: u8 = 2;
/// Sizes that are the same in every catalogue.
const SIZES: std::ops::Range<usize> = 12..24;

/// Brings a damaged catalogue back as it was at one of its last two commits. Returns whether one of
/// its two roots was whole.
///
/// # Errors
/// [`CatalogueError::Io`].
pub(crate) fn mend<M: Medium<File: 'static>>(medium: &M) -> Result<bool, CatalogueError> {
    let io = |action| move |source| CatalogueError::Io { action, source };
    let file = medium.open(FILE).map_err(io("opening"))?;
    let mut bytes = vec![0; file.len_bytes().map_err(io("measuring"))? as usize];
    let read = file.read_at(&mut bytes, 0).map_err(io("reading"))?;
    bytes.truncate(read);
    let found = candidates(&bytes)?.into_iter().filter_map(|bytes| opened(&bytes));
    let Some(newest) = found.max_by_key(|found| found.applied) else { return Ok(false) };
    let _ = medium.remove(FILE_IN_MAKING); // of an attempt that was interrupted
    let file = medium.create(FILE_IN_MAKING).map_err(io("creating"))?;
    file.write_at(&newest.bytes, 0).map_err(io("writing"))?;
    file.sync_data().map_err(io("syncing"))?;
    medium.rename(FILE_IN_MAKING, FILE).map_err(io("naming"))?;
    medium.sync_directory().map_err(io("syncing"))?;
    Ok(true)
}

/// A catalogue that opens.
struct Opened {
    applied: u64,
    bytes: Vec<u8>,
}

/// The file as it is, and with its head as it should be, one root or the other in both places.
fn candidates(bytes: &[u8]) -> Result<Vec<Vec<u8>>, CatalogueError> {
    let pattern = new_head()?;
    let mut candidates = vec![bytes.to_vec()];
    if bytes.len() < ROOTS[1].end {
        return Ok(candidates);
    }
    for root in ROOTS {
        let mut candidate = bytes.to_vec();
        candidate[..FLAGS].copy_from_slice(&pattern[..FLAGS]);
        candidate[SIZES].copy_from_slice(&pattern[SIZES]);
        candidate[FLAGS] = CHECK_FIRST;
        ROOTS.into_iter().for_each(|place| candidate[place].copy_from_slice(&bytes[root.clone()]));
        candidates.push(candidate);
    }
    Ok(candidates)
}

/// How the head of any catalogue begins.
fn new_head() -> Result<Vec<u8>, CatalogueError> {
    let meta =
        Meta { flush_cycles: 1, tile_rows_max: 1, segment_bytes: 1, block_bytes: 1, segments: 1 };
    let medium = MemoryMedium::default();
    Catalogue::create(&medium, &meta)?.close()?;
    let file = medium.open(FILE).map_err(|source| CatalogueError::Io { action: "opening", source });
    Ok(file?.to_bytes()[..SIZES.end].to_vec())
}

/// Opens a candidate in memory and reads everything in it.
fn opened(bytes: &[u8]) -> Option<Opened> {
    let medium = MemoryMedium::default();
    medium.create(FILE).ok()?.write_at(bytes, 0).ok()?;
    let catalogue = Catalogue::open(&medium).ok()?;
    catalogue.load(|_| ()).ok()?;
    catalogue.names("").ok()?;
    let applied = catalogue.applied().ok()?.0;
    catalogue.close().ok()?;
    Some(Opened { applied, bytes: medium.open(FILE).ok()?.to_bytes() })
}
