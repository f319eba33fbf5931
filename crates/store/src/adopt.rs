//! Whole databases that come from elsewhere, many at a time.

use disk::GoesOn;

use crate::ring::Adoptee;
use crate::{Error, RingStore};

/// A store that takes in whole databases with all that their files had.
pub trait Adopt: Send + Sync {
    /// Takes databases that [can be members of one group](Adoptee::same_group), at most
    /// [`ADOPTEES_MAX`](crate::ring::ADOPTEES_MAX), all or none, in place of what stands under their
    /// names, as long as `goes_on` says so. They are on disk when it returns.
    ///
    /// # Errors
    /// [`Error::Unfit`] of a layout that the store does not take, [`Error::Name`], [`Error::Exists`] if
    /// two have one name, and those of the machine.
    fn adopt(&self, adoptees: &[Adoptee], goes_on: GoesOn<'_>) -> Result<(), Error>;

    /// Whether a name is held by what came from a file that was changed last at this moment, in
    /// nanoseconds since 1970; `None` if nobody has the name.
    ///
    /// # Errors
    /// The store cannot be asked.
    fn came_from(&self, name: &str, modified_nanos: i64) -> Result<Option<bool>, Error>;

    /// Bytes of rows that are best handed over at once.
    fn bytes_at_once(&self) -> usize;
}

impl Adopt for RingStore {
    fn adopt(&self, adoptees: &[Adoptee], goes_on: GoesOn<'_>) -> Result<(), Error> {
        self.engine().adopt_while(adoptees, goes_on)
    }

    fn came_from(&self, name: &str, modified_nanos: i64) -> Result<Option<bool>, Error> {
        self.engine().came_from(name, modified_nanos)
    }

    /// A full group of MRTG's databases.
    fn bytes_at_once(&self) -> usize {
        384 << 20
    }
}
