//! The table of a file: for each of its pages a hash and a place.
//!
//! ```text
//!   0      4   pages
//!   4      4   extents
//!   8          XXH3 of each page, 8 bytes; the last page may be short
//!   +          extents: 4 pages, 4 pack (0: zeros, which lie nowhere), 8 offset in the pack
//! ```
//!
//! All numbers are little-endian. The hashes tell which pages have changed, without reading a pack,
//! and later whether a pack still has what was written. A hash has 64 bits: of a thousand million
//! changed pages, the probability that one has an unchanged hash is one in ten thousand million.

use crate::cursor::Cursor;

/// The unit that is compared, stored and checked.
pub(crate) const PAGE_BYTES: usize = 4096;
/// The pack number of pages of zeros, which are not stored.
pub(crate) const ZEROS: u32 = 0;

const EXTENT_BYTES: usize = 16;

/// Consecutive pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) pages: u32,
    pub(crate) pack: u32,
    pub(crate) offset_bytes: u64,
}

/// The place of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) pack: u32,
    pub(crate) offset_bytes: u64,
}

/// The pages of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) hashes: Vec<u64>,
    pub(crate) extents: Vec<Extent>,
}

/// The hash of a page.
pub(crate) fn hash_of(page: &[u8]) -> u64 {
    twox_hash::XxHash3_64::oneshot(page)
}

/// The hash of each page.
pub(crate) fn hashes_of(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(PAGE_BYTES).map(hash_of).collect()
}

impl Table {
    /// Adds the next page.
    pub(crate) fn push(&mut self, hash: u64, place: Place) {
        self.hashes.push(hash);
        if let Some(last) = self.extents.last_mut() {
            let next_bytes = last.offset_bytes + u64::from(last.pages) * PAGE_BYTES as u64;
            let joins = place.pack == ZEROS || place.offset_bytes == next_bytes;
            if last.pack == place.pack && joins && last.pages < u32::MAX {
                last.pages += 1;
                return;
            }
        }
        let Place { pack, offset_bytes } = place;
        self.extents.push(Extent { pages: 1, pack, offset_bytes });
    }

    /// The hash and the place of each page, in order.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (u64, Place)> + '_ {
        let places = self.extents.iter().flat_map(|extent| {
            let step_bytes = if extent.pack == ZEROS { 0 } else { PAGE_BYTES as u64 };
            (0..u64::from(extent.pages)).map(move |nth| Place {
                pack: extent.pack,
                offset_bytes: extent.offset_bytes + nth * step_bytes,
            })
        });
        self.hashes.iter().copied().zip(places)
    }

    /// The oldest pack that holds a page of it.
    pub(crate) fn oldest_pack(&self) -> Option<u32> {
        self.extents.iter().map(|extent| extent.pack).filter(|pack| *pack != ZEROS).min()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let (pages, extents) = (self.hashes.len(), self.extents.len());
        let mut out = Vec::with_capacity(8 + pages * 8 + extents * EXTENT_BYTES);
        out.extend_from_slice(&u32::try_from(pages).expect("it was counted").to_le_bytes());
        out.extend_from_slice(&u32::try_from(extents).expect("no more than pages").to_le_bytes());
        self.hashes.iter().for_each(|hash| out.extend_from_slice(&hash.to_le_bytes()));
        for Extent { pages, pack, offset_bytes } in &self.extents {
            out.extend_from_slice(&pages.to_le_bytes());
            out.extend_from_slice(&pack.to_le_bytes());
            out.extend_from_slice(&offset_bytes.to_le_bytes());
        }
        out
    }

    /// Decodes a table; `None` if the bytes are not valid.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor(bytes);
        let (pages, extents) = (cursor.word()? as usize, cursor.word()? as usize);
        if cursor.0.len()
            != pages.checked_mul(8)?.checked_add(extents.checked_mul(EXTENT_BYTES)?)?
        {
            return None;
        }
        let hashes = (0..pages).map(|_| cursor.long()).collect::<Option<Vec<u64>>>()?;
        let extent = |cursor: &mut Cursor<'_>| {
            let (pages, pack) = (cursor.word()?, cursor.word()?);
            Some(Extent { pages, pack, offset_bytes: cursor.long()? })
        };
        let extents = (0..extents).map(|_| extent(&mut cursor)).collect::<Option<Vec<_>>>()?;
        let counted: u64 = extents.iter().map(|extent| u64::from(extent.pages)).sum();
        (counted == pages as u64).then_some(Self { hashes, extents })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_true() {
        let mut table = Table::default();
        table.push(0x11, Place { pack: 3, offset_bytes: 0x1000 });
        table.push(0x22, Place { pack: 3, offset_bytes: 0x2000 });
        table.push(0x33, Place { pack: ZEROS, offset_bytes: 0 });
        let bytes = table.encode();
        assert_eq!(bytes[..8], [3, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(bytes[8..16], [0x11, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[32..48], [2, 0, 0, 0, 3, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes.len(), 8 + 3 * 8 + 2 * 16);
        assert_eq!(Table::decode(&bytes).unwrap(), table);
        let places: Vec<u64> = table.pages().map(|(_, place)| place.offset_bytes).collect();
        assert_eq!(places, [0x1000, 0x2000, 0]);
    }

    #[test]
    fn what_is_cut_short_is_no_table() {
        let mut table = Table::default();
        (0..5).for_each(|nth| table.push(nth, Place { pack: 1, offset_bytes: nth * 8192 }));
        let bytes = table.encode();
        assert!((0..bytes.len()).all(|end| Table::decode(&bytes[..end]).is_none()));
    }
}
