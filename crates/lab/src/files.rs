//! Many files of one layout, on the disk of an experiment.

use std::path::{Path, PathBuf};

use disk::Durability;
use pagecache::Pages;
use rrd::Timestamp;
use serde::{Deserialize, Serialize};
use store::Existing;

use crate::layouts::Layout;

/// Files that are updated in turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Files {
    pub(crate) directory: PathBuf,
    pub(crate) layout: Layout,
    pub(crate) count: u32,
    /// When all of them were updated last.
    pub(crate) last_seconds: u64,
}

impl Files {
    /// Makes them, each with its rings somewhere else, and leaves none of them in memory.
    pub(crate) fn make(
        below: &Path,
        layout: Layout,
        count: u32,
        last_seconds: u64,
    ) -> Result<Self, String> {
        let directory = below.join(layout.name());
        std::fs::create_dir(&directory).map_err(|error| named(&directory, &error))?;
        let (definition, start) =
            (layout.definition(), Timestamp::from_seconds(last_seconds as i64));
        let files = Self { directory, layout, count, last_seconds };
        for nth in 0..count {
            let (path, cached) = (files.path(nth), Durability::Cached);
            store::create_with(&path, &definition, start, Existing::Keep, cached)
                .map_err(|error| error.to_string())?;
        }
        files.evict()?;
        Ok(files)
    }

    /// Takes them away again.
    pub(crate) fn remove(self) -> Result<(), String> {
        std::fs::remove_dir_all(&self.directory).map_err(|error| named(&self.directory, &error))
    }

    pub(crate) fn path(&self, nth: u32) -> PathBuf {
        self.directory.join(format!("{nth:06}.rrd"))
    }

    /// Bytes of a disk that has room for files, its own tables, and its journal.
    pub(crate) fn disk_bytes(layout: Layout, count: u32) -> u64 {
        (64 << 20) + u64::from(count) * layout.disk_bytes() * 11 / 10
    }

    /// Leaves none of them in memory.
    pub(crate) fn evict(&self) -> Result<(), String> {
        testbed::sync_file_system(&self.directory)?;
        (0..self.count).try_for_each(|nth| self.evict_one(nth))
    }

    /// Leaves one file's pages out of memory.
    pub(crate) fn evict_one(&self, nth: u32) -> Result<(), String> {
        self.pages(nth, Pages::evict)
    }

    /// Which pages of a file are in memory, once all that is being read has come.
    pub(crate) fn resident(&self, nth: u32) -> Result<Vec<u32>, String> {
        let is_resident = self.pages(nth, |pages| pages.resident().map(<[bool]>::to_vec))?;
        Ok((0..).zip(is_resident).filter_map(|(page, is)| is.then_some(page)).collect())
    }

    fn pages<T>(
        &self,
        nth: u32,
        ask: impl FnOnce(&mut Pages) -> std::io::Result<T>,
    ) -> Result<T, String> {
        let path = self.path(nth);
        let asked = Pages::open(&path).and_then(|mut pages| ask(&mut pages));
        asked.map_err(|error| named(&path, &error))
    }
}

fn named(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
