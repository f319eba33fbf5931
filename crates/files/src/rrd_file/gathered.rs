//! Rows that became final and are not in the file yet.

use rrd::FinalRows;
use rrdfile::layout::{Layout, RowIndex};

/// Final rows, gathered so that the rows of many samples are one write, and so that a read can show
/// them before they are written.
#[derive(Clone, Debug, Default)]
pub(super) struct GatheredRows {
    /// In the order in which they became final: where two overlap, the later one counts.
    stretches: Vec<Stretch>,
}

/// Rows side by side in an archive's ring.
#[derive(Clone, Debug)]
struct Stretch {
    archive: usize,
    /// The slot of the first.
    first: u64,
    /// The slot behind the last.
    end: u64,
    bytes: Vec<u8>,
}

impl GatheredRows {
    pub(super) fn clear(&mut self) {
        self.stretches.clear();
    }

    /// Takes the rows that follow the newest one of their archive.
    pub(super) fn push(&mut self, rows: &FinalRows<'_>, newest: RowIndex, layout: &Layout) {
        let ring_rows = layout.rows(rows.archive);
        let first = newest.advance(1, ring_rows).0;
        let before_wrap = rows.count.min(ring_rows - first);
        self.put(rows.archive, first, before_wrap, rows.values);
        if rows.count > before_wrap {
            self.put(rows.archive, 0, rows.count - before_wrap, rows.values);
        }
    }

    /// Takes every row of an archive anew, in the order of its slots.
    pub(super) fn push_ring(&mut self, archive: usize, values: &[f64], ring_rows: u64) {
        self.stretches.retain(|old| old.archive != archive);
        let bytes = values.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
        self.stretches.push(Stretch { archive, first: 0, end: ring_rows, bytes });
    }

    /// Takes `count` equal rows from the slot `first` on.
    fn put(&mut self, archive: usize, first: u64, count: u64, row: &[f64]) {
        let newest_of_archive = self.stretches.iter_mut().rev().find(|old| old.archive == archive);
        let (start, end) = match newest_of_archive {
            Some(newest) if newest.end == first => {
                newest.end += count;
                append_repeated(&mut newest.bytes, row, count);
                (newest.first, newest.end)
            }
            _ => {
                let mut bytes = Vec::new();
                append_repeated(&mut bytes, row, count);
                self.stretches.push(Stretch { archive, first, end: first + count, bytes });
                (first, first + count)
            }
        };
        // Rows that the ring has gone over again are not kept: however many samples come, no
        // archive takes more than two rings.
        self.stretches.retain(|old| {
            let covered = old.archive == archive && start <= old.first && old.end <= end;
            !covered || (old.first, old.end) == (start, end)
        });
    }

    /// Puts what was gathered over the bytes of rows read from a file, `first` the slot of the
    /// first.
    pub(super) fn overlay(&self, archive: usize, first: RowIndex, row_bytes: u64, read: &mut [u8]) {
        let end = first.0 + read.len() as u64 / row_bytes;
        for new in self.stretches.iter().filter(|new| new.archive == archive) {
            let (from, to) = (new.first.max(first.0), new.end.min(end));
            if from < to {
                let place = |slot: u64, base: u64| ((slot - base) * row_bytes) as usize;
                read[place(from, first.0)..place(to, first.0)]
                    .copy_from_slice(&new.bytes[place(from, new.first)..place(to, new.first)]);
            }
        }
    }

    /// What is to be written, and at which byte of the file.
    pub(super) fn writes(&self, layout: &Layout) -> impl Iterator<Item = (u64, &[u8])> {
        self.stretches.iter().map(|stretch| {
            (layout.row_offset(stretch.archive, RowIndex(stretch.first)), &stretch.bytes[..])
        })
    }
}

fn append_repeated(bytes: &mut Vec<u8>, row: &[f64], count: u64) {
    bytes.reserve(size_of_val(row) * count as usize);
    for _ in 0..count {
        row.iter().for_each(|value| bytes.extend_from_slice(&value.to_bits().to_le_bytes()));
    }
}
