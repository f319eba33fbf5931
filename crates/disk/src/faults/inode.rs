//! One file of the simulated machine: its content in the cache, and on the platter.

use std::collections::BTreeSet;

use super::plan::Survival;
use crate::{MediumFile as _, MemoryFile};
use chance::Random;

/// The unit that the platter writes atomically.
pub(super) const SECTOR_BYTES: usize = 512;

/// One file: its content in the cache, and on the platter.
#[derive(Debug, Default)]
pub(super) struct Inode {
    pub(super) cache: MemoryFile,
    pub(super) platter: MemoryFile,
    /// Sectors whose cached bytes are newer than the platter's.
    dirty: BTreeSet<usize>,
    length_dirty: bool,
}

impl Inode {
    pub(super) fn write(&mut self, bytes: &[u8], offset_bytes: u64) -> std::io::Result<usize> {
        let before = self.cache.bytes().len();
        let written = self.cache.write_some_at(bytes, offset_bytes)?;
        self.length_dirty |= self.cache.bytes().len() != before;
        // A write past the end also creates the zeros in between.
        self.mark_dirty((offset_bytes as usize).min(before), offset_bytes as usize + written);
        Ok(written)
    }

    pub(super) fn resize(&mut self, bytes: u64) -> std::io::Result<()> {
        let before = self.cache.bytes().len();
        self.cache.truncate(bytes)?;
        self.length_dirty = true;
        self.dirty.retain(|sector| ((sector * SECTOR_BYTES) as u64) < bytes);
        self.mark_dirty(before, bytes as usize);
        Ok(())
    }

    fn mark_dirty(&mut self, from: usize, to: usize) {
        if from < to {
            self.dirty.extend(from / SECTOR_BYTES..to.div_ceil(SECTOR_BYTES));
        }
    }

    /// Writes all dirty sectors to the platter.
    pub(super) fn sync(&mut self) {
        self.settle(|_| true);
    }

    /// Writes some dirty sectors to the platter, as the kernel does at any time.
    pub(super) fn write_back(&mut self, random: &mut Random) {
        let chosen: Vec<usize> =
            self.dirty.iter().copied().filter(|_| random.below(2) == 0).collect();
        for sector in chosen {
            copy(&self.cache, &self.platter, sector);
            self.dirty.remove(&sector);
        }
    }

    /// A sync that fails: some dirty sectors reach the platter, and the kernel treats the others as
    /// clean.
    pub(super) fn fail_sync(&mut self, random: &mut Random) {
        let lost = self.settle(|_| random.below(2) == 0);
        for sector in lost {
            if random.below(2) == 0 {
                self.evict(sector);
            }
        }
    }

    /// The file after a power cut.
    pub(super) fn survivor(&mut self, survival: Survival, random: &mut Random) -> Self {
        self.settle(|_| survives(survival, random));
        Self { cache: self.platter.detached(), platter: self.platter.detached(), ..Self::default() }
    }

    /// The file after the end of the process, with everything written.
    pub(super) fn kept(&self) -> Self {
        Self {
            cache: self.cache.detached(),
            platter: self.platter.detached(),
            dirty: self.dirty.clone(),
            length_dirty: self.length_dirty,
        }
    }

    /// Writes the dirty sectors that `reaches` chooses to the platter, and marks all as clean.
    /// Returns the others.
    fn settle(&mut self, mut reaches: impl FnMut(usize) -> bool) -> Vec<usize> {
        let mut lost = Vec::new();
        if std::mem::take(&mut self.length_dirty) && reaches(usize::MAX) {
            let length = self.cache.bytes().len();
            self.platter.bytes().resize(length, 0);
        }
        for sector in std::mem::take(&mut self.dirty) {
            if reaches(sector) {
                copy(&self.cache, &self.platter, sector);
            } else {
                lost.push(sector);
            }
        }
        lost
    }

    /// Drops a sector from the cache: reads see the platter's bytes, or zeros if it has none.
    fn evict(&mut self, sector: usize) {
        let (mut cache, platter) = (self.cache.bytes(), self.platter.bytes());
        let range = sector * SECTOR_BYTES..((sector + 1) * SECTOR_BYTES).min(cache.len());
        for at in range {
            cache[at] = platter.get(at).copied().unwrap_or(0);
        }
    }
}

pub(super) fn survives(survival: Survival, random: &mut Random) -> bool {
    match survival {
        Survival::ByChance => random.below(2) == 0,
        Survival::Nothing => false,
        Survival::Everything => true,
    }
}

fn copy(from: &MemoryFile, to: &MemoryFile, sector: usize) {
    let (from, mut to) = (from.bytes(), to.bytes());
    let start = sector * SECTOR_BYTES;
    let end = (start + SECTOR_BYTES).min(from.len());
    if to.len() < end {
        to.resize(end, 0);
    }
    to[start..end].copy_from_slice(&from[start..end]);
}
