//! What came into the page cache and left it between two samples, by file.
//!
//! A sample keeps a number a file, under a fingerprint of its identity: some 20 bytes. So what is
//! told of a file is the difference of its counts: pages that came while as many others left show
//! in no sample.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use disk::Identity;

/// What changed between two samples, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Churn {
    /// Of files that have more pages resident than before, those more.
    pub came_pages: u64,
    /// Of files that have fewer, those fewer; all of files that are gone.
    pub left_pages: u64,
    /// Files that have more or fewer.
    pub changed_files: u64,
    /// Files that were not there before, or could not be looked at.
    pub new_files: u64,
    /// Files that are gone, or can no more be looked at.
    pub gone_files: u64,
}

/// Counts of the sample before, and the one that is being taken.
#[derive(Debug, Default)]
pub struct Watch {
    files: HashMap<u64, Seen, BuildHasherDefault<Fingerprint>>,
    sample: u32,
    churn: Churn,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Cut at the largest number: 16 TiB.
    resident_pages: u32,
    sample: u32,
}

impl Watch {
    /// Takes in a file of the sample under way; returns by how many pages it has more than in the
    /// one before, or `None` if it was not in that.
    pub fn see(&mut self, identity: Identity, resident_pages: u64) -> Option<i64> {
        let sample = self.sample;
        let resident_pages = u32::try_from(resident_pages).unwrap_or(u32::MAX);
        let seen = Seen { resident_pages, sample };
        let before = self.files.insert(fingerprint_of(identity), seen);
        let Some(before) = before else {
            self.churn.new_files += 1;
            self.churn.came_pages += u64::from(resident_pages);
            return None;
        };
        if before.sample == sample {
            // Under another of its names, and counted.
            return Some(0);
        }
        let change = i64::from(resident_pages) - i64::from(before.resident_pages);
        let pages = change.unsigned_abs();
        *(if change > 0 { &mut self.churn.came_pages } else { &mut self.churn.left_pages }) +=
            pages;
        self.churn.changed_files += u64::from(change != 0);
        Some(change)
    }

    /// Ends a sample and begins the next. `None` after the first: there was none before it.
    pub fn end(&mut self) -> Option<Churn> {
        let sample = self.sample;
        let mut churn = std::mem::take(&mut self.churn);
        self.files.retain(|_, seen| {
            let is_here = seen.sample == sample;
            if !is_here {
                churn.gone_files += 1;
                churn.left_pages += u64::from(seen.resident_pages);
            }
            is_here
        });
        self.sample = sample.wrapping_add(1);
        (sample > 0).then_some(churn)
    }
}

/// Mixes device and inode (the finalizer of MurmurHash3), so that every bit depends on all.
fn fingerprint_of(identity: Identity) -> u64 {
    let mixed = |word: u64| {
        let word = (word ^ (word >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let word = (word ^ (word >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        word ^ (word >> 33)
    };
    mixed(identity.inode() ^ mixed(identity.device()))
}

/// What is a fingerprint need not be hashed again.
#[derive(Debug, Default)]
struct Fingerprint(u64);

impl Hasher for Fingerprint {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("fingerprints are numbers");
    }

    fn write_u64(&mut self, fingerprint: u64) {
        self.0 = fingerprint;
    }
}
