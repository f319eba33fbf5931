//! The tables of a font file (OpenType specification, "Organization of an OpenType Font").

use std::ops::Range;

/// The bytes before the records of tables, and of each record.
const HEAD_BYTES: usize = 12;
const RECORD_BYTES: usize = 16;

/// What a PDF file has no use for: names, and data for programs that list or print fonts.
const UNUSED: [[u8; 4]; 3] = [*b"name", *b"post", *b"OS/2"];

/// A table of a file.
struct Table<'a> {
    tag: [u8; 4],
    checksum: &'a [u8],
    bytes: &'a [u8],
}

/// The tables of a file; none if it is no font file.
fn tables(file: &[u8]) -> Vec<Table<'_>> {
    let records = file.get(HEAD_BYTES..).unwrap_or_default().chunks_exact(RECORD_BYTES);
    let count = number(file, 4..6).unwrap_or(0);
    records.take(count).filter_map(|record| table(file, record)).collect()
}

fn table<'a>(file: &'a [u8], record: &'a [u8]) -> Option<Table<'a>> {
    let (start, length) = (number(record, 8..12)?, number(record, 12..16)?);
    Some(Table {
        tag: record.get(..4)?.try_into().ok()?,
        checksum: record.get(4..8)?,
        bytes: file.get(start..start.checked_add(length)?)?,
    })
}

fn number(bytes: &[u8], at: Range<usize>) -> Option<usize> {
    let digits = bytes.get(at)?.iter();
    Some(digits.fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// The table of outlines in the Compact Font Format, which PDF wants bare.
pub(super) fn compact(file: &[u8]) -> Option<&[u8]> {
    tables(file).into_iter().find(|table| table.tag == *b"CFF ").map(|table| table.bytes)
}

/// The file without the tables that PDF has no use for.
pub(super) fn lean(file: &[u8]) -> Vec<u8> {
    let tables: Vec<_> =
        tables(file).into_iter().filter(|table| !UNUSED.contains(&table.tag)).collect();
    let mut lean = file.get(..4).unwrap_or_default().to_vec();
    // How many there are, and three numbers by which old programs sought in their records.
    let count = tables.len().min(usize::from(u16::MAX)) as u16;
    let power = 1_u16 << count.max(1).ilog2().min(11);
    let sought = [count, power * 16, power.ilog2() as u16, (count - power.min(count)) * 16];
    lean.extend(sought.into_iter().flat_map(u16::to_be_bytes));
    let mut start = HEAD_BYTES + tables.len() * RECORD_BYTES;
    for table in &tables {
        lean.extend(table.tag);
        lean.extend(table.checksum);
        lean.extend(
            [start, table.bytes.len()].into_iter().flat_map(|it| (it as u32).to_be_bytes()),
        );
        start += table.bytes.len().next_multiple_of(4);
    }
    for table in &tables {
        lean.extend(table.bytes);
        lean.resize(lean.len().next_multiple_of(4), 0);
    }
    lean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lean_file_has_the_other_tables() {
        let file = dejavu::sans_mono::regular();
        let lean = lean(file);
        let wanted: Vec<_> =
            tables(file).into_iter().filter(|table| !UNUSED.contains(&table.tag)).collect();
        let kept = tables(&lean);
        assert!(kept.len() >= 10 && kept.len() < tables(file).len());
        assert_eq!(kept.len(), wanted.len());
        for (kept, wanted) in kept.iter().zip(&wanted) {
            assert_eq!(kept.tag, wanted.tag);
            assert!(kept.bytes == wanted.bytes && kept.checksum == wanted.checksum);
        }
        assert!(compact(file).is_none());
        assert_eq!(super::lean(b"no font").len(), HEAD_BYTES);
    }
}
