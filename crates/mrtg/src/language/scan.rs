//! A place within a value, and the steps a reader takes from it.

use crate::text::is_space;

/// Bytes with a position. Cheap to copy: trying is reading with a copy.
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

    /// All bytes from here on that satisfy the condition.
    pub(super) fn take_while(&mut self, condition: impl Fn(u8) -> bool) -> &'t [u8] {
        self.take_at_most(usize::MAX, condition)
    }

    /// The same, but no more than so many bytes.
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

    /// One or more digits that make a number.
    pub(super) fn take_number(&mut self) -> Option<u32> {
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}

/// What was expected, and how far reading had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misread {
    /// Bytes before the place.
    pub(crate) offset: usize,
    /// What would have been understood there.
    pub(crate) expected: &'static str,
}

impl Misread {
    /// Of two attempts, the one that came farther.
    pub(super) const fn or_farther(self, other: Self) -> Self {
        if other.offset > self.offset { other } else { self }
    }
}

pub(super) const fn misread(cursor: Cursor<'_>, expected: &'static str) -> Misread {
    Misread { offset: cursor.offset(), expected }
}
