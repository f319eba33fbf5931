//! The pages of one file: evicted, and looked at.

use std::path::{Path, PathBuf};

use disk::{File, Mapping, Mode};
use pagecache::advise::{Stretch, evict};

/// A descriptor that never reads.
pub(super) struct Pages {
    path: PathBuf,
    file: File,
    bytes: usize,
    of_kernel: Vec<u8>,
    resident: Vec<bool>,
}

impl Pages {
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let failed = |error| format!("opening {}: {error}", path.display());
        let file = File::open(path, Mode::Read).map_err(failed)?;
        let bytes = file.len_bytes().map_err(failed)? as usize;
        if !file.shows_residency().map_err(failed)? {
            return Err(format!("{}: the kernel does not show its pages to you", path.display()));
        }
        let (of_kernel, resident) = (Vec::new(), Vec::new());
        Ok(Self { path: path.into(), file, bytes, of_kernel, resident })
    }

    /// Writes what is dirty and drops every page.
    pub(super) fn evict(&mut self) -> Result<(), String> {
        let evicted = evict(&self.file, Stretch::WHOLE, true);
        evicted.map_err(|error| format!("evicting {}: {error}", self.path.display()))?;
        match self.resident()?.iter().filter(|is_resident| **is_resident).count() {
            0 => Ok(()),
            left => Err(format!(
                "evicting {}: {left} pages stay; the directory must be on a disk",
                self.path.display()
            )),
        }
    }

    /// Page by page, whether it is resident (`mincore(2)`).
    pub(super) fn resident(&mut self) -> Result<&[bool], String> {
        let told = Mapping::of(&self.file, 0, self.bytes)
            .and_then(|mapping| mapping.residency(&mut self.of_kernel));
        told.map_err(|error| format!("asking for pages of {}: {error}", self.path.display()))?;
        self.resident.clear();
        self.resident.extend(self.of_kernel.iter().map(|page| page & 1 == 1));
        Ok(&self.resident)
    }
}
