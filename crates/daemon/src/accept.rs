//! Clients come and go: a thread for each socket accepts them.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use disk::system_words;
use rrdcached::server::answer;

use crate::arrivals::{Arrival, Arrivals};
use crate::listen::Listener;
use crate::log::Level;
use crate::service::Service;
use crate::stream::{Pace, Stream};

/// How long no client is accepted after the system had no room for one.
const PAUSE: Duration = Duration::from_millis(100);

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

    /// Drops the oldest connection that has not sent one whole line; false if there is none. It
    /// ends soon.
    fn drop_silent(&self) -> bool {
        let mut open = self.open();
        let silent = open.streams.iter().find(|(_, stream)| !stream.has_spoken());
        let silent = silent.map(|(number, _)| *number);
        let dropped = silent.and_then(|number| open.streams.remove(&number));
        dropped.iter().for_each(|stream| stream.hang_up());
        dropped.is_some()
    }

    /// A place for a connection.
    fn place(self: &Arc<Self>, service: &Arc<Service>, stream: &Arc<Stream>) -> Place {
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
    fn wait_for_fewer_than(&self, places: usize, patience: Duration) -> bool {
        let is_full = |open: &mut Open| open.places >= places;
        let waited = self.ended.wait_timeout_while(self.open(), patience, is_full);
        let (open, _) = waited.unwrap_or_else(PoisonError::into_inner);
        open.places < places
    }

    /// Ends what clients send; what they sent before is answered.
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

/// Accepts connections until the service ends.
pub(crate) fn accept(
    service: &Arc<Service>,
    clients: &Arc<Clients>,
    arrivals: &Arrivals,
    listener: &Listener,
) {
    while !service.is_ending.load(Ordering::Acquire) {
        match listener.socket.accept() {
            Ok(stream) => {
                if let Some((stream, place)) = admit(service, clients, stream) {
                    let permissions = listener.permissions;
                    arrivals.push(Arrival { stream, permissions, place });
                }
            }
            Err(_) if service.is_ending.load(Ordering::Acquire) => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                service.log.say(
                    Level::Error,
                    &format!("accepting a connection: {}", system_words(&error)),
                );
                clients.drop_silent(); // no descriptor or no memory: it is worth less than a new one
                std::thread::sleep(PAUSE);
            }
        }
    }
}

/// Gives a connection its place, unless there is none.
fn admit(
    service: &Arc<Service>,
    clients: &Arc<Clients>,
    stream: Stream,
) -> Option<(Arc<Stream>, Place)> {
    let counters = &service.counters;
    counters.connections.fetch_add(1, Ordering::Relaxed);
    let limit = service.limits.clients;
    // A client that never sent a line gives way to a new one.
    let is_full = clients.open().streams.len() >= limit;
    if is_full && !clients.drop_silent() {
        let words = format!("Too many connections: {limit} are open, and no more are allowed.");
        turn_away(service, &stream, &words);
        return None;
    }
    if is_full {
        // The dropped one has its descriptor until it was noticed.
        let _ = clients.wait_for_fewer_than(limit, PAUSE);
    }
    stream.set_prompt().ok()?; // it is gone already
    let stream = Arc::new(stream);
    let place = clients.place(service, &stream);
    Some((stream, place))
}

/// Tells a client that it is not served.
pub(crate) fn turn_away(service: &Service, stream: &Stream, words: &str) {
    service.counters.connections_refused.fetch_add(1, Ordering::Relaxed);
    service.log.say(Level::Warning, words);
    let mut reply = Vec::new();
    answer::error(&mut reply, words.as_bytes());
    // A fresh socket has room for it.
    let _ = stream.send(&reply, &mut Pace::new(service.limits.patience));
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
