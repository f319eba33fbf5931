//! Whose is the head of a file that was found after a crash?
//!
//! A head is written over in place. A crash leaves a mixture of it: each piece that a disk
//! writes whole is that of one of the states that the file went through. So a head is ours if every
//! piece of it is that of one of our states, and the last of these can be written over it; one
//! piece that is of no state says that another program wrote the file.

/// What a disk writes whole or not at all; a page of the kernel is several.
pub const PIECE_BYTES: usize = 512;

/// Compares the part of a head that updates change with what the states would have written.
#[derive(Clone, Debug)]
pub struct HeadCheck<'a> {
    found: &'a [u8],
    offset_bytes: usize,
    /// For each piece, whether it is of some state.
    known: Vec<bool>,
    is_last: bool,
}

impl<'a> HeadCheck<'a> {
    /// For the bytes found at an offset of the file.
    #[must_use]
    pub fn new(found: &'a [u8], offset_bytes: usize) -> Self {
        let first = offset_bytes / PIECE_BYTES;
        let end = (offset_bytes + found.len()).div_ceil(PIECE_BYTES);
        Self { found, offset_bytes, known: vec![false; end - first], is_last: false }
    }

    /// Takes the next state: the bytes that it would have written there.
    ///
    /// # Panics
    /// If they are not as many as were found.
    pub fn consider(&mut self, state: &[u8]) {
        assert_eq!(state.len(), self.found.len(), "a file's states are of one size");
        self.is_last = state == self.found;
        for nth in 0..self.known.len() {
            let range = self.piece(nth);
            self.known[nth] |= self.found[range.clone()] == state[range];
        }
    }

    /// Forgets the states so far: the file's owner noticed a change by another program, and started
    /// anew.
    pub fn start_anew(&mut self) {
        self.known.fill(false);
        self.is_last = false;
    }

    /// Whether every piece is of some state.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.known.iter().all(|known| *known)
    }

    /// Whether the head is that of the last state: nothing of it needs to be written.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.is_last
    }

    /// Where a piece lies in the bytes found.
    fn piece(&self, nth: usize) -> std::ops::Range<usize> {
        let start = (self.offset_bytes / PIECE_BYTES + nth) * PIECE_BYTES;
        let from = start.saturating_sub(self.offset_bytes);
        let to = (start + PIECE_BYTES - self.offset_bytes).min(self.found.len());
        from..to
    }
}
