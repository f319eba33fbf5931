//! Numbers of documents in rising order, in few bytes.
//!
//! ```text
//!  documents  5 6 7 8   20   22
//!  runs       5..=8     20   22
//!  bytes      gap 5, and more follow: length 4-2 | gap 11 | gap 1
//! ```
//!
//! A gap is the number of documents that are left out, doubled; it is odd if a run of several
//! documents begins there, whose length less two follows.

use std::ops::Range;

use varint::{Cursor, put_varint};

/// A list in the making.
#[derive(Debug, Default)]
pub(crate) struct Making {
    bytes: Vec<u8>,
    /// Where the gap before the run began: behind the run before it.
    from: u32,
    /// The last run, which may grow; empty before the first one.
    begin: u32,
    end: u32,
}

impl Making {
    /// Adds a document; none before the last one.
    pub(crate) fn push(&mut self, document: u32) {
        let is_first = self.begin == self.end;
        if !is_first && document < self.end {
            return; // it is the last one again
        }
        if is_first || document > self.end {
            self.close();
            self.begin = document;
        }
        self.end = document + 1;
    }

    fn close(&mut self) {
        let length = self.end - self.begin;
        if length == 0 {
            return;
        }
        let gap = u64::from(self.begin - self.from) << 1;
        put_varint(gap | u64::from(length > 1), &mut self.bytes);
        if length > 1 {
            put_varint(u64::from(length - 2), &mut self.bytes);
        }
        self.from = self.end;
    }

    /// The bytes of the whole list.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.close();
        self.bytes
    }
}

/// The runs of documents of a list.
pub(crate) fn runs(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut cursor = Cursor::new(bytes);
    let mut from = 0_usize;
    std::iter::from_fn(move || {
        let head = cursor.varint("a gap").ok()? as usize;
        let length = match head & 1 {
            0 => 1,
            _ => cursor.varint("a length").ok()? as usize + 2,
        };
        let begin = from + (head >> 1);
        from = begin + length;
        Some(begin..from)
    })
}

#[cfg(test)]
mod tests {
    use super::{Making, runs};

    #[test]
    fn a_list_comes_back_in_runs() {
        let mut making = Making::default();
        for document in [0, 0, 5, 6, 6, 7, 8, 20, 22, 70_000] {
            making.push(document);
        }
        let bytes = making.finish();
        let expected = [0..1, 5..9, 20..21, 22..23, 70_000..70_001];
        assert_eq!(runs(&bytes).collect::<Vec<_>>(), expected);
        assert_eq!(bytes.len(), 8);
        assert_eq!(runs(&Making::default().finish()).count(), 0);
    }
}
