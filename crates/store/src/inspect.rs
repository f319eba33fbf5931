//! What a store that is more than files says of itself as a whole.

use crate::{Error, StoreReport, Verified};

/// A store that tells of itself, and checks itself.
pub trait Inspect {
    /// What the store says of itself.
    ///
    /// # Errors
    /// It cannot be asked.
    fn report(&self) -> Result<StoreReport, Error>;

    /// Checks everything that the store has on disk, and serves on meanwhile. `progress` is told
    /// bytes done and bytes in all.
    ///
    /// # Errors
    /// Those of the machine. Damage is no error, but what is told.
    fn verify(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<Verified, Error>;
}
