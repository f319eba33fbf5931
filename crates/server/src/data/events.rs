//! Final rows as they come: server-sent events.
//!
//! ```text
//! event: row
//! data: {"cf":"AVERAGE","database":"a.rrd","sources":["in","out"],"step_seconds":300,
//!        "row":[1700000400,10.0,2.0]}     (on one line)
//! ```
//!
//! The thread that updates only notes which databases have news, and only while somebody listens.
//! A thread of the events reads the rows, from where it had read before. A client that reads too
//! slowly misses rows, and is told how many (`event: lost`).

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use access::Scope;
use rrd::Stretch;
use serde_json::json;
use store::{Change, Follow, NamePattern, Rooted, RowsSince, Update};
use tokio::sync::mpsc;

use super::stretch::append_rows;

/// The most clients that listen.
const LISTENERS_MAX: usize = 64;
/// Events that wait for a client.
const WAITING_MAX: usize = 4096;
/// Databases with news that wait to be read; more are told as lost.
const NEWS_MAX: usize = 200_000;
/// How long news are gathered, so that a database is read once for many updates.
const GATHERED: Duration = Duration::from_millis(200);

/// Tells clients of final rows.
pub(crate) struct Events {
    store: Rooted,
    /// How many listen: read without the lock by every update.
    listeners: AtomicUsize,
    state: Mutex<State>,
    has_news: Condvar,
}

#[derive(Default)]
struct State {
    follows: bool,
    is_running: bool,
    listeners: Vec<Listener>,
    /// Databases with news.
    news: HashSet<String>,
    /// Updates that were not noted.
    not_noted: u64,
}

struct Listener {
    pattern: NamePattern,
    scope: Scope,
    events: mpsc::Sender<Arc<str>>,
    lost: u64,
}

/// Why a client cannot listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Deaf {
    #[error("{LISTENERS_MAX} clients listen already")]
    TooMany,
    #[error("this store tells of no news")]
    NoNews,
}

impl Events {
    pub(crate) fn new(store: Rooted) -> Arc<Self> {
        let (listeners, state) = (AtomicUsize::new(0), Mutex::default());
        Arc::new(Self { store, listeners, state, has_news: Condvar::new() })
    }

    /// The events of databases whose names match, from now on.
    pub(crate) fn listen(
        self: &Arc<Self>,
        pattern: NamePattern,
        scope: Scope,
    ) -> Result<mpsc::Receiver<Arc<str>>, Deaf> {
        let mut state = self.state();
        state.listeners.retain(|listener| !listener.events.is_closed());
        if state.listeners.len() >= LISTENERS_MAX {
            return Err(Deaf::TooMany);
        }
        if !state.follows {
            state.follows = self.store.store().follow(Arc::clone(self) as Arc<dyn Follow>);
        }
        if !state.follows {
            return Err(Deaf::NoNews);
        }
        let (events, receiver) = mpsc::channel(WAITING_MAX);
        state.listeners.push(Listener { pattern, scope, events, lost: 0 });
        self.listeners.store(state.listeners.len(), Ordering::Relaxed);
        if !state.is_running {
            state.is_running = true;
            let events = Arc::clone(self);
            std::thread::spawn(move || events.run());
        }
        Ok(receiver)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads and tells until nobody listens.
    fn run(&self) {
        let mut marks = HashMap::new();
        while let Some(news) = self.next_news() {
            for name in &news {
                for event in self.rows(name, &mut marks) {
                    self.tell(name, &event);
                }
            }
        }
    }

    /// Waits for news, and gathers some; `None` once nobody listens.
    fn next_news(&self) -> Option<Vec<String>> {
        let mut state = self.state();
        loop {
            state.listeners.retain(|listener| !listener.events.is_closed());
            self.listeners.store(state.listeners.len(), Ordering::Relaxed);
            if state.listeners.is_empty() {
                (state.is_running, state.news) = (false, HashSet::new());
                return None;
            }
            if !state.news.is_empty() {
                break;
            }
            let waited = self.has_news.wait_timeout(state, Duration::from_secs(1));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        std::thread::sleep(GATHERED);
        let mut state = self.state();
        let not_noted = std::mem::take(&mut state.not_noted);
        state.listeners.iter_mut().for_each(|listener| listener.lost += not_noted);
        let State { news, listeners, .. } = &mut *state;
        let is_wanted = |name: &String| listeners.iter().any(|listener| listener.wants(name));
        Some(news.drain().filter(is_wanted).collect())
    }

    /// The events of a database's rows since the mark, which is moved.
    fn rows(&self, name: &str, marks: &mut HashMap<String, i64>) -> Vec<Arc<str>> {
        let (store, path) = (self.store.store(), self.store.path(name));
        let mark = marks.get(name).copied().or_else(|| {
            // Its newest row is told first.
            let outline = store.outline(&path).ok()?;
            let step =
                outline.definition.archives.first()?.row_seconds(outline.definition.step_seconds);
            Some(outline.last_update.seconds - step as i64)
        });
        // A database that is gone or damaged has no rows; whoever asks for it is told why.
        let Some(Ok(since)) = mark.map(|mark| store.rows_since(&path, mark)) else {
            return Vec::new();
        };
        marks.insert(name.to_owned(), since.last_update.seconds);
        events(name, &since)
    }

    fn tell(&self, name: &str, event: &Arc<str>) {
        for listener in &mut self.state().listeners {
            if listener.wants(name) {
                listener.tell(event);
            }
        }
    }
}

impl Listener {
    fn wants(&self, name: &str) -> bool {
        self.pattern.matches(name) && self.scope.sees(name)
    }

    fn tell(&mut self, event: &Arc<str>) {
        if self.lost > 0 {
            let told = format!("event: lost\ndata: {{\"rows\":{}}}\n\n", self.lost);
            if self.events.try_send(told.into()).is_ok() {
                self.lost = 0;
            }
        }
        self.lost += u64::from(self.events.try_send(Arc::clone(event)).is_err());
    }
}

impl Follow for Events {
    fn updated(&self, batch: &[Update<'_>]) {
        if self.listeners.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut state = self.state();
        for update in batch {
            let Some(name) = self.store.name(update.name) else { continue };
            match state.news.len() < NEWS_MAX {
                true => drop(state.news.insert(name)),
                false => state.not_noted += 1,
            }
        }
        self.has_news.notify_one();
    }

    fn changed(&self, _: &Path, _: Change<'_>) {}
}

/// An event for each new row of the archive with the shortest rows.
fn events(name: &str, since: &RowsSince) -> Vec<Arc<str>> {
    let definition = &since.definition;
    let archives = definition.archives.iter().zip(&since.archives);
    let archives = archives.filter_map(|(archive, rows)| Some((archive, rows.as_ref()?)));
    let shortest = archives.min_by_key(|(archive, _)| archive.pdp_per_row);
    let Some((archive, stretch)) = shortest else { return Vec::new() };
    let columns = stretch.source_names.len().max(1);
    let rows = stretch.held.chunks_exact(columns).enumerate().map(|(nth, row)| {
        let one = Stretch {
            rows_before: stretch.rows_before + nth as u64,
            held: row.to_vec(),
            source_names: stretch.source_names.clone(),
            ..*stretch
        };
        let mut rows = Vec::new();
        append_rows(&mut rows, &one);
        let row = String::from_utf8_lossy(&rows[1..rows.len() - 1]).into_owned();
        let facts = json!({
            "database": name,
            "cf": archive.cf.name(),
            "step_seconds": definition.tick.told_span(stretch.step_seconds),
            "sources": stretch.source_names,
        });
        let facts = facts.to_string();
        format!("event: row\ndata: {},\"row\":{row}}}\n\n", &facts[..facts.len() - 1]).into()
    });
    rows.collect()
}
