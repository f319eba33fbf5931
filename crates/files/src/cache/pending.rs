//! Samples that are not in their file yet.

/// Samples as they came, in the order in which they came.
///
/// ```text
///   for each   1   1 where a command ends with it, else 0
///              4   bytes of the text
///              n   text
/// ```
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    bytes: Vec<u8>,
    count: u32,
}

/// Whether a command ends with a sample: seasons are smoothed there, where that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Nothing,
    Command,
}

const LENGTH_BYTES: usize = 4;

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes that a sample takes.
    pub(super) fn bytes_of(text: &str) -> usize {
        1 + LENGTH_BYTES + text.len()
    }

    pub(super) fn push(&mut self, text: &str) {
        let length = u32::try_from(text.len()).expect("a line of the protocol is shorter");
        // Hundreds of thousands of these wait for an hour: no doubling.
        let needed = Self::bytes_of(text);
        if self.bytes.capacity() - self.bytes.len() < needed {
            self.bytes.reserve_exact(needed.max(self.bytes.len() / 4));
        }
        self.bytes.push(End::Nothing as u8);
        self.bytes.extend_from_slice(&length.to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
        self.count += 1;
    }

    /// Notes that a command ends with the last sample, whose text this is.
    pub(super) fn end_command(&mut self, text: &str) {
        let at = self.bytes.len() - text.len() - LENGTH_BYTES - 1;
        self.bytes[at] = End::Command as u8;
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, End)> {
        let mut rest = &self.bytes[..];
        std::iter::from_fn(move || {
            let (end, behind) = rest.split_first()?;
            let (length, behind) = behind.split_first_chunk::<LENGTH_BYTES>()?;
            let (text, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
            rest = behind;
            let end = if *end == 0 { End::Nothing } else { End::Command };
            Some((std::str::from_utf8(text).expect("it came as text"), end))
        })
    }
}
