//! Importing whole databases, many at a time.

use disk::GoesOn;
use geometry::{GROUP_DATABASES_MAX, LayoutKey};
use rrd::Snapshot;

use crate::Error;

/// A database to import.
#[derive(Clone, Debug)]
pub struct Adoptee {
    /// Its name.
    pub name: String,
    /// Its definition, live state and rows.
    pub snapshot: Snapshot,
    /// What its file had beyond the snapshot, in the format of the store that keeps it.
    pub foreign: Option<Vec<u8>>,
}

/// The most databases in one call.
pub const ADOPTEES_MAX: usize = GROUP_DATABASES_MAX as usize;

impl Adoptee {
    /// Whether archives of one PDP can be stored once for all their functions, because their rows
    /// are equal bit for bit.
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

    /// Whether two databases can be members of one group.
    #[must_use]
    pub fn same_group(&self, other: &Self) -> bool {
        self.layout_key() == other.layout_key()
    }

    /// The layout of the groups that it can be a member of.
    #[must_use]
    pub fn layout_key(&self) -> LayoutKey {
        LayoutKey::of(&self.snapshot.definition, self.is_shared())
    }
}

/// A store that imports whole databases, with everything that their files had.
pub trait Adopt: Send + Sync {
    /// Imports databases that [can be members of one group](Adoptee::same_group), at most
    /// [`ADOPTEES_MAX`], all or none, as long as `goes_on` returns true. Databases with the same
    /// names are replaced. When it returns, they are on disk.
    ///
    /// # Errors
    ///
    /// [`Error::Unfit`] for a layout that the store does not support, [`Error::Name`],
    /// [`Error::Exists`] if two have the same name, and those of the machine.
    fn adopt(&self, adoptees: &[Adoptee], goes_on: GoesOn<'_>) -> Result<(), Error>;

    /// Whether the database of this name was imported from a file that was last modified at this
    /// time, in nanoseconds since 1970; `None` if there is no such database.
    ///
    /// # Errors
    /// The store cannot be asked.
    fn came_from(&self, name: &str, modified_nanos: i64) -> Result<Option<bool>, Error>;

    /// The bytes of rows that are best imported in one call.
    fn bytes_at_once(&self) -> usize;
}
