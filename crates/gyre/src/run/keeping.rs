//! Opens the databases of a run: a ring store, or a directory of `.rrd` files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use files::RrdFiles;
pub(crate) use inventory::RING_DIRECTORY;
use mrtg::Configuration;
use ring::{Costs, Pace, Sync};
use ring::{RingOptions, RingStore};
use rrdtool::system_words;
use store::{Error, Replaying, Store};

use super::database_names::DatabaseNames;
use super::event::Event;
use super::part::Part;
use super::through_daemon::ThroughDaemon;
use super::{databases, tell};

/// How the options ask to keep databases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keeping {
    /// The directory, if not that of the configuration.
    pub(crate) directory: Option<PathBuf>,
    /// Whether to keep `.rrd` files instead of a ring store.
    pub(crate) rrd_files: bool,
    /// When a ring store acknowledges an update.
    pub(crate) sync: SyncWhen,
    /// For a new ring store: steps between two checkpoints of a group.
    pub(crate) flush_cycles: Option<u32>,
    /// For a new ring store: the most rows of a tile.
    pub(crate) tile_rows: Option<u32>,
    /// Whether the ring store allocates disk space as rows are written, instead of in advance.
    pub(crate) sparse: bool,
    /// The group, by name or number, whose processes may use the store through its directory.
    pub(crate) store_group: Option<String>,
    /// For a new ring store: the memory that its databases may take. The size of tiles follows from
    /// it.
    pub(crate) memory_bytes: Option<u64>,
    /// The part of the site that this process measures; `None` for the whole.
    pub(crate) part: Option<Part>,
}

/// When an update of a ring store is safe from a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SyncWhen {
    /// Before the update is acknowledged.
    #[default]
    Always,
    /// At most this much later.
    Every(Duration),
    /// Whenever a group is flushed.
    Off,
}

impl Keeping {
    /// The name of the ring store's directory in the configuration's. One process holds a ring
    /// store, so each part of a site has its own.
    fn ring_directory(&self) -> String {
        match self.part {
            Some(part) => format!("{RING_DIRECTORY}-{part}"),
            None => RING_DIRECTORY.to_owned(),
        }
    }

    fn options(&self, read: &Configuration) -> RingOptions {
        let usual = RingOptions::default();
        let (sync, sync_every) = match self.sync {
            SyncWhen::Always => (Sync::Always, None),
            SyncWhen::Every(interval) => (Sync::Deferred, Some(interval)),
            SyncWhen::Off => (Sync::Deferred, None),
        };
        let (pace, sparse) = (self.pace(usual.pace, read), self.sparse);
        RingOptions { pace, sync, sync_every, sparse, ..usual }
    }

    fn pace(&self, usual: Pace, read: &Configuration) -> Pace {
        // Most databases of a configuration have one layout, so the first stands for all.
        let definition = read.targets.first().map(|it| it.settings.definition());
        let usual = match (self.memory_bytes, definition) {
            (Some(bytes), Some(definition)) => {
                Costs::pace_for_memory(&definition, read.targets.len() as u64, bytes)
            }
            _ => usual,
        };
        Pace {
            flush_cycles: self.flush_cycles.unwrap_or(usual.flush_cycles),
            tile_rows_max: self.tile_rows.unwrap_or(usual.tile_rows_max),
        }
    }
}

/// Why the databases cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeepError {
    /// The directory holds a ring store, but `.rrd` files were asked for.
    #[error("{}: it is a ring store; without --rrd-files it is used as one", .0.display())]
    IsRing(PathBuf),
    /// Another process has the store open.
    #[error("{}: another process holds this ring store open: is another gyre running?", .0.display())]
    Held(PathBuf),
    /// The ring store cannot be opened or made.
    #[error("{}: {cause}", path.display())]
    Store {
        /// The path of the store.
        path: PathBuf,
        /// The reason.
        cause: Error,
    },
    /// The directory cannot be made.
    #[error("{}: cannot be made: {}", path.display(), system_words(cause))]
    Directory {
        /// The path of the directory.
        path: PathBuf,
        /// The reason.
        cause: std::io::Error,
    },
}

/// The databases of a run.
pub(super) struct Kept {
    pub(super) store: Arc<dyn Store>,
    /// The same store, as the type that it is.
    pub(super) kind: daemon::Kept,
    /// The directory to which names are relative.
    pub(super) root: PathBuf,
    /// The directory of files in the configuration.
    pub(super) log_dir: PathBuf,
}

impl Kept {
    /// Opens the databases, or makes a store for them. If the directory already has `.rrd` files,
    /// they are used: otherwise the operator's graphs would be empty. `open_files_max` is the most
    /// `.rrd` files that stay open between cycles.
    pub(super) fn open(
        keeping: &Keeping,
        read: &Configuration,
        open_files_max: usize,
    ) -> Result<Self, KeepError> {
        let log_dir = read.globals.log_dir.clone();
        let files_root = keeping.directory.clone().unwrap_or_else(|| log_dir.clone());
        let ring_root = match &keeping.directory {
            Some(directory) => directory.clone(),
            None => log_dir.join(keeping.ring_directory()),
        };
        if let Some(address) = read.globals.rrdcached.as_deref() {
            match &keeping.directory {
                None => return Self::through_daemon(address, log_dir, open_files_max),
                Some(_) => tell("RRDCached is not used: --store says where databases are kept"),
            }
        }
        if keeping.rrd_files {
            return match RingStore::is_at(&files_root) {
                true => Err(KeepError::IsRing(files_root)),
                false => Self::in_files(files_root, log_dir, open_files_max),
            };
        }
        if !RingStore::is_at(&ring_root)
            && let Some(found) = file_of_a_target(&files_root, read)
        {
            let (files, ring) = (files_root.display(), ring_root.display());
            let words = format!(
                "{} is there: databases stay .rrd files in {files}; `gyre import {ring} {files}` \
                 takes them over into a ring store",
                found.display()
            );
            Event::info("files stay", words).with("directory", files.to_string()).tell();
            return Self::in_files(files_root, log_dir, open_files_max);
        }
        Self::in_ring(keeping, read, ring_root, log_dir)
    }

    fn in_files(root: PathBuf, log_dir: PathBuf, open_max: usize) -> Result<Self, KeepError> {
        databases::make_directory(&root)
            .map_err(|cause| KeepError::Directory { path: root.clone(), cause })?;
        let store = Arc::new(RrdFiles::keeping_open(&root, open_max));
        let kind = daemon::Kept::InPlace(Arc::clone(&store));
        Ok(Self { store, kind, root, log_dir })
    }

    fn through_daemon(address: &str, root: PathBuf, open_max: usize) -> Result<Self, KeepError> {
        let Self { kind, root, log_dir, .. } = Self::in_files(root.clone(), root, open_max)?;
        let daemon::Kept::InPlace(files) = &kind else {
            return Err(KeepError::IsRing(root));
        };
        let store = ThroughDaemon::new(Arc::clone(files), root.clone(), address);
        match store.reach() {
            Ok(()) => tell(format_args!("updates go through rrdcached at {address}")),
            Err(why) => tell(format_args!("{why}; updates are tried again in each cycle")),
        }
        Ok(Self { store: Arc::new(store), kind, root, log_dir })
    }

    fn in_ring(
        keeping: &Keeping,
        read: &Configuration,
        root: PathBuf,
        log_dir: PathBuf,
    ) -> Result<Self, KeepError> {
        databases::make_directory(&root)
            .map_err(|cause| KeepError::Directory { path: root.clone(), cause })?;
        let started = Instant::now();
        let opened = RingStore::open_or_create(&root, keeping.options(read));
        let ring = Arc::new(opened.map_err(|cause| match cause {
            Error::Locked(path) => KeepError::Held(path),
            cause => KeepError::Store { path: root.clone(), cause },
        })?);
        tell_of_ring(&ring, &root, started.elapsed());
        let pace = ring.engine().report_so_far().pace;
        if keeping.pace(pace, read) != pace {
            let Pace { flush_cycles, tile_rows_max } = pace;
            let words = format!(
                "{} keeps what it was made with: --flush-cycles {flush_cycles} --tile-rows \
                 {tile_rows_max}",
                root.display()
            );
            Event::warning("pace kept", words).tell();
        }
        Ok(Self { store: ring.clone(), kind: daemon::Kept::Ring(ring), root, log_dir })
    }

    /// The ring store, if that is how databases are kept.
    pub(super) fn ring(&self) -> Option<&Arc<RingStore>> {
        match &self.kind {
            daemon::Kept::Ring(ring) => Some(ring),
            _ => None,
        }
    }

    /// Closes the store; everything is written first.
    pub(super) fn close(self) -> Result<(), Error> {
        let Self { store, kind, .. } = self;
        drop(store);
        match kind {
            // A web page that is still being sent also holds the store. The store is closed when
            // the page is done.
            daemon::Kept::Ring(ring) => Arc::into_inner(ring).map_or(Ok(()), RingStore::close),
            _ => Ok(()),
        }
    }
}

/// Tells of a ring store that was opened, and has it tell of itself from now on.
fn tell_of_ring(ring: &RingStore, root: &Path, took: Duration) {
    let (databases, seconds) = (ring.engine().report_so_far().databases, took.as_secs_f64());
    let path = root.display();
    let noted = root.to_path_buf();
    ring.engine().give_notes_to(move |words: &str| {
        Event::info("store's note", format_args!("{}: {words}", noted.display())).tell();
    });
    let took = figures::duration(seconds);
    let words = format!("ring store {path}: {databases} databases, open in {took}");
    let event = Event::info("store open", words).with("directory", path.to_string());
    event.with("databases", databases).with("seconds", seconds).tell();
    tell_of_replay(ring, &path.to_string());
    for damaged in ring.engine().damaged_groups() {
        let (group, what) = (damaged.group, &damaged.what);
        let words = format!(
            "{path}: group {group} does not answer: {what}; `gyre verify {path}` tells more"
        );
        Event::error("group damaged", words).with("group", group).tell();
    }
}

/// Tells that groups are replayed, and when that is done.
fn tell_of_replay(ring: &RingStore, path: &str) {
    let watch = ring.engine().replaying();
    let Replaying { groups_left, bytes_left, .. } = watch.now();
    if bytes_left == 0 {
        return;
    }
    let bytes = figures::size(bytes_left);
    let words = format!("{path}: {groups_left} groups are replayed from {bytes} of the log");
    Event::info("store replayed", words).with("groups_left", groups_left).tell();
    let path = path.to_owned();
    watch.when_done(move |_| {
        let words = format!("{path}: all groups are replayed");
        Event::info("store replayed", words).with("groups_left", 0_u64).tell();
    });
}

/// The first existing file of a target below `root`.
fn file_of_a_target(root: &Path, read: &Configuration) -> Option<PathBuf> {
    let names = DatabaseNames::of(read);
    let mut wanted = databases::Wanted::of(&names);
    let found = read.targets.iter().find(|target| wanted.has_file(target, root))?;
    Some(root.join(&*names.name(found)))
}
