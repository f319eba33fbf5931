//! A run measures itself: what it tells of its cycles, its process, its store and its machine goes
//! into databases of its own.
//!
//! ```text
//!  board, ring store, /proc ─▶ values ─▶ gyre/NAME/*.rrd ─▶ /store, and all that reads databases
//!                                ▲
//!  planner, doctor ─▶ outlook ───┘  (a thread of its own, a little after the start and hourly)
//! ```

pub(super) mod series;
mod prepared;
mod process;
mod values;
mod outlook;
mod ending;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rrd::{Reading, Sample, Timestamp};
use rrdtool::system_words;
use server::OwnSeries;
use store::{Store, Update};

use super::board::{Board, now_seconds};
use super::event::Event;
use super::keeping::Kept;
use super::own_watch::OwnWatch;
use super::settings::Settings;
use ending::Ending;
use outlook::{FIRST_AFTER, LOOK_EVERY, Look};
use prepared::Wanted;
use series::name;
use values::Values;

/// The bounds of the seconds between two values.
const STEP_SECONDS: std::ops::RangeInclusive<u64> = 1..=300;

/// The threads that measure a run.
pub(super) struct Itself {
    ending: Arc<Ending>,
    /// The one that writes. The one that looks at the machine is not waited for: it may be walking
    /// a directory of files, and holds nothing that the end of the run needs.
    measuring: JoinHandle<()>,
}

impl Itself {
    /// Begins to measure; `None` where no database can be made or the system refuses a thread,
    /// which is told.
    pub(super) fn start(settings: &Settings, kept: &Kept, board: &Arc<Board>) -> Option<Self> {
        let shortest = board.intervals().iter().map(Duration::as_secs).min();
        let step_seconds = shortest.unwrap_or(*STEP_SECONDS.end());
        let step_seconds = step_seconds.clamp(*STEP_SECONDS.start(), *STEP_SECONDS.end());
        let named = |key: &str| name(&settings.configuration, settings.keeping.part, key);
        let wanted = Wanted {
            store: kept.store.as_ref(),
            step_seconds,
            has_journal: kept.ring().is_some(),
            named: &named,
            now_seconds: now_seconds(),
        };
        let series = wanted.prepare();
        // A database that is there keeps its step, and takes no value that comes more seldom.
        let shortest_seconds = series.iter().map(|series| series.step_seconds).min()?;
        let watch = OwnWatch::new(series);
        let ending = Arc::<Ending>::default();
        let measuring = Measuring {
            ending: ending.clone(),
            store: kept.store.clone(),
            values: Values::new(board.clone(), kept.ring().cloned()),
            watch: watch.clone(),
            step: Duration::from_secs(step_seconds.min(shortest_seconds)),
            written_seconds: 0,
            is_refusal_told: false,
        };
        let measuring = spawned("gyre-itself", move || measuring.run())?;
        board.watch_itself(watch.clone());
        let (look, looking) = (Look::of(kept, board.clone()), ending.clone());
        // It ends by itself. Without it, all but what is left is measured.
        drop(spawned("gyre-outlook", move || keep_looking(&looking, &look, &watch)));
        Some(Self { ending, measuring })
    }

    /// Ends both threads.
    pub(super) fn end(self) {
        self.ending.tell();
        if self.measuring.join().is_err() {
            super::tell("a thread that measures this run died");
        }
    }
}

/// A thread, unless the system refuses it, which is told.
fn spawned(name: &str, work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
    let refused = |error: &io::Error| {
        let words = system_words(error);
        let words = format!("this run does not measure all of itself: no thread {name}: {words}");
        Event::warning("not measured", words).tell();
    };
    spawned.inspect_err(refused).ok()
}

/// Finds out what is left, again and again.
fn keep_looking(ending: &Ending, look: &Look, watch: &OwnWatch) {
    let mut due = Instant::now() + FIRST_AFTER;
    while !ending.comes_before(due) {
        watch.tell(look.look(now_seconds()));
        due = Instant::now() + LOOK_EVERY;
    }
}

/// The thread that writes values.
struct Measuring {
    ending: Arc<Ending>,
    store: Arc<dyn Store>,
    values: Values,
    watch: OwnWatch,
    step: Duration,
    /// The second of the last write: a database has one value a second.
    written_seconds: i64,
    /// Whether it was told that values are refused, until they are taken again.
    is_refusal_told: bool,
}

impl Measuring {
    fn run(mut self) {
        let mut due = Instant::now();
        loop {
            // After a stop of the machine, what was missed is not made up for.
            due = (due + self.step).max(Instant::now());
            if self.ending.comes_before(due) {
                return;
            }
            let now_seconds = now_seconds();
            if std::mem::replace(&mut self.written_seconds, now_seconds) != now_seconds {
                self.write(now_seconds);
            }
        }
    }

    fn write(&mut self, now_seconds: i64) {
        let known = self.known();
        let readings = |series: &OwnSeries| -> Vec<Reading<'_>> {
            let of = |name: &str| known.get(name).map_or(Reading::Unknown, |it| Reading::of(it));
            series.sources.iter().map(|source| of(source.name)).collect()
        };
        let time = Timestamp::from_seconds(now_seconds);
        let readings: Vec<Vec<Reading<'_>>> = self.watch.series.iter().map(readings).collect();
        let samples: Vec<[Sample<'_>; 1]> =
            readings.iter().map(|readings| [Sample { time, readings }]).collect();
        let all = self.watch.series.iter().zip(&samples);
        let updates: Vec<Update<'_>> =
            all.map(|(series, samples)| Update::of(&*series.database, samples)).collect();
        let refused = self.store.update(&updates).into_iter().next();
        if let Some((_, refused)) = &refused
            && !self.is_refusal_told
        {
            let words = format!("what this run measures of itself is lost: {}", refused.error);
            Event::warning("not measured", words).tell();
        }
        self.is_refusal_told = refused.is_some();
    }

    /// The values that are known now, as text, by the names of their sources.
    fn known(&mut self) -> HashMap<&'static str, String> {
        let mut known = self.values.now();
        if let Some(looked) = self.watch.looked() {
            known.extend(looked.more.map(|more| ("databases_more", more)));
            known.extend(looked.strain_percent.map(|strain| ("strain_percent", strain)));
        }
        known.into_iter().map(|(name, value)| (name, value.to_string())).collect()
    }
}
