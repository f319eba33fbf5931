//! A store from outside: what its files tell while another process may have it open. Nothing is
//! locked and nothing is written.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use disk::{File, Mode};

use super::checkpoint::{self, HEADER_BYTES};

/// What the files of a store tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTotals {
    /// Groups with a checkpoint.
    pub groups: u64,
    /// Places for databases in their newest checkpoints: those that were deleted since are among
    /// them, those that are newer are not.
    pub databases: u64,
    /// Bytes of the newest checkpoints: everything that is in memory beside names, and not in
    /// tiles.
    pub checkpoint_bytes: u64,
    /// Files of the store.
    pub files: u64,
    /// Bytes of all its files.
    pub file_bytes: u64,
}

impl FileTotals {
    /// Looks at the store in a directory.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn at(root: &Path) -> io::Result<Self> {
        let mut totals = Self::default();
        let mut newest: BTreeMap<u32, Newest> = BTreeMap::new();
        for (name, bytes) in disk::files_in(root)? {
            totals.files += 1;
            totals.file_bytes += bytes;
            let name = name.to_string_lossy();
            let group = name.strip_suffix(".a").or_else(|| name.strip_suffix(".b"));
            let Some(group) = group.and_then(|number| number.parse().ok()) else { continue };
            // One that is being written is not whole; the other one is.
            let found = Newest::of(&root.join(&*name), group);
            let known = newest.entry(group).or_default();
            if let Some(found) = found.filter(|found| found.sequence >= known.sequence) {
                *known = found;
            }
        }
        for group in newest.values() {
            totals.groups += 1;
            totals.databases += u64::from(group.places);
            totals.checkpoint_bytes += group.bytes;
        }
        Ok(totals)
    }
}

/// The newest checkpoint of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Newest {
    sequence: u64,
    places: u32,
    bytes: u64,
}

impl Newest {
    fn of(path: &Path, group: u32) -> Option<Self> {
        let mut header = [0; HEADER_BYTES];
        let file = File::open(path, Mode::Read).ok()?;
        let read = file.read_at(&mut header, 0).ok()?;
        let (stamp, bytes) = checkpoint::stamp_of(header.get(..read)?, group).ok()?;
        let places = checkpoint::places_of(&header);
        Some(Self { sequence: stamp.sequence, places, bytes })
    }
}
