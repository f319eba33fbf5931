//! Writes BER in its shortest form, from the last byte to the first: the length of an element is
//! known when it is written, so nothing is measured or moved.

/// The message so far, reversed.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    reversed: Vec<u8>,
}

impl Writer {
    pub(crate) fn with_capacity(bytes: usize) -> Writer {
        Writer { reversed: Vec::with_capacity(bytes) }
    }

    /// The message in the right order.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.reversed.reverse();
        self.reversed
    }

    /// The bytes so far, which will be the last ones.
    pub(crate) fn length(&self) -> usize {
        self.reversed.len()
    }

    /// Writes an element whose contents `write` adds, **the last one first**.
    pub(crate) fn nested(&mut self, tag: u8, write: impl FnOnce(&mut Writer)) {
        let before = self.reversed.len();
        write(self);
        self.header(tag, self.reversed.len() - before);
    }

    pub(crate) fn contents(&mut self, tag: u8, contents: &[u8]) {
        self.reversed.extend(contents.iter().rev());
        self.header(tag, contents.len());
    }

    pub(crate) fn signed(&mut self, tag: u8, number: i32) {
        let length = signed_length(number);
        let octets = number.to_le_bytes();
        self.reversed.extend(octets.iter().take(length));
        self.header(tag, length);
    }

    pub(crate) fn unsigned(&mut self, tag: u8, number: u64) {
        let length = unsigned_length(number);
        let octets = number.to_le_bytes();
        self.reversed.extend(octets.iter().chain(&[0]).take(length));
        self.header(tag, length);
    }

    fn header(&mut self, tag: u8, length: usize) {
        if length < 0x80 {
            self.reversed.push(length as u8);
        } else {
            let octets = length_octets(length);
            self.reversed.extend(length.to_le_bytes().iter().take(octets));
            self.reversed.push(0x80 | octets as u8);
        }
        self.reversed.push(tag);
    }
}

/// Bytes of an element with `length` bytes of contents.
pub(crate) fn element_length(length: usize) -> usize {
    let header = if length < 0x80 { 2 } else { 2 + length_octets(length) };
    header + length
}

/// The bytes of a signed number's contents: its bits, including the sign.
pub(crate) fn signed_length(number: i32) -> usize {
    let magnitude = if number < 0 { !number } else { number };
    (33 - magnitude.leading_zeros()).div_ceil(8) as usize
}

/// The bytes of an unsigned number's contents, including a leading zero bit.
pub(crate) fn unsigned_length(number: u64) -> usize {
    (65 - number.leading_zeros()).div_ceil(8) as usize
}

fn length_octets(length: usize) -> usize {
    (usize::BITS - length.leading_zeros()).div_ceil(8) as usize
}
