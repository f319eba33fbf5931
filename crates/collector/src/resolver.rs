//! Looks up names on threads of its own, because the system's resolver may take half a minute and
//! the polling thread must not wait.

use crate::names::Lookup;
use crate::plan::Family;
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Names that are looked up at once.
const THREADS: usize = 8;

/// The result of a lookup: an address with port 0, or the error.
pub(crate) type Resolved = (Lookup, Result<SocketAddr, Arc<str>>);

/// The threads. They end when this is dropped and their last lookup is done.
#[derive(Debug)]
pub(crate) struct Resolver {
    lookups: Sender<Lookup>,
    waiting: Option<Receiver<Lookup>>,
    answers: Sender<Resolved>,
    resolved: Receiver<Resolved>,
    wake: Arc<rustix::fd::OwnedFd>,
}

impl Resolver {
    /// `wake` is an eventfd that is written to when a lookup is done.
    pub(crate) fn new(wake: Arc<rustix::fd::OwnedFd>) -> Self {
        let (lookups, waiting) = channel();
        let (answers, resolved) = channel();
        Self { lookups, waiting: Some(waiting), answers, resolved, wake }
    }

    /// Begins to look up a name. The first call starts the threads, because most plans have only
    /// addresses.
    pub(crate) fn look_up(&mut self, lookup: Lookup) {
        if let Some(waiting) = self.waiting.take() {
            self.start(waiting);
        }
        // The threads receive for as long as `self` lives, so sending cannot fail.
        let _ = self.lookups.send(lookup);
    }

    /// The result of a finished lookup.
    pub(crate) fn next(&self) -> Option<Resolved> {
        self.resolved.try_recv().ok()
    }

    fn start(&self, waiting: Receiver<Lookup>) {
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..THREADS {
            let (waiting, answers) = (waiting.clone(), self.answers.clone());
            let wake = self.wake.clone();
            thread::spawn(move || {
                loop {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(lookup) = next else { return };
                    let result = resolve(&lookup);
                    if answers.send((lookup, result)).is_err() {
                        return;
                    }
                    let _ = rustix::io::write(&*wake, &1u64.to_ne_bytes());
                }
            });
        }
    }
}

fn resolve(lookup: &Lookup) -> Result<SocketAddr, Arc<str>> {
    let failed = |why: &dyn std::fmt::Display| Arc::from(format!("{}: {why}", lookup.host));
    let addresses = (&*lookup.host, 0).to_socket_addrs();
    let mut addresses = addresses.map_err(|error| failed(&error))?;
    let is_good = |address: &SocketAddr| lookup.family == Family::Any || address.is_ipv4();
    let found = addresses.find(is_good);
    found.ok_or_else(|| failed(&"it has no address of the wanted family"))
}
