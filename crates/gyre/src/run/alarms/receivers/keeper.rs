//! Keeps alerts in a file beside the databases, so that the next run knows when they began, ends
//! those that ended meanwhile, and tells nobody twice.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use disk::Durability;
use jiff::Timestamp;
use rrdtool::system_words;

use super::super::super::event::Event;
use super::desk::Desk;
use super::noticeboard::Noticeboard;
use super::record::{self, Record};

/// The file is written at most so often.
const WRITTEN_EVERY: Duration = Duration::from_secs(30);
/// As long as alerts stand, it is written so often.
const CONFIRMED_EVERY: Duration = Duration::from_secs(60);
/// The most bytes of the file: enough for as many alerts as can stand.
const BYTES_MAX: u64 = 1 << 30;

/// The alerts of a run, and the file that keeps them.
pub(super) struct Keeper {
    path: PathBuf,
    board: Arc<Noticeboard>,
    desks: Arc<[Desk]>,
    /// Whether the file lacks something.
    is_changed: AtomicBool,
    writing: Mutex<Writing>,
}

struct Writing {
    written_at: Option<Instant>,
    is_trouble_told: bool,
}

/// Why alerts are not kept.
#[derive(Debug, thiserror::Error)]
enum KeepError {
    #[error("{}", system_words(.0))]
    System(#[from] io::Error),
    #[error("{0}")]
    Text(#[from] serde_json::Error),
}

impl Keeper {
    /// Puts the alerts that an earlier run has kept on the board. A file that cannot be read is
    /// told of, and is replaced when there is something to keep.
    pub(super) fn open(path: PathBuf, board: Arc<Noticeboard>, desks: Arc<[Desk]>) -> Self {
        let now = Timestamp::now();
        let records = match disk::read_whole(&path, BYTES_MAX) {
            Ok(bytes) => record::read(&bytes, now).map_err(|damage| damage.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(system_words(&error)),
        };
        let records = records.unwrap_or_else(|why| {
            let path = path.display();
            let words = format!("{path}: {why}; alerts begin anew");
            Event::warning("alerts unreadable", words).with("path", path.to_string()).tell();
            Vec::new()
        });
        for Record { alert, told } in records {
            let alerts = [Arc::new(alert)];
            for desk in desks.iter() {
                let mut outbox = desk.outbox();
                // How long ago it was told is not known.
                match told.contains(&desk.key) && !desk.is_forgetful {
                    true => outbox.taken(&alerts, Instant::now()),
                    false => outbox.trying(&alerts),
                }
            }
            board.restore(&alerts[0]);
        }
        let writing = Writing { written_at: None, is_trouble_told: false };
        let (is_changed, writing) = (AtomicBool::new(false), Mutex::new(writing));
        Self { path, board, desks, is_changed, writing }
    }

    /// An alert began or ended, or a receiver was told of one.
    pub(super) fn note(&self) {
        self.is_changed.store(true, Ordering::Relaxed);
    }

    /// Writes the file if something is new and it was not written just before, or if what it says
    /// of how long alerts stand is old. Nobody waits for another one who does it.
    pub(super) fn write_if_due(&self) {
        let Ok(mut writing) = self.writing.try_lock() else { return };
        let age = writing.written_at.map(|at| at.elapsed());
        if age.is_some_and(|age| age >= CONFIRMED_EVERY) && self.board.count_standing() > 0 {
            self.note();
        }
        if age.is_none_or(|age| age >= WRITTEN_EVERY) {
            self.write_held(&mut writing);
        }
    }

    /// Writes the file for the next run, with how long alerts stand by now.
    pub(super) fn write_at_end(&self) {
        self.note();
        self.write_held(&mut self.writing.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Writes the file if something is new. Failing is told once: a run can do without.
    fn write_held(&self, writing: &mut Writing) {
        if !self.is_changed.swap(false, Ordering::Relaxed) {
            return;
        }
        writing.written_at = Some(Instant::now());
        match self.try_write() {
            Ok(()) => writing.is_trouble_told = false,
            Err(error) => {
                self.note();
                if !std::mem::replace(&mut writing.is_trouble_told, true) {
                    let path = self.path.display();
                    let words = format!("{path}: {error}; a later run begins alerts anew");
                    let event = Event::warning("alerts not kept", words);
                    event.with("path", path.to_string()).tell();
                }
            }
        }
    }

    fn try_write(&self) -> Result<(), KeepError> {
        let mut records = Vec::new();
        for alert in self.board.look(Timestamp::now()).alerts {
            let settled = self.desks.iter().filter(|desk| desk.outbox().is_settled(&alert));
            let told: Vec<u32> = settled.map(|desk| desk.key).collect();
            if alert.stands() || told.len() < self.desks.len() {
                records.push(Record { alert: (*alert).clone(), told });
            }
        }
        let text = record::text(&records)?;
        Ok(disk::replace(&self.path, [text.as_bytes()], Durability::Synced)?)
    }
}
