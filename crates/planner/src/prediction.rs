//! The prediction for a fleet on a machine.

use ring::Pace;

/// The load of a fleet on a machine. Rates are long-run means unless stated otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Updates a second.
    pub updates_per_second: f64,
    /// The use of memory.
    pub memory: Memory,
    /// Bytes of disk.
    pub disk_bytes: u64,
    /// Reads from disk.
    pub reads: Reads,
    /// Bytes written to disk a second.
    pub written: Written,
    /// How long the updates of one cycle take.
    pub cycle: Cycle,
    /// Seconds from a kill until all acknowledged updates are in place again.
    pub restart_seconds: f64,
    /// Pages of page cache for each file, if there are files.
    pub pages_per_file: Option<f64>,
    /// The pace of a ring store: the given or the chosen one.
    pub pace: Option<Pace>,
    /// The load of each resource.
    pub loads: Vec<Load>,
}

/// Bytes of memory by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// In the process: states and rows of a ring store, samples that wait for their files.
    pub process_bytes: f64,
    /// In the kernel: inodes and names of the files.
    pub kernel_bytes: f64,
    /// In the kernel: administration of cached pages.
    pub page_notes_bytes: f64,
    /// Page cache, as much as is useful.
    pub page_cache_bytes: f64,
}

impl Memory {
    /// The minimum: page cache may be less than useful.
    #[must_use]
    pub fn needed_bytes(&self) -> f64 {
        self.process_bytes + self.kernel_bytes
    }
}

/// Reads from disk that updates cause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reads {
    /// Pages read in a second, including readahead.
    pub page_ins_per_second: f64,
    /// Waits for a page, a second.
    pub waits_per_second: f64,
    /// The mean number of pages that an update reads in.
    pub page_ins_per_update: f64,
    /// The same in the worst cycle: 00:00 UTC for most layouts.
    pub page_ins_per_update_max: f64,
}

/// Bytes written to disk a second, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written {
    /// Pages of files; tiles of a ring store.
    pub data_bytes: f64,
    /// Checkpoints of a ring store.
    pub checkpoint_bytes: f64,
    /// The log of acknowledged samples.
    pub journal_bytes: f64,
    /// Metadata of the file system: inodes, and its own journal.
    pub metadata_bytes: f64,
}

impl Written {
    /// The sum.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.data_bytes + self.checkpoint_bytes + self.journal_bytes + self.metadata_bytes
    }
}

/// How long the updates of one cycle take.
///
/// A group with a longer cadence is counted with the share of its work that falls into the shortest
/// cadence. All groups are in time as long as the work does not exceed the available time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cycle {
    /// The available time of a cycle: the shortest cadence of the fleet.
    pub cadence_seconds: f64,
    /// The mean duration.
    pub seconds: f64,
    /// The longest duration, when every archive has a row and most is read: at 00:00 UTC for most
    /// layouts.
    pub seconds_max: f64,
    /// The first duration after a boot, with an empty page cache.
    pub first_seconds: f64,
}

/// The resources that can become scarce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Time of the processors.
    Processor,
    /// Time of the disk, for reads and writes together.
    Disk,
    /// The time of the longest cycle: if it is too long, samples are late or missed.
    Cycle,
    /// The minimum of memory.
    Memory,
    /// Room on disk.
    DiskSpace,
}

/// The load of a resource.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The resource.
    pub resource: Resource,
    /// The used share; 1 is all of it.
    pub share: f64,
    /// The largest share that may be used.
    pub share_max: f64,
}

impl Load {
    /// The used share relative to the largest: more than 1 does not fit.
    #[must_use]
    pub fn strain(&self) -> f64 {
        self.share / self.share_max
    }
}

impl Prediction {
    /// Whether the machine carries it.
    #[must_use]
    pub fn fits(&self) -> bool {
        self.loads.iter().all(|load| load.strain() <= 1.0)
    }

    /// The resource with the highest strain, which is the first to be exceeded.
    ///
    /// # Panics
    ///
    /// If there are no loads, which does not occur in a prediction.
    #[must_use]
    pub fn bound(&self) -> Load {
        let most = self.loads.iter().max_by(|a, b| a.strain().total_cmp(&b.strain()));
        *most.expect("every prediction has loads")
    }
}
