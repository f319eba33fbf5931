//! A tile: one page with the rows of one block and column.
//!
//! ```text
//!   0      8   magic      "gyretile"
//!   8      4   CRC-32 of all that follows, to the end of the page
//!   12     4   group
//!   16     8   block, the absolute number of the K rows that it holds
//!   24     4   shape
//!   28     4   column
//!   32    32   zeros
//!   64         row slot 0: S databases x D values, then row slot 1, up to K
//!              a value is a double; one that was never written is unknown
//! ```
//!
//! All numbers are little-endian. A page of zeros was never written, unless the group knows that it
//! was ([`WrittenTiles`](super::written::WrittenTiles)).

use rrd::UNKNOWN;

use geometry::{PAGE_BYTES, TILE_HEADER_BYTES};

const MAGIC: &[u8; 8] = b"gyretile";
const CRC: std::ops::Range<usize> = 8..12;

/// Which tile a page is, but for its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TilePlace {
    pub(crate) group: u32,
    pub(crate) shape: u32,
    pub(crate) column: u32,
}

/// What is wrong with a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TileFault {
    /// Zeros, where a tile was written.
    #[error("expected the tile that was written, found zeros")]
    Zeros,
    /// Neither a tile nor zeros.
    #[error("expected a tile, found something else")]
    Foreign,
    /// The checksum does not hold.
    #[error("expected checksum {expected:08x}, found {found:08x}")]
    Checksum {
        /// What the bytes add up to.
        expected: u32,
        /// What the header says.
        found: u32,
    },
    /// A whole tile, but of another place.
    #[error("expected a tile of group {}, shape {}, column {}, found one of {}, {}, {}",
        .expected.group, .expected.shape, .expected.column, .found.group, .found.shape, .found.column)]
    Misplaced {
        /// The place.
        expected: TilePlace,
        /// What the tile says.
        found: TilePlace,
    },
}

/// A page all whose values are unknown, without a header.
pub(crate) static UNKNOWN_PAGE: &[u8; PAGE_BYTES] = &unknown_page();

const fn unknown_page() -> [u8; PAGE_BYTES] {
    let value = UNKNOWN.to_le_bytes();
    let mut page = [0; PAGE_BYTES];
    let mut at = TILE_HEADER_BYTES;
    while at < page.len() {
        page[at] = value[at % value.len()];
        at += 1;
    }
    page
}

/// Writes the values of one row of one database into a page.
pub(crate) fn put(page: &mut [u8; PAGE_BYTES], offset_bytes: usize, values: &[f64]) {
    let room = &mut page[offset_bytes..][..values.len() * 8];
    for (room, value) in room.as_chunks_mut().0.iter_mut().zip(values) {
        *room = value.to_bits().to_le_bytes();
    }
}

/// Writes the header of a page, now that its rows stand.
pub(crate) fn seal(page: &mut [u8; PAGE_BYTES], place: TilePlace, block: i64) {
    page[..8].copy_from_slice(MAGIC);
    page[12..16].copy_from_slice(&place.group.to_le_bytes());
    page[16..24].copy_from_slice(&block.to_le_bytes());
    page[24..28].copy_from_slice(&place.shape.to_le_bytes());
    page[28..32].copy_from_slice(&place.column.to_le_bytes());
    let crc = crc32fast::hash(&page[CRC.end..]);
    page[CRC].copy_from_slice(&crc.to_le_bytes());
}

/// A page of rows in memory.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Page(Box<[u8; PAGE_BYTES]>);

impl Page {
    /// A page all whose values are unknown.
    pub(crate) fn unknown() -> Self {
        Self(Box::new(*UNKNOWN_PAGE))
    }

    /// A page that begins with these row slots; those behind them are unknown, and those that are
    /// not there.
    pub(crate) fn of_slots<'s>(
        slots: impl Iterator<Item = Option<&'s [u8]>>,
        slot_bytes: usize,
    ) -> Self {
        let mut page = Self::unknown();
        let rooms = page.0[TILE_HEADER_BYTES..].chunks_exact_mut(slot_bytes);
        for (room, slot) in rooms.zip(slots) {
            slot.iter().for_each(|slot| room.copy_from_slice(slot));
        }
        page
    }

    /// The page of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        Some(Self(Box::new(bytes.try_into().ok()?)))
    }

    pub(crate) fn bytes(&self) -> &[u8; PAGE_BYTES] {
        &self.0
    }

    /// What stands behind the head.
    pub(crate) fn slots(&self) -> &[u8] {
        &self.0[TILE_HEADER_BYTES..]
    }

    /// Writes the values of one row of one database.
    pub(crate) fn put(&mut self, offset_bytes: usize, values: &[f64]) {
        put(&mut self.0, offset_bytes, values);
    }

    /// Writes the header, now that the rows stand.
    pub(crate) fn seal(&mut self, place: TilePlace, block: i64) {
        seal(&mut self.0, place, block);
    }
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Page")
    }
}

/// Whether a page is a whole tile, of whatever place, or was never written.
pub(crate) fn is_whole(page: &[u8]) -> bool {
    let crc = page.get(CRC).and_then(|crc| Some(u32::from_le_bytes(crc.try_into().ok()?)));
    match page.get(..8) {
        Some(magic) if magic == MAGIC => crc == page.get(CRC.end..).map(crc32fast::hash),
        _ => page.iter().all(|byte| *byte == 0),
    }
}

/// The block that the head of a page names, be the page whole or not; `None` if it is not the head
/// of a tile of this place.
pub(crate) fn block_of_head(page: &[u8], place: TilePlace) -> Option<i64> {
    let found = (number_at(page, 12), number_at(page, 24), number_at(page, 28));
    let is_tile = page[..8] == MAGIC[..] && found == (place.group, place.shape, place.column);
    is_tile.then(|| i64::from_le_bytes(page[16..24].as_chunks().0[0]))
}

/// The checksum that a page says it has.
pub(crate) fn checksum_in(page: &[u8]) -> [u8; 4] {
    page[CRC].as_chunks().0[0]
}

fn number_at(page: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(page[at..at + 4].as_chunks().0[0])
}

/// The values that stand at an offset of a page.
pub(crate) fn values_at(
    page: &[u8],
    offset_bytes: usize,
    count: usize,
) -> impl Iterator<Item = f64> {
    let bytes = &page[offset_bytes..][..count * 8];
    bytes.as_chunks().0.iter().map(|value| f64::from_bits(u64::from_le_bytes(*value)))
}

/// The block of the tile that stands in a page; `None` if the page is zeros.
///
/// # Errors
/// [`TileFault`].
pub(crate) fn block_in(page: &[u8], place: TilePlace) -> Result<Option<i64>, TileFault> {
    assert!(page.len() == PAGE_BYTES);
    if page[..8] != MAGIC[..] {
        let zeros = page.iter().all(|byte| *byte == 0);
        return if zeros { Ok(None) } else { Err(TileFault::Foreign) };
    }
    let expected = crc32fast::hash(&page[CRC.end..]);
    let found = u32::from_le_bytes(checksum_in(page));
    if expected != found {
        return Err(TileFault::Checksum { expected, found });
    }
    let found = TilePlace {
        group: number_at(page, 12),
        shape: number_at(page, 24),
        column: number_at(page, 28),
    };
    if found != place {
        return Err(TileFault::Misplaced { expected: place, found });
    }
    let block = page[16..24].as_chunks().0[0];
    Ok(Some(i64::from_le_bytes(block)))
}

#[cfg(test)]
mod tests {
    use super::{Page, TileFault, TilePlace, block_in, values_at};
    use crate::PAGE_BYTES;

    const PLACE: TilePlace = TilePlace { group: 0x0102_0304, shape: 5, column: 0x67 };

    #[test]
    fn the_diagram_holds() {
        let mut page = Page::unknown();
        page.put(64, &[1.5, -2.0]);
        page.seal(PLACE, 0x1122_3344_5566_7788);
        let bytes = page.bytes();
        assert_eq!(&bytes[..8], b"gyretile");
        assert_eq!(bytes[8..12], crc32fast::hash(&bytes[12..]).to_le_bytes());
        assert_eq!(bytes[12..16], [4, 3, 2, 1]);
        assert_eq!(bytes[16..24], [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]);
        assert_eq!(bytes[24..32], [5, 0, 0, 0, 0x67, 0, 0, 0]);
        assert_eq!(bytes[32..64], [0; 32]);
        assert_eq!(bytes[64..80], [0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0]);
        assert_eq!(bytes[80..88], [0, 0, 0, 0, 0, 0, 0xf8, 0xff]);
        assert_eq!(values_at(bytes, 64, 2).collect::<Vec<_>>(), [1.5, -2.0]);
        assert_eq!(block_in(bytes, PLACE), Ok(Some(0x1122_3344_5566_7788)));
    }

    #[test]
    fn every_bit_that_rots_is_noticed() {
        let mut page = Page::unknown();
        page.seal(PLACE, 7);
        for bit in 0..PAGE_BYTES * 8 {
            let mut rotten = *page.bytes();
            rotten[bit / 8] ^= 1 << (bit % 8);
            assert!(block_in(&rotten, PLACE).is_err(), "bit {bit}");
        }
        let misplaced = TilePlace { column: 1, ..PLACE };
        let fault = block_in(page.bytes(), misplaced);
        assert!(matches!(fault, Err(TileFault::Misplaced { .. })), "{fault:?}");
        assert_eq!(block_in(&[0; PAGE_BYTES], PLACE), Ok(None));
        let mut rotten = [0; PAGE_BYTES];
        rotten[4000] = 1;
        assert_eq!(block_in(&rotten, PLACE), Err(TileFault::Foreign));
    }
}
