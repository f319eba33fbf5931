//! A daemon at work in threads of the caller's process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::accept::{Clients, accept};
use crate::databases::Databases;

use crate::listen::Listener;
use crate::log::Level;

use crate::service::Service;
use crate::shelf::Kept;
use crate::terms::Terms;

/// How long the thread of a connection that was hung up on may take to end.
const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// Serves rrdcached's protocol over a store until it is ended or dropped. The store is the
/// caller's: the server does not close it.
pub struct Server {
    service: Arc<Service>,
    clients: Arc<Clients>,
    listeners: Vec<Arc<Listener>>,
    accepting: Vec<JoinHandle<()>>,
}

impl Server {
    /// Serves on sockets that listen, a thread for each and one for each connection.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start(kept: Kept, terms: Terms, listeners: Vec<Listener>) -> io::Result<Self> {
        let mut server = Self {
            service: Arc::new(Service::new(kept, terms)),
            clients: Arc::default(),
            listeners: listeners.into_iter().map(Arc::new).collect(),
            accepting: Vec::new(),
        };
        for listener in &server.listeners {
            let (service, clients) = (Arc::clone(&server.service), Arc::clone(&server.clients));
            let listener = Arc::clone(listener);
            let accepting = move || accept(&service, &clients, &listener);
            let spawned = std::thread::Builder::new().name("gyre-accept".into()).spawn(accepting);
            server.accepting.push(spawned?);
        }
        Ok(server)
    }

    /// The databases that it serves. The store stays open as long as this is kept.
    #[must_use]
    pub fn databases(&self) -> Databases {
        Databases::of(&self.service)
    }

    /// Takes no more connections and no more lines, answers what was sent before, and ends. A
    /// client that does not take its replies within the patience is hung up on.
    ///
    /// The store is not held any more when this returns, unless a call of it does not
    /// return: the log is told then.
    pub fn end(mut self, patience: Duration) {
        self.finish(patience);
    }

    fn finish(&mut self, patience: Duration) {
        self.service.is_ending.store(true, Ordering::Release);
        self.listeners.iter().for_each(|listener| listener.end());
        for thread in self.accepting.drain(..) {
            let _ = thread.join(); // it panicked: the panic was told already
        }
        self.clients.end();
        if self.clients.wait_until_none(patience) {
            return;
        }
        self.clients.hang_up();
        if !self.clients.wait_until_none(LAST_PATIENCE) {
            let log = &self.service.log;
            log.say(Level::Warning, "the request of a client is still being worked on");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.finish(Duration::ZERO);
    }
}
