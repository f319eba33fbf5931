//! Bit fields, lowest bits first, and whole values after them.

/// Writes fields one after the other.
pub(super) struct BitWriter<'a> {
    bytes: &'a mut [u8],
    at: usize,
    /// The bits of an incomplete group of four bytes.
    pending: u64,
    pending_bits: u32,
    fits: bool,
}

impl<'a> BitWriter<'a> {
    pub(super) fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, at: 0, pending: 0, pending_bits: 0, fits: true }
    }

    /// Appends a field of at most 32 bits; [`Self::finish`] reports a value that does not fit.
    #[inline]
    pub(super) fn put(&mut self, value: u64, bits: u32) {
        debug_assert!(bits <= 32);
        self.fits &= value >> bits == 0;
        self.pending |= value << self.pending_bits;
        self.pending_bits += bits;
        if self.pending_bits >= 32 {
            self.bytes[self.at..][..4].copy_from_slice(&(self.pending as u32).to_le_bytes());
            self.at += 4;
            self.pending >>= 32;
            self.pending_bits -= 32;
        }
    }

    /// Writes the last bits; false if a value did not fit in its field.
    pub(super) fn finish(self) -> bool {
        let rest = &mut self.bytes[self.at..];
        rest.copy_from_slice(&self.pending.to_le_bytes()[..rest.len()]);
        self.fits
    }
}

/// Reads fields one after the other; further bytes may follow.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    at_bits: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at_bits: 0 }
    }

    /// A field of at most 32 bits.
    #[inline]
    pub(super) fn take(&mut self, bits: u32) -> u64 {
        let from = &self.bytes[self.at_bits / 8..];
        let word = match from.first_chunk() {
            Some(word) => *word,
            None => {
                let mut word = [0; 8];
                word[..from.len()].copy_from_slice(from);
                word
            }
        };
        let value = u64::from_le_bytes(word) >> (self.at_bits % 8) & ((1 << bits) - 1);
        self.at_bits += bits as usize;
        value
    }
}

/// Writes whole values one after the other.
pub(super) struct ValueWriter<'a>(pub(super) &'a mut [u8]);

impl ValueWriter<'_> {
    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        let (place, rest) =
            std::mem::take(&mut self.0).split_first_chunk_mut().expect("the layout has room");
        *place = bytes;
        self.0 = rest;
    }

    #[inline]
    pub(super) fn double(&mut self, value: f64) {
        self.put(value.to_le_bytes());
    }
}

/// Reads whole values one after the other.
pub(super) struct ValueReader<'a>(pub(super) &'a [u8]);

impl ValueReader<'_> {
    #[inline]
    pub(super) fn take<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().expect("the layout has room");
        self.0 = rest;
        *bytes
    }

    #[inline]
    pub(super) fn double(&mut self) -> f64 {
        f64::from_le_bytes(self.take())
    }
}

/// The number of bits for every value up to `most`, at most 32.
pub(super) fn bits_up_to(most: u64) -> u32 {
    (u64::BITS - most.leading_zeros()).min(32)
}
