//! A cursor over the text of a value.

use crate::text::is_space;

/// Bytes with a position. A copy is cheap, so a parser tries an alternative on a copy.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    whole: &'t [u8],
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) const fn new(whole: &'t [u8]) -> Self {
        Self { whole, at: 0 }
    }

    /// How many bytes have been read.
    pub(super) const fn offset(self) -> usize {
        self.at
    }

    pub(super) fn rest(self) -> &'t [u8] {
        self.whole.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(self) -> Option<u8> {
        self.whole.get(self.at).copied()
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.at = self.whole.len().min(self.at + bytes);
    }

    /// Steps over one byte if it is this one.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.advance(usize::from(found));
        found
    }

    /// Steps over a prefix, if it is there.
    pub(super) fn take_prefix(&mut self, prefix: &[u8]) -> bool {
        let found = self.rest().starts_with(prefix);
        self.advance(if found { prefix.len() } else { 0 });
        found
    }

    /// Takes all bytes up to the first that does not satisfy the condition.
    pub(super) fn take_while(&mut self, condition: impl Fn(u8) -> bool) -> &'t [u8] {
        self.take_at_most(usize::MAX, condition)
    }

    /// The same, but at most `most` bytes.
    pub(super) fn take_at_most(
        &mut self,
        bytes: usize,
        condition: impl Fn(u8) -> bool,
    ) -> &'t [u8] {
        let rest = self.rest();
        let within = rest.iter().take(bytes);
        let length = within.take_while(|byte| condition(**byte)).count();
        self.advance(length);
        rest.get(..length).unwrap_or_default()
    }

    pub(super) fn skip_spaces(&mut self) {
        self.take_while(is_space);
    }

    /// Takes one or more digits that form a number.
    pub(super) fn take_number(&mut self) -> Option<u32> {
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

/// What was expected, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misread {
    /// The offset of the place.
    pub(crate) offset: usize,
    /// What was expected there.
    pub(crate) expected: &'static str,
}

impl Misread {
    /// The one of two errors that is farther in the text.
    pub(super) const fn or_farther(self, other: Self) -> Self {
        if other.offset > self.offset { other } else { self }
    }
}

pub(super) const fn misread(cursor: Cursor<'_>, expected: &'static str) -> Misread {
    Misread { offset: cursor.offset(), expected }
}
