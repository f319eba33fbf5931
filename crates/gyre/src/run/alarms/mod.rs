//! What values set off besides their storage: programs, mails, and copies for Graphite.
//!
//! ```text
//!  writer ─▶ Alarms ─▶ watcher: rows of the step ─▶ thresholds ──▶ marks in ThreshDir
//!                │                                        │          ├─▶ programs, side by side
//!                │                                        │          └─▶ postman ─▶ SMTP
//!                │                                        └─▶ receivers ─▶ HTTP: Alertmanager, webhooks
//!                └──▶ graphite ─▶ TCP
//! ```
//!
//! Each box behind `Alarms` has a thread and a queue with an end. So a slow program or mail server
//! delays neither polls nor the store: it loses what exceeds its own queue. Receivers have a thread
//! each and no queue: one is told what stands when it can be reached.

mod check;
mod bounded;
mod concern;
mod seen;
mod broken;
mod rows;
mod marks;
mod calls;
mod own_name;
mod postman;
mod receivers;
mod watcher;
mod destination;
mod graphite;

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use store::Store;

use super::tell;
use bounded::Bounded;
use destination::Destination;

pub(super) use broken::BrokenLimits;
pub(crate) use check::UnusableError;
pub(super) use check::check_usable;
pub(super) use concern::{Concern, Sampled};
pub(super) use own_name::own_name;
pub(super) use receivers::{AlertWatch, Origin, Ready, Receivers};
pub(crate) use receivers::{LinkError, ReceiverKind, ReceiverPlace};

/// The most samples that wait to be checked, and as many to be copied.
const SAMPLES_MAX: usize = 262_144;

/// Where the writing thread leaves samples. Threads are started by the first sample for them.
pub(super) struct Alarms {
    store: Arc<dyn Store>,
    receivers: Option<Receivers>,
    broken: BrokenLimits,
    watcher: Option<Worker>,
    graphite: Option<Worker>,
    /// Where its copies go.
    destination: Destination,
}

impl Alarms {
    pub(super) fn new(
        store: Arc<dyn Store>,
        receivers: Option<Receivers>,
        broken: BrokenLimits,
    ) -> Self {
        let destination = Destination::default();
        Self { store, receivers, broken, watcher: None, graphite: None, destination }
    }

    /// Takes samples that the store has; it never waits.
    pub(super) fn take(&mut self, samples: Vec<Sampled>) {
        let mut copied = Vec::new();
        let mut checked = Vec::new();
        for sample in samples {
            if sample.concern.is_copied() {
                copied.push(sample.clone());
            }
            if sample.is_stored && sample.concern.is_watched() {
                checked.push(sample);
            }
        }
        if !checked.is_empty() {
            let store = self.store.clone();
            let herald = self.receivers.as_ref().map(Receivers::herald);
            let broken = self.broken.clone();
            let work = move |queue: &Bounded<Sampled>| {
                watcher::run(queue, store.as_ref(), herald, broken);
            };
            Worker::give(&mut self.watcher, "gyre-thresh", work, checked, "are not checked");
        }
        if let Some(receiver) = copied.last().and_then(|latest: &Sampled| latest.concern.receiver())
        {
            self.destination.set(receiver);
            let destination = self.destination.clone();
            let work = move |queue: &Bounded<Sampled>| graphite::run(queue, &destination);
            let loss = "are not sent to Graphite";
            Worker::give(&mut self.graphite, "gyre-graphite", work, copied, loss);
        }
    }

    /// Waits for what is under way, but not for long.
    pub(super) fn end(self) {
        for worker in [self.watcher, self.graphite].into_iter().flatten() {
            worker.end();
        }
        if let Some(receivers) = self.receivers {
            receivers.end();
        }
    }
}

/// A thread and its queue.
struct Worker {
    queue: Arc<Bounded<Sampled>>,
    thread: JoinHandle<()>,
    /// Whether it is told that samples are lost, until none are.
    is_loss_told: bool,
}

impl Worker {
    fn give(
        worker: &mut Option<Self>,
        name: &str,
        work: impl FnOnce(&Bounded<Sampled>) + Send + 'static,
        samples: Vec<Sampled>,
        loss: &str,
    ) {
        let worker = match worker {
            Some(worker) => worker,
            None => match Self::start(name, work) {
                Ok(started) => worker.insert(started),
                Err(error) => return tell(format_args!("samples {loss}: no thread: {error}")),
            },
        };
        let lost = worker.queue.push_all(samples);
        if lost > 0 && !worker.is_loss_told {
            tell(format_args!("{lost} samples {loss}, because {SAMPLES_MAX} wait already"));
        }
        worker.is_loss_told = lost > 0;
    }

    fn start(
        name: &str,
        work: impl FnOnce(&Bounded<Sampled>) + Send + 'static,
    ) -> io::Result<Self> {
        let queue = Arc::new(Bounded::new(SAMPLES_MAX));
        let worked = queue.clone();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(&worked))?;
        Ok(Self { queue, thread, is_loss_told: false })
    }

    fn end(self) {
        self.queue.close();
        if self.thread.join().is_err() {
            tell("a thread for thresholds or Graphite died");
        }
    }
}
