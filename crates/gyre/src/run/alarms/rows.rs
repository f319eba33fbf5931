//! The rows that a sample completed, read back from the store.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use rrd::ConsolidationFunction as Cf;
use rrd::Stretch;
use rrd::fetch::Query;
use store::{Store, Wanted};
use thresholds::Values;

use super::concern::Sampled;

/// For each database, the end of the last step that was checked: each step is checked once.
#[derive(Default)]
pub(super) struct Checked(HashMap<Arc<str>, i64>);

/// A sample that completed a step, and the values of the step.
pub(super) struct Completed {
    pub(super) sample: Sampled,
    pub(super) values: Values,
}

/// A sample that completed a step.
struct Step {
    sample: Sampled,
    ended_seconds: i64,
    step_seconds: u64,
}

impl Checked {
    /// Reads the values of all steps that these samples completed. A step that ended before the
    /// sample's own has no value, as for MRTG.
    pub(super) fn values(&mut self, samples: Vec<Sampled>, store: &dyn Store) -> Vec<Completed> {
        let steps: Vec<Step> = samples.into_iter().filter_map(|each| self.step(each)).collect();
        let mut wanted = Vec::new();
        for step in &steps {
            let Some(thresholds) = step.sample.concern.thresholds() else {
                continue;
            };
            if !thresholds.rates.is_idle() {
                wanted.push(step.wanted(Cf::Average));
            }
            if !thresholds.failures.is_idle() {
                wanted.push(step.wanted(Cf::Failures));
            }
        }
        let mut rows = store.fetch_all(&wanted).into_iter().map(Result::ok);
        drop(wanted);
        let with_values = |step: Step| {
            let mut values = Values::default();
            if let Some(thresholds) = step.sample.concern.thresholds() {
                if !thresholds.rates.is_idle() {
                    values.rates = row(rows.next().flatten(), step.ended_seconds);
                }
                if !thresholds.failures.is_idle() {
                    values.failures = row(rows.next().flatten(), step.ended_seconds);
                }
            }
            Completed { sample: step.sample, values }
        };
        steps.into_iter().map(with_values).collect()
    }

    /// The step that ends with the sample; `None` if an earlier sample completed it already.
    fn step(&mut self, sample: Sampled) -> Option<Step> {
        let step_seconds = sample.concern.target().settings.interval.step_seconds();
        let ended_seconds =
            sample.time.seconds - sample.time.seconds.rem_euclid(step_seconds as i64);
        let before = self.0.get(&sample.database).copied();
        let before = before.or(sample.concern.last_update.map(|last| last.seconds));
        if before.is_some_and(|before| ended_seconds <= before) {
            return None;
        }
        self.0.insert(sample.database.clone(), ended_seconds);
        Some(Step { sample, ended_seconds, step_seconds })
    }
}

impl Step {
    fn wanted(&self, cf: Cf) -> Wanted<'_> {
        let query = Query {
            tick: rrd::Tick::SECOND,
            cf,
            start_seconds: self.ended_seconds - self.step_seconds as i64,
            end_seconds: self.ended_seconds,
            step_seconds: self.step_seconds,
        };
        Wanted { name: Path::new(&*self.sample.database), query }
    }
}

/// The first two columns of the row that ends then; `None` for unknown.
fn row(stretch: Option<Stretch>, ended_seconds: i64) -> [Option<f64>; 2] {
    let Some(stretch) = stretch else {
        return [None; 2];
    };
    let row = stretch.iter().find(|(seconds, _)| *seconds == ended_seconds);
    let row = row.and_then(|(_, row)| row).unwrap_or_default();
    [0, 1].map(|column| row.get(column).copied().filter(|value| !value.is_nan()))
}
