//! What is counted of a receiver.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Counted by the receiver's thread, and read by the status.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// Alerts that it took, again or for the first time.
    pub(super) sent: Count,
    /// Posts that failed and are tried again.
    pub(super) posts_failed: Count,
    /// Alerts that it refused.
    pub(super) refused: Count,
    /// Alerts of whose end it could not be told in time.
    pub(super) ends_untold: Count,
    is_up: AtomicBool,
    /// Why it does not take alerts.
    trouble: Mutex<Option<String>>,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub(super) struct Count(AtomicU64);

impl Count {
    pub(super) fn add(&self, more: usize) {
        self.0.fetch_add(more as u64, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counts {
    pub(super) fn set_trouble(&self, trouble: Option<String>) {
        self.is_up.store(trouble.is_none(), Ordering::Relaxed);
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// What it does not take is due no more.
    pub(super) fn forget_trouble(&self) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether it took the last post.
    pub(super) fn is_up(&self) -> bool {
        self.is_up.load(Ordering::Relaxed)
    }

    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
