//! From offsets back to archives and rows: every byte of a file has exactly one section, the right
//! one.

use rrdfile::Section;
use rrdfile::layout::{Layout, RowIndex};

/// Every layout of up to three sources and up to three archives of up to three rows.
fn layouts() -> impl Iterator<Item = (usize, Vec<u64>)> {
    let rows = (1..=3_u64).flat_map(|first| {
        let two = (1..=3).map(move |second| vec![first, second]);
        let three =
            (1..=3).flat_map(move |second| (1..=3).map(move |third| vec![first, second, third]));
        std::iter::once(vec![first]).chain(two).chain(three)
    });
    rows.flat_map(|rows| (1..=3).map(move |sources| (sources, rows.clone())))
}

#[test]
fn every_byte_is_named_once() {
    for (sources, rows) in layouts() {
        let layout = Layout::new(sources, rows.iter().copied()).unwrap();
        let mut end = 0;
        for (section, bytes) in layout.sections() {
            assert_eq!(bytes.start, end, "{sources} {rows:?} {section:?}");
            end = bytes.end;
        }
        assert_eq!(end, layout.file_bytes());
        let live = layout.sections().find(|(section, _)| section.is_live()).unwrap();
        assert_eq!(live.1.start, layout.live_offset() as u64);
        let header = layout.sections().filter(|(section, _)| section.is_header()).last().unwrap();
        assert_eq!(header.1.end, layout.header_bytes() as u64);
    }
}

#[test]
fn every_byte_of_a_row_leads_back_to_it() {
    for (sources, rows) in layouts() {
        let layout = Layout::new(sources, rows.iter().copied()).unwrap();
        for (archive, rows) in rows.into_iter().enumerate() {
            for row in 0..rows {
                let start = layout.row_offset(archive, RowIndex(row));
                for at in start..start + layout.row_bytes() {
                    let found = layout.sections_in(at..at + 1);
                    assert_eq!(found, [(Section::Rows { archive }, at..at + 1)]);
                    assert_eq!(layout.rows_in(archive, &(at..at + 1)), row..row + 1);
                }
            }
        }
    }
}

/// The sections of any range follow each other from its start to its end.
#[test]
fn every_stretch_is_cut_without_a_gap() {
    let layout = Layout::new(2, [3, 1, 2].into_iter()).unwrap();
    let file_bytes = layout.file_bytes();
    for start in (0..file_bytes + 16).step_by(3) {
        for end in (start + 1..file_bytes + 32).step_by(5) {
            let mut at = start;
            for (section, bytes) in layout.sections_in(start..end) {
                assert_eq!(bytes.start, at);
                at = bytes.end;
                if let Section::Rows { archive } = section {
                    let rows = layout.rows_in(archive, &bytes);
                    let first = layout.row_offset(archive, RowIndex(rows.start));
                    let last = layout.row_offset(archive, RowIndex(rows.end - 1));
                    assert!(first <= bytes.start && bytes.start < first + layout.row_bytes());
                    assert!(last < bytes.end && bytes.end <= last + layout.row_bytes());
                }
                assert_eq!(section == Section::Rest, bytes.start >= file_bytes);
            }
            assert_eq!(at, end);
        }
    }
}
