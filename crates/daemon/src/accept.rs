//! Clients come: a thread for each socket accepts them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use disk::system_words;
use rrdcached::server::answer;

use crate::arrivals::{Arrival, Arrivals};
use crate::clients::{Clients, Place};
use crate::listen::Listener;
use crate::log::Level;
use crate::service::Service;
use crate::stream::Stream;

/// How long no client is accepted after the system had no room for one.
const PAUSE: Duration = Duration::from_millis(100);

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
                    let entrance = service.entrance(listener.permissions, &stream);
                    arrivals.push(Arrival { stream, entrance, place });
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
    let is_full = clients.count() >= limit;
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
    // A fresh socket has room for it; and no other client may wait for this one.
    let _ = stream.write(&reply);
}
