//! Pages that entered and left the page cache between two samples, by file.
//!
//! A sample keeps one number for each file, under a hash of its identity: about 20 bytes. So only
//! the difference of counts is known: if as many pages enter as leave, it is zero.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use disk::Identity;

/// The changes between two samples, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Churn {
    /// The increase, summed over the files that have more resident pages than before.
    pub came_pages: u64,
    /// The decrease, summed over the files that have fewer; for vanished files all their pages.
    pub left_pages: u64,
    /// Files with a change.
    pub changed_files: u64,
    /// Files that did not exist before, or could not be inspected.
    pub new_files: u64,
    /// Files that vanished, or cannot be inspected any more.
    pub gone_files: u64,
}

/// The counts of the previous sample, and of the one in progress.
#[derive(Debug, Default)]
pub struct Watch {
    files: HashMap<u64, Seen, BuildHasherDefault<Fingerprint>>,
    sample: u32,
    churn: Churn,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Capped at the largest number: 16 TiB.
    resident_pages: u32,
    sample: u32,
}

impl Watch {
    /// Adds a file to the sample in progress. Returns how many more pages it has than in the
    /// previous sample, or `None` if it was not in that.
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
            // The file was counted already under another name.
            return Some(0);
        }
        let change = i64::from(resident_pages) - i64::from(before.resident_pages);
        let pages = change.unsigned_abs();
        *(if change > 0 { &mut self.churn.came_pages } else { &mut self.churn.left_pages }) +=
            pages;
        self.churn.changed_files += u64::from(change != 0);
        Some(change)
    }

    /// Ends a sample and begins the next. `None` after the first sample, because there is none to
    /// compare with.
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

/// Mixes device and inode (with the finalizer of MurmurHash3), so that every bit depends on all of
/// them.
fn fingerprint_of(identity: Identity) -> u64 {
    let mixed = |word: u64| {
        let word = (word ^ (word >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let word = (word ^ (word >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        word ^ (word >> 33)
    };
    mixed(identity.inode() ^ mixed(identity.device()))
}

/// A hasher that passes the fingerprint on, which is a hash already.
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
