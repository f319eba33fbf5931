//! The table at the head of the crate is true, and damaged files are reported, never accepted.
#![allow(clippy::disallowed_methods)] // the test reads a frozen file

use proptest::prelude::*;
use rrdfile::layout::RowIndex;
use rrdfile::{FormatError, Header, decode, encode};

/// A file that rrdtool 1.7.2 wrote: two sources, two archives of 4 and 2 rows.
const FROZEN: &[u8] = include_bytes!("layout.rrd");

/// Offset, bytes and meaning.
type Field<'a> = (usize, &'a [u8], &'static str);

#[test]
fn the_picture_of_the_bytes_is_true() {
    let count = |number: u64| number.to_le_bytes();
    let (two, step, heartbeat, rows, last) =
        (count(2), count(300), count(600), count(4), count(1_000_000_800));
    let fields: [Field<'_>; 13] = [
        (0, b"RRD\x000003\0", "stat_head: magic and version"),
        (16, &[0x2f, 0x25, 0xc0, 0xc7, 0x43, 0x2b, 0x1f, 0x5b], "stat_head: cookie"),
        (24, &two, "stat_head: sources"),
        (32, &two, "stat_head: archives"),
        (40, &step, "stat_head: step"),
        (128, b"in\0", "ds_def: name"),
        (128 + 20, b"COUNTER\0", "ds_def: kind"),
        (128 + 40, &heartbeat, "ds_def: heartbeat"),
        (128 + 2 * 120, b"AVERAGE\0", "rra_def: function"),
        (128 + 2 * 120 + 24, &rows, "rra_def: rows"),
        (128 + 4 * 120, &last, "live_head"),
        (128 + 4 * 120 + 16, b"9000\0", "pdp_prep: last reading"),
        (624 + 112, b"3\0", "pdp_prep: second source"),
    ];
    for (offset, expected, what) in fields {
        assert_eq!(&FROZEN[offset..offset + expected.len()], expected, "{what}");
    }
    let header = Header::decode(FROZEN, FROZEN.len() as u64).unwrap();
    assert_eq!(header.layout.header_bytes(), 624 + 2 * 112 + 4 * 80 + 16);
    assert_eq!(header.layout.file_bytes(), FROZEN.len() as u64);
    assert_eq!(header.layout.row_offset(1, RowIndex(1)), FROZEN.len() as u64 - 16);
}

#[test]
fn decode_then_encode_is_identity() {
    let (header, snapshot) = decode(FROZEN).unwrap();
    assert_eq!(header.encode().unwrap(), FROZEN[..header.layout.header_bytes()]);
    assert!(encode(&snapshot, header.newest_rows).unwrap() == FROZEN);
}

#[test]
fn every_truncation_is_told() {
    for end in 0..FROZEN.len() {
        match decode(&FROZEN[..end]) {
            Err(
                FormatError::HeaderEnds { found_bytes, .. }
                | FormatError::RowsEnd { found_bytes, .. },
            ) => {
                assert_eq!(found_bytes, end as u64);
            }
            other => panic!("cut at {end}: {other:?}"),
        }
    }
}

#[test]
fn foreign_and_impossible_headers_are_told() {
    let with = |offset: usize, bytes: &[u8]| {
        let mut file = FROZEN.to_vec();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        decode(&file).unwrap_err().to_string()
    };
    let cookie: Vec<u8> = FROZEN[16..24].iter().rev().copied().collect();
    assert!(with(16, &cookie).contains("offset 120: expected ds_def up to byte"));
    assert!(with(16, b"cookie").contains("another architecture"));
    assert!(with(0, b"GIF").contains("not an RRD file"));
    assert!(with(4, b"0006").contains("expected a version"));
    assert!(with(24, &u64::MAX.to_le_bytes()).contains("expected ds_def"));
    assert!(with(24, &0_u64.to_le_bytes()).contains("at least one data source"));
    assert!(with(40, &0_u64.to_le_bytes()).contains("a step of at least one second"));
    assert!(with(128, &[b'x'; 20]).contains("expected a name of at most 19 bytes"));
    assert!(with(128, b"\xff").contains("expected a name of at most 19 bytes of text"));
    assert!(with(128 + 20, b"FOO\0").contains("expected a data source type"));
    assert!(with(128 + 240, b"FOO\0").contains("expected a consolidation function"));
    assert!(with(128 + 240 + 24, &u64::MAX.to_le_bytes()).contains("less than 2^60 seconds"));
    assert!(with(FROZEN.len() - 96 - 8, &2_u64.to_le_bytes()).contains("a row within the archive"));
}

proptest! {
    #[test]
    fn no_damage_makes_it_panic(
        changes in prop::collection::vec((0..FROZEN.len(), any::<u8>()), 1..20),
        end in 0..=FROZEN.len(),
    ) {
        let mut file = FROZEN.to_vec();
        for (offset, byte) in changes {
            file[offset] = byte;
        }
        let _ = decode(&file[..end]);
        // Damage within a value cannot be detected; but every accepted file can be written again.
        if let Ok((header, snapshot)) = decode(&file) {
            // A smaller row count leaves bytes after the last row, as in rrdtool.
            let bytes = header.layout.file_bytes() as usize;
            prop_assert!(bytes <= FROZEN.len());
            let written = encode(&snapshot, header.newest_rows);
            prop_assert_eq!(written.map(|written| written.len()), Ok(bytes));
        }
    }
}
