//! Whole databases that come from elsewhere, many at a time.

use disk::GoesOn;
use geometry::{GROUP_DATABASES_MAX, LayoutKey};
use rrd::Snapshot;

use crate::Error;

/// A database that comes from elsewhere.
#[derive(Clone, Debug)]
pub struct Adoptee {
    /// Its name.
    pub name: String,
    /// All of it.
    pub snapshot: Snapshot,
    /// What its file had that a snapshot has not: in the form of the store that keeps it.
    pub foreign: Option<Vec<u8>>,
}

/// The most databases that come at once.
pub const ADOPTEES_MAX: usize = GROUP_DATABASES_MAX as usize;

impl Adoptee {
    /// Whether archives of one PDP can be stored once for all their functions: they have the same
    /// rows, bit for bit.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        let archives = &self.snapshot.definition.archives;
        let same =
            |a: &[f64], b: &[f64]| a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()));
        let fine = |each: &rrd::Archive| each.pdp_per_row == 1 && !each.cf.is_forecast();
        archives.iter().enumerate().filter(|(_, archive)| fine(archive)).all(|(nth, archive)| {
            let first = archives.iter().position(|each| fine(each) && each.rows == archive.rows);
            same(&self.snapshot.rows[nth], &self.snapshot.rows[first.unwrap_or(nth)])
        })
    }

    /// Whether two can be members of one group.
    #[must_use]
    pub fn same_group(&self, other: &Self) -> bool {
        self.layout_key() == other.layout_key()
    }

    /// The layout of the group that it can be a member of.
    #[must_use]
    pub fn layout_key(&self) -> LayoutKey {
        LayoutKey::of(&self.snapshot.definition, self.is_shared())
    }
}

/// A store that takes in whole databases with all that their files had.
pub trait Adopt: Send + Sync {
    /// Takes databases that [can be members of one group](Adoptee::same_group), at most
    /// [`ADOPTEES_MAX`], all or none, in place of what stands under their
    /// names, as long as `goes_on` says so. They are on disk when it returns.
    ///
    /// # Errors
    /// [`Error::Unfit`] of a layout that the store does not take, [`Error::Name`],
    /// [`Error::Exists`] if two have one name, and those of the machine.
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
