//! What a machine can do, as numbers.

use ring::MachineRates;

/// What a machine can do.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Bytes of memory that are there for the store and the page cache, all else taken off.
    pub memory_bytes: u64,
    /// Processors that may work on updates.
    pub cores: u32,
    /// What its processors need for each kind of work.
    pub processor: Processor,
    /// Bytes of disk that are there for the databases.
    pub disk_bytes: u64,
    /// What its disk can do.
    pub disk: DiskRates,
    /// The device's readahead window, in bytes (`read_ahead_kb`): counts where files are used
    /// without advice.
    pub readahead_bytes: u64,
    /// What the file system writes beside the data.
    pub file_system: FileSystem,
}

/// What a disk can do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskRates {
    /// Reads of 4 KiB at random places a second, as many at once as there are processors.
    pub random_reads_per_second: f64,
    /// Writes of 4 KiB at random places a second, as the kernel writes back: many at once.
    pub random_writes_per_second: f64,
    /// Bytes read or written a second where they lie side by side.
    pub sequential_bytes_per_second: f64,
    /// Seconds of a small write that is waited for (write and fdatasync).
    pub synced_write_seconds: f64,
}

/// What a file system writes beside the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileSystem {
    /// Bytes of an inode on disk: files that are written together share blocks of the inode table.
    pub inode_bytes: u64,
    /// Whether changed metadata is written to a journal too.
    pub has_journal: bool,
}

/// Seconds of one processor for each kind of work. [`Default`] has what gyre took on two cores of
/// an AMD EPYC under the benchmark that stands beside each; other processors differ, and so do
/// runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Processor {
    /// An update of a file by `pread` and `pwrite`: `cargo xtask bench rrdtool`, update.
    pub pwrite_update_seconds: f64,
    /// An update of a file by a mapping, or by streams: rrdtool in the same run.
    pub mapped_update_seconds: f64,
    /// A page brought in by a read that waits for it: `cargo xtask bench daemon`, first touch.
    pub page_in_seconds: f64,
    /// An update taken into the journal of files: `cargo xtask bench daemon`.
    pub journaled_update_seconds: f64,
    /// The write-back of a file, its samples consolidated: the same, write-back.
    pub write_back_seconds: f64,
    /// A file brought together with the journal after a kill: the same, restart.
    pub settled_file_seconds: f64,
    /// Bytes of the files' journal read a second at opening: the same.
    pub journal_bytes_per_second: f64,
    /// An update taken by the ring store, its share of flushes included: `cargo xtask bench store`.
    pub ring_update_seconds: f64,
    /// How fast one processor replays the ring store's log: the same, restart.
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
                scanned_records_per_second: 10e6,
                applied_updates_per_second: 1.2e6,
                loaded_databases_per_second: 420e3,
            },
        }
    }
}

impl Machine {
    /// How fast all processors replay the ring store's log.
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
    /// ext4 as it is made today.
    fn default() -> Self {
        Self { inode_bytes: 256, has_journal: true }
    }
}
