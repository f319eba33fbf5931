//! Salvage of a store in a real directory: tried in memory first, written when that is asked for.

use std::path::{Path, PathBuf};

use disk::{AnyMedium, HeldLock, OverlayMedium, PosixMedium};
use store::Error;
use store::put_aside;

use super::engine::{FileKind, salvage};
use super::store_lock::lock_of;
use super::{RingOptions, Salvaged};

/// A store that is to be salvaged. No other process has it open meanwhile.
#[derive(Debug)]
pub struct Salvage {
    root: PathBuf,
    options: RingOptions,
    found: Salvaged,
    _lock: HeldLock,
}

impl Salvage {
    /// Tries what a salvage comes to. Nothing is written; what would be stays in memory.
    ///
    /// # Errors
    /// There is no store, another process has it ([`Error::Locked`]), or it cannot be salvaged: no
    /// root of its catalogue is whole. Those of the machine.
    pub fn try_out(root: &Path, options: RingOptions) -> Result<Self, Error> {
        let lock = lock_of(root)?;
        let below = PosixMedium::open(root).map_err(Error::io("opening", root))?;
        let found = salvage(&AnyMedium::of(OverlayMedium::over(below)), options)?;
        Ok(Self { root: root.into(), options, found, _lock: lock })
    }

    /// What it comes to.
    #[must_use]
    pub fn found(&self) -> &Salvaged {
        &self.found
    }

    /// Copies the files that hold what is given up or mended, whole, to a directory that is made
    /// for them, then writes. Where this ends in the middle it can be done again.
    ///
    /// # Errors
    /// The directory exists already; those of the machine.
    pub fn write(self, aside: &Path) -> Result<Salvaged, Error> {
        let medium = PosixMedium::open(&self.root).map_err(Error::io("opening", &self.root))?;
        self.put_damaged_aside(&medium, aside)?;
        salvage(&AnyMedium::of(medium), self.options)
    }

    fn put_damaged_aside(&self, medium: &PosixMedium, aside: &Path) -> Result<(), Error> {
        let named = self.found.files();
        let lost: Vec<u32> = self
            .found
            .given_up
            .iter()
            .filter(|each| each.whole)
            .filter_map(|each| FileKind::group_of(&each.damage.file))
            .collect();
        // Of a group that is given up all files go.
        put_aside(medium, &self.root, aside, |name| {
            let group = FileKind::group_of(name);
            named.iter().any(|each| each == name) || group.is_some_and(|it| lost.contains(&it))
        })
    }
}
