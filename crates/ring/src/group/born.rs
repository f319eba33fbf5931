//! Since when a member holds its place.

/// The PDP up to which no row was written by the holder of a place. Steps of a second fit in its
/// lower half until 2106; ticks of a microsecond fit in the whole until 4253.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BornPdp {
    low: u32,
    high: [u8; 3],
}

impl BornPdp {
    const BITS: u32 = 56;

    /// The PDP of a time, clamped to what can be told.
    pub(crate) fn of(pdp: i64) -> Self {
        let pdp = pdp.clamp(0, (1 << Self::BITS) - 1).cast_unsigned();
        let high = ((pdp >> 32) as u32).to_le_bytes();
        Self { low: pdp as u32, high: [high[0], high[1], high[2]] }
    }

    /// As checkpoints have it.
    pub(crate) fn from_bytes(low: u32, high: [u8; 3]) -> Self {
        Self { low, high }
    }

    /// The lower half, which is all of it where ticks are seconds.
    pub(crate) fn low(self) -> u32 {
        self.low
    }

    pub(crate) fn high(self) -> [u8; 3] {
        self.high
    }

    pub(crate) fn pdp(self) -> i64 {
        let [first, second, third] = self.high;
        i64::from(u32::from_le_bytes([first, second, third, 0])) << 32 | i64::from(self.low)
    }
}

#[cfg(test)]
mod tests {
    use super::BornPdp;
    use crate::group::Member;

    #[test]
    fn every_pdp_is_told_as_far_as_it_can_be() {
        for pdp in [0, 1, 5_333_333, u32::MAX.into(), 1 << 32, 17_000_000_003, (1 << 56) - 1] {
            let born = BornPdp::of(pdp);
            assert_eq!(born.pdp(), pdp);
            assert_eq!(BornPdp::from_bytes(born.low(), born.high()), born);
        }
        assert_eq!(BornPdp::of(-5).pdp(), 0);
        assert_eq!(BornPdp::of(i64::MAX).pdp(), (1 << 56) - 1);
        assert_eq!(size_of::<Member>(), 16);
    }
}
