//! Fields of Protocol Buffers' messages, read in place.

use super::WrongMessage;

/// A field of a message, and where its value begins.
pub(super) struct Field<'a> {
    pub(super) number: u64,
    pub(super) value: Wire<'a>,
    pub(super) offset: usize,
}

/// A value as Protocol Buffers writes it.
pub(super) enum Wire<'a> {
    Varint(u64),
    Fixed(u64),
    Short,
    Bytes(&'a [u8]),
}

/// The fields of a message, one by one. After an error there are none.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    end: usize,
}

impl<'a> Fields<'a> {
    /// The fields of a message that begins at an offset.
    pub(super) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { rest: bytes, end: offset + bytes.len() }
    }

    fn offset(&self) -> usize {
        self.end - self.rest.len()
    }

    fn wrong(&self, expected: &'static str) -> WrongMessage {
        WrongMessage::Wrong { offset: self.offset(), expected }
    }

    fn varint(&mut self) -> Result<u64, WrongMessage> {
        let mut value = 0_u64;
        for (nth, byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * nth);
            if byte & 0x80 == 0 {
                self.rest = &self.rest[nth + 1..];
                return Ok(value);
            }
        }
        Err(self.wrong("a number of at most ten bytes"))
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], WrongMessage> {
        let split = usize::try_from(count).ok().and_then(|count| self.rest.split_at_checked(count));
        let Some((taken, rest)) = split else {
            return Err(self.wrong("as many bytes as the length in front of them says"));
        };
        self.rest = rest;
        Ok(taken)
    }

    fn field(&mut self) -> Result<Field<'a>, WrongMessage> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed(
                self.take(8)?.iter().rev().fold(0, |it, byte| it << 8 | u64::from(*byte)),
            ),
            2 => {
                let count = self.varint()?;
                Wire::Bytes(self.take(count)?)
            }
            5 => {
                self.take(4)?;
                Wire::Short
            }
            _ => return Err(self.wrong("a field of wire type 0, 1, 2 or 5")),
        };
        let length = if let Wire::Bytes(bytes) = &value { bytes.len() } else { 0 };
        Ok(Field { number: key >> 3, value, offset: self.offset() - length })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, WrongMessage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}
