//! A daemon at work in threads of the caller's process.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::accept::accept;
use crate::arrivals::Arrivals;
use crate::clients::Clients;
use crate::crew::Crew;
use crate::databases::Databases;
use crate::door::{Door, Epoll};
use crate::listen::Listener;
use crate::log::Level;
use crate::service::Service;
use crate::shelf::Kept;
use crate::terms::Terms;

/// How long a connection that was hung up on may take to end.
const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// Serves rrdcached's protocol over a store until it is ended or dropped. The store is the
/// caller's: the server does not close it.
pub struct Server {
    service: Arc<Service>,
    clients: Arc<Clients>,
    arrivals: Arc<Arrivals>,
    listeners: Vec<Arc<Listener>>,
    accepting: Vec<JoinHandle<()>>,
    /// The thread that began to serve; it ends after all others that do.
    serving: Option<JoinHandle<()>>,
}

fn start_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.into()).spawn(work)
}

/// Serves clients until the end, in this thread and those that it starts.
fn serve(service: &Service, epoll: Epoll, arrivals: Arc<Arrivals>) {
    let crew = Crew::new(service, Door::new(epoll, arrivals));
    std::thread::scope(|scope| crew.serve(scope));
}

impl Server {
    /// Serves on sockets that listen: a thread for each, one that hears all clients, and more where
    /// clients are waited for.
    ///
    /// # Errors
    /// The system refuses a thread, or a descriptor.
    pub fn start(kept: Kept, terms: Terms, listeners: Vec<Listener>) -> io::Result<Self> {
        let service = Arc::new(Service::new(kept, terms));
        let arrivals = Arc::new(Arrivals::new()?);
        let epoll = Epoll::new(&arrivals)?;
        let (own, theirs) = (Arc::clone(&service), Arc::clone(&arrivals));
        let serving = start_thread("gyre-client", move || serve(&own, epoll, theirs))?;
        let mut server = Self {
            service,
            clients: Arc::default(),
            arrivals,
            listeners: listeners.into_iter().map(Arc::new).collect(),
            accepting: Vec::new(),
            serving: Some(serving),
        };
        let clients = server.service.limits.clients;
        let encryptions = server.listeners.iter().filter_map(|listener| listener.encryption());
        encryptions.for_each(|encryption| encryption.serve_at_most(clients));
        for listener in &server.listeners {
            let (service, clients) = (Arc::clone(&server.service), Arc::clone(&server.clients));
            let (arrivals, listener) = (Arc::clone(&server.arrivals), Arc::clone(listener));
            let accepting = move || accept(&service, &clients, &arrivals, &listener);
            server.accepting.push(start_thread("gyre-accept", accepting)?);
        }
        Ok(server)
    }

    /// The databases that it serves. The store stays open as long as this is kept.
    #[must_use]
    pub fn databases(&self) -> Databases {
        Databases::of(&self.service)
    }

    /// Takes no more connections and no more lines, answers the lines that were taken before, and
    /// ends. A client that does not take its replies within the patience is hung up on.
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
        let mut has_ended = self.clients.wait_until_none(patience);
        if !has_ended {
            self.clients.hang_up();
            has_ended = self.clients.wait_until_none(LAST_PATIENCE);
        }
        // What was said last may still be on its way through the threads that encrypt.
        let encryptions = self.listeners.iter().filter_map(|listener| listener.encryption());
        encryptions.for_each(|encryption| encryption.drain(patience));
        self.arrivals.end();
        match self.serving.take() {
            Some(serving) if has_ended => drop(serving.join()), // a panic was told already
            Some(_) => {
                let log = &self.service.log;
                log.say(Level::Warning, "the request of a client is still being worked on");
            }
            None => {}
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.finish(Duration::ZERO);
    }
}
