//! Since when a member holds its place.

const BYTES: usize = 7;
const LOW_BYTES: usize = 4;

/// The PDP up to which no row was written by the holder of a place. Steps of a second fit in its
/// lower four bytes until 2106; ticks of a microsecond fit in all seven until 4253. Bytes, so that
/// a member takes 16 with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BornPdp([u8; BYTES]);

impl BornPdp {
    /// The PDP of a time, clamped to what can be told.
    pub(crate) fn of(pdp: i64) -> Self {
        let pdp = pdp.clamp(0, (1 << (8 * BYTES)) - 1);
        let [bytes @ .., _] = pdp.to_le_bytes();
        Self(bytes)
    }

    /// As checkpoints have it.
    pub(crate) fn from_bytes(low: u32, high: [u8; BYTES - LOW_BYTES]) -> Self {
        let mut bytes = [0; BYTES];
        bytes[..LOW_BYTES].copy_from_slice(&low.to_le_bytes());
        bytes[LOW_BYTES..].copy_from_slice(&high);
        Self(bytes)
    }

    /// The lower part, which is all of it where ticks are seconds.
    pub(crate) fn low(self) -> u32 {
        self.pdp() as u32
    }

    pub(crate) fn high(self) -> [u8; BYTES - LOW_BYTES] {
        let [_, _, _, _, high @ ..] = self.0;
        high
    }

    pub(crate) fn pdp(self) -> i64 {
        let mut bytes = [0; size_of::<i64>()];
        bytes[..BYTES].copy_from_slice(&self.0);
        i64::from_le_bytes(bytes)
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
