//! Single UPDATEs that gather while others are being synced.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::round::Round;

/// Single UPDATEs that wait for the disk together. The chairs of their clients are kept.
#[derive(Default)]
pub(crate) struct Commits<'s>(Mutex<Waiting<'s>>);

#[derive(Default)]
struct Waiting<'s> {
    round: Round<'s>,
    /// A thread has them taken.
    is_at_work: bool,
}

impl<'s> Commits<'s> {
    /// Adds updates; true if this thread, or another one that it tells, is to have them taken.
    pub(crate) fn add(&self, round: &mut Round<'s>) -> bool {
        let mut waiting = self.waiting();
        waiting.round.append(round);
        !std::mem::replace(&mut waiting.is_at_work, true)
    }

    /// Takes what waits, into a round that is empty; false if there is nothing more to do.
    pub(crate) fn take(&self, round: &mut Round<'s>) -> bool {
        let mut waiting = self.waiting();
        std::mem::swap(&mut waiting.round, round);
        waiting.is_at_work = !round.is_empty();
        waiting.is_at_work
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<'s>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
