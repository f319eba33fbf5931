//! Reports on a whole store, for stores that are more than a directory of files.

use crate::{Error, StoreReport, Verified};

/// A store that reports on itself and verifies itself.
pub trait Inspect {
    /// The store's report.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    fn report(&self) -> Result<StoreReport, Error>;

    /// Verifies everything that the store has on disk, while it is in use. `progress` gets the
    /// bytes done and the bytes in all.
    ///
    /// # Errors
    ///
    /// Those of the machine. Damage is not an error, but part of the result.
    fn verify(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<Verified, Error>;
}
