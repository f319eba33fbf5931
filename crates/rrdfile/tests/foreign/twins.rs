//! The same commands on two machines make the same database, apart from random values and the signs
//! of unknown values.

use rrdfile::to_native;

use oracle::FOREIGN_MACHINES;

use super::{all, frozen};

/// Forecasts are left out: rrdtool's depend on the row pointers, which are random.
const SCRIPTS: [&str; 2] = ["plain", "kinds"];

#[test]
fn a_translated_file_has_the_bytes_of_a_native_one() {
    for machine in FOREIGN_MACHINES {
        for script in SCRIPTS {
            let theirs = to_native(&frozen(machine, script)).unwrap().bytes.into_owned();
            let (theirs, ours) =
                (without_chance(&theirs), without_chance(&frozen("native", script)));
            assert_eq!(theirs.len(), ours.len(), "{machine}/{script}");
            for (nth, (theirs, ours)) in theirs.iter().zip(&ours).enumerate() {
                let is_same = match machine {
                    "i386" | "s390x" => is_rounded_otherwise(*theirs, *ours),
                    _ => theirs == ours,
                };
                assert!(is_same, "{machine}/{script}: byte {}: {theirs:x} for {ours:x}", nth * 8);
            }
        }
    }
}

#[test]
fn a_definition_has_the_bytes_of_a_native_one() {
    for (machine, script, file) in all() {
        let theirs = definition_words(&to_native(&file).unwrap().bytes);
        let ours = definition_words(&frozen("native", script));
        let differing = theirs.iter().zip(&ours).position(|(theirs, ours)| theirs != ours);
        assert_eq!(differing.map(|word| word * 8), None, "{machine}/{script}");
    }
}

/// The words before the live state. The signs of unknown limits, and the random smoothing indexes,
/// are made equal.
fn definition_words(file: &[u8]) -> Vec<u64> {
    let mut words = without_chance(file);
    let (archives, archive_at) = (words[4] as usize, 16 + words[3] as usize * 15);
    words.truncate(archive_at + archives * 15);
    for archive in words[archive_at..].chunks_mut(15) {
        let name = archive[0].to_le_bytes();
        if name.starts_with(b"SEASONAL") || name.starts_with(b"DEVSEASO") {
            archive[9] = 0;
        }
    }
    words
}

/// The x87 of an i386 calculates with more digits, and an s390x rounds a product and a sum at once.
fn is_rounded_otherwise(theirs: u64, ours: u64) -> bool {
    const ROUNDINGS: u64 = 4;
    let is_number = f64::from_bits(ours).is_normal();
    theirs == ours || is_number && theirs.abs_diff(ours) <= ROUNDINGS
}

#[test]
fn rows_keep_every_bit() {
    for (machine, script, file) in all() {
        let translated = to_native(&file).unwrap().bytes.into_owned();
        let header_bytes = to_native(&file).unwrap().header().unwrap().layout.header_bytes();
        let rows: &[[u8; 8]] = translated[header_bytes..].as_chunks().0;
        let theirs = file[file.len() - rows.len() * 8..].as_chunks().0;
        for (ours, theirs) in rows.iter().zip(theirs) {
            let mut expected: [u8; 8] = *theirs;
            if machine == "s390x" {
                expected.reverse();
            }
            assert_eq!(*ours, expected, "{machine}/{script}");
        }
    }
}

/// The words of a native file, with its rows from the oldest on, row pointers zero, and unknown
/// values equal. It parses the file itself, so that the code under test is not compared with
/// itself.
fn without_chance(file: &[u8]) -> Vec<u64> {
    let words = file.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    let mut words: Vec<u64> = words
        .map(|word| if f64::from_bits(word).is_nan() { f64::NAN.to_bits() } else { word })
        .collect();
    let (sources, archives) = (words[3] as usize, words[4] as usize);
    let archive_at = 16 + sources * 15;
    let pointers_at = archive_at + archives * 15 + 2 + sources * 14 + sources * archives * 10;
    let mut rows_at = pointers_at + archives;
    for archive in 0..archives {
        let rows = words[archive_at + archive * 15 + 3] as usize;
        let newest = std::mem::take(&mut words[pointers_at + archive]) as usize;
        words[rows_at..rows_at + rows * sources].rotate_left((newest + 1) % rows * sources);
        rows_at += rows * sources;
    }
    assert_eq!(rows_at, words.len());
    words
}
