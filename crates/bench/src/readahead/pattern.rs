//! The article's patterns of reading a file.

use serde::{Deserialize, Serialize};

/// Their names.
pub(super) const PARTS: [&str; 11] = [
    "sequential",
    "re-read",
    "backward",
    "stride-4",
    "stride-17",
    "stride-back",
    "random",
    "interleaved",
    "sparse",
    "eight-readers",
    "buffered",
];

/// A pattern of reading a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Pattern {
    Sequential,
    /// The whole file for the second time.
    ReRead,
    Backward,
    /// Every fourth record.
    Stride4,
    /// Every seventeenth record.
    Stride17,
    /// Every fourth record, from the end.
    StrideBack,
    Random,
    /// Four readers in four parts of the file, in turn.
    Interleaved,
    /// Forward, without half of the records.
    Sparse,
    /// Eight threads that read a sequence out of order.
    EightReaders,
    /// Small reads through a buffer of a record.
    Buffered,
}

const ALL: [Pattern; PARTS.len()] = [
    Pattern::Sequential,
    Pattern::ReRead,
    Pattern::Backward,
    Pattern::Stride4,
    Pattern::Stride17,
    Pattern::StrideBack,
    Pattern::Random,
    Pattern::Interleaved,
    Pattern::Sparse,
    Pattern::EightReaders,
    Pattern::Buffered,
];

impl Pattern {
    pub(super) fn named(name: &str) -> Option<Self> {
        PARTS.iter().position(|part| *part == name).map(|nth| ALL[nth])
    }

    pub(super) fn name(self) -> &'static str {
        let nth = ALL.iter().position(|pattern| *pattern == self);
        PARTS[nth.expect("all are there")]
    }

    /// The required speed relative to the kernel.
    pub(super) fn target(self) -> Option<f64> {
        match self {
            Self::Sequential => Some(0.95),
            Self::Backward | Self::Stride4 | Self::Stride17 | Self::StrideBack => Some(3.0),
            _ => None,
        }
    }

    /// The numbers of the records, in order; at most `most` if the kernel waits for each.
    pub(super) fn records(self, count: u64, most: u64) -> Vec<u64> {
        let few = |records: &mut dyn Iterator<Item = u64>| records.take(most as usize).collect();
        match self {
            Self::Sequential | Self::ReRead | Self::Buffered => (0..count).collect(),
            Self::Backward => few(&mut (0..count).rev()),
            Self::Stride4 => few(&mut (0..count).step_by(4)),
            Self::Stride17 => few(&mut (0..count).step_by(17)),
            Self::StrideBack => few(&mut (0..count).rev().step_by(4)),
            Self::Random => few(&mut (0..count).map(|nth| mixed(nth) % count)),
            Self::Interleaved => interleaved(count),
            Self::Sparse => few(&mut (0..count).filter(|nth| mixed(*nth).is_multiple_of(2))),
            Self::EightReaders => out_of_order(count),
        }
    }
}

fn interleaved(count: u64) -> Vec<u64> {
    let part = count / 4;
    (0..part).flat_map(|nth| (0..4).map(move |of| of * part + nth)).collect()
}

/// The records in groups of eight, shuffled within each group, as eight threads read them.
fn out_of_order(count: u64) -> Vec<u64> {
    let mut records: Vec<u64> = (0..count).collect();
    records.chunks_mut(8).for_each(|eight| eight.sort_by_key(|nth| mixed(*nth)));
    records
}

/// A pseudo-random number that is the same in each run.
pub(super) fn mixed(number: u64) -> u64 {
    chance::first(number)
}

#[cfg(test)]
mod tests {
    use super::{ALL, PARTS, Pattern};

    #[test]
    fn each_name_is_a_pattern_within_the_file() {
        for (name, pattern) in PARTS.iter().zip(ALL) {
            assert_eq!(Pattern::named(name), Some(pattern));
            let records = pattern.records(100, 1000);
            assert!(records.len() >= 5 && records.iter().all(|record| *record < 100), "{name}");
        }
    }
}
