//! A run measures itself: what it tells of its cycles, its process, its store and its machine goes
//! into databases of its own.
//!
//! ```text
//!  board, ring store, /proc ─▶ values ─▶ gyre/NAME/*.rrd ─▶ /store, and all that reads databases
//!                                ▲
//!  planner, doctor ─▶ outlook ───┘  (a thread of its own, a little after the start and hourly)
//! ```

mod series;
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
    threads: Vec<JoinHandle<()>>,
}

impl Itself {
    /// Begins to measure; `None` where no database can be made, which is told.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn start(
        settings: &Settings,
        kept: &Kept,
        board: &Arc<Board>,
    ) -> io::Result<Option<Self>> {
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
        if series.is_empty() {
            return Ok(None);
        }
        let watch = OwnWatch::new(series);
        board.watch_itself(watch.clone());
        let ending = Arc::<Ending>::default();
        let measuring = Measuring {
            ending: ending.clone(),
            store: kept.store.clone(),
            values: Values::new(board.clone(), kept.ring().cloned()),
            watch: watch.clone(),
            step: Duration::from_secs(step_seconds),
            is_refusal_told: false,
        };
        let (look, looking) = (Look::of(kept, board.clone()), ending.clone());
        let named = |name: &str| thread::Builder::new().name(name.to_owned());
        let measuring = named("gyre-itself").spawn(move || measuring.run())?;
        let mut itself = Self { ending, threads: vec![measuring] };
        let looking = named("gyre-outlook").spawn(move || keep_looking(&looking, &look, &watch))?;
        itself.threads.push(looking);
        Ok(Some(itself))
    }

    /// Ends both threads.
    pub(super) fn end(self) {
        self.ending.tell();
        for thread in self.threads {
            if thread.join().is_err() {
                super::tell("a thread that measures this run died");
            }
        }
    }
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
            self.write();
        }
    }

    fn write(&mut self) {
        let known = self.known();
        let readings = |series: &OwnSeries| -> Vec<Reading<'_>> {
            let of = |name: &str| known.get(name).map_or(Reading::Unknown, |it| Reading::of(it));
            series.sources.iter().map(|source| of(source.name)).collect()
        };
        let time = Timestamp::from_seconds(now_seconds());
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
