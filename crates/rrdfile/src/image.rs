//! Encodes and decodes whole files.

use rrd::Snapshot;

use crate::layout::RowIndex;
use crate::{FormatError, Header, Unwritable, to_native};

/// The bytes of a file with `snapshot`. `newest_rows` has the slot of the newest row for each
/// archive. rrdtool chooses it at random, so that files do not wrap at the same time.
///
/// # Errors
///
/// [`Unwritable`].
///
/// # Panics
///
/// If an archive has another number of rows than its definition.
pub fn encode(snapshot: &Snapshot, newest_rows: Vec<RowIndex>) -> Result<Vec<u8>, Unwritable> {
    let header = Header::new(snapshot.definition.clone(), snapshot.live.clone(), newest_rows);
    let header = header.ok_or(Unwritable::TooLarge)?;
    encode_behind(&header, &snapshot.rows)
}

/// The bytes of a file with this header and these rows, which are in order from the oldest for each
/// archive.
///
/// # Errors
///
/// [`Unwritable`].
///
/// # Panics
///
/// As [`encode`].
pub fn encode_behind(header: &Header, rows: &[Vec<f64>]) -> Result<Vec<u8>, Unwritable> {
    let sources = header.definition.sources.len();
    let mut bytes = header.encode()?;
    let file_bytes =
        usize::try_from(header.layout.file_bytes()).map_err(|_| Unwritable::TooLarge)?;
    bytes.try_reserve_exact(file_bytes - bytes.len()).map_err(|_| Unwritable::TooLarge)?;
    for (rows, newest) in rows.iter().zip(&header.newest_rows) {
        let row_count = rows.len() / sources;
        // The slot after the newest row has the oldest row: rotate so that it comes first.
        let oldest_slot = (newest.0 as usize + 1) % row_count;
        let (tail, head) = rows.split_at((row_count - oldest_slot) * sources);
        for value in head.iter().chain(tail) {
            bytes.extend_from_slice(&value.to_bits().to_le_bytes());
        }
    }
    assert!(bytes.len() as u64 == header.layout.file_bytes());
    Ok(bytes)
}

/// Decodes a whole file of any architecture. The header is that of [the native file](to_native).
///
/// # Errors
///
/// [`FormatError`].
#[expect(clippy::indexing_slicing, reason = "a header that was read fits its file")]
pub fn decode(file: &[u8]) -> Result<(Header, Snapshot), FormatError> {
    let native = to_native(file)?;
    let (header, bytes) = (native.header()?, &native.bytes);
    let mut rows = Vec::with_capacity(header.definition.archives.len());
    for (archive, newest) in header.newest_rows.iter().enumerate() {
        let row_count = header.layout.rows(archive);
        let start = header.layout.row_offset(archive, RowIndex(0)) as usize;
        let size = (row_count * header.layout.row_bytes()) as usize;
        let oldest = newest.advance(1, row_count);
        let split = (oldest.0 * header.layout.row_bytes()) as usize;
        let (head, tail) = bytes[start..start + size].split_at(split);
        rows.push(tail.iter().chain(head).copied().collect::<Vec<u8>>());
    }
    let rows = rows.iter().map(|bytes| values(bytes).collect()).collect();
    let snapshot =
        Snapshot { definition: header.definition.clone(), live: header.live.clone(), rows };
    Ok((header, snapshot))
}

/// The values in the bytes of rows.
pub fn values(bytes: &[u8]) -> impl Iterator<Item = f64> {
    bytes.as_chunks().0.iter().map(|value| f64::from_bits(u64::from_le_bytes(*value)))
}
