//! Samples that the store is handed, and what became of each.

use std::collections::BTreeMap;

use rrd::update::UpdateError;
use rrd::{Reading, Sample, Tick, Timestamp};
use store::{Error, Update};

use super::Simulation;
use crate::model::Op;

/// Samples for one database, owned; their times are in its ticks.
#[derive(Clone, Debug)]
pub(crate) struct Readings {
    pub(crate) name: String,
    pub(crate) samples: Vec<(Timestamp, Vec<String>)>,
}

impl Simulation {
    /// Appends a batch. Whoever was not refused is acknowledged or told.
    pub(crate) fn append(&mut self, batch: &[Readings]) {
        let failures = self.call_append(batch);
        if failures.values().any(|error| matches!(error, Error::Stopped(_))) {
            assert_eq!(failures.len(), batch.len(), "a store that stopped takes nothing");
            self.stopped = true;
            return;
        }
        let mut acknowledged = false;
        let mut in_doubt = Vec::new();
        for (nth, each) in batch.iter().enumerate() {
            let (taken, expected) = self.apply(each);
            match (failures.get(&nth), expected) {
                (None, Ok(())) => acknowledged = true,
                (Some(Error::Update { source, .. }), Err(expected)) => {
                    assert_eq!(*source, expected, "{}", each.name);
                }
                (Some(Error::Unacknowledged(_)), expected) => {
                    assert!(taken > 0 || expected.is_ok(), "{}: {expected:?}", each.name);
                    let samples = each.samples[..taken].to_vec();
                    in_doubt.push(Readings { name: each.name.clone(), samples });
                }
                (found, expected) => panic!("{}: {found:?}, expected {expected:?}", each.name),
            }
        }
        if acknowledged {
            self.acknowledge_as_synced();
        }
        if !in_doubt.is_empty() {
            self.repeat(&in_doubt);
        }
    }

    /// Whoever was told that samples may be lost repeats them, and they are taken; nothing changes
    /// by it.
    fn repeat(&mut self, in_doubt: &[Readings]) {
        let failures = self.call_append(in_doubt);
        for error in failures.values() {
            self.stopped |= matches!(error, Error::Stopped(_));
            assert!(matches!(error, Error::Stopped(_) | Error::Unacknowledged(_)), "{error:?}");
        }
        if failures.len() < in_doubt.len() {
            self.acknowledge_as_synced();
        }
    }

    fn call_append(&self, batch: &[Readings]) -> BTreeMap<usize, Error> {
        let values: Option<Vec<Vec<String>>> =
            batch.iter().map(|each| self.as_values(each)).collect();
        match values {
            // Half of those that can be told as the daemon's clients tell them.
            Some(values) if batch.len().is_multiple_of(2) => self.call_update(batch, &values),
            _ => self.call_append_samples(batch),
        }
    }

    /// Samples as texts, if all their times are whole seconds and nothing stands for what is
    /// calculated.
    fn as_values(&self, readings: &Readings) -> Option<Vec<String>> {
        let database = self.live.databases.get(&readings.name)?;
        let value = |(time, texts): &(Timestamp, Vec<String>)| {
            let is_read = |nth: usize| database.definition.sources[nth].kind.takes_readings();
            let plain = |(nth, text): (usize, &String)| is_read(nth) || text == "U";
            let whole = time.micros == 0 && time.seconds >= 0;
            let ticks = database.definition.tick.told(time.seconds);
            (whole && texts.iter().enumerate().all(plain)).then(|| {
                let read = texts.iter().enumerate().filter(|(nth, _)| is_read(*nth));
                let read: Vec<&str> = read.map(|(_, text)| text.as_str()).collect();
                format!("{ticks}:{}", read.join(":"))
            })
        };
        readings.samples.iter().map(value).collect()
    }

    fn call_update(&self, batch: &[Readings], values: &[Vec<String>]) -> BTreeMap<usize, Error> {
        let values: Vec<Vec<&str>> =
            values.iter().map(|values| values.iter().map(String::as_str).collect()).collect();
        let named = batch.iter().zip(&values);
        let appends: Vec<Update<'_>> =
            named.map(|(each, values)| Update::numbered(&each.name, values)).collect();
        let refused = self.engine().update(&appends).into_iter();
        refused.map(|(nth, refused)| (nth, refused.error)).collect()
    }

    fn call_append_samples(&self, batch: &[Readings]) -> BTreeMap<usize, Error> {
        let readings: Vec<Vec<Vec<Reading<'_>>>> = batch
            .iter()
            .map(|each| each.samples.iter().map(|(_, texts)| Reading::of_all(texts)).collect())
            .collect();
        let samples: Vec<Vec<Sample<'_>>> = batch
            .iter()
            .zip(&readings)
            .map(|(each, readings)| {
                let tick = self.tick_of(&each.name);
                let times = each.samples.iter().map(|(time, _)| tick.moment(*time));
                times.zip(readings).map(|(time, readings)| Sample { time, readings }).collect()
            })
            .collect();
        let appends: Vec<Update<'_>> = batch
            .iter()
            .zip(&samples)
            .map(|(each, samples)| Update::of(&each.name, samples))
            .collect();
        let refused = self.engine().update(&appends).into_iter();
        refused.map(|(nth, refused)| (nth, refused.error)).collect()
    }

    /// What the times of a database are counted in.
    pub(super) fn tick_of(&self, name: &str) -> Tick {
        self.live.databases.get(name).map_or(Tick::SECOND, |database| database.definition.tick)
    }

    /// What the model makes of samples for one database: those behind a refused one are not taken.
    /// How many were taken, and why not all.
    pub(super) fn apply(&mut self, readings: &Readings) -> (usize, Result<(), UpdateError>) {
        for (nth, (time, texts)) in readings.samples.iter().enumerate() {
            let (name, time, readings) = (readings.name.clone(), *time, texts.clone());
            let op = Op::Update { name, time, readings };
            let taken = self.live.apply(&op);
            let is_late = matches!(
                taken,
                Err(UpdateError::NotAfterLast { .. } | UpdateError::NotAfterLastTick { .. })
            );
            if !is_late {
                self.pending.push(op);
            }
            if taken.is_err() {
                return (nth, taken);
            }
        }
        (readings.samples.len(), Ok(()))
    }
}
