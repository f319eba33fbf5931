//! The resources of a machine.

use ring::MachineRates;

/// The resources of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Bytes of memory available to the store and the page cache.
    pub memory_bytes: u64,
    /// Processors that may work on updates.
    pub cores: u32,
    /// The processor time for each kind of work.
    pub processor: Processor,
    /// Bytes of disk available to the databases.
    pub disk_bytes: u64,
    /// The speed of its disk.
    pub disk: DiskRates,
    /// The device's readahead window in bytes (`read_ahead_kb`). It matters for files that are used
    /// without advice.
    pub readahead_bytes: u64,
    /// What the file system writes in addition to the data.
    pub file_system: FileSystem,
}

/// The speed of a disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskRates {
    /// Random reads of 4 KiB a second, with as many at once as there are processors.
    pub random_reads_per_second: f64,
    /// Random writes of 4 KiB a second, as in the kernel's write-back: many at once.
    pub random_writes_per_second: f64,
    /// Sequential bytes read or written a second.
    pub sequential_bytes_per_second: f64,
    /// Seconds of a small synced write (write and fdatasync).
    pub synced_write_seconds: f64,
}

/// What a file system writes in addition to the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileSystem {
    /// Bytes of an inode on disk: inodes of files that are written together share blocks of the
    /// inode table.
    pub inode_bytes: u64,
    /// Whether changed metadata is also written to a journal.
    pub has_journal: bool,
}

/// Seconds of one processor for each kind of work. [`Default`] has gyre's measurements on two cores
/// of an AMD EPYC; the benchmark of each is named. Other processors differ, and so do runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Processor {
    /// An update of a file by `pread` and `pwrite`: `cargo xtask bench rrdtool`, update.
    pub pwrite_update_seconds: f64,
    /// An update of a file by a mapping or by streams: rrdtool in the same run.
    pub mapped_update_seconds: f64,
    /// A page that is read in: `cargo xtask bench daemon`, first touch.
    pub page_in_seconds: f64,
    /// An update taken into the journal of files: `cargo xtask bench daemon`.
    pub journaled_update_seconds: f64,
    /// The write-back of a file, its samples consolidated: the same, write-back.
    pub write_back_seconds: f64,
    /// Reconciling a file with the journal after a kill: the same benchmark, restart.
    pub settled_file_seconds: f64,
    /// Bytes of the files' journal read a second at opening: the same benchmark.
    pub journal_bytes_per_second: f64,
    /// An update in the ring store, including its share of flushes: `cargo xtask bench store`.
    pub ring_update_seconds: f64,
    /// The speed at which one processor replays the ring store's log: the same benchmark, restart.
    pub ring_replay: MachineRates,
}

impl Default for Processor {
    fn default() -> Self {
        Self {
            pwrite_update_seconds: 12.3e-6,
            mapped_update_seconds: 57e-6,
            page_in_seconds: 20e-6,
            journaled_update_seconds: 2.2e-6,
            write_back_seconds: 60e-6,
            settled_file_seconds: 28e-6,
            journal_bytes_per_second: 300e6,
            ring_update_seconds: 1.97e-6,
            ring_replay: MachineRates {
                scanned_records_per_second: 50e6,
                applied_updates_per_second: 2e6,
                loaded_databases_per_second: 1.1e6,
            },
        }
    }
}

impl Machine {
    /// The speed at which all processors replay the ring store's log.
    #[must_use]
    pub fn ring_replay(&self) -> MachineRates {
        let cores = f64::from(self.cores.max(1));
        let of_one = self.processor.ring_replay;
        MachineRates {
            scanned_records_per_second: of_one.scanned_records_per_second * cores,
            applied_updates_per_second: of_one.applied_updates_per_second * cores,
            loaded_databases_per_second: of_one.loaded_databases_per_second * cores,
        }
    }
}

impl Default for FileSystem {
    /// ext4 with its current defaults.
    fn default() -> Self {
        Self { inode_bytes: 256, has_journal: true }
    }
}
