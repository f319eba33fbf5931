//! The pages of one file: evicted, and looked at.

use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::{File, Mapping, Mode};
use pagecache::advise::{Stretch, evict};

/// How often one looks for pages that are on their way, and how long one waits in between: ten
/// seconds, more than a disk takes for the largest readahead.
const LOOKS_MAX: u32 = 20_000;
const BETWEEN_LOOKS: Duration = Duration::from_micros(500);

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

    /// Page by page, whether it is resident, once all that is being read ahead has come.
    pub(super) fn resident(&mut self) -> Result<&[bool], String> {
        for _ in 0..LOOKS_MAX {
            self.look()?;
            if !self.are_more_coming() {
                return Ok(&self.resident);
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        Err(format!("{}: the kernel does not end to read ahead", self.path.display()))
    }

    /// Whether the page cache has pages (`cachestat(2)`) whose bytes are still being read, which
    /// `mincore(2)` does not show. Before Linux 6.5 nobody knows.
    fn are_more_coming(&self) -> bool {
        let shown = self.resident.iter().filter(|is_resident| **is_resident).count() as u64;
        self.file
            .cache_counts(0, self.bytes as u64)
            .is_ok_and(|counts| counts.resident_pages > shown)
    }

    fn look(&mut self) -> Result<(), String> {
        let told = Mapping::of(&self.file, 0, self.bytes)
            .and_then(|mapping| mapping.residency(&mut self.of_kernel));
        told.map_err(|error| format!("asking for pages of {}: {error}", self.path.display()))?;
        self.resident.clear();
        self.resident.extend(self.of_kernel.iter().map(|page| page & 1 == 1));
        Ok(())
    }
}
