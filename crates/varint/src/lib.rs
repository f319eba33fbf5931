//! Numbers of variable length, as the records of logs and checkpoints have them, and a cursor over
//! bytes that may be anything.
//!
//! A varint has seven bits a byte, lowest first, and no byte too many; a signed number is folded
//! (zigzag) so that small ones of either sign are short.

/// Bytes that are no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset_bytes} of the record: expected {expected}, found {}", or_end(*.found))]
pub struct RecordError {
    /// Where in the record.
    pub offset_bytes: usize,
    /// What should stand there.
    pub expected: &'static str,
    /// The byte there, if the record has not ended.
    pub found: Option<u8>,
}

fn or_end(byte: Option<u8>) -> String {
    byte.map_or("its end".into(), |byte| format!("0x{byte:02x}"))
}

/// A place in bytes that may be anything.
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

    /// The bytes from here on.
    #[must_use]
    #[inline]
    pub fn rest(self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The fault that this place has something else than `expected`.
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

    /// Runs `read`.
    ///
    /// # Errors
    /// That of `read`; at its start, where `valid` does not hold for what it read.
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

    /// A varint in its shortest form.
    ///
    /// # Errors
    /// Something else stands here.
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

    /// A varint in its shortest form that fits 32 bits.
    ///
    /// # Errors
    /// Something else stands here.
    #[inline]
    pub fn varint_u32(&mut self, expected: &'static str) -> Result<u32, RecordError> {
        let start = *self;
        u32::try_from(self.varint(expected)?).map_err(|_| start.error(expected))
    }

    /// A zigzag varint.
    ///
    /// # Errors
    /// Something else stands here.
    #[inline]
    pub fn signed(&mut self, expected: &'static str) -> Result<i64, RecordError> {
        let folded = self.varint(expected)?;
        Ok((folded >> 1).cast_signed() ^ -(folded & 1).cast_signed())
    }

    /// A double by its bits.
    ///
    /// # Errors
    /// Something else stands here.
    pub fn double(&mut self, expected: &'static str) -> Result<f64, RecordError> {
        let start = *self;
        let bytes = self.take(8, expected)?;
        bytes.try_into().map(f64::from_le_bytes).map_err(|_| start.error(expected))
    }

    /// A text of `count` bytes.
    ///
    /// # Errors
    /// Something else stands here.
    pub fn text(&mut self, count: u64, expected: &'static str) -> Result<&'a str, RecordError> {
        let start = *self;
        let count = usize::try_from(count).map_err(|_| start.error(expected))?;
        let bytes = self.take(count, expected)?;
        std::str::from_utf8(bytes).map_err(|_| start.error(expected))
    }

    /// A text after its length.
    ///
    /// # Errors
    /// Something else stands here.
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

/// Appends a text after its length.
pub fn put_text(text: &str, out: &mut Vec<u8>) {
    put_varint(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}
