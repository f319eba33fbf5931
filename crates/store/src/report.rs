//! What a store says of itself as a whole.

use geometry::{Geometry, Pace, Shape};
use journal::LogDamage;

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
    /// What was lost when damaged pages were written over, as far as it is known since the store
    /// was opened and members still show it.
    pub lost_rows: Vec<Damage>,
}

/// What is wrong with a group that could not be opened. Its databases do not answer; all others do.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct DamagedGroup {
    /// Its number.
    pub group: u32,
    /// What is wrong.
    pub what: String,
}

/// Something that is damaged.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Damage {
    /// The file.
    pub file: String,
    /// Where in the file; `None` if it is the file as a whole.
    pub offset_bytes: Option<u64>,
    /// What is wrong, and what that means.
    pub what: String,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.offset_bytes {
            Some(offset_bytes) => write!(f, "{}: at byte {offset_bytes}: {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}

/// What a check of everything found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Verified {
    /// Bytes that were read.
    pub bytes: u64,
    /// Tiles that were ever written.
    pub tiles: u64,
    /// Everything that is damaged.
    pub damage: Vec<Damage>,
}
