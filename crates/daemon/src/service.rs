//! What all connections share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::admission::Access;
use crate::limits::{Budget, Limits};
use crate::log::Log;
use crate::output::Output;
use crate::paths::Paths;
use crate::session::{Entrance, Permissions};
use crate::shelf::{Kept, Shelf};
use crate::stream::Stream;
use crate::terms::Terms;

/// A daemon at work.
pub(crate) struct Service {
    pub(crate) shelf: Shelf,
    pub(crate) paths: Paths,
    pub(crate) log: Arc<Log>,
    pub(crate) limits: Limits,
    /// No CREATE replaces what is there (`-O`).
    pub(crate) keeps_existing: bool,
    /// CREATE makes directories (`-R`).
    pub(crate) makes_directories: bool,
    /// Who may ask.
    access: Access,
    pub(crate) counters: Counters,
    pub(crate) lines: Budget,
    pub(crate) replies: Budget,
    /// What the errors of batches may take.
    pub(crate) errors: Budget,
    pub(crate) wholes: Budget,
    /// Held while the names of many databases are gathered, so that one connection at a time has
    /// them all in memory.
    pub(crate) listing: Mutex<()>,
    /// Held while the names of the files that wait are gathered, which takes no disk.
    pub(crate) queueing: Mutex<()>,
    /// Nothing more is taken.
    pub(crate) is_ending: AtomicBool,
}

impl Service {
    /// Clients of a store, of whom there is none so far.
    pub(crate) fn new(kept: Kept, terms: Terms) -> Self {
        let Terms { paths, log, limits, keeps_existing, makes_directories, .. } = terms;
        let Terms { access, syncs, .. } = terms;
        Self {
            shelf: Shelf::new(kept, paths.base(), syncs),
            paths,
            log,
            limits,
            keeps_existing,
            makes_directories,
            access,
            counters: Counters::default(),
            lines: Budget::of_lines(),
            replies: Budget::of_replies(),
            errors: Budget::of_errors(),
            wholes: Budget::of_wholes(),
            listing: Mutex::new(()),
            queueing: Mutex::new(()),
            is_ending: AtomicBool::new(false),
        }
    }

    /// What a socket that takes these commands asks of a client that comes so.
    pub(crate) fn entrance(&self, permissions: Permissions, stream: &Stream) -> Entrance {
        let (way, certified) = (stream.way(), Arc::clone(stream.certified()));
        Entrance { permissions, way, certified, access: self.access.clone() }
    }

    /// Whether to go on with what takes long: the client can be told, and the daemon does not end.
    pub(crate) fn goes_on<'a>(&'a self, out: &'a Output<'a>) -> impl Fn() -> bool + use<'a> {
        || !self.is_ending.load(Ordering::Relaxed) && !out.is_lost()
    }

    /// Waits for its turn to go through a tree of names.
    pub(crate) fn turn_to_list(&self) -> MutexGuard<'_, ()> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for its turn to gather the names of the files that wait to be written.
    pub(crate) fn turn_to_queue(&self) -> MutexGuard<'_, ()> {
        self.queueing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What connections count.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) updates_received: AtomicU64,
    pub(crate) flushes_received: AtomicU64,
    pub(crate) connections: AtomicU64,
    pub(crate) connections_refused: AtomicU64,
    pub(crate) connections_open: AtomicU64,
}
