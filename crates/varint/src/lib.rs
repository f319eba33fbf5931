//! Numbers of variable length, as used in the records of logs and checkpoints, and a cursor over
//! untrusted bytes.
//!
//! A varint has seven bits in each byte, lowest first, in its shortest form. A signed number is
//! mapped (zigzag) so that small numbers of either sign are short.

/// The bytes are not a valid record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset_bytes} of the record: expected {expected}, found {}", or_end(*.found))]
pub struct RecordError {
    /// The offset in the record.
    pub offset_bytes: usize,
    /// What was expected there.
    pub expected: &'static str,
    /// The byte that was found; `None` at the end of the record.
    pub found: Option<u8>,
}

fn or_end(byte: Option<u8>) -> String {
    byte.map_or("its end".into(), |byte| format!("0x{byte:02x}"))
}

/// A position in untrusted bytes.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the first byte.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The remaining bytes.
    #[must_use]
    #[inline]
    pub fn rest(self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The error that something else than `expected` was found here.
    #[must_use]
    pub fn error(&self, expected: &'static str) -> RecordError {
        let found = self.bytes.get(self.at).copied();
        RecordError { offset_bytes: self.at, expected, found }
    }

    /// The next byte.
    ///
    /// # Errors
    /// The bytes end here.
    #[inline]
    pub fn byte(&mut self, expected: &'static str) -> Result<u8, RecordError> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(|| self.error(expected))?;
        self.at += 1;
        Ok(byte)
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// The bytes end before.
    #[inline]
    pub fn take(&mut self, count: usize, expected: &'static str) -> Result<&'a [u8], RecordError> {
        let taken = self.rest().get(..count).ok_or_else(|| self.error(expected))?;
        self.at += count;
        Ok(taken)
    }

    /// Calls `read` and validates the result.
    ///
    /// # Errors
    ///
    /// That of `read`; or, at the start of the value, that `valid` is false for it.
    pub fn checked<T>(
        &mut self,
        expected: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, RecordError>,
        valid: impl FnOnce(&T) -> bool,
    ) -> Result<T, RecordError> {
        let start = *self;
        let value = read(self)?;
        if valid(&value) { Ok(value) } else { Err(start.error(expected)) }
    }

    /// Reads a varint in its shortest form.
    ///
    /// # Errors
    ///
    /// There is something else.
    #[inline]
    pub fn varint(&mut self, expected: &'static str) -> Result<u64, RecordError> {
        let start = *self;
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte(expected)?;
            let bits = u64::from(byte & 0x7f);
            let fits = shift < 63 || bits <= 1;
            let shortest = byte != 0 || shift == 0;
            if !fits || !shortest {
                return Err(start.error(expected));
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(start.error(expected))
    }

    /// Reads a varint of at most 32 bits in its shortest form.
    ///
    /// # Errors
    ///
    /// There is something else.
    #[inline]
    pub fn varint_u32(&mut self, expected: &'static str) -> Result<u32, RecordError> {
        let start = *self;
        u32::try_from(self.varint(expected)?).map_err(|_| start.error(expected))
    }

    /// Reads a zigzag varint.
    ///
    /// # Errors
    ///
    /// There is something else.
    #[inline]
    pub fn signed(&mut self, expected: &'static str) -> Result<i64, RecordError> {
        let folded = self.varint(expected)?;
        Ok((folded >> 1).cast_signed() ^ -(folded & 1).cast_signed())
    }

    /// Reads a double by its bits.
    ///
    /// # Errors
    ///
    /// There is something else.
    pub fn double(&mut self, expected: &'static str) -> Result<f64, RecordError> {
        let start = *self;
        let bytes = self.take(8, expected)?;
        bytes.try_into().map(f64::from_le_bytes).map_err(|_| start.error(expected))
    }

    /// Reads a text of `count` bytes.
    ///
    /// # Errors
    ///
    /// There is something else.
    pub fn text(&mut self, count: u64, expected: &'static str) -> Result<&'a str, RecordError> {
        let start = *self;
        let count = usize::try_from(count).map_err(|_| start.error(expected))?;
        let bytes = self.take(count, expected)?;
        std::str::from_utf8(bytes).map_err(|_| start.error(expected))
    }

    /// Reads a length and a text.
    ///
    /// # Errors
    ///
    /// There is something else.
    pub fn counted_text(&mut self, expected: &'static str) -> Result<&'a str, RecordError> {
        let count = self.varint(expected)?;
        self.text(count, expected)
    }
}

/// Appends a varint.
#[inline]
pub fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a zigzag varint.
pub fn put_signed(value: i64, out: &mut Vec<u8>) {
    put_varint(((value << 1) ^ (value >> 63)).cast_unsigned(), out);
}

/// Appends the length of a text, and the text.
pub fn put_text(text: &str, out: &mut Vec<u8>) {
    put_varint(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}
