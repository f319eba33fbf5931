//! Choices that follow from a seed.

/// Numbers that follow from a seed (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// How many rounds a test goes: `GYRE_CASES`, or what is given.
pub(crate) fn rounds(otherwise: u64) -> u64 {
    let wanted = std::env::var("GYRE_CASES").ok().and_then(|cases| cases.parse().ok());
    wanted.unwrap_or(otherwise)
}
