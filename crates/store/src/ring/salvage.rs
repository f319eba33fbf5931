//! Salvage of a store in a real directory: tried in memory first, written when that is asked for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::{File, Medium, MediumFile, OverlayMedium, PosixMedium};

use super::engine::{FileKind, salvage};
use super::store::lock_of;
use super::{RingOptions, Salvaged};
use crate::Error;

/// Bytes that are copied at once.
const COPY_BYTES: usize = 1 << 20;

/// A store that is to be salvaged. No other process has it open meanwhile.
#[derive(Debug)]
pub struct Salvage {
    root: PathBuf,
    options: RingOptions,
    found: Salvaged,
    _lock: File,
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
        let found = salvage(&Arc::new(OverlayMedium::over(below)), options)?;
        Ok(Self { root: root.into(), options, found, _lock: lock })
    }

    /// What it comes to.
    #[must_use]
    pub fn found(&self) -> &Salvaged {
        &self.found
    }

    /// Copies the files that hold what is given up or mended, whole, to a directory that is made for
    /// them, then writes. Where this ends in the middle it can be done again.
    ///
    /// # Errors
    /// The directory exists already; those of the machine.
    pub fn write(self, aside: &Path) -> Result<Salvaged, Error> {
        let medium = PosixMedium::open(&self.root).map_err(Error::io("opening", &self.root))?;
        self.put_aside(&medium, aside)?;
        salvage(&Arc::new(medium), self.options)
    }

    fn put_aside(&self, medium: &PosixMedium, aside: &Path) -> Result<(), Error> {
        if File::identity_of(aside).is_ok() {
            return Err(Error::Exists(aside.into()));
        }
        disk::create_directory(aside).map_err(Error::io("creating", aside))?;
        let to = PosixMedium::open(aside).map_err(Error::io("opening", aside))?;
        let named = self.found.files();
        let lost: Vec<u32> = self
            .found
            .given_up
            .iter()
            .filter(|each| each.whole)
            .filter_map(|each| FileKind::group_of(&each.damage.file))
            .collect();
        let names = medium.list().map_err(Error::io("listing", &self.root))?;
        // Of a group that is given up all files go.
        let is_wanted = |name: &&String| {
            named.contains(*name)
                || FileKind::group_of(name).is_some_and(|group| lost.contains(&group))
        };
        for name in names.iter().filter(is_wanted) {
            copy(medium, &to, name)?;
        }
        to.sync_directory().map_err(Error::io("syncing", aside))
    }
}

fn copy(from: &PosixMedium, to: &PosixMedium, name: &str) -> Result<(), Error> {
    let io = |action| Error::io(action, Path::new(name));
    let source = from.open(name).map_err(io("opening"))?;
    let target = to.create(name).map_err(io("creating"))?;
    let mut buffer = vec![0; COPY_BYTES];
    let mut offset_bytes = 0;
    loop {
        let read =
            MediumFile::read_at(&source, &mut buffer, offset_bytes).map_err(io("reading"))?;
        if read == 0 {
            return target.sync_data().map_err(io("syncing"));
        }
        MediumFile::write_at(&target, &buffer[..read], offset_bytes).map_err(io("writing"))?;
        offset_bytes += read as u64;
    }
}
