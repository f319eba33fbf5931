//! A thread that feeds while a process serves a store.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sqlclient::Address;

use crate::Error;
use crate::changes::Changes;
use crate::feeder::Feeder;
use crate::following::Paces;
use crate::origin::Origin;
use crate::tally::Tally;

const NAP: Duration = Duration::from_millis(50);

/// Why a feed cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store does not tell what is updated.
    #[error("databases that another daemon updates are fed by `gyre sql feed --every`")]
    Unfollowed,
    /// The system refuses a thread.
    #[error("{}", disk::system_words(.0))]
    Thread(#[from] io::Error),
}

/// Feeds until it is dropped.
pub struct FeedThread {
    shared: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

struct Shared {
    is_ending: AtomicBool,
    health: Mutex<Health>,
}

/// How a feed is doing.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Health {
    /// Whether it is connected.
    pub is_connected: bool,
    /// Databases that are fed.
    pub databases: usize,
    /// Why it is not connected, or was not last.
    pub last_error: Option<String>,
    /// Attempts that failed since it was connected last.
    pub failures: u32,
    /// What was done since the process began.
    pub tally: Tally,
}

/// Is told, once for each turn of events, how a feed is doing.
pub type TellHealth = dyn Fn(&str) + Send + Sync;

impl FeedThread {
    /// Starts to feed. `tell` gets a line when the database fails, and when it is back.
    ///
    /// # Errors
    /// The store cannot be followed, or is followed already.
    pub fn start(
        origin: Origin,
        address: Address,
        feeder: String,
        paces: Paces,
        tell: Box<TellHealth>,
    ) -> Result<Self, StartError> {
        let shared =
            Arc::new(Shared { is_ending: AtomicBool::new(false), health: Mutex::default() });
        let changes = Arc::new(Changes::default());
        if !origin.followed().follow(Arc::clone(&changes) as _) {
            return Err(StartError::Unfollowed);
        }
        let work =
            Work { shared: Arc::clone(&shared), origin, address, feeder, paces, changes, tell };
        let worker = thread::Builder::new().name("sql feed".into()).spawn(move || work.run())?;
        Ok(Self { shared, worker: Some(worker) })
    }

    /// Tells others how it is doing.
    #[must_use]
    pub fn watch(&self) -> FeedWatch {
        FeedWatch(Arc::clone(&self.shared))
    }
}

/// Tells how a feed is doing.
#[derive(Clone)]
pub struct FeedWatch(Arc<Shared>);

impl FeedWatch {
    /// How it is doing.
    #[must_use]
    pub fn health(&self) -> Health {
        self.0.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for FeedThread {
    fn drop(&mut self) {
        self.shared.is_ending.store(true, Ordering::Relaxed);
        if let Some(worker) = self.worker.take() {
            // A panic was reported when it happened.
            let _ = worker.join();
        }
    }
}

struct Work {
    shared: Arc<Shared>,
    origin: Origin,
    address: Address,
    feeder: String,
    paces: Paces,
    changes: Arc<Changes>,
    tell: Box<TellHealth>,
}

impl Work {
    fn run(&self) {
        let mut pause = self.paces.pause;
        while self.goes_on() {
            let (began, commits) = (Instant::now(), self.health().tally.commits);
            let (done, tally) = self.feed();
            if let Err(error) = &done {
                self.note_failure(error);
            }
            self.change(|health| health.tally = tally);
            // One that could work begins again soon.
            if tally.commits > commits || began.elapsed() > self.paces.pause_max {
                pause = self.paces.pause;
            }
            let until = Instant::now() + pause;
            while self.goes_on() && Instant::now() < until {
                thread::sleep(NAP);
            }
            pause = (pause * 2).min(self.paces.pause_max);
        }
    }

    fn feed(&self) -> (Result<(), Error>, Tally) {
        let before = self.health().tally;
        let opened = Feeder::open(self.origin.clone(), &self.address, &self.feeder);
        let mut feeder = match opened {
            Ok(feeder) => feeder,
            Err(error) => return (Err(error), before),
        };
        self.note_connected();
        let goes_on = |feeder: &Feeder| {
            self.change(|health| {
                health.tally = before.and(&feeder.tally());
                health.databases = feeder.databases();
            });
            self.goes_on()
        };
        let done = feeder.follow(&self.changes, &self.paces, &goes_on);
        if let Some(why) = feeder.unreadable() {
            (self.tell)(&format!("SQL: not fed: {why}"));
        }
        (done, before.and(&feeder.tally()))
    }

    fn goes_on(&self) -> bool {
        !self.shared.is_ending.load(Ordering::Relaxed)
    }

    fn health(&self) -> Health {
        self.shared.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Health)) {
        change(&mut self.shared.health.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn note_connected(&self) {
        let failures = self.health().failures;
        if failures > 0 {
            (self.tell)(&format!("SQL: connected to {} again", self.address));
        }
        self.change(|health| (health.is_connected, health.failures) = (true, 0));
    }

    /// Tells of a failure once, not at each attempt.
    fn note_failure(&self, error: &Error) {
        let words = error.to_string();
        let Health { last_error, failures, .. } = self.health();
        if failures == 0 || last_error.as_deref() != Some(&words) {
            (self.tell)(&format!("SQL: {}: {words}; measuring goes on, rows follow", self.address));
        }
        self.change(|health| {
            health.is_connected = false;
            health.last_error = Some(words);
            health.failures = failures.saturating_add(1);
        });
    }
}
