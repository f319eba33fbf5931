//! What the store says of itself.

use disk::Medium;

use super::Engine;
use super::loss::known_losses;
use super::recover::DamagedGroup;
use super::verify::{Damage, damaged_attic};
use crate::journal::LogDamage;
use crate::ring::checkpoint;
use crate::ring::geometry::{Geometry, PAGE_BYTES, Pace, Shape};
use crate::ring::group::Status;

/// What the store says of itself.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct StoreReport {
    /// The pace with which it was made.
    pub pace: Pace,
    /// Whether tiles take disk space as they are written, so that a full disk can meet samples that
    /// were acknowledged.
    pub sparse: bool,
    /// Databases.
    pub databases: usize,
    /// Different definitions.
    pub definitions: usize,
    /// Bytes of memory that names take.
    pub names_memory_bytes: usize,
    /// Bytes of the log that a restart would read.
    pub log_bytes: u64,
    /// Segments of the journal, and how many of them are free.
    pub journal_segments: (usize, usize),
    /// Damage of the journal that was met at opening; nothing of it is needed.
    pub log_damage: Vec<LogDamage>,
    /// One for each group.
    pub groups: Vec<GroupReport>,
    /// Groups that could not be opened.
    pub damaged_groups: Vec<DamagedGroup>,
    /// What went wrong last.
    pub trouble: Option<String>,
    /// It takes nothing more until it is opened again.
    pub stopped: bool,
}

/// What a group is like.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct GroupReport {
    /// Its number.
    pub group: u32,
    /// Databases that it can hold.
    pub capacity: u32,
    /// Databases that it holds.
    pub databases: usize,
    /// Seconds of a step.
    pub step_seconds: u64,
    /// Data sources of each database.
    pub sources: usize,
    /// How its rows are cut into tiles.
    pub shapes: Vec<Shape>,
    /// The same as arithmetic: what its rows cost in bytes written, on disk and in memory.
    pub geometry: Geometry,
    /// Bytes of its file of tiles.
    pub tiles_bytes: u64,
    /// Bytes of a packed live state.
    pub state_bytes: usize,
    /// Bytes of a database in a checkpoint.
    pub checkpoint_bytes_per_database: usize,
    /// States that do not fit the packed form.
    pub states_aside: usize,
    /// Tiles in memory.
    pub open_tiles: usize,
    /// Late rows that wait for a flush.
    pub late_rows: usize,
    /// Pages of private rows of members out of step.
    pub attic_pages: u32,
    /// Members with such rows.
    pub attic_databases: usize,
    /// Bytes of memory, about.
    pub memory_bytes: usize,
    /// The number of its newest checkpoint.
    pub checkpoint: u64,
    /// Offsets, in bytes, of tiles that were found damaged.
    pub damaged_offsets_bytes: Vec<u64>,
    /// Pages of its attics that were found damaged.
    pub damaged_attic: Vec<Damage>,
    /// What was lost when damaged pages were written over, as far as it is known since the store was
    /// opened and members still show it.
    pub lost_rows: Vec<Damage>,
}

impl<M: Medium<File: 'static>> Engine<M> {
    /// What the store says of itself.
    #[must_use]
    pub fn report(&self) -> StoreReport {
        let log_start = self.log_start.load(std::sync::atomic::Ordering::Acquire);
        let world = self.world();
        StoreReport {
            pace: self.options.pace,
            sparse: self.options.sparse,
            databases: world.databases(),
            definitions: world.definitions.len(),
            names_memory_bytes: world.names_bytes(),
            log_bytes: self.journal.next().0 - log_start,
            journal_segments: self.journal.segments(),
            log_damage: self.journal.damage().to_vec(),
            groups: world.cells().map(|cell| cell.group().report()).collect(),
            damaged_groups: self.damaged.clone(),
            trouble: self.trouble(),
            stopped: self.broken.load(std::sync::atomic::Ordering::Acquire),
        }
    }

    /// What went wrong last, if anything did.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().map_or(None, |trouble| trouble.clone())
    }
}

impl super::super::group::Group {
    fn report(&self) -> GroupReport {
        let with = |bit| self.present().filter(|(_, holder)| holder.status.has(bit)).count();
        let blocks = self.shapes.iter().flat_map(|shape| &shape.blocks);
        let open_tiles: usize = blocks.map(|block| block.columns.iter().flatten().count()).sum();
        GroupReport {
            group: self.id,
            capacity: self.geometry.capacity(),
            databases: self.present().count(),
            step_seconds: self.geometry.step_seconds(),
            sources: self.geometry.sources(),
            shapes: self.geometry.shapes().to_vec(),
            geometry: self.geometry.clone(),
            tiles_bytes: self.geometry.file_bytes(),
            state_bytes: self.layout.bytes(),
            checkpoint_bytes_per_database: checkpoint::MEMBER_BYTES + self.layout.bytes(),
            states_aside: with(Status::ASIDE),
            open_tiles: open_tiles + self.closing.len(),
            late_rows: self.patches.len() + self.settling.len(),
            attic_pages: self.attic.pages,
            attic_databases: with(Status::ATTIC),
            memory_bytes: self.memory_bytes(),
            checkpoint: self.places[0].sequence.max(self.places[1].sequence),
            damaged_offsets_bytes: self
                .damaged_pages
                .iter()
                .map(|page| page * PAGE_BYTES as u64)
                .collect(),
            damaged_attic: self
                .damaged_attic
                .iter()
                .map(|page| damaged_attic(self.id, *page))
                .collect(),
            lost_rows: known_losses(self),
        }
    }
}
