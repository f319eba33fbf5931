//! A batch: its errors wait for its end.

use rrdcached::server::Answer;

use crate::limits::ERRORS_BYTES_MAX;

/// A batch that was begun.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The number of its last line.
    pub(super) line: u64,
    /// In the order of the lines.
    errors: Vec<(u64, Vec<u8>)>,
    errors_bytes: usize,
    /// Those for whose words there is no room.
    untold: u64,
}

impl Batch {
    /// Takes an error up. A client that sends errors only must not fill the memory.
    pub(super) fn refuse(&mut self, number: u64, words: &[u8]) {
        self.errors_bytes += words.len() + size_of::<(u64, Vec<u8>)>();
        if self.errors_bytes > ERRORS_BYTES_MAX {
            self.untold += 1;
        } else {
            self.errors.push((number, words.to_vec()));
        }
    }

    /// The reply to its end.
    pub(super) fn end(self, out: &mut Vec<u8>) {
        let mut answer = Answer::default();
        for (number, words) in &self.errors {
            let mut line = format!("{number} ").into_bytes();
            line.extend(words.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
            answer.line(&line);
        }
        if self.untold > 0 {
            let line = format!("{} {} further errors are not told", self.line, self.untold);
            answer.line(line.as_bytes());
        }
        answer.end(out, b"errors");
    }
}

#[cfg(test)]
mod tests {
    use super::{Batch, ERRORS_BYTES_MAX};

    #[test]
    fn errors_are_told_by_their_lines_as_far_as_there_is_room() {
        let mut batch = Batch { line: 9, ..Batch::default() };
        batch.refuse(2, b"no");
        batch.refuse(7, &vec![b'x'; ERRORS_BYTES_MAX]);
        batch.refuse(8, b"no");
        let mut out = Vec::new();
        batch.end(&mut out);
        assert_eq!(out, b"2 errors\n2 no\n9 2 further errors are not told\n");
    }
}
