//! The replies to a client, and the batch that keeps errors back until its end.

use rrdcached::server::{Answer, answer};

use super::batch::Batch;
use super::{Stop, words};
use crate::limits::{Budget, REPLY_BYTES, Share};
use crate::output::Output;

/// The error in place of a reply for which there is no room.
pub(super) const TOO_MANY_LARGE: &[u8] = b"too many large replies at once, ask again";

/// Tells a client what became of its commands.
pub(super) struct Replies<'s> {
    /// What all replies may take.
    budget: &'s Budget,
    /// What the errors of batches may take.
    errors: &'s Budget,
    batch: Option<Batch<'s>>,
}

impl<'s> Replies<'s> {
    pub(super) fn new(budget: &'s Budget, errors: &'s Budget) -> Self {
        Self { budget, errors, batch: None }
    }

    /// The memory that a reply takes, none so far.
    pub(super) fn share(&self) -> Share<'s> {
        self.budget.share()
    }

    pub(super) fn is_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// A line came.
    pub(super) fn count_line(&mut self) {
        if let Some(batch) = &mut self.batch {
            batch.line += 1;
        }
    }

    /// The number of the last line in the batch; 0 without one.
    pub(super) fn line_number(&self) -> u64 {
        self.batch.as_ref().map_or(0, |batch| batch.line)
    }

    /// Tells that a command failed.
    pub(super) fn fail(&mut self, out: &mut Output<'_>, words: &[u8]) {
        self.fail_line(self.line_number(), out, words);
    }

    /// The same of an earlier command of a batch.
    pub(super) fn fail_line(&mut self, number: u64, out: &mut Output<'_>, words: &[u8]) {
        let words = words::cut(words);
        match &mut self.batch {
            Some(batch) => batch.refuse(number, words),
            None => answer::error(out.buffer(), words),
        }
    }

    /// Tells that a command succeeded; not within a batch.
    pub(super) fn succeed(&self, out: &mut Output<'_>, words: &[u8]) {
        if self.batch.is_none() {
            answer::status(out.buffer(), 0, words);
        }
    }

    /// Tells lines. What they take is counted until the client has read them.
    pub(super) fn tell(
        &mut self,
        answer: &Answer,
        words: &[u8],
        out: &mut Output<'_>,
    ) -> Result<(), Stop> {
        let mut share = self.share();
        if !share.hold_reply(answer.size_bytes()) {
            self.fail(out, TOO_MANY_LARGE);
            return Ok(());
        }
        send_answer(answer, &share, words, out)
    }

    /// BATCH.
    pub(super) fn begin_batch(&mut self, out: &mut Output<'_>) {
        self.batch = Some(Batch::new(self.errors.share()));
        out.buffer().extend_from_slice(answer::GO_AHEAD);
    }

    /// The end of a batch: its errors are told.
    pub(super) fn end_batch(&mut self, out: &mut Output<'_>) -> Result<(), Stop> {
        let Some(batch) = self.batch.take() else { return Ok(()) };
        let (answer, share) = batch.end();
        send_answer(&answer, &share, b"errors", out)
    }
}

fn send_answer(
    answer: &Answer,
    share: &Share<'_>,
    words: &[u8],
    out: &mut Output<'_>,
) -> Result<(), Stop> {
    out.begin_reply(share);
    answer.first_line(out.buffer(), words);
    send(answer.lines(), out)
}

/// Sends bytes, without a copy where they are many.
pub(super) fn send(bytes: &[u8], out: &mut Output<'_>) -> Result<(), Stop> {
    if bytes.len() > REPLY_BYTES {
        out.send_all(bytes)?;
    } else {
        out.buffer().extend_from_slice(bytes);
        out.send_if_much()?;
    }
    Ok(())
}
