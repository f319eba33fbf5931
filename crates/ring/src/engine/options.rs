//! How a ring store works.

use std::time::Duration;

use geometry::Pace;
use journal::JournalOptions;

/// When an update is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sync {
    /// When its record is on disk: once a batch.
    #[default]
    Always,
    /// When its record is handed to the kernel: it survives the end of the process. A power cut
    /// loses what came since the last sync, for which the owner of the engine calls from time to
    /// time ([`RingOptions::sync_every`] has [`RingStore`](crate::RingStore) do so).
    Deferred,
}

/// How a ring store works. What stays for the life of a store is chosen when it is made; later the
/// store's own values hold.
#[derive(Clone, Copy, Debug)]
pub struct RingOptions {
    /// The store's pace, from when it is made.
    pub pace: Pace,
    /// The journal's layout, from when it is made.
    pub journal: JournalOptions,
    /// When an update is acknowledged.
    pub sync: Sync,
    /// With [`Sync::Deferred`], how often a [`RingStore`](crate::RingStore) syncs the log by
    /// itself; `None` leaves it to the flushes of groups and to callers of
    /// [`Engine::sync`](super::Engine::sync).
    pub sync_every: Option<Duration>,
    /// Take the disk space of tiles as they are written, instead of when a group is made. The
    /// catalogue remembers it, so that it holds for every group that is made from then on.
    ///
    /// The risk: a full disk then meets samples that were acknowledged. They stay in the journal,
    /// which grows, and the store refuses further samples once that has no room either.
    pub sparse: bool,
    /// Threads that replay the log at opening; none for a single-threaded life.
    pub replay_threads: usize,
    /// Late rows that a group gathers before it is flushed for them.
    pub late_rows_max: usize,
    /// Whether records of the log that are damaged and needed are given up, instead of refusing to
    /// open the store: for a salvage.
    pub give_up: bool,
    /// Bytes of the log, beyond which groups are flushed that keep it from being freed; `None` for
    /// what the number of databases asks for.
    pub log_bytes_max: Option<u64>,
    /// Bytes of the log up to which it is not freed while another process copies the store; `None`
    /// for four times the bound of a log that is not held.
    pub held_log_bytes_max: Option<u64>,
    /// While another process copies the store, so much time lies between two commits of the
    /// catalogue: the catalogue and the end of the log are copied between two of them.
    pub copy_pause: Duration,
    /// So many small groups of one layout, which are of about one size, are put together into one
    /// in the background
    /// ([`Upkeep::regroup_once`](super::Upkeep::regroup_once)); at least two.
    pub regroup_from: usize,
}

impl Default for RingOptions {
    fn default() -> Self {
        let journal = JournalOptions { intervals_kept: 0, ..JournalOptions::default() };
        Self {
            pace: Pace::default(),
            journal,
            sync: Sync::Always,
            sync_every: None,
            sparse: false,
            replay_threads: 2,
            late_rows_max: 1 << 16,
            give_up: false,
            log_bytes_max: None,
            held_log_bytes_max: None,
            copy_pause: Duration::from_millis(500),
            regroup_from: 8,
        }
    }
}
