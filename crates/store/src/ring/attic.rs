//! The attic of a group: rows of members that keep no step with it.
//!
//! A member that falls silent keeps its old rows, as it does in a file of its own; but the ring of
//! its group goes on. Before a tile is written over, the rows that such a member still needs go to
//! the attic. So do rows that come too late for the ring, or far too early. Most groups have none.
//!
//! ```text
//!   page                                          entry
//!   0      8   magic      "gyreattc"              0     4   generation of the member
//!   8      4   CRC-32 of all that follows         4     2   member
//!   12     4   group                              6     2   shape
//!   16     4   number of the page                 8     8   first row
//!   20     4   bytes of entries                   16    2   rows
//!   24         entries                            18        rows x D values
//!              zeros to the end of the page
//! ```
//!
//! All numbers are little-endian. Pages are only appended. They are synced before what they save is
//! written over, so that there may be more of them than the checkpoint knows: those count too. The log
//! counts them before anything is written over, so that none of them is missed unnoticed.

mod index;
mod growth;

use super::geometry::PAGE_BYTES;

pub(crate) use growth::{AtticGrowth, PAGES_MAX};
pub(crate) use index::AtticIndex;

const MAGIC: &[u8; 8] = b"gyreattc";
const CRC: std::ops::Range<usize> = 8..12;
const PAGE_HEADER_BYTES: usize = 24;
const ENTRY_HEADER_BYTES: usize = 18;

/// Rows of one member and shape, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AtticEntry {
    pub(crate) generation: u32,
    pub(crate) member: u16,
    pub(crate) shape: u16,
    pub(crate) first_row: i64,
    /// Row-major.
    pub(crate) values: Vec<f64>,
}

impl AtticEntry {
    pub(crate) fn rows(&self, sources: usize) -> std::ops::Range<i64> {
        self.first_row..self.first_row + (self.values.len() / sources) as i64
    }
}

/// Pages of an attic, and whose rows stand on each.
#[derive(Debug, Default)]
pub(crate) struct AtticPages {
    pub(crate) bytes: Vec<u8>,
    pub(crate) index: AtticIndex,
}

/// Cuts entries into pages; the first one has the number `first_page`. They are put in the order of
/// their members, so that few members share a page; those of one member keep their order.
pub(crate) fn pages_of(
    entries: &[AtticEntry],
    sources: usize,
    group: u32,
    first_page: u32,
) -> AtticPages {
    let mut pages = Pages {
        made: AtticPages::default(),
        open: Vec::new(),
        members: Vec::new(),
        group,
        first_page,
    };
    let mut sorted: Vec<&AtticEntry> = entries.iter().collect();
    sorted.sort_by_key(|entry| entry.member);
    for entry in sorted {
        let rows_max = (PAGE_BYTES - PAGE_HEADER_BYTES - ENTRY_HEADER_BYTES) / (sources * 8);
        let mut first_row = entry.first_row;
        for values in entry.values.chunks(rows_max * sources) {
            pages.put(entry, first_row, values, sources);
            first_row += (values.len() / sources) as i64;
        }
    }
    pages.close();
    pages.made
}

/// A page without entries, in place of one whose entries are given up.
pub(crate) fn empty_page(group: u32, number: u32) -> Vec<u8> {
    let (made, open, members) = (AtticPages::default(), Vec::new(), Vec::new());
    let mut pages = Pages { made, open, members, group, first_page: number };
    pages.put_page();
    pages.made.bytes
}

struct Pages {
    made: AtticPages,
    open: Vec<u8>,
    /// Of the entries of the open page.
    members: Vec<u16>,
    group: u32,
    first_page: u32,
}

impl Pages {
    fn put(&mut self, entry: &AtticEntry, first_row: i64, values: &[f64], sources: usize) {
        let bytes = ENTRY_HEADER_BYTES + values.len() * 8;
        if PAGE_HEADER_BYTES + self.open.len() + bytes > PAGE_BYTES {
            self.close();
        }
        self.members.push(entry.member);
        self.open.extend_from_slice(&entry.generation.to_le_bytes());
        self.open.extend_from_slice(&entry.member.to_le_bytes());
        self.open.extend_from_slice(&entry.shape.to_le_bytes());
        self.open.extend_from_slice(&first_row.to_le_bytes());
        self.open.extend_from_slice(&((values.len() / sources) as u16).to_le_bytes());
        for value in values {
            self.open.extend_from_slice(&value.to_bits().to_le_bytes());
        }
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.put_page();
        }
    }

    fn put_page(&mut self) {
        let number = self.first_page + self.made.index.pages();
        self.made.index.push(self.members.drain(..));
        let bytes = &mut self.made.bytes;
        let start = bytes.len();
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&self.group.to_le_bytes());
        bytes.extend_from_slice(&number.to_le_bytes());
        bytes.extend_from_slice(&(self.open.len() as u32).to_le_bytes());
        bytes.append(&mut self.open);
        bytes.resize(start + PAGE_BYTES, 0);
        let crc = crc32fast::hash(&bytes[start + CRC.end..]);
        bytes[start + CRC.start..start + CRC.end].copy_from_slice(&crc.to_le_bytes());
    }
}

/// The bytes of the entries of a page; `None` if it is not that page of that group's attic, whole.
pub(crate) fn entry_bytes_of(page: &[u8], group: u32, number: u32) -> Option<&[u8]> {
    let word = |at: usize| Some(u32::from_le_bytes(page.get(at..at + 4)?.try_into().ok()?));
    let covered = page.get(CRC.end..PAGE_BYTES)?;
    let head = (word(CRC.start)?, word(12)?, word(16)?);
    if !page.starts_with(MAGIC) || head != (crc32fast::hash(covered), group, number) {
        return None;
    }
    let end = PAGE_HEADER_BYTES.checked_add(word(20)? as usize)?;
    page.get(PAGE_HEADER_BYTES..end)
}

/// The entries of a page; `None` if it is not that page of that group's attic, whole.
pub(crate) fn entries_of(
    page: &[u8],
    sources: usize,
    group: u32,
    number: u32,
) -> Option<Vec<AtticEntry>> {
    let mut rest = entry_bytes_of(page, group, number)?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (header, body) = rest.split_at_checked(ENTRY_HEADER_BYTES)?;
        let rows = usize::from(u16::from_le_bytes(header.get(16..18)?.try_into().ok()?));
        let (values, after) = body.split_at_checked(rows.checked_mul(sources * 8)?)?;
        entries.push(AtticEntry {
            generation: u32::from_le_bytes(header.get(0..4)?.try_into().ok()?),
            member: u16::from_le_bytes(header.get(4..6)?.try_into().ok()?),
            shape: u16::from_le_bytes(header.get(6..8)?.try_into().ok()?),
            first_row: i64::from_le_bytes(header.get(8..16)?.try_into().ok()?),
            values: values.as_chunks().0.iter().map(|value| f64::from_le_bytes(*value)).collect(),
        });
        rest = after;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::{AtticEntry, AtticPages, PAGE_BYTES, entries_of, pages_of};

    fn entry(first_row: i64, rows: usize) -> AtticEntry {
        let values = (0..rows * 2).map(|value| value as f64).collect();
        AtticEntry { generation: 0x0102_0304, member: 5, shape: 6, first_row, values }
    }

    #[test]
    fn the_diagram_holds() {
        let AtticPages { bytes: page, index } = pages_of(&[entry(7, 1)], 2, 0x0a0b, 3);
        assert_eq!((index.pages(), index.pages_of(&[5])), (1, vec![0]));
        assert_eq!(page.len(), PAGE_BYTES);
        assert_eq!(&page[..8], b"gyreattc");
        assert_eq!(page[8..12], crc32fast::hash(&page[12..]).to_le_bytes());
        assert_eq!(page[12..24], [0x0b, 0x0a, 0, 0, 3, 0, 0, 0, 34, 0, 0, 0]);
        assert_eq!(page[24..32], [4, 3, 2, 1, 5, 0, 6, 0]);
        assert_eq!(page[32..42], [7, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(page[50..58], 1.0_f64.to_le_bytes());
        assert!(page[58..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn what_is_put_up_is_found_again() {
        let entries = [entry(-3, 1), entry(100, 700), entry(5, 250), entry(9, 2)];
        let bytes = pages_of(&entries, 2, 1, 10).bytes;
        let mut rows = Vec::new();
        for (nth, page) in bytes.chunks(PAGE_BYTES).enumerate() {
            let found = entries_of(page, 2, 1, 10 + nth as u32).unwrap();
            rows.extend(found.into_iter().flat_map(|entry| entry.rows(2).collect::<Vec<_>>()));
        }
        let expected: Vec<i64> = entries.iter().flat_map(|entry| entry.rows(2)).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn another_page_or_a_rotten_one_is_none() {
        let page = pages_of(&[entry(1, 3)], 2, 1, 0).bytes;
        assert!(entries_of(&page, 2, 2, 0).is_none());
        assert!(entries_of(&page, 2, 1, 1).is_none());
        assert!(entries_of(&page[..100], 2, 1, 0).is_none());
        for bit in 0..PAGE_BYTES * 8 {
            let mut rotten = page.clone();
            rotten[bit / 8] ^= 1 << (bit % 8);
            assert!(entries_of(&rotten, 2, 1, 0).is_none());
        }
    }
}
