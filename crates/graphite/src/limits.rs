//! How much a request may take.

/// How much a request may take. Each bound holds for all steps of a request together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Values that its steps may make, what they read included. A series counts as 64 more, and its
    /// name as an eighth of its bytes.
    pub values: u64,
    /// Steps of calculation: a moving window takes one for each value of each window.
    pub work: u64,
    /// Calls within calls.
    pub depth: usize,
    /// Bytes of a target.
    pub target_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { values: 20_000_000, work: 2_000_000_000, depth: 64, target_bytes: 64 << 10 }
    }
}
