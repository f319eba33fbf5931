//! Numbers that follow from a seed.

/// Numbers that follow from a seed (the SplitMix64 sequence): for simulation, not for secrets.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number, of all 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        assert!(limit > 0, "no number lies below zero");
        self.number() % limit
    }

    /// True in `parts` of a million cases.
    pub fn chance(&mut self, parts_per_million: u32) -> bool {
        assert!(parts_per_million <= 1_000_000);
        self.below(1_000_000) < u64::from(parts_per_million)
    }
}
