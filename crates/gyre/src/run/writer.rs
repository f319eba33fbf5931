//! The writing thread: samples into the store, in the order of its files.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rrd::{Reading, Sample, Timestamp};
use store::{Store, Update};

use super::queue::{Cycle, Message, ReadingKept, Write};

/// Samples gathered before they are written, if more are waiting.
const SAMPLES_MAX: usize = 50_000;

/// Refusals kept in words; the others are counted.
const REFUSALS_TOLD: usize = 3;

/// A cycle that is polled and written.
pub(super) struct Written {
    pub(super) cycle: Cycle,
    /// Time spent in the store.
    pub(super) took: Duration,
    pub(super) refused: Refused,
}

/// Samples that the store did not take.
#[derive(Clone, Debug, Default)]
pub(super) struct Refused {
    pub(super) count: usize,
    /// The first few reasons.
    pub(super) reasons: Vec<String>,
}

/// Writes until the stream ends, and tells of every cycle.
pub(super) struct Writer {
    store: Arc<dyn Store>,
    waiting: Vec<Write>,
    /// Databases that refused their last sample: a difference to what they hold would span an
    /// unknown time.
    broken: HashSet<Arc<str>>,
    took: Duration,
    refused: Refused,
}

impl Writer {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            waiting: Vec::new(),
            broken: HashSet::new(),
            took: Duration::ZERO,
            refused: Refused::default(),
        }
    }

    pub(super) fn run(mut self, messages: &Receiver<Message>, mut tell: impl FnMut(Written)) {
        while let Ok(message) = messages.recv() {
            let mut next = Some(message);
            while let Some(message) = next {
                self.take(message, &mut tell);
                // Whatever else is there goes into the same batch.
                next = messages.try_recv().ok();
            }
            self.write();
        }
    }

    fn take(&mut self, message: Message, tell: &mut impl FnMut(Written)) {
        match message {
            Message::Samples(writes) => {
                self.waiting.extend(writes);
                if self.waiting.len() >= SAMPLES_MAX {
                    self.write();
                }
            }
            Message::Cycle(cycle) => {
                self.write();
                tell(Written {
                    cycle: *cycle,
                    took: std::mem::take(&mut self.took),
                    refused: std::mem::take(&mut self.refused),
                });
            }
        }
    }

    /// Writes what has been gathered, database by database, so that a disk's head moves one way
    /// and a file is opened once.
    fn write(&mut self) {
        let mut writes = std::mem::take(&mut self.waiting);
        if writes.is_empty() {
            return;
        }
        let started = Instant::now();
        // Stable: the samples of one database stay in the order of time.
        writes.sort_by(|left, right| left.database.cmp(&right.database));
        let batch = batch(&writes, &self.broken);
        let samples: Vec<Vec<Sample<'_>>> = batch.iter().map(|(_, lines)| samples(lines)).collect();
        let appends = batch.iter().zip(&samples);
        let appends = appends.map(|((name, _), samples)| Update::of(&***name, samples));
        let refused = self.store.update(&appends.collect::<Vec<_>>());
        let failures: HashMap<usize, store::Refused> = refused.into_iter().collect();
        for (nth, (database, lines)) in batch.iter().enumerate() {
            if let Some(store::Refused { error, .. }) = failures.get(&nth) {
                self.broken.insert((*database).clone());
                self.refused.add(lines.len(), error);
            } else if !self.broken.is_empty() {
                self.broken.remove(*database);
            }
        }
        self.took += started.elapsed();
        writes.clear();
        self.waiting = writes;
    }
}

impl Refused {
    fn add(&mut self, samples: usize, error: &store::Error) {
        self.count += samples;
        if self.reasons.len() < REFUSALS_TOLD {
            self.reasons.push(error.to_string());
        }
    }
}

/// A sample: its time and two readings.
type Line<'a> = (Timestamp, [Reading<'a>; 2]);

/// Writes, which are sorted by database, as samples of each database.
fn batch<'a>(
    writes: &'a [Write],
    broken: &HashSet<Arc<str>>,
) -> Vec<(&'a Arc<str>, Vec<Line<'a>>)> {
    let groups = writes.chunk_by(|left, right| left.database == right.database);
    let group_lines = |group: &'a [Write]| {
        let database = &group.first()?.database;
        let mut is_broken = broken.contains(database);
        let mut lines = Vec::with_capacity(group.len());
        for write in group {
            let until = if is_broken { write.just_before } else { write.unknown_until };
            lines.extend(until.map(|until| (until, [Reading::Unknown; 2])));
            lines.push((write.time, write.readings.each_ref().map(ReadingKept::reading)));
            is_broken = false;
        }
        Some((database, lines))
    };
    groups.filter_map(group_lines).collect()
}

fn samples<'a>(lines: &'a [Line<'a>]) -> Vec<Sample<'a>> {
    lines.iter().map(|(time, readings)| Sample { time: *time, readings }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(database: &str, seconds: i64, reading: u64, is_broken: bool) -> Write {
        let before = Timestamp::from_seconds(seconds - 1);
        Write {
            database: database.into(),
            time: Timestamp::from_seconds(seconds),
            readings: [reading, 7].map(|value| ReadingKept::Plain(Reading::Unsigned(value))),
            unknown_until: is_broken.then_some(before),
            just_before: Some(before),
        }
    }

    fn lines(writes: &[Write], broken: &[&str]) -> Vec<Vec<(i64, String)>> {
        let broken = broken.iter().map(|name| Arc::from(*name)).collect();
        let groups = batch(writes, &broken).into_iter().map(|(_, lines)| lines);
        let short = |(time, [first, _]): Line<'_>| (time.seconds, first.to_string());
        groups.map(|lines| lines.into_iter().map(short).collect()).collect()
    }

    #[test]
    fn a_broken_series_is_unknown_up_to_just_before_the_reading() {
        let writes = [write("a", 10, 1, false), write("a", 20, 2, true), write("b", 10, 3, false)];
        let expected = vec![
            vec![(10, "1".to_owned()), (19, "U".to_owned()), (20, "2".to_owned())],
            vec![(10, "3".to_owned())],
        ];
        assert_eq!(lines(&writes, &[]), expected);
    }

    #[test]
    fn a_database_that_refused_a_sample_goes_on_after_an_unknown() {
        let writes = [write("a", 10, 1, false), write("a", 20, 2, false)];
        assert_eq!(
            lines(&writes, &["a"]),
            [[(9, "U".to_owned()), (10, "1".to_owned()), (20, "2".to_owned())]]
        );
    }
}
