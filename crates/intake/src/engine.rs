//! Takes batches of samples into a store.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use rrd::update::UpdateError;
use rrd::{Definition, Timestamp};
use senders::{Kind, database};
use store::{Error, Follow, Led, Making, NewDatabase, Rooted, Update};

use crate::batch::{Batch, Collected, Fresh};
use crate::changes::Changes;
use crate::known::{Database, Met, Table};
use crate::layout::Layout;
use crate::meeting::Meeting;
use crate::pace::Pace;
use crate::reach::{MayReach, Senders};
use crate::rows::{Rows, rows, timestamp};
use crate::rules::{Fate, Rules};
use crate::taking::Taking;

/// Later than its database by so much, a sample is looked at more closely.
const VERY_LATE_SECONDS: i64 = 86_400;

/// How much is made and remembered.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Databases made since the start.
    pub databases_max: u64,
    /// Databases made in a minute.
    pub new_a_minute_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { databases_max: 1_000_000, new_a_minute_max: 200_000 }
    }
}

/// Takes samples of agents into a store.
pub struct Intake {
    store: Rooted,
    rules: RwLock<Arc<Rules>>,
    table: Table,
    changes: Arc<Changes>,
    pace: Pace,
}

/// One that has no database yet.
struct Unmet<'f> {
    at: usize,
    fresh: &'f Fresh,
    name: String,
    led: Led,
    definition: Definition,
    start: Timestamp,
}

/// What is known of a series that was not met before.
enum Found<'r> {
    Is(Meeting),
    /// Its database is to be made.
    Not {
        name: String,
        led: Led,
        layout: &'r Layout,
    },
    Error(Error),
}

impl<'f> Unmet<'f> {
    /// `None` if no database can be like that.
    fn of(
        at: usize,
        fresh: &'f Fresh,
        name: String,
        led: Led,
        layout: &Layout,
        now_micros: i64,
    ) -> Option<Self> {
        let first_micros = fresh.first_micros.unwrap_or(now_micros).min(now_micros);
        let sources: Vec<(&str, Kind)> =
            fresh.sources.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
        let definition = layout.definition(&sources).ok()?;
        let start = start(first_micros, &definition)?;
        Some(Self { at, fresh, name, led, definition, start })
    }

    fn making(&self, start: Timestamp) -> Making<'_> {
        let Self { led, definition, .. } = self;
        let new = NewDatabase { name: &led.path, definition, start };
        Making { with_directories: true, ..Making::new(new) }
    }
}

impl Intake {
    /// Takes samples into a store, by rules. `secret` keeps senders from foreseeing where their
    /// series' keys lie.
    #[must_use]
    pub fn new(store: Rooted, rules: Rules, limits: Limits, secret: [u64; 2]) -> Self {
        // Others may have been there before, and a series may come with its labels in other orders.
        let series_max = usize::try_from(limits.databases_max).unwrap_or(usize::MAX);
        let table = Table::new(secret, series_max.saturating_mul(4));
        let pace = Pace::new(limits.databases_max, limits.new_a_minute_max);
        let changes = Arc::<Changes>::default();
        // Of a store that tells nobody, a change is noticed when an update fails.
        let _: bool = store.store().follow(Arc::clone(&changes) as Arc<dyn Follow>);
        Self { store, rules: RwLock::new(Arc::new(rules)), table, changes, pace }
    }

    /// Goes on by other rules. Databases that are there stay as they are.
    pub fn follow(&self, rules: Rules) {
        *self.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
        self.table.forget_all();
    }

    fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A batch for samples. New series are not remembered while it exists, so that nobody should
    /// wait for a sender in the meantime.
    #[must_use]
    pub fn batch(&self) -> Batch<'_> {
        self.forget_changed();
        Batch::new(&self.table)
    }

    /// Forgets the series of databases that others changed.
    fn forget_changed(&self) {
        if let Some(changed) = self.changes.take() {
            self.table.forget_changed(&changed);
        }
    }

    /// Stores a batch. Once it returns, what was taken is acknowledged by the store.
    pub fn take(&self, batch: Batch<'_>, may_reach: MayReach<'_>, now_micros: i64) -> Taking {
        let collected = batch.finished();
        let mut taking = Taking { outcomes: collected.outcomes, ..Taking::default() };
        let senders = Senders { store: &self.store, may_reach, now_micros };
        let meetings = match collected.fresh.is_empty() {
            true => Vec::new(),
            false => self.meet(&collected, &senders, &mut taking),
        };
        let rows = rows(&collected, &meetings, &senders, &mut taking.outcomes);
        self.update(&rows, &mut taking);
        taking
    }

    /// Finds or makes the databases of series that were not met before.
    fn meet(
        &self,
        collected: &Collected,
        senders: &Senders<'_>,
        taking: &mut Taking,
    ) -> Vec<Meeting> {
        let (fresh, rules) = (&collected.fresh, self.rules());
        let mut unmet = Vec::new();
        let mut meetings: Vec<Meeting> = Vec::with_capacity(fresh.len());
        for (at, fresh) in fresh.iter().enumerate() {
            let meeting = match self.found(&rules, fresh, senders) {
                Found::Is(meeting) => meeting,
                Found::Error(error) => {
                    taking.note(error);
                    Meeting::Failed
                }
                Found::Not { name, led, layout } => {
                    unmet.extend(Unmet::of(at, fresh, name, led, layout, senders.now_micros));
                    Meeting::Unmade
                }
            };
            meetings.push(meeting);
        }
        let granted = self.pace.granted(unmet.len() as u64, senders.now_micros / 1_000_000);
        unmet.truncate(granted as usize);
        self.make(&unmet, &mut meetings, taking);
        // What was made here was told, too, and is to be remembered.
        self.forget_changed();
        let met = fresh.iter().zip(&meetings).filter_map(|(fresh, meeting)| match meeting {
            // A database that takes nothing of it may be replaced by one that does.
            Meeting::Met(met) => met.is_of_use().then(|| {
                let path_number = met.path().map(|path| self.changes.number(path));
                (fresh.hash, met.clone(), path_number)
            }),
            Meeting::Forbidden | Meeting::Unmade | Meeting::Refused | Meeting::Failed => None,
        });
        self.table.remember(collected.epoch, met);
        meetings
    }

    /// A series that has a database, or can have none; else what is needed to make one.
    fn found<'r>(&self, rules: &'r Rules, fresh: &Fresh, senders: &Senders<'_>) -> Found<'r> {
        let Fate::Kept(layout) = rules.fate(&fresh.identity).0 else {
            return Found::Is(Meeting::Met(Arc::new(Met::Dropped)));
        };
        let Ok(name) = database::name(&fresh.identity, fresh.form) else {
            return Found::Is(Meeting::Unmade);
        };
        let Some(led) = self.store.lead(&name) else { return Found::Is(Meeting::Forbidden) };
        if !senders.reach(&name, &led) {
            return Found::Is(Meeting::Forbidden);
        }
        match self.there(fresh, &name, &led) {
            Ok(met) => Found::Is(Meeting::Met(met)),
            Err(error) if !error.is_missing() => Found::Error(error),
            // Nobody needs a database for samples of the future.
            Err(_) if fresh.first_micros.is_some_and(|first| senders.is_ahead(first)) => {
                Found::Is(Meeting::Refused)
            }
            Err(_) => Found::Not { name, led, layout },
        }
    }

    /// A series whose database is there.
    fn there(&self, fresh: &Fresh, name: &str, led: &Led) -> Result<Arc<Met>, Error> {
        let outline = self.store.store().outline(&led.path)?;
        let values: Vec<&str> = fresh.sources.iter().map(|(name, _)| name.as_str()).collect();
        let key = fresh.hash;
        let database = Database::new(key, name, led, &outline.definition, &values);
        Ok(Arc::new(Met::Kept(database)))
    }

    fn make(&self, unmet: &[Unmet<'_>], meetings: &mut [Meeting], taking: &mut Taking) {
        // Two keys may mean the same series: its labels in another order.
        let mut starts: HashMap<&Path, Timestamp> = HashMap::new();
        let mut first = Vec::new();
        for (at, one) in unmet.iter().enumerate() {
            let start = starts.entry(&one.led.path).or_insert_with(|| {
                first.push(at);
                one.start
            });
            *start = one.start.min(*start);
        }
        let new: Vec<Making<'_>> =
            first.iter().map(|at| unmet[*at].making(starts[&*unmet[*at].led.path])).collect();
        if new.is_empty() {
            return;
        }
        let failures = self.store.store().make(&new, &|| true);
        let made = (new.len() - failures.len()) as u64;
        taking.outcomes.made += made;
        self.pace.give_back(unmet.len() as u64 - made);
        for (nth, error) in failures {
            if !matches!(error, Error::Exists(_) | Error::Name(_)) {
                meetings[unmet[first[nth]].at] = Meeting::Failed;
                taking.note(error);
            }
        }
        for one in unmet {
            match self.there(one.fresh, &one.name, &one.led) {
                Ok(met) => meetings[one.at] = Meeting::Met(met),
                // Why it was not made is noted.
                Err(error) if error.is_missing() => (),
                Err(error) => {
                    meetings[one.at] = Meeting::Failed;
                    taking.note(error);
                }
            }
        }
    }

    fn update(&self, rows: &Rows<'_>, taking: &mut Taking) {
        let samples = rows.samples();
        let updates: Vec<Update<'_>> = rows
            .rows
            .iter()
            .zip(&samples)
            .map(|(row, sample)| Update::of(row.database.path(), std::slice::from_ref(sample)))
            .collect();
        let failures = self.store.store().update(&updates);
        taking.outcomes.taken += (updates.len() - failures.len()) as u64;
        // Deleted, damaged or changed: the next sample looks it up again.
        let mut gone = Vec::new();
        for (at, refused) in failures {
            match refused.error {
                Error::Update {
                    source:
                        UpdateError::NotAfterLast { found, last }
                        | UpdateError::NotAfterLastTick { found, last, .. },
                    ..
                } => {
                    taking.outcomes.late += 1;
                    // So late that it may be another database, whose time is counted otherwise.
                    if last.seconds.saturating_sub(found.seconds) > VERY_LATE_SECONDS {
                        gone.push(rows.rows[at].database.key);
                    }
                }
                Error::Update { .. } | Error::Sample { .. } => {
                    taking.outcomes.refused += 1;
                    gone.push(rows.rows[at].database.key);
                }
                error => {
                    taking.outcomes.failed += 1;
                    gone.push(rows.rows[at].database.key);
                    taking.note(error);
                }
            }
        }
        if !gone.is_empty() {
            self.table.forget(&gone);
        }
    }
}

/// Where a database begins: at the edge of a step, so that its first sample counts for a whole one.
fn start(first_micros: i64, definition: &Definition) -> Option<Timestamp> {
    let tick_micros = 1_000_000 / u64::from(definition.tick.per_second());
    let step_micros = definition.step_seconds.saturating_mul(tick_micros).max(1);
    let step_micros = i64::try_from(step_micros).ok()?;
    let edge = first_micros.checked_sub(step_micros)?.div_euclid(step_micros);
    definition.tick.up_to(timestamp(edge.checked_mul(step_micros)?))
}
