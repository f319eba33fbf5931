//! Pseudo-random numbers that are the same on every machine and in every version: simulations are
//! repeated by their seeds, and devices keep their phases within an interval.

/// The increment of the SplitMix64 sequence.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes the bits of a number, so that each affects all others: the finalizer of SplitMix64.
#[must_use]
pub const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// The first number of a seed's sequence.
#[must_use]
pub const fn first(seed: u64) -> u64 {
    mix(seed.wrapping_add(STEP))
}

/// The pseudo-random numbers of a seed (the SplitMix64 sequence): for simulation, not for secrets.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number, with 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        assert!(limit > 0, "no number lies below zero");
        self.number() % limit
    }

    /// True with this probability, in parts per million.
    pub fn chance(&mut self, parts_per_million: u32) -> bool {
        assert!(parts_per_million <= 1_000_000);
        self.below(1_000_000) < u64::from(parts_per_million)
    }
}

#[cfg(test)]
mod tests {
    use super::{Random, first};

    /// The first numbers of the reference implementation for seed 0.
    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        let mut random = Random::new(0);
        let numbers = [random.number(), random.number(), random.number()];
        assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
        assert_eq!(first(0), numbers[0]);
    }
}
