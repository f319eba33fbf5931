//! A group in memory: the states of its members, the rows whose tiles are not written yet.
//!
//! Nothing here touches a disk. Where a row stands:
//!
//! ```text
//!                      flushed block           boundary
//!   attic   |   tiles on disk   |  open rows       |   far ahead: patches, then the attic
//!           '- older than the ring                 late, its tile is written: patches
//! ```

mod born;
mod members;
mod states;
mod open_rows;
mod apply;
mod view;
mod torn;
mod in_doubt;
mod flush;
mod settled;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use geometry::Geometry;
use journal::{Generation, LogPosition};
use rrd::Definition;

use super::attic::{AtticEntry, AtticIndex};
use super::clock::{Clock, Grid};
use super::tile::Page;
use super::written::WrittenTiles;

pub(crate) use apply::{Applied, Scratch};
pub(crate) use born::BornPdp;
pub(crate) use flush::{Captured, FlushKind};
use in_doubt::InDoubt;
pub(crate) use in_doubt::SampleDigest;
pub(crate) use open_rows::{OpenRows, OpenShape};
pub(crate) use states::States;
pub(crate) use torn::SavedRows;
pub(crate) use view::MemoryView;

/// Before every block: nothing was flushed yet.
const NO_BLOCK: i64 = i64::MIN / 4;

/// One place of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) generation: Generation,
    /// The definition's number in the catalogue.
    pub(crate) definition: u32,
    /// Rows that end by this PDP were never written by this holder of the place.
    pub(crate) born: BornPdp,
    pub(crate) status: Status,
}

/// What is true of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status(pub(crate) u8);

impl Status {
    /// A database holds the place.
    pub(crate) const PRESENT: u8 = 1;
    /// It was updated since the group's last boundary.
    pub(crate) const STIRRED: u8 = 2;
    /// Its state does not fit the packed form and is kept aside.
    pub(crate) const ASIDE: u8 = 4;
    /// Some of its rows are in the attic.
    pub(crate) const ATTIC: u8 = 8;

    pub(crate) fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    pub(crate) fn set(&mut self, bit: u8, on: bool) {
        self.0 = if on { self.0 | bit } else { self.0 & !bit };
    }
}

/// A page that takes no more rows and is on its way to the disk.
#[derive(Clone, Debug)]
pub(crate) struct ClosedPage {
    pub(crate) shape: u32,
    pub(crate) column: u32,
    pub(crate) block: i64,
    pub(crate) page: Arc<Page>,
}

impl ClosedPage {
    /// Which tile it is.
    pub(crate) fn key(&self) -> TileKey {
        TileKey { shape: self.shape, column: self.column, block: self.block }
    }
}

/// Which tile of a group, in the order in which they lie in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TileKey {
    pub(crate) shape: u32,
    pub(crate) column: u32,
    pub(crate) block: i64,
}

/// A member that lags so far behind its group that the ring of some shape loses rows that it shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Laggard {
    pub(crate) member: u16,
    pub(crate) generation: u32,
    /// The last PDP that it has.
    pub(crate) last_pdp: i64,
}

/// One of the two places of a group's checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// Which checkpoint of the group it holds; 0 if none.
    pub(crate) sequence: u64,
    /// Records before this position are in it.
    pub(crate) position: LogPosition,
    /// Records before this position are no longer needed, it says.
    pub(crate) log_start: LogPosition,
    /// The attic that it knows.
    pub(crate) attic_epoch: u32,
}

/// A group's attic, as far as memory knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AtticExtent {
    /// Which file; a compaction makes the next one.
    pub(crate) epoch: u32,
    pub(crate) pages: u32,
    /// Pages after the last compaction.
    pub(crate) pages_kept: u32,
}

/// A page of one of a group's attics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AtticPage {
    pub(crate) epoch: u32,
    pub(crate) page: u32,
}

/// A group in memory.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) id: u32,
    pub(crate) geometry: Geometry,
    pub(crate) phase_pdps: u32,
    /// Places that were ever held; later ones are free.
    pub(crate) members: Vec<Member>,
    pub(crate) states: States,
    pub(crate) rows: OpenRows,
    /// How far the row pointers of a member moved against time, for each archive.
    pub(crate) shifts: BTreeMap<u16, Vec<u64>>,
    pub(crate) clock: Clock,
    /// Places whose holder is gone, with the last PDP that it saw.
    pub(crate) vacant: Vec<(u16, i64)>,
    /// Such places whose delete is not in a checkpoint yet.
    pub(crate) vacating: Vec<(u16, i64)>,
    /// Places that lost their holder since the last checkpoint, be they held again or not.
    gone: BTreeSet<u16>,
    pub(crate) attic: AtticExtent,
    /// Whose rows stand on which of its pages. A reader keeps it as it was.
    pub(crate) attic_index: Arc<AtticIndex>,
    /// Pages of tiles of which a write or its sync failed since the store was opened. They may be
    /// torn until they are synced.
    pub(crate) failed_pages: BTreeSet<u64>,
    /// Rows on pages of the attic that the checkpoint read at opening does not count: a flush that
    /// was cut short had saved them when it came to write over tiles. The first checkpoint since
    /// counts them.
    pub(crate) saved_uncounted: Vec<SavedRows>,
    /// Attics before this epoch are removed.
    pub(crate) attic_oldest: u32,
    pub(crate) places: [Place; 2],
    /// The last record of a member.
    pub(crate) last_record: LogPosition,
    /// Samples that were taken and could not be acknowledged.
    pub(crate) in_doubt: InDoubt,
    /// Tiles were written since the last checkpoint without a sync.
    pub(crate) unsynced_tiles: bool,
    /// No flush has succeeded since the store was opened.
    pub(crate) fresh: bool,
    /// The flusher knows that it is due.
    pub(crate) queued: bool,
    /// Tiles that were ever written, by page of the group's file.
    pub(crate) written: WrittenTiles,
    /// Tiles that were found damaged, by page of the group's file.
    pub(crate) damaged_pages: BTreeSet<u64>,
    /// Pages of attics that were found damaged.
    pub(crate) damaged_attic: BTreeSet<AtticPage>,
    /// Marks of lost rows in the attic, as far as they were made or read since the store was
    /// opened.
    pub(crate) lost_rows: Vec<AtticEntry>,
}

impl Group {
    /// A group without members.
    ///
    /// `layout_of` is a definition of its layout.
    pub(crate) fn new(
        id: u32,
        geometry: Geometry,
        phase_pdps: u32,
        layout_of: &Definition,
    ) -> Self {
        Self::empty(id, geometry, phase_pdps, States::new(layout_of))
    }

    /// A group like this one, without members.
    pub(crate) fn emptied(&self) -> Self {
        Self::empty(self.id, self.geometry.clone(), self.phase_pdps, self.states.emptied())
    }

    fn empty(id: u32, geometry: Geometry, phase_pdps: u32, states: States) -> Self {
        Self {
            id,
            rows: OpenRows::none(&geometry),
            geometry,
            phase_pdps,
            members: Vec::new(),
            states,
            shifts: BTreeMap::new(),
            clock: Clock::default(),
            vacant: Vec::new(),
            vacating: Vec::new(),
            gone: BTreeSet::new(),
            attic: AtticExtent::default(),
            attic_index: Arc::default(),
            failed_pages: BTreeSet::new(),
            saved_uncounted: Vec::new(),
            attic_oldest: 0,
            places: [Place::default(); 2],
            last_record: LogPosition(0),
            in_doubt: InDoubt::default(),
            unsynced_tiles: false,
            fresh: true,
            queued: false,
            written: WrittenTiles::default(),
            damaged_pages: BTreeSet::new(),
            damaged_attic: BTreeSet::new(),
            lost_rows: Vec::new(),
        }
    }

    pub(crate) fn grid(&self) -> Grid {
        let cycles = i64::from(self.geometry.tile_cycles());
        Grid { cycles, phase_pdps: i64::from(self.phase_pdps) }
    }

    /// The PDP that a moment lies behind.
    pub(crate) fn pdp_of(&self, seconds: i64) -> i64 {
        seconds.div_euclid(self.geometry.step_seconds() as i64)
    }

    /// The newest row of a shape that a member has.
    pub(crate) fn newest_row(&self, shape: usize, last_pdp: i64) -> i64 {
        last_pdp.div_euclid(self.geometry.shapes()[shape].pdp_per_row as i64)
    }

    /// Bytes of memory that the group takes, about.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.states.memory_bytes()
            + self.members.capacity() * size_of::<Member>()
            + self.rows.memory_bytes()
            + self.rows.patches.len() * 24
            + self.written.memory_bytes()
            + self.attic_index.memory_bytes()
    }
}
