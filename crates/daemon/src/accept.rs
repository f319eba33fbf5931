//! Clients come and go: a thread for each socket, and one for each connection.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rrdcached::server::answer;

use crate::connection::{Pace, Stream, serve};
use crate::listen::Listener;
use crate::log::Level;
use crate::service::Service;
use crate::session::Permissions;

/// How long no client is accepted after the system had no room for one.
const PAUSE: Duration = Duration::from_millis(100);
/// How often is looked whether the last connection has ended.
const LOOK: Duration = Duration::from_millis(5);
/// The same of a connection that gives way to a new one.
const GLANCE: Duration = Duration::from_micros(200);

/// The connections that there are.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    /// By their numbers, so that the oldest comes first.
    streams: Mutex<BTreeMap<u64, Arc<Stream>>>,
    next: AtomicU64,
}

impl Clients {
    fn streams(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Stream>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the oldest connection that has not sent one whole line; false if there is none. Its
    /// thread ends soon.
    fn drop_silent(&self) -> bool {
        let mut streams = self.streams();
        let silent = streams.iter().find(|(_, stream)| !stream.has_spoken());
        let silent = silent.map(|(number, _)| *number);
        let dropped = silent.and_then(|number| streams.remove(&number));
        dropped.iter().for_each(|stream| stream.hang_up());
        dropped.is_some()
    }

    /// Ends what they send, and waits until what they sent before is answered.
    pub(crate) fn end(&self, patience: Duration) {
        let start = Instant::now();
        loop {
            let streams: Vec<Arc<Stream>> = self.streams().values().cloned().collect();
            if streams.is_empty() || start.elapsed() > patience {
                return;
            }
            streams.iter().for_each(|stream| stream.end());
            std::thread::sleep(LOOK);
        }
    }
}

/// Accepts connections until the service ends.
pub(crate) fn accept(service: &Arc<Service>, clients: &Arc<Clients>, listener: &Listener) {
    while !service.is_ending.load(Ordering::Acquire) {
        match listener.socket.accept() {
            Ok(stream) => admit(service, clients, stream, listener.permissions),
            Err(_) if service.is_ending.load(Ordering::Acquire) => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                service.log.say(Level::Error, &format!("accepting a connection: {error}"));
                clients.drop_silent(); // no descriptor or no memory: it is worth less than a new one
                std::thread::sleep(PAUSE);
            }
        }
    }
}

fn admit(service: &Arc<Service>, clients: &Arc<Clients>, stream: Stream, permissions: Permissions) {
    let counters = &service.counters;
    counters.connections.fetch_add(1, Ordering::Relaxed);
    let limit = service.limits.clients;
    // A client that never sent a line gives way to a new one.
    let is_full = clients.streams().len() >= limit;
    if is_full && !clients.drop_silent() {
        let words = format!("Too many connections: {limit} are open, and no more are allowed.");
        return turn_away(service, &stream, &words);
    }
    if is_full {
        wait_for_room(service);
    }
    if stream.set_patience(service.limits.patience).is_err() {
        return; // it is gone already
    }
    let stream = Arc::new(stream);
    let number = clients.next.fetch_add(1, Ordering::Relaxed);
    clients.streams().insert(number, Arc::clone(&stream));
    counters.connections_open.fetch_add(1, Ordering::Relaxed);
    let place = Place { service: Arc::clone(service), clients: Arc::clone(clients), number };
    let own = Arc::clone(&stream);
    let client = move || {
        serve(&place.service, &own, permissions);
        drop(own); // its descriptor is free before its place is
    };
    let spawned = std::thread::Builder::new().name("gyre-client".into()).spawn(client);
    if let Err(error) = spawned {
        turn_away(service, &stream, &format!("No thread for one more connection: {error}"));
    }
}

/// Waits until the thread of a connection that was dropped has ended: its descriptor is taken until then.
fn wait_for_room(service: &Service) {
    let start = Instant::now();
    let open = || service.counters.connections_open.load(Ordering::Relaxed);
    while open() >= service.limits.clients as u64 && start.elapsed() < PAUSE {
        std::thread::sleep(GLANCE);
    }
}

fn turn_away(service: &Service, stream: &Stream, words: &str) {
    service.counters.connections_refused.fetch_add(1, Ordering::Relaxed);
    service.log.say(Level::Warning, words);
    let mut reply = Vec::new();
    answer::error(&mut reply, words.as_bytes());
    // A fresh socket has room for it.
    let _ = stream.send(&reply, &mut Pace::new(service.limits.patience));
}

/// A connection's place among the others, which it leaves however it ends.
struct Place {
    service: Arc<Service>,
    clients: Arc<Clients>,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.clients.streams().remove(&self.number);
        self.service.counters.connections_open.fetch_sub(1, Ordering::Relaxed);
    }
}
