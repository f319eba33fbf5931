//! The connections that there are, and the place of each among the others.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::service::Service;
use crate::stream::Stream;

/// The connections that there are.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    open: Mutex<Open>,
    /// A connection has ended, or a thread that accepts them.
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Open {
    /// By their numbers, so that the oldest comes first.
    streams: BTreeMap<u64, Arc<Stream>>,
    /// How many there are, those that were dropped and have their descriptor still included.
    places: usize,
    next: u64,
}

impl Clients {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many there are, those that were dropped not included.
    pub(crate) fn count(&self) -> usize {
        self.open().streams.len()
    }

    /// Drops the oldest connection that has not sent one whole line; false if there is none. It
    /// ends soon.
    pub(crate) fn drop_silent(&self) -> bool {
        let mut open = self.open();
        let silent = open.streams.iter().find(|(_, stream)| !stream.has_spoken());
        let silent = silent.map(|(number, _)| *number);
        let dropped = silent.and_then(|number| open.streams.remove(&number));
        dropped.iter().for_each(|stream| stream.hang_up());
        dropped.is_some()
    }

    /// A place for a connection.
    pub(crate) fn place(self: &Arc<Self>, service: &Arc<Service>, stream: &Arc<Stream>) -> Place {
        let mut open = self.open();
        let number = open.next;
        open.next += 1;
        open.places += 1;
        open.streams.insert(number, Arc::clone(stream));
        service.counters.connections_open.fetch_add(1, Ordering::Relaxed);
        let listed = Listed { service: Arc::clone(service), clients: Arc::clone(self), number };
        Place { _listed: listed, _counted: Counted(Arc::clone(self)) }
    }

    /// Waits until there are fewer connections; false if there are still as many then.
    pub(crate) fn wait_for_fewer_than(&self, places: usize, patience: Duration) -> bool {
        let is_full = |open: &mut Open| open.places >= places;
        let waited = self.ended.wait_timeout_while(self.open(), patience, is_full);
        let (open, _) = waited.unwrap_or_else(PoisonError::into_inner);
        open.places < places
    }

    /// Ends what clients send; lines that were taken before are answered.
    pub(crate) fn end(&self) {
        self.open().streams.values().for_each(|stream| stream.end());
    }

    /// Ends both directions.
    pub(crate) fn hang_up(&self) {
        self.open().streams.values().for_each(|stream| stream.hang_up());
    }

    /// Waits until every connection has ended; false if it does not come to that.
    pub(crate) fn wait_until_none(&self, patience: Duration) -> bool {
        self.wait_for_fewer_than(1, patience)
    }
}

/// A connection's place among the others, which it leaves however it ends. What it holds is dropped
/// in this order: a connection that has ended holds neither a descriptor nor the service.
pub(crate) struct Place {
    _listed: Listed,
    _counted: Counted,
}

struct Listed {
    service: Arc<Service>,
    clients: Arc<Clients>,
    number: u64,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.clients.open().streams.remove(&self.number);
        self.service.counters.connections_open.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Counted(Arc<Clients>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.open().places -= 1;
        self.0.ended.notify_all();
    }
}
