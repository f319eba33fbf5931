//! Groups whose flush is due, and the thread that waits for one.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tracing_mutex::stdsync::{Condvar, Mutex, MutexGuard};

/// Groups whose flush is due, in the order in which they became so.
pub(crate) struct Due {
    groups: Mutex<VecDeque<u32>>,
    /// Told of whatever becomes due.
    became_due: Condvar,
    /// Something happened of which work may follow.
    stirred: AtomicBool,
    /// Whether a thread waits for work with no limit of time.
    rests: AtomicBool,
}

impl Due {
    /// Nothing is due, and the first thread that asks finds that something happened.
    pub(super) fn new() -> Self {
        Self {
            groups: Mutex::default(),
            became_due: Condvar::new(),
            stirred: AtomicBool::new(true),
            rests: AtomicBool::new(false),
        }
    }

    fn groups(&self) -> MutexGuard<'_, VecDeque<u32>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, group: u32) {
        self.groups().push_back(group);
        self.became_due.notify_one();
    }

    /// The group that has waited longest.
    pub(super) fn pop(&self) -> Option<u32> {
        self.groups().pop_front()
    }

    pub(super) fn count(&self) -> usize {
        self.groups().len()
    }

    /// Whether no flush is due.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups().is_empty()
    }

    /// Waits until something is due, for so long at most. Without a limit it waits until something
    /// is due, or something happens of which work may follow.
    pub(crate) fn wait(&self, patience: Option<Duration>) {
        let groups = self.groups();
        let nothing_happened =
            |groups: &mut VecDeque<u32>| groups.is_empty() && !self.stirred.load(Ordering::SeqCst);
        match patience {
            Some(_) if !groups.is_empty() => {}
            Some(patience) => drop(self.became_due.wait_timeout(groups, patience)),
            None => {
                // Before it looks: what happens after the look finds that a thread rests.
                self.rests.store(true, Ordering::SeqCst);
                drop(self.became_due.wait_while(groups, nothing_happened));
                self.rests.store(false, Ordering::SeqCst);
            }
        }
    }

    /// Notes that samples were taken. A thread that waits for a limited time sees it later: updates
    /// may come one by one, each from a client that waits for it.
    pub(super) fn stir(&self) {
        if !self.stirred.load(Ordering::SeqCst) {
            self.stirred.store(true, Ordering::SeqCst);
        }
        if self.rests.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    /// Whether something happened since this was asked last.
    pub(crate) fn take_stirred(&self) -> bool {
        self.stirred.swap(false, Ordering::SeqCst)
    }

    /// Ends all waits.
    pub(crate) fn wake(&self) {
        // A thread that is about to wait has looked at this under the same lock.
        let groups = self.groups();
        self.stirred.store(true, Ordering::SeqCst);
        drop(groups);
        self.became_due.notify_all();
    }
}
