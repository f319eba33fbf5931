//! The table of sizes is true, also for machines whose rrdtool is not available.

use super::fields::{Field, Kind, each};
use super::shape::{Shape, has_micros};
use super::to_native;
use crate::bytes::array;
use crate::{Architecture, ByteOrder};

const WIDE_BIG: Architecture = Architecture { order: ByteOrder::Big, ..Architecture::NATIVE };
const ALIGNED_TO_8: Architecture =
    Architecture { long_bytes: 4, time_bytes: 4, ..Architecture::NATIVE };
const I386: Architecture = Architecture { alignment_max: 4, ..ALIGNED_TO_8 };
const POWERPC: Architecture = Architecture { order: ByteOrder::Big, ..ALIGNED_TO_8 };
const M68K: Architecture = Architecture { alignment_max: 2, ..POWERPC };

fn late(architecture: Architecture) -> Architecture {
    Architecture { time_bytes: 8, ..architecture }
}

/// Offsets of the cookie and the counts, then sizes: of `stat_head`, `rra_def`, `live_head` with
/// microseconds and without, `pdp_prep`. They come from C compilers for these machines.
#[test]
fn the_picture_of_the_structures_is_true() {
    let columns = [
        (Architecture::NATIVE, [16, 24, 128, 120, 16, 8, 112]),
        (ALIGNED_TO_8, [16, 24, 120, 112, 8, 4, 112]),
        (late(ALIGNED_TO_8), [16, 24, 120, 112, 16, 8, 112]),
        (I386, [12, 20, 112, 108, 8, 4, 112]),
        (late(I386), [12, 20, 112, 108, 12, 8, 112]),
        (M68K, [10, 18, 110, 108, 8, 4, 110]),
        (late(M68K), [10, 18, 110, 108, 12, 8, 110]),
    ];
    for (architecture, expected) in columns {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let shape = Shape::of(Architecture { order, ..architecture });
            let found = [
                shape.cookie_at,
                shape.counts_at,
                shape.head_bytes,
                shape.archive_bytes,
                shape.live_head_bytes(true),
                shape.live_head_bytes(false),
                shape.pdp_prep_bytes,
            ];
            assert_eq!(found, expected, "{architecture}");
        }
    }
}

const FROZEN: [&[u8]; 4] = [
    include_bytes!("../../tests/golden/s390x/plain.rrd"),
    include_bytes!("../../tests/golden/s390x/kinds.rrd"),
    include_bytes!("../../tests/golden/i386/moving.rrd"),
    include_bytes!("../../tests/golden/armhf/forecast.rrd"),
];

/// For machines whose rrdtool no test runs: a real file is translated to them, and read as the same
/// file.
#[test]
fn a_file_of_any_machine_is_known_and_read() {
    for file in FROZEN {
        let expected = to_native(file).unwrap().bytes;
        let narrow = [ALIGNED_TO_8, I386, POWERPC, M68K];
        for to in narrow.into_iter().chain(narrow.map(late)).chain([WIDE_BIG]) {
            let moved = moved(file, to);
            assert_eq!(Architecture::of(&moved), Ok(to));
            assert!(Architecture::is_foreign(&moved));
            assert!(to_native(&moved).unwrap().bytes == expected, "{to}");
        }
    }
}

/// A file as another machine would have written it.
fn moved(file: &[u8], to: Architecture) -> Vec<u8> {
    let (from, to) = (Shape::of(Architecture::of(file).unwrap()), Shape::of(to));
    let size = to.header_bytes_of(from.counts(file), has_micros(file)) as usize;
    let mut bytes = vec![0; size];
    each(file, from, to, true, |field| put(file, &from, &to, &mut bytes, field));
    let rows = &file[from.header_bytes(file).unwrap() as usize..];
    for value in rows.as_chunks::<8>().0 {
        let is_turned = from.architecture.order != to.architecture.order;
        let mut value = *value;
        if is_turned {
            value.reverse();
        }
        bytes.extend_from_slice(&value);
    }
    bytes
}

fn put(file: &[u8], from: &Shape, to: &Shape, bytes: &mut [u8], field: Field) {
    let Field { kind, from: at, to: place } = field;
    let word = match kind {
        Kind::Bytes(count) => {
            return bytes[place..place + count].copy_from_slice(&file[at..at + count]);
        }
        Kind::Steps => {
            let mut steps: [u8; 8] = array(file, at);
            if from.architecture.order != to.architecture.order {
                steps[2..4].reverse();
                steps[6..8].reverse();
            }
            return bytes[place..place + 8].copy_from_slice(&steps);
        }
        Kind::Value => return put_number(from.read_word(file, at), 8, to, &mut bytes[place..]),
        Kind::Long | Kind::Count => from.read_long(file, at),
        Kind::Time => from.read_time(file, at),
    };
    let size = match kind {
        Kind::Time => to.architecture.time_bytes,
        _ => to.architecture.long_bytes,
    };
    put_number(word, size, to, &mut bytes[place..]);
}

fn put_number(number: u64, size: usize, to: &Shape, place: &mut [u8]) {
    match to.architecture.order {
        ByteOrder::Little => place[..size].copy_from_slice(&number.to_le_bytes()[..size]),
        ByteOrder::Big => place[..size].copy_from_slice(&number.to_be_bytes()[8 - size..]),
    }
}
