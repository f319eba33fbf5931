//! Damaged files of other machines are reported, never accepted.

use proptest::prelude::*;
use rrdfile::{FormatError, decode, encode};

use super::{all, frozen};

#[test]
fn every_truncation_is_told() {
    for (machine, script, file) in all() {
        for end in 0..file.len() {
            match decode(&file[..end]) {
                Err(
                    FormatError::HeaderEnds { found_bytes, .. }
                    | FormatError::RowsEnd { found_bytes, .. },
                ) => assert_eq!(found_bytes, end as u64),
                other => panic!("{machine}/{script} cut at {end}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_fault_is_told_where_it_stands() {
    let file = frozen("i386", "plain");
    let with = |offset: usize, bytes: &[u8]| {
        let mut file = file.clone();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        decode(&file).unwrap_err().to_string()
    };
    // Two sources and four archives; the offsets are those of the middle column of the table.
    let archives = 112 + 2 * 120;
    let pointers = archives + 4 * 108 + 8 + 2 * 112 + 8 * 80;
    assert_eq!(
        with(112 + 120 + 20, b"FOO\0"),
        "offset 252: expected a data source type, found \"FOO\""
    );
    let expected = format!("offset {archives}: expected a consolidation function, found \"FOO\"");
    assert_eq!(with(archives, b"FOO\0"), expected);
    let expected = format!("offset {}: expected at least one row, found 0", archives + 20);
    assert_eq!(with(archives + 20, &[0; 4]), expected);
    let expected = format!("offset {}: expected a row within the archive, found 7", pointers + 8);
    assert_eq!(with(pointers + 8, &[7, 0, 0, 0]), expected);
    assert!(
        with(24, &u32::MAX.to_le_bytes()).starts_with("offset 352: expected rra_def up to byte")
    );
    assert!(with(0, b"GIF").contains("not an RRD file"));
    assert!(with(4, b"0006").contains("expected a version"));
    assert!(with(12, b"cookie").contains("another architecture"));
}

proptest! {
    #[test]
    fn no_damage_makes_it_panic(
        nth in 0..16_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        end in any::<prop::sample::Index>(),
    ) {
        let (_, _, mut file) = all().nth(nth).unwrap();
        for (offset, byte) in changes {
            let offset = offset.index(file.len());
            file[offset] = byte;
        }
        let _ = decode(&file[..end.index(file.len())]);
        // Damage within a value cannot be detected; but every accepted file can be written again.
        if let Ok((header, snapshot)) = decode(&file) {
            prop_assert!(encode(&snapshot, header.newest_rows).is_ok());
        }
    }
}
