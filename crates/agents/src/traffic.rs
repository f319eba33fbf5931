//! What became of connections and datagrams.

use std::sync::atomic::{AtomicU64, Ordering};

use intake::Protocol;

/// What became of connections and datagrams since the start. What became of samples is in
/// `intake::Tallies`.
#[derive(Debug, Default)]
pub struct Traffic {
    open: AtomicU64,
    accepted: AtomicU64,
    turned_away: AtomicU64,
    cut: AtomicU64,
    dropped: [AtomicU64; Protocol::ALL.len()],
}

impl Traffic {
    /// Connections that are open now.
    #[must_use]
    pub fn connections_open(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }

    /// Connections that were accepted.
    #[must_use]
    pub fn connections_accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Connections for which there was no room.
    #[must_use]
    pub fn connections_turned_away(&self) -> u64 {
        self.turned_away.load(Ordering::Relaxed)
    }

    /// Connections that were closed here: too long a line or frame, idle for too long, or to make
    /// room for another one.
    #[must_use]
    pub fn connections_cut(&self) -> u64 {
        self.cut.load(Ordering::Relaxed)
    }

    /// Datagrams that the kernel dropped, for they came faster than they were stored. It tells that
    /// with the next one that it did not drop.
    #[must_use]
    pub fn datagrams_dropped(&self, protocol: Protocol) -> u64 {
        self.dropped[protocol as usize].load(Ordering::Relaxed)
    }

    pub(crate) fn note_accepted(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_turned_away(&self) {
        self.turned_away.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_cut(&self) {
        self.cut.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn set_open(&self, connections: usize) {
        self.open.store(connections as u64, Ordering::Relaxed);
    }

    pub(crate) fn note_dropped(&self, protocol: Protocol, datagrams: u64) {
        self.dropped[protocol as usize].fetch_add(datagrams, Ordering::Relaxed);
    }
}
