//! Detects steps: equal reads at equal distances, in either direction.

use crate::readahead::access::Access;

/// The last reads that belong to no stream, and the distances between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strides {
    offset_bytes: u64,
    bytes: u64,
    step_bytes: i64,
    repeats: u32,
}

/// Reads at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    pub(crate) step_bytes: i64,
    pub(crate) bytes: u64,
}

/// Consecutive equal distances that make a stream, without doubts. The second number is for reads
/// so close that several readers of one sequence may have made them.
const REPEATS: u32 = 2;
const REPEATS_CLOSE: u32 = 4;
const CLOSE_READS: u64 = 16;

impl Strides {
    /// Takes a read; returns the steps that it continues. Distances of less than `hit_rate` reads
    /// are left to the detector of runs with gaps.
    pub(crate) fn take(&mut self, access: &Access, doubts: u32, hit_rate: u64) -> Option<Steps> {
        let step_bytes = access.offset_bytes.wrapping_sub(self.offset_bytes).cast_signed();
        let same = step_bytes == self.step_bytes && access.bytes == self.bytes;
        self.repeats = if same { self.repeats + 1 } else { 1 };
        let bytes = access.bytes;
        *self = Self { offset_bytes: access.offset_bytes, bytes, step_bytes, ..*self };
        let distance = step_bytes.unsigned_abs();
        let apart = distance > bytes.saturating_mul(hit_rate);
        let close = distance < bytes.saturating_mul(CLOSE_READS);
        let needed = if close { REPEATS_CLOSE } else { REPEATS } + doubts;
        (apart && self.repeats >= needed).then_some(Steps { step_bytes, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::{Steps, Strides};
    use crate::readahead::access::Access;

    fn found(offsets: &[u64], hit_rate: u64) -> Option<Steps> {
        let mut strides = Strides::default();
        let access = |offset: &u64| Access::new(*offset, 100, 4096).unwrap();
        offsets.iter().filter_map(|offset| strides.take(&access(offset), 0, hit_rate)).last()
    }

    #[test]
    fn two_equal_distances_make_steps_either_way() {
        let steps = |step_bytes| Some(Steps { step_bytes, bytes: 100 });
        assert_eq!(found(&[70_000, 80_000, 90_000], 1), steps(10_000));
        assert_eq!(found(&[90_000, 80_000, 70_000], 1), steps(-10_000));
        assert_eq!(found(&[70_000, 80_000, 90_001], 1), None);
    }

    #[test]
    fn reads_side_by_side_are_no_steps() {
        assert_eq!(found(&[70_000, 70_100, 70_200], 1), None);
        let close = [70_000, 70_300, 70_600, 70_900, 71_200];
        assert_eq!(found(&close, 4), None);
        assert_eq!(found(&close[..4], 2), None);
        assert!(found(&close, 2).is_some());
    }
}
