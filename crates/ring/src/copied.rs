//! The files of a ring store as another process reads them, which copies them while they are
//! written.
//!
//! A process that copies group by group, then the catalogue, then the log, has a store that opens
//! by recovery if each file was whole and
//!
//! * each group's checkpoint lies at or behind the newest log start that any checkpoint names, or
//!   the group has not been written since;
//! * the log goes back to that log start;
//! * the catalogue was not written before the log was copied to its end: its commits say more than
//!   the log does where databases come in whole, and less where they are made one by one.

use std::ops::Range;

use super::attic;
use super::checkpoint;
use super::engine::FileKind;
use super::tile;

pub use super::catalogue::FILE as CATALOGUE;

/// What a checkpoint says that stands in a place of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckpointFacts {
    /// Records of the log before it are in it.
    pub position: u64,
    /// Records before it are needed by no group.
    pub log_start: u64,
    /// Which attic goes with it.
    pub attic_epoch: u32,
    /// Pages of that attic which were on disk before the checkpoint was written.
    pub attic_pages: u32,
}

/// Tiles of a group that were ever written, by page of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenPages(Vec<Range<u64>>);

impl WrittenPages {
    /// Whether a page was ever written.
    #[must_use]
    pub fn has(&self, page: u64) -> bool {
        let after = self.0.partition_point(|run| run.start <= page);
        after.checked_sub(1).is_some_and(|nth| self.0[nth].contains(&page))
    }

    /// How many pages were written from this one on.
    #[must_use]
    pub fn count_from(&self, page: u64) -> u64 {
        self.0.iter().map(|run| run.end.saturating_sub(run.start.max(page))).sum()
    }
}

/// The group whose file a name is that of.
#[must_use]
pub fn group_of(name: &str) -> Option<u32> {
    FileKind::group_of(name)
}

/// The name of a group's tiles.
#[must_use]
pub fn tiles_name(group: u32) -> String {
    FileKind::Tiles.name(group)
}

/// The names of the two places of a group's checkpoint.
#[must_use]
pub fn place_names(group: u32) -> [String; 2] {
    [0, 1].map(|place| FileKind::Checkpoint(place).name(group))
}

/// The name of a group's attic.
#[must_use]
pub fn attic_name(group: u32, epoch: u32) -> String {
    FileKind::Attic(epoch).name(group)
}

/// What the checkpoint of a group says; `None` if these bytes are no whole one.
#[must_use]
pub fn checkpoint_facts(bytes: &[u8], group: u32) -> Option<CheckpointFacts> {
    let (stamp, length_bytes) = checkpoint::stamp_of(bytes, group).ok()?;
    let whole = bytes.get(..usize::try_from(length_bytes).ok()?)?;
    checkpoint::check_body(whole).ok()?;
    Some(CheckpointFacts {
        position: stamp.position.0,
        log_start: stamp.log_start.0,
        attic_epoch: stamp.attic.epoch,
        attic_pages: stamp.attic.pages,
    })
}

/// Which tiles were written before a checkpoint was; `None` if it does not say so, as of earlier
/// versions. The checkpoint is whole.
#[must_use]
pub fn written_pages(bytes: &[u8], group: u32) -> Option<WrittenPages> {
    let (_, length_bytes) = checkpoint::stamp_of(bytes, group).ok()?;
    let whole = bytes.get(..usize::try_from(length_bytes).ok()?)?;
    checkpoint::written_tiles(whole).map(WrittenPages)
}

/// Whether a page of a group's tiles is whole. One that is being written may not be; and one that
/// rotted is not. One of zeros is, which may never have been written.
#[must_use]
pub fn is_whole_tile(page: &[u8]) -> bool {
    tile::is_whole(page)
}

/// Whether a page of a group's attic is whole, stands in its place, and tells of no rows that were
/// lost with a damaged page. Behind the pages that a checkpoint counts there may be one that never
/// got to disk whole.
#[must_use]
pub fn is_sound_attic_page(page: &[u8], group: u32, number: u32) -> bool {
    attic::entry_bytes_of(page, group, number).is_some() && !attic::has_marks(page)
}

#[cfg(test)]
mod tests {
    use super::WrittenPages;

    #[test]
    fn pages_are_found_in_their_runs() {
        let written = WrittenPages(vec![3..5, 9..20]);
        let found: Vec<u64> = (0..30).filter(|page| written.has(*page)).collect();
        assert_eq!(found, (3..5).chain(9..20).collect::<Vec<_>>());
        assert_eq!([0, 4, 5, 10, 20].map(|page| written.count_from(page)), [13, 12, 11, 10, 0]);
    }
}
