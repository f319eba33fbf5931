//! What is said of a fleet on a machine.

use ring::Pace;

/// What a machine will have to bear. Rates are means over the long run, if nothing else is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Updates a second.
    pub updates_per_second: f64,
    /// What takes memory.
    pub memory: Memory,
    /// Bytes of disk.
    pub disk_bytes: u64,
    /// What is read from disk.
    pub reads: Reads,
    /// Bytes written to disk a second.
    pub written: Written,
    /// How long the updates of one cycle keep the machine busy.
    pub cycle: Cycle,
    /// Seconds from a kill until everything that was acknowledged is where it belongs again.
    pub restart_seconds: f64,
    /// Pages of page cache for each file, where there are files.
    pub pages_per_file: Option<f64>,
    /// The pace of a ring store: the one that was given, or the one that was chosen.
    pub pace: Option<Pace>,
    /// How much of each resource is used.
    pub loads: Vec<Load>,
}

/// Bytes of memory, by what takes them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Of the process: states and rows of a ring store, samples that wait for their files.
    pub process_bytes: f64,
    /// Of the kernel: inodes and names of the files.
    pub kernel_bytes: f64,
    /// Of the kernel: what it notes of the pages that it caches.
    pub page_notes_bytes: f64,
    /// Of the page cache, as much as there is use for.
    pub page_cache_bytes: f64,
}

impl Memory {
    /// Bytes without which it does not work at all: page cache can be less.
    #[must_use]
    pub fn needed_bytes(&self) -> f64 {
        self.process_bytes + self.kernel_bytes
    }
}

/// What is read from disk so that it can be written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reads {
    /// Pages brought in a second, those included that nobody asked for.
    pub page_ins_per_second: f64,
    /// Times a second that somebody waits for a page.
    pub waits_per_second: f64,
    /// Pages that an update brings in: the mean.
    pub page_ins_per_update: f64,
    /// The same in the worst cycle: 00:00 UTC for most layouts.
    pub page_ins_per_update_max: f64,
}

/// Bytes written to disk a second, by what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Written {
    /// Pages of files; tiles of a ring store.
    pub data_bytes: f64,
    /// Checkpoints of a ring store.
    pub checkpoint_bytes: f64,
    /// The log of acknowledged samples.
    pub journal_bytes: f64,
    /// Of the file system: inodes, and its own journal.
    pub metadata_bytes: f64,
}

impl Written {
    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.data_bytes + self.checkpoint_bytes + self.journal_bytes + self.metadata_bytes
    }
}

/// How long the updates of one cycle keep the machine busy.
///
/// Groups that are updated more seldom have their own, longer time: they count with the share of
/// their work that falls into the shortest cadence, and all are in time as long as what has to be
/// done does not exceed the time that there is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cycle {
    /// How long a cycle may take: the shortest cadence of the fleet.
    pub cadence_seconds: f64,
    /// The mean.
    pub seconds: f64,
    /// The longest, where every archive has a row and most is read: 00:00 UTC for most layouts.
    pub seconds_max: f64,
    /// The first after a start of the machine, with nothing in memory.
    pub first_seconds: f64,
}

/// What can become scarce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Time of the processors.
    Processor,
    /// Time of the disk, for reads and writes together.
    Disk,
    /// The time that a cycle may take, in its longest one: then samples are late or missed.
    Cycle,
    /// Memory that cannot be done without.
    Memory,
    /// Room on disk.
    DiskSpace,
}

/// How much of a resource is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Which.
    pub resource: Resource,
    /// The part of what there is: 1 is all.
    pub share: f64,
    /// The largest part that may be used.
    pub share_max: f64,
}

impl Load {
    /// How much of what may be used is used: more than 1 does not fit.
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

    /// The resource that breaks first, or is broken most.
    ///
    /// # Panics
    /// If no load was taken: no prediction is so.
    #[must_use]
    pub fn bound(&self) -> Load {
        let most = self.loads.iter().max_by(|a, b| a.strain().total_cmp(&b.strain()));
        *most.expect("every prediction has loads")
    }
}
