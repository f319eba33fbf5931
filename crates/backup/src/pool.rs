//! Threads that run jobs ahead of the thread that takes the results in order.
//!
//! Disks need several requests at a time: reading one small file after the other reaches a fraction
//! of their speed.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;

type Job<'scope> = Box<dyn FnOnce() + Send + 'scope>;

/// Threads for jobs.
pub(crate) struct Pool<'scope> {
    sender: Sender<Job<'scope>>,
}

/// The result of a job, which may not be there yet.
pub(crate) struct Ticket<T>(Receiver<T>);

impl<'scope> Pool<'scope> {
    /// Starts threads that end when the pool is dropped.
    pub(crate) fn start(scope: &'scope Scope<'scope, '_>, threads: usize) -> Self {
        let (sender, receiver) = channel::<Job<'scope>>();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..threads {
            let receiver = Arc::clone(&receiver);
            scope.spawn(move || {
                loop {
                    let job = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { break };
                    job();
                }
            });
        }
        Self { sender }
    }

    /// Gives a job to a thread.
    pub(crate) fn submit<T: Send + 'scope>(
        &self,
        work: impl FnOnce() -> T + Send + 'scope,
    ) -> Ticket<T> {
        let (answer, ticket): (SyncSender<T>, _) = sync_channel(1);
        let job = Box::new(move || {
            let _ = answer.send(work()); // the thread that asked may have given up
        });
        self.sender.send(job).expect("the threads live as long as the pool");
        Ticket(ticket)
    }
}

impl<T> Ticket<T> {
    /// Waits for the result.
    pub(crate) fn wait(self) -> T {
        self.0.recv().expect("no job panics")
    }
}
