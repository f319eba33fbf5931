//! Many files of one layout, on the disk of an experiment.

use std::path::{Path, PathBuf};

use disk::Durability;
use files::{Access, RrdFile};
use pagecache::Pages;
use rrd::Timestamp;
use serde::{Deserialize, Serialize};
use store::Existing;

use crate::layouts::Layout;

const DAY_SECONDS: u64 = 86_400;

/// The clocks of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Clocks {
    /// All the same.
    Together,
    /// Each file's clock is a step ahead of the one before, modulo a day, so that their days end at
    /// different times.
    Spread,
}

/// Files that are updated in turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Files {
    pub(crate) directory: PathBuf,
    pub(crate) layout: Layout,
    pub(crate) count: u32,
    /// The time of their last update; files whose clock is ahead were updated later.
    pub(crate) last_seconds: u64,
    pub(crate) clocks: Clocks,
}

impl Files {
    /// Makes the files with random positions of their rings, and evicts them from memory.
    pub(crate) fn make(
        below: &Path,
        layout: Layout,
        count: u32,
        last_seconds: u64,
    ) -> Result<Self, String> {
        Self::make_by(Clocks::Together, below, layout, count, last_seconds)
    }

    /// The same with a choice of clocks.
    pub(crate) fn make_by(
        clocks: Clocks,
        below: &Path,
        layout: Layout,
        count: u32,
        last_seconds: u64,
    ) -> Result<Self, String> {
        let directory = below.join(layout.name());
        std::fs::create_dir(&directory).map_err(|error| named(&directory, &error))?;
        let mut files = Self { directory, layout, count: 0, last_seconds, clocks };
        files.add(count)?;
        files.evict()?;
        Ok(files)
    }

    /// Makes more files, as if they had been updated with the others.
    pub(crate) fn add(&mut self, more: u32) -> Result<(), String> {
        let definition = self.layout.definition();
        for nth in self.count..self.count + more {
            let start = Timestamp::from_seconds(self.last_seconds_of(nth) as i64);
            let (path, cached) = (self.path(nth), Durability::Cached);
            files::create_with(&path, &definition, start, Existing::Keep, cached)
                .map_err(|error| error.to_string())?;
        }
        self.count += more;
        Ok(())
    }

    /// Removes the files.
    pub(crate) fn remove(self) -> Result<(), String> {
        std::fs::remove_dir_all(&self.directory).map_err(|error| named(&self.directory, &error))
    }

    pub(crate) fn path(&self, nth: u32) -> PathBuf {
        self.directory.join(Self::name(nth))
    }

    /// A file's own name.
    pub(crate) fn name(nth: u32) -> String {
        format!("{nth:06}.rrd")
    }

    /// The time of a file's last update, by its own clock.
    pub(crate) fn last_seconds_of(&self, nth: u32) -> u64 {
        let ahead_seconds = match self.clocks {
            Clocks::Together => 0,
            Clocks::Spread => u64::from(nth) * self.layout.step_seconds() % DAY_SECONDS,
        };
        self.last_seconds + ahead_seconds
    }

    /// Whether a step of the files has ended by now.
    pub(crate) fn is_due(&self, now_seconds: u64) -> bool {
        now_seconds >= self.last_seconds + self.layout.step_seconds()
    }

    /// The slot of each archive of a file that was written last.
    pub(crate) fn newest_rows(&self, nth: u32) -> Result<Vec<u64>, String> {
        let file = RrdFile::open(&self.path(nth), Access::Read);
        let file = file.map_err(|error| error.to_string())?;
        Ok(file.header().newest_rows.iter().map(|row| row.0).collect())
    }

    /// The size of a disk for the files, including the file system's tables and journal.
    pub(crate) fn disk_bytes(layout: Layout, count: u32) -> u64 {
        (64 << 20) + u64::from(count) * layout.disk_bytes() * 11 / 10
    }

    /// Evicts all files from memory.
    pub(crate) fn evict(&self) -> Result<(), String> {
        testbed::sync_file_system(&self.directory)?;
        (0..self.count).try_for_each(|nth| self.evict_one(nth))
    }

    /// Evicts one file from memory.
    pub(crate) fn evict_one(&self, nth: u32) -> Result<(), String> {
        self.pages(nth, Pages::evict)
    }

    /// The pages of a file in memory, once all reads in progress are done.
    pub(crate) fn resident(&self, nth: u32) -> Result<Vec<u32>, String> {
        self.numbers(nth, Pages::resident)
    }

    /// The pages of a file that were loaded since its eviction, even if the kernel has evicted them
    /// again.
    pub(crate) fn came(&self, nth: u32) -> Result<Vec<u32>, String> {
        self.numbers(nth, Pages::came)
    }

    /// The numbers of the pages that are true in the answer.
    fn numbers(
        &self,
        nth: u32,
        ask: impl FnOnce(&mut Pages) -> std::io::Result<&[bool]>,
    ) -> Result<Vec<u32>, String> {
        let holds = self.pages(nth, |pages| ask(pages).map(<[bool]>::to_vec))?;
        Ok((0..).zip(holds).filter_map(|(page, holds)| holds.then_some(page)).collect())
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

#[cfg(test)]
mod tests {
    use super::{Clocks, Files};
    use crate::layouts::Layout;

    #[test]
    fn clocks_that_are_spread_end_their_days_at_any_time() {
        let files = |clocks| Files {
            directory: "/nowhere".into(),
            layout: Layout::Mrtg,
            count: 300,
            last_seconds: 1000,
            clocks,
        };
        let of = |clocks, nth| files(clocks).last_seconds_of(nth);
        assert_eq!([0, 1, 287].map(|nth| of(Clocks::Together, nth)), [1000; 3]);
        assert_eq!([0, 1, 287].map(|nth| of(Clocks::Spread, nth)), [1000, 1300, 87_100]);
        assert_eq!(of(Clocks::Spread, 288), 1000); // a day is over
        assert!(files(Clocks::Together).is_due(1300) && !files(Clocks::Together).is_due(1299));
    }
}
