//! The open connections, and which of them is closed when there are too many.
//!
//! A connection that waits for its client (to send a request, or to read an answer) may be closed
//! to make room for a new one. The one that has waited longest is closed first. A connection whose
//! answer is being made is never closed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};

use crate::progress::Progress;

/// How often to look for a connection that may be closed, while all of them wait for answers to be
/// made.
const LOOK: Duration = Duration::from_millis(20);

/// All connections.
#[derive(Debug)]
pub(crate) struct Connections {
    limit: usize,
    open: Mutex<Open>,
    /// Notified when a connection has ended.
    ended: Notify,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    connections: BTreeMap<u64, Connection>,
    /// Connections that were told to close, and have their descriptors still.
    closing: usize,
}

impl Open {
    fn descriptors(&self) -> usize {
        self.connections.len() + self.closing
    }
}

#[derive(Debug)]
struct Connection {
    progress: Arc<Progress>,
    /// Dropping this ends the connection.
    _life: oneshot::Sender<()>,
}

/// The slot of a connection; it is freed when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    connections: Arc<Connections>,
    number: u64,
    pub(crate) progress: Arc<Progress>,
}

impl Connections {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, open: Mutex::default(), ended: Notify::new() }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot for a new connection, and a receiver that ends when the connection must close. Waits
    /// while the server is making answers for the most connections allowed.
    pub(crate) async fn admit(self: &Arc<Self>) -> (Place, oneshot::Receiver<()>) {
        while self.open().descriptors() >= self.limit {
            if self.open().closing == 0 {
                self.drop_one();
            }
            let _ = tokio::time::timeout(LOOK, self.ended.notified()).await; // it looks again anyhow
        }
        let (life, end) = oneshot::channel();
        let progress = Arc::new(Progress::new());
        let mut open = self.open();
        let number = open.next;
        open.next += 1;
        let connection = Connection { progress: Arc::clone(&progress), _life: life };
        open.connections.insert(number, connection);
        drop(open);
        (Place { connections: Arc::clone(self), number, progress }, end)
    }

    /// Closes the connection that has waited longest for its client; false if none waits.
    pub(crate) fn drop_one(&self) -> bool {
        let mut open = self.open();
        let waiting = open.connections.iter();
        let waiting =
            waiting.filter_map(|(number, it)| Some((it.progress.waits_since()?, *number)));
        let longest = waiting.min().map(|(_, number)| number);
        let dropped = longest.and_then(|number| open.connections.remove(&number)).is_some();
        open.closing += usize::from(dropped);
        dropped
    }

    /// Waits until no connection is open.
    pub(crate) async fn all_ended(&self) {
        while self.open().descriptors() > 0 {
            let _ = tokio::time::timeout(LOOK, self.ended.notified()).await; // it looks again anyhow
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        if open.connections.remove(&self.number).is_none() {
            open.closing -= 1;
        }
        drop(open);
        self.connections.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::oneshot::error::TryRecvError;

    use super::Connections;

    #[test]
    fn the_one_that_keeps_us_waiting_longest_gives_way() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let connections = Arc::new(Connections::new(3));
            let (worked_for, mut end_worked_for) = connections.admit().await;
            worked_for.progress.begin_work();
            let (first, mut end_first) = connections.admit().await;
            let (second, end_second) = connections.admit().await;
            let closed = tokio::spawn(async move {
                let _ = end_second.await; // the sender is dropped
                drop(second);
            });
            first.progress.begin_work();
            first.progress.end_work(); // it waits anew, for less long than the second
            let (_third, mut end_third) = connections.admit().await;
            assert!(closed.is_finished());
            for end in [&mut end_worked_for, &mut end_first, &mut end_third] {
                assert_eq!(end.try_recv(), Err(TryRecvError::Empty));
            }
        });
    }

    #[test]
    fn a_place_is_free_when_its_connection_has_ended() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let connections = Arc::new(Connections::new(1));
            let (place, _end) = connections.admit().await;
            place.progress.begin_work();
            let other = Arc::clone(&connections);
            let newcomer = tokio::spawn(async move { other.admit().await });
            tokio::task::yield_now().await;
            assert!(!newcomer.is_finished());
            drop(place);
            let (place, _end) = newcomer.await.unwrap();
            drop(place);
            connections.all_ended().await;
        });
    }
}
