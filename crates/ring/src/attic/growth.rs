//! What the log says of pages that a group's attic got, before tiles are written over whose rows
//! the pages have. The next checkpoint counts them; until it is written, this record does.
//!
//! ```text
//!   varint     which attic
//!   varint     number of the first page
//!   varint     shapes, then for each the first block that the flush writes, as a zigzag varint,
//!              and how many blocks, as a varint
//!   varint     pages
//!   ...        members on each page, as in a checkpoint
//! ```

use std::ops::Range;

use varint::RecordError;
use varint::{Cursor, put_signed, put_varint};

use super::AtticIndex;

/// Pages in one record at most: it is no longer than that of a tile.
pub(crate) const PAGES_MAX: u32 = 8;

/// Pages that a group's attic got by a flush.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AtticGrowth {
    /// Which attic.
    pub(crate) epoch: u32,
    pub(crate) first_page: u32,
    /// For each shape, the blocks that the flush writes after the pages were synced.
    pub(crate) blocks: Vec<Range<i64>>,
    /// Whose rows stand on each of the pages.
    pub(crate) index: AtticIndex,
}

impl AtticGrowth {
    /// The number behind that of the last page.
    pub(crate) fn end(&self) -> u32 {
        self.first_page.saturating_add(self.index.pages())
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_varint(u64::from(self.epoch), out);
        put_varint(u64::from(self.first_page), out);
        put_varint(self.blocks.len() as u64, out);
        for blocks in &self.blocks {
            put_signed(blocks.start, out);
            put_varint((blocks.end - blocks.start) as u64, out);
        }
        put_varint(u64::from(self.index.pages()), out);
        self.index.encode(out);
    }

    /// # Errors
    /// [`RecordError`].
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, RecordError> {
        let cursor = &mut Cursor::new(bytes);
        let epoch = cursor.varint_u32("an attic")?;
        let first_page = cursor.varint_u32("a page")?;
        let mut blocks = Vec::new();
        for _ in 0..cursor.varint_u32("the number of shapes")? {
            let start = cursor.signed("a block")?;
            let here = *cursor;
            let count = i64::try_from(cursor.varint("blocks")?);
            let end = count.ok().and_then(|count| start.checked_add(count));
            blocks.push(start..end.ok_or_else(|| here.error("blocks"))?);
        }
        let pages = cursor.varint_u32("the number of pages")?;
        let index = AtticIndex::decode(cursor.rest(), pages)?;
        Ok(Self { epoch, first_page, blocks, index })
    }
}

#[cfg(test)]
mod tests {
    use super::{AtticGrowth, AtticIndex};

    #[test]
    fn the_diagram_holds() {
        let mut index = AtticIndex::default();
        index.push([7, 3]);
        index.push([200]);
        let blocks = vec![-2..1, 300..300];
        let growth = AtticGrowth { epoch: 2, first_page: 130, blocks, index };
        let mut bytes = Vec::new();
        growth.encode(&mut bytes);
        let expected = [&[2, 0x82, 1, 2][..], &[3, 3], &[0xd8, 4, 0], &[2, 2, 3, 4, 1, 0xc8, 1]];
        assert_eq!(bytes, expected.concat());
        assert_eq!(AtticGrowth::decode(&bytes), Ok(growth));
        for cut in 0..bytes.len() {
            assert!(AtticGrowth::decode(&bytes[..cut]).is_err(), "{cut}");
        }
        let endless = [0, 0, 1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 0];
        assert!(AtticGrowth::decode(&endless).is_err());
    }
}
