//! A store's report on itself.

use geometry::{Geometry, Pace, Shape};
use journal::LogDamage;
use rrd::Tick;

/// A store's report on itself.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct StoreReport {
    /// The pace that it was made with.
    pub pace: Pace,
    /// Whether disk space for tiles is allocated as they are written, so that acknowledged samples
    /// may meet a full disk.
    pub sparse: bool,
    /// Databases.
    pub databases: usize,
    /// Different definitions.
    pub definitions: usize,
    /// Bytes of memory that names take.
    pub names_memory_bytes: usize,
    /// Bytes of the log that a restart would read.
    pub log_bytes: u64,
    /// How far its groups are replayed.
    #[serde(default)]
    pub replaying: Replaying,
    /// Segments of the journal, and how many of them are free.
    pub journal_segments: (usize, usize),
    /// Damage of the journal found at opening; the damaged records are not needed.
    pub log_damage: Vec<LogDamage>,
    /// A report on each group.
    pub groups: Vec<GroupReport>,
    /// Groups that could not be opened.
    pub damaged_groups: Vec<DamagedGroup>,
    /// The last problem.
    pub trouble: Option<String>,
    /// Whether it refuses updates until it is opened again.
    pub stopped: bool,
}

/// How far a store is that was not closed in order: the log has records of its groups, each of
/// which is replayed when it is needed, or in the background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Replaying {
    /// Groups of the store when it was opened.
    pub groups: u64,
    /// Those of them that wait still.
    pub groups_left: u64,
    /// Bytes of records that the log had for them.
    pub bytes: u64,
    /// Those that wait still.
    pub bytes_left: u64,
}

/// A report on a group.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct GroupReport {
    /// Its number.
    pub group: u32,
    /// The most databases that it can hold.
    pub capacity: u32,
    /// Databases that it holds.
    pub databases: usize,
    /// What the step is counted in: where it is no second, "seconds" are ticks.
    #[serde(default)]
    pub tick: Tick,
    /// Seconds of a step.
    pub step_seconds: u64,
    /// Data sources of each database.
    pub sources: usize,
    /// How its rows are divided into tiles.
    pub shapes: Vec<Shape>,
    /// The sizes that follow from the shapes: bytes written, on disk and in memory.
    pub geometry: Geometry,
    /// Bytes of its tiles file.
    pub tiles_bytes: u64,
    /// Bytes of a packed live state.
    pub state_bytes: usize,
    /// Bytes of a database in a checkpoint.
    pub checkpoint_bytes_per_database: usize,
    /// States that do not fit in the packed form and are kept separately.
    pub states_aside: usize,
    /// Tiles in memory.
    pub open_tiles: usize,
    /// Late rows that wait for a flush.
    pub late_rows: usize,
    /// Pages of the attic, which has private rows of databases out of step.
    pub attic_pages: u32,
    /// Databases with rows in the attic.
    pub attic_databases: usize,
    /// Approximate bytes of memory.
    pub memory_bytes: usize,
    /// The number of its newest checkpoint.
    pub checkpoint: u64,
    /// Offsets, in bytes, of tiles that were found damaged.
    pub damaged_offsets_bytes: Vec<u64>,
    /// Damaged pages of its attics.
    pub damaged_attic: Vec<Damage>,
    /// Rows lost when damaged pages were overwritten, as far as it is known since the store was
    /// opened and the databases still show these rows.
    pub lost_rows: Vec<Damage>,
}

/// A group that could not be opened. Its databases cannot be read; all others can.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct DamagedGroup {
    /// Its number.
    pub group: u32,
    /// What is wrong.
    pub what: String,
}

/// A damaged place.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Damage {
    /// The file.
    pub file: String,
    /// The place in the file; `None` if the whole file is damaged.
    pub offset_bytes: Option<u64>,
    /// The damage and its consequence.
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

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Verified {
    /// Bytes that were read.
    pub bytes: u64,
    /// Tiles that have been written.
    pub tiles: u64,
    /// All damage.
    pub damage: Vec<Damage>,
}
