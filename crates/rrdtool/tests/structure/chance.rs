//! Numbers that follow from a seed.

/// How many cases to try: `GYRE_CASES` where a longer search is wanted.
pub(crate) fn wanted(usual: u64) -> u64 {
    from_environment("GYRE_CASES").unwrap_or(usual)
}

/// The seeds of so many cases.
pub(crate) fn seeds(usual: u64) -> impl Iterator<Item = u64> {
    let first = from_environment("GYRE_SEED").unwrap_or(1);
    first..first + wanted(usual)
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Numbers that follow from a seed (xorshift).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }

    /// Once in so many times.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}
