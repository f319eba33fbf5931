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
//!              zeros to the end of the page;
//!              where it has marks its last 8 bytes are "gyrelost"
//! ```
//!
//! All numbers are little-endian. Pages are only appended. They are synced before what they save is
//! written over, so that there may be more of them than the checkpoint knows: those count too. The
//! log counts them before anything is written over, so that none of them is missed unnoticed.
//!
//! An entry whose shape has the highest bit set has no values: it marks rows that were lost, since
//! the page that had them was found damaged when they were to be saved ([`loss`]). It takes as many
//! rows of values as its 16 bytes need, the rest of them zeros, so that earlier versions pass over
//! it. The end of such a page is for readers that do not know the number of sources, as a backup.

mod index;
mod growth;
mod loss;

use geometry::PAGE_BYTES;

pub(crate) use growth::{AtticGrowth, PAGES_MAX};
pub(crate) use index::AtticIndex;
pub(crate) use loss::{LostFrom, LostRows};

const MAGIC: &[u8; 8] = b"gyreattc";
const CRC: std::ops::Range<usize> = 8..12;
const PAGE_HEADER_BYTES: usize = 24;
const ENTRY_HEADER_BYTES: usize = 18;
/// The bit of an entry's shape that marks lost rows.
const LOST: u16 = 1 << 15;
/// The end of a page that has marks of lost rows.
const MARKED: &[u8; 8] = b"gyrelost";

/// Rows of one member and shape, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AtticEntry {
    pub(crate) generation: u32,
    pub(crate) member: u16,
    pub(crate) shape: u16,
    pub(crate) first_row: i64,
    /// Row-major; none of rows that are lost.
    pub(crate) values: Vec<f64>,
    pub(crate) lost: Option<LostRows>,
}

impl AtticEntry {
    pub(crate) fn rows(&self, sources: usize) -> std::ops::Range<i64> {
        let values = (self.values.len() / sources) as i64;
        let count = self.lost.map_or(values, |lost| i64::from(lost.rows));
        self.first_row..self.first_row.saturating_add(count)
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
        has_marks: false,
        group,
        first_page,
    };
    let mut sorted: Vec<&AtticEntry> = entries.iter().collect();
    sorted.sort_by_key(|entry| entry.member);
    for entry in sorted {
        let rows_max = (PAGE_BYTES - PAGE_HEADER_BYTES - ENTRY_HEADER_BYTES) / (sources * 8);
        let mut first_row = entry.first_row;
        if let Some(lost) = entry.lost {
            pages.put(entry, first_row, &lost.encode(sources), sources);
        }
        for values in entry.values.chunks(rows_max * sources) {
            let values: Vec<u8> = values.iter().flat_map(|it| it.to_bits().to_le_bytes()).collect();
            pages.put(entry, first_row, &values, sources);
            first_row += (values.len() / (8 * sources)) as i64;
        }
    }
    pages.close();
    pages.made
}

/// A page without entries, in place of one whose entries are given up.
pub(crate) fn empty_page(group: u32, number: u32) -> Vec<u8> {
    let (made, open, members) = (AtticPages::default(), Vec::new(), Vec::new());
    let mut pages = Pages { made, open, members, has_marks: false, group, first_page: number };
    pages.put_page();
    pages.made.bytes
}

struct Pages {
    made: AtticPages,
    open: Vec<u8>,
    /// Of the entries of the open page.
    members: Vec<u16>,
    /// Of the open page.
    has_marks: bool,
    group: u32,
    first_page: u32,
}

impl Pages {
    fn put(&mut self, entry: &AtticEntry, first_row: i64, values: &[u8], sources: usize) {
        let bytes = ENTRY_HEADER_BYTES + values.len();
        let has_marks = self.has_marks || entry.lost.is_some();
        let end_bytes = if has_marks { MARKED.len() } else { 0 };
        if PAGE_HEADER_BYTES + self.open.len() + bytes + end_bytes > PAGE_BYTES {
            self.close();
        }
        self.has_marks |= entry.lost.is_some();
        self.members.push(entry.member);
        self.open.extend_from_slice(&entry.generation.to_le_bytes());
        self.open.extend_from_slice(&entry.member.to_le_bytes());
        let shape = if entry.lost.is_some() { entry.shape | LOST } else { entry.shape };
        self.open.extend_from_slice(&shape.to_le_bytes());
        self.open.extend_from_slice(&first_row.to_le_bytes());
        self.open.extend_from_slice(&((values.len() / (8 * sources)) as u16).to_le_bytes());
        self.open.extend_from_slice(values);
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
        if std::mem::take(&mut self.has_marks) {
            bytes[start + PAGE_BYTES - MARKED.len()..].copy_from_slice(MARKED);
        }
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

/// Whether a whole page has marks of lost rows.
pub(crate) fn has_marks(page: &[u8]) -> bool {
    let used = page.get(20..24).map_or(0, |bytes| u32::from_le_bytes(bytes.as_chunks().0[0]));
    page.ends_with(MARKED) && PAGE_HEADER_BYTES + used as usize + MARKED.len() <= PAGE_BYTES
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
        let shape = u16::from_le_bytes(header.get(6..8)?.try_into().ok()?);
        let lost = if shape & LOST == 0 { None } else { Some(LostRows::decode(values)?) };
        let values = if lost.is_some() { &[] } else { values };
        entries.push(AtticEntry {
            generation: u32::from_le_bytes(header.get(0..4)?.try_into().ok()?),
            member: u16::from_le_bytes(header.get(4..6)?.try_into().ok()?),
            shape: shape & !LOST,
            first_row: i64::from_le_bytes(header.get(8..16)?.try_into().ok()?),
            values: values.as_chunks().0.iter().map(|value| f64::from_le_bytes(*value)).collect(),
            lost,
        });
        rest = after;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::{AtticEntry, AtticPages, LostFrom, LostRows, PAGE_BYTES};
    use super::{entries_of, has_marks, pages_of};

    fn entry(first_row: i64, rows: usize) -> AtticEntry {
        let values = (0..rows * 2).map(|value| value as f64).collect();
        AtticEntry { generation: 0x0102_0304, member: 5, shape: 6, first_row, values, lost: None }
    }

    fn lost(from: LostFrom) -> AtticEntry {
        let lost = Some(LostRows { rows: 70_000, from });
        AtticEntry { values: Vec::new(), lost, ..entry(-9, 0) }
    }

    #[test]
    fn a_mark_of_lost_rows_takes_the_room_of_values() {
        for (sources, rows) in [(1, 2), (2, 1), (5, 1)] {
            let marks = [LostFrom::Tiles { page: 5 }, LostFrom::Attic { epoch: 0, page: 7 }];
            let marks = marks.map(lost);
            let page = pages_of(&marks, sources, 1, 3).bytes;
            assert_eq!(
                page[28..42],
                [5, 0, 6, 0x80, 247, 255, 255, 255, 255, 255, 255, 255, rows, 0]
            );
            assert_eq!(page[42..58], [0x70, 0x11, 1, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]);
            let next = 24 + 18 + usize::from(rows) * sources * 8;
            assert_eq!(page[next + 22..next + 27], [1, 0, 0, 0, 7]);
            assert!(page.ends_with(b"gyrelost") && has_marks(&page));
            let found = entries_of(&page, sources, 1, 3).unwrap();
            assert_eq!(found, marks);
            assert_eq!(found[0].rows(sources), -9..69_991);
        }
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
    fn only_pages_with_marks_end_so() {
        let values = [entry(1, 100), entry(101, 250)];
        let marks = vec![lost(LostFrom::Tiles { page: 1 }); 200];
        let bytes = pages_of(&[&values[..], &marks[..], &values[..]].concat(), 2, 1, 0).bytes;
        let mut found = Vec::new();
        for (nth, page) in bytes.chunks(PAGE_BYTES).enumerate() {
            let entries = entries_of(page, 2, 1, nth as u32).unwrap();
            assert_eq!(has_marks(page), entries.iter().any(|entry| entry.lost.is_some()), "{nth}");
            found.extend(entries);
        }
        assert_eq!(found.iter().filter(|entry| entry.lost.is_some()).count(), 200);
        assert!(!has_marks(&bytes[..PAGE_BYTES]));
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
