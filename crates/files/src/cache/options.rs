//! How a cache of files works.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How a [`FileCache`](super::FileCache) works.
#[derive(Clone)]
pub struct CacheOptions {
    /// Where acknowledged samples are kept until they are in their files; nowhere without it.
    pub journal: Option<Journaling>,
    /// Bytes that the journal takes at most; updates are refused where it is full. Four segments at
    /// least; what is carried forward for files that cannot be written may come on top for a
    /// moment.
    pub journal_bytes_max: u64,
    /// Bytes of a segment of the journal. It stays for as long as the journal exists.
    pub journal_segment_bytes: usize,
    /// Where the names in rrdcached's own journals lead from that are no absolute paths.
    pub base: PathBuf,
    /// How long samples wait before their file is written.
    pub write_after: Duration,
    /// A random time up to this is added to it.
    pub spread: Duration,
    /// After so long without a use nothing is remembered of a file that is up to date.
    pub forget_after: Duration,
    /// How long an update may be judged by what a file was like before another program changed it.
    /// It is only told later then that it is refused: what is written is never made from that.
    pub look_every: Duration,
    /// Threads that write files.
    pub writer_threads: usize,
    /// Descriptors kept open between uses.
    pub open_files_max: usize,
    /// Whether dropping the cache writes what is pending.
    pub flush_on_close: bool,
    /// Is told that write-backs became durable, before the journal forgets them.
    pub synced: Option<Arc<dyn Fn() + Send + Sync>>,
    /// Is told what an administrator should know: what was dropped and why, what cannot be written.
    pub notes: Arc<dyn Fn(&str) + Send + Sync>,
}

/// A journal of acknowledged samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journaling {
    /// Its directory.
    pub directory: PathBuf,
    /// How long acknowledged samples may be in the kernel's hands only; without it they are on disk
    /// before they are acknowledged. They survive the end of the process in either case.
    pub sync_every: Option<Duration>,
}

/// rrdcached's own values, and no journal.
impl Default for CacheOptions {
    fn default() -> Self {
        Self {
            journal: None,
            journal_bytes_max: 4 << 30,
            journal_segment_bytes: 8 << 20,
            base: PathBuf::new(),
            write_after: Duration::from_secs(300),
            spread: Duration::ZERO,
            forget_after: Duration::from_secs(3600),
            look_every: Duration::from_secs(1),
            writer_threads: 4,
            open_files_max: 256,
            flush_on_close: true,
            synced: None,
            notes: Arc::new(|_| {}),
        }
    }
}

impl fmt::Debug for CacheOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheOptions")
            .field("journal", &self.journal)
            .field("write_after", &self.write_after)
            .field("spread", &self.spread)
            .field("forget_after", &self.forget_after)
            .field("look_every", &self.look_every)
            .field("writer_threads", &self.writer_threads)
            .field("open_files_max", &self.open_files_max)
            .field("flush_on_close", &self.flush_on_close)
            .finish_non_exhaustive()
    }
}
