//! The tokens that count at the moment.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::Tokens;

/// The tokens that count at the moment. All clones are the same: what replaces the tokens of one
/// replaces those of all.
#[derive(Clone, Debug, Default)]
pub struct Current(Arc<Kept>);

#[derive(Debug, Default)]
struct Kept {
    tokens: RwLock<Arc<Tokens>>,
    /// How often they were replaced.
    edition: AtomicU64,
}

impl Current {
    /// These count from now on.
    #[must_use]
    pub fn new(tokens: Tokens) -> Self {
        let current = Self::default();
        current.replace(tokens);
        current
    }

    /// From now on these count, and no others.
    pub fn replace(&self, tokens: Tokens) {
        *self.0.tokens.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tokens);
        // After the tokens: who sees the new number finds the new tokens.
        self.0.edition.fetch_add(1, Ordering::Release);
    }

    /// Those that count now.
    #[must_use]
    pub fn tokens(&self) -> Arc<Tokens> {
        Arc::clone(&self.0.tokens.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Another number each time that the tokens were replaced. Long connections ask for it, to find
    /// out that what they were granted may be over.
    #[must_use]
    pub fn edition(&self) -> u64 {
        self.0.edition.load(Ordering::Acquire)
    }
}
