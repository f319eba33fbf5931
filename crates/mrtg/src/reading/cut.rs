//! Bytes of a file that was read.

use std::sync::Arc;

/// Bytes of a file. The file is kept as long as they are, so that the values of a million targets
/// need no copies.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    file: Arc<Vec<u8>>,
    begin: u32,
    end: u32,
}

impl Cut {
    /// All of these bytes.
    pub(super) fn whole(bytes: Vec<u8>) -> Self {
        let end = bytes.len() as u32; // all files together have less
        Self { file: Arc::new(bytes), begin: 0, end }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.file.get(self.begin as usize..self.end as usize).unwrap_or_default()
    }

    /// These bytes from one place on, up to another.
    pub(super) fn between(&self, begin: usize, end: usize) -> Self {
        let at = |place: usize| self.begin.saturating_add(place as u32).min(self.end);
        Self { file: Arc::clone(&self.file), begin: at(begin), end: at(end) }
    }

    /// The cut that a part of its bytes is.
    pub(super) fn part(&self, part: &[u8]) -> Self {
        let begin = part.as_ptr().addr().saturating_sub(self.bytes().as_ptr().addr());
        self.between(begin, begin + part.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Cut;

    #[test]
    fn a_part_is_found_again() {
        let whole = Cut::whole(b"one two three".to_vec());
        let middle = whole.between(4, 7);
        assert_eq!(middle.bytes(), b"two");
        assert_eq!(middle.part(&middle.bytes()[1..]).bytes(), b"wo");
        assert_eq!(middle.part(&middle.bytes()[3..]).bytes(), b"");
        assert_eq!(middle.between(2, 9).bytes(), b"o");
    }
}
