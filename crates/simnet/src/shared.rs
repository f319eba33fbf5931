//! What the thread that answers shares with those that watch and disturb it.

use crate::fault::Conditions;
use crate::tally::Tally;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The lock is held while a batch of datagrams is answered.
#[derive(Debug, Default)]
pub(crate) struct Shared(Mutex<Now>);

/// The state of a network that is not a function of its seed.
#[derive(Debug, Default)]
pub(crate) struct Now {
    pub(crate) conditions: Conditions,
    pub(crate) tally: Tally,
}

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Now> {
        // Counts and faults are whole at any time.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
