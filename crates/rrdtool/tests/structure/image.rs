//! Files, compared: bytes but for what chance decides.

use std::fs;
use std::path::Path;

use crate::pair::Pair;

const SOURCES_OFFSET: usize = 128;
const SOURCE_BYTES: usize = 120;
/// Of a source's definition, what rrdtool's `tune` takes from memory as it comes: the last byte of
/// the kind, and what follows the limits.
const SOURCE_CHANCE: [std::ops::Range<usize>; 2] = [39..40, 64..120];
const VERSION: std::ops::Range<usize> = 4..8;

/// What of two files may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slots {
    /// Nothing: rows are in the same slots.
    Same,
    /// The slots of rows, which a new file draws at random.
    Random,
}

/// Both files must be equal.
pub(crate) fn assert_equal(pair: &Pair, name: &str, slots: Slots) {
    let (theirs, ours) = (pair.theirs(name), pair.ours(name));
    assert_equal_files(&theirs, &ours, slots, &pair.told());
}

pub(crate) fn assert_equal_files(theirs: &Path, ours: &Path, slots: Slots, told: &str) {
    let (theirs, ours) = (fs::read(theirs).unwrap(), fs::read(ours).unwrap());
    let (theirs, ours) = (Image::new(theirs, slots), Image::new(ours, slots));
    // rrdtool forgets that a source that comes needs a higher version.
    assert!(ours.version >= theirs.version, "after\n{told}");
    let (theirs, ours) = (theirs.bytes, ours.bytes);
    let differs = (0..theirs.len().min(ours.len())).find(|nth| theirs[*nth] != ours[*nth]);
    if let Some(offset) = differs {
        let word = offset / 8 * 8;
        panic!(
            "byte {offset} differs, {}: theirs {:02x?} ours {:02x?}, after\n{told}",
            field_at(&theirs, offset),
            &theirs[word..word + 8],
            &ours[word..word + 8],
        );
    }
    assert_eq!(theirs.len(), ours.len(), "after\n{told}");
}

struct Image {
    version: String,
    bytes: Vec<u8>,
}

impl Image {
    fn new(mut bytes: Vec<u8>, slots: Slots) -> Self {
        let version = String::from_utf8_lossy(&bytes[VERSION]).into_owned();
        if slots == Slots::Random {
            let (header, snapshot) = rrdfile::decode(&bytes).unwrap();
            let first = header.newest_rows.iter().map(|_| rrdfile::layout::RowIndex(0)).collect();
            bytes = rrdfile::encode(&snapshot, first).unwrap();
        }
        let header = rrdfile::Header::decode(&bytes, bytes.len() as u64).unwrap();
        for (nth, source) in header.definition.sources.iter().enumerate() {
            let offset = SOURCES_OFFSET + nth * SOURCE_BYTES;
            if let rrd::SourceKind::Compute(expression) = source.kind {
                // What follows the end of an expression is of no meaning.
                bytes[offset + 40..offset + SOURCE_BYTES].copy_from_slice(&expression.to_bytes());
            }
            for range in SOURCE_CHANCE.iter().filter(|_| source.kind.takes_readings()) {
                bytes[offset + range.start..offset + range.end].fill(0);
            }
        }
        bytes[VERSION].copy_from_slice(b"0005");
        Self { version, bytes }
    }
}

fn field_at(bytes: &[u8], offset: usize) -> String {
    let Ok(header) = rrdfile::Header::decode(bytes, bytes.len() as u64) else {
        return "in a file that cannot be read".into();
    };
    let (sources, archives) = (header.definition.sources.len(), header.definition.archives.len());
    let parts = [
        ("stat_head", 1, SOURCES_OFFSET),
        ("ds_def", sources, SOURCE_BYTES),
        ("rra_def", archives, 120),
        ("live_head", 1, 16),
        ("pdp_prep", sources, 112),
        ("cdp_prep", sources * archives, 80),
        ("rra_ptr", archives, 8),
    ];
    let mut start = 0;
    for (name, count, size) in parts {
        let position = (offset - start) / size;
        if position < count {
            return format!("{name} {position} of {count}, byte {}", (offset - start) % size);
        }
        start += count * size;
    }
    for (nth, archive) in header.definition.archives.iter().enumerate() {
        let row = (offset - start) / (8 * sources);
        if row < archive.rows as usize {
            return format!("archive {nth} {archive:?}, row {row}");
        }
        start += archive.rows as usize * 8 * sources;
    }
    "behind everything".into()
}
