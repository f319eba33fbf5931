//! Takes batches of samples into a store.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use rrd::update::UpdateError;
use rrd::{Definition, Timestamp};
use senders::{Kind, database};
use store::{Error, Led, Making, NewDatabase, Rooted, Update};

use crate::batch::{Batch, Fresh};
use crate::counts::Outcomes;
use crate::known::{Database, Met, Table};
use crate::meeting::Meeting;
use crate::pace::Pace;
use crate::reach::{MayReach, is_within};
use crate::rows::{Rows, rows, timestamp};
use crate::rules::{Fate, Rules};

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
    pace: Pace,
}

/// What became of a batch.
#[derive(Debug, Default)]
pub struct Taking {
    /// By number.
    pub outcomes: Outcomes,
    /// The first error for which no sample is to blame: it should come again.
    pub failure: Option<Error>,
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

impl Unmet<'_> {
    fn making(&self) -> Making<'_> {
        let Self { led, definition, start, .. } = self;
        let new = NewDatabase { name: &led.path, definition, start: *start };
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
        Self { store, rules: RwLock::new(Arc::new(rules)), table, pace }
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
        Batch::new(&self.table)
    }

    /// Stores a batch. Once it returns, what was taken is acknowledged by the store.
    pub fn take(&self, batch: Batch<'_>, may_reach: MayReach<'_>, now_micros: i64) -> Taking {
        let collected = batch.finished();
        let mut taking = Taking::default();
        let meetings = self.meet(&collected.fresh, may_reach, now_micros, &mut taking);
        let rows = rows(&collected, &meetings, may_reach, now_micros, &mut taking.outcomes);
        self.update(&rows, &mut taking);
        taking
    }

    /// Finds or makes the databases of series that were not met before.
    fn meet(
        &self,
        fresh: &[Fresh],
        may_reach: MayReach<'_>,
        now_micros: i64,
        taking: &mut Taking,
    ) -> Vec<Meeting> {
        let rules = self.rules();
        let mut unmet = Vec::new();
        let mut meetings: Vec<Meeting> = Vec::with_capacity(fresh.len());
        for (at, fresh) in fresh.iter().enumerate() {
            let meeting = match self.found(&rules, at, fresh, may_reach, now_micros) {
                Ok(meeting) => meeting,
                Err(one) => {
                    unmet.push(one);
                    Meeting::Unmade
                }
            };
            meetings.push(meeting);
        }
        let granted = self.pace.granted(unmet.len() as u64, now_micros / 1_000_000);
        unmet.truncate(granted as usize);
        self.make(&unmet, &mut meetings, taking);
        let met = fresh.iter().zip(&meetings).filter_map(|(fresh, meeting)| match meeting {
            Meeting::Met(met) => Some((fresh.hash, met.clone())),
            Meeting::Forbidden | Meeting::Unmade | Meeting::Failed => None,
        });
        if !fresh.is_empty() {
            self.table.remember(met);
        }
        meetings
    }

    /// A series that has a database, or can have none; else what is needed to make one.
    #[expect(clippy::result_large_err, reason = "neither is an error")]
    fn found<'f>(
        &self,
        rules: &Rules,
        at: usize,
        fresh: &'f Fresh,
        may_reach: MayReach<'_>,
        now_micros: i64,
    ) -> Result<Meeting, Unmet<'f>> {
        let Fate::Kept(layout) = rules.fate(&fresh.identity).0 else {
            return Ok(Meeting::Met(Arc::new(Met::Dropped)));
        };
        let Ok(name) = database::name(&fresh.identity, fresh.form) else {
            return Ok(Meeting::Unmade);
        };
        let Some(led) = self.store.lead(&name) else { return Ok(Meeting::Forbidden) };
        if !is_within(may_reach, &name, &led) {
            return Ok(Meeting::Forbidden);
        }
        if let Some(met) = self.there(fresh, &name, &led) {
            return Ok(Meeting::Met(met));
        }
        let first_micros = fresh.first_micros.unwrap_or(now_micros).min(now_micros);
        let sources: Vec<(&str, Kind)> =
            fresh.sources.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
        let Ok(definition) = layout.definition(&sources) else { return Ok(Meeting::Unmade) };
        match start(first_micros, &definition) {
            Some(start) => Err(Unmet { at, fresh, name, led, definition, start }),
            None => Ok(Meeting::Unmade),
        }
    }

    /// A series whose database is there.
    fn there(&self, fresh: &Fresh, name: &str, led: &Led) -> Option<Arc<Met>> {
        let outline = self.store.store().outline(&led.path).ok()?;
        let values: Vec<&str> = fresh.sources.iter().map(|(name, _)| name.as_str()).collect();
        let key = fresh.hash;
        let database = Database::new(key, name, led, &outline.definition, &values);
        Some(Arc::new(Met::Kept(database)))
    }

    fn make(&self, unmet: &[Unmet<'_>], meetings: &mut [Meeting], taking: &mut Taking) {
        // Two keys may mean the same series: its labels in another order.
        let mut names = HashSet::new();
        let (at, new): (Vec<usize>, Vec<Making<'_>>) = unmet
            .iter()
            .enumerate()
            .filter(|(_, one)| names.insert(one.led.path.as_path()))
            .map(|(at, one)| (at, one.making()))
            .unzip();
        if new.is_empty() {
            return;
        }
        let failures = self.store.store().make(&new, &|| true);
        let made = (new.len() - failures.len()) as u64;
        taking.outcomes.made += made;
        self.pace.give_back(unmet.len() as u64 - made);
        for (nth, error) in failures {
            if !matches!(error, Error::Exists(_) | Error::Name(_)) {
                meetings[unmet[at[nth]].at] = Meeting::Failed;
                taking.failure.get_or_insert(error);
            }
        }
        for one in unmet {
            if let Some(met) = self.there(one.fresh, &one.name, &one.led) {
                meetings[one.at] = Meeting::Met(met);
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
        // Deleted, or changed: the next sample looks it up again.
        let mut gone = Vec::new();
        for (at, refused) in failures {
            match refused.error {
                Error::Update {
                    source: UpdateError::NotAfterLast { .. } | UpdateError::NotAfterLastTick { .. },
                    ..
                } => taking.outcomes.late += 1,
                Error::Update { .. } | Error::Sample { .. } => {
                    taking.outcomes.refused += 1;
                    gone.push(rows.rows[at].database.key);
                }
                Error::NoSuchDatabase { .. } => {
                    taking.outcomes.unmade += 1;
                    gone.push(rows.rows[at].database.key);
                }
                error => {
                    taking.outcomes.failed += 1;
                    taking.failure.get_or_insert(error);
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
