//! A batch: its errors wait for its end.

use rrdcached::server::Answer;

use crate::limits::{ERRORS_BYTES_MAX, REPLY_BYTES, Share};

/// A batch that was begun.
#[derive(Debug)]
pub(super) struct Batch<'s> {
    /// The number of its last line.
    pub(super) line: u64,
    /// In the order of the lines.
    errors: Answer,
    /// The memory that they take.
    share: Share<'s>,
    /// Errors for whose words there is no room.
    untold: u64,
}

impl<'s> Batch<'s> {
    /// A batch whose errors take their memory from a share.
    pub(super) fn new(share: Share<'s>) -> Self {
        Self { line: 0, errors: Answer::default(), share, untold: 0 }
    }

    /// Takes an error up. Clients that send errors only must not fill the memory, be it one of them
    /// or all together.
    pub(super) fn refuse(&mut self, number: u64, words: &[u8]) {
        let mut line = format!("{number} ").into_bytes();
        line.extend(words.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
        let size_bytes = self.errors.size_bytes() + line.len() + 1;
        let held_bytes = size_bytes.saturating_sub(REPLY_BYTES);
        if size_bytes > ERRORS_BYTES_MAX || !self.share.resize(held_bytes) {
            self.untold += 1;
        } else {
            self.errors.line(&line);
        }
    }

    /// The reply to its end, and the share that holds its memory until it is sent.
    pub(super) fn end(self) -> (Answer, Share<'s>) {
        let mut answer = self.errors;
        if self.untold > 0 {
            let line = format!("{} {} further errors are not told", self.line, self.untold);
            answer.line(line.as_bytes());
        }
        (answer, self.share)
    }
}

#[cfg(test)]
mod tests {
    use super::{Batch, ERRORS_BYTES_MAX};
    use crate::limits::Budget;

    fn told(batch: Batch<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        batch.end().0.end(&mut out, b"errors");
        out
    }

    #[test]
    fn errors_are_told_by_their_lines_as_far_as_there_is_room() {
        let budget = Budget::of_errors();
        let mut batch = Batch { line: 9, ..Batch::new(budget.share()) };
        batch.refuse(2, b"no");
        batch.refuse(7, &vec![b'x'; ERRORS_BYTES_MAX]);
        assert_eq!(told(batch), b"2 errors\n2 no\n9 1 further errors are not told\n");
    }

    #[test]
    fn all_batches_share_what_there_is() {
        let budget = Budget::of_errors();
        let mut batches: Vec<Batch<'_>> = (0..100).map(|_| Batch::new(budget.share())).collect();
        for batch in &mut batches {
            batch.refuse(1, &vec![b'x'; ERRORS_BYTES_MAX - 10]);
        }
        let told_whole = batches.iter().filter(|batch| batch.untold == 0).count();
        assert_eq!(told_whole, 16); // 64 MiB
        // What one gives back another may take.
        drop(batches.remove(0));
        let last = batches.last_mut().unwrap();
        last.refuse(2, &vec![b'x'; ERRORS_BYTES_MAX - 10]);
        assert_eq!(last.untold, 1);
    }
}
