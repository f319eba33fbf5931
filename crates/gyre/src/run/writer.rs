//! The writing thread: writes samples to the store, in the order of its files.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rrd::{Reading, Sample, Timestamp};
use store::{Store, Update};

use super::alarms::{Alarms, BrokenLimits, Receivers, Sampled};
use super::maxima;
use super::queue::{Cycle, Depth, Message, Write};
use super::reading_kept::ReadingKept;

/// The most samples gathered before they are written.
const SAMPLES_MAX: usize = 50_000;

/// How long a sample waits for samples of other devices. Samples that are written together share
/// one commit of the store's log.
const GATHERED_FOR: Duration = Duration::from_millis(100);

/// Refusals that are reported in words; further ones are only counted.
const REFUSALS_TOLD: usize = 3;

/// A cycle that is polled and written.
pub(super) struct Written {
    pub(super) cycle: Cycle,
    /// The time spent in the store.
    pub(super) took: Duration,
    pub(super) refused: Refused,
    /// Samples that the store took.
    pub(super) samples_stored: usize,
}

/// Samples that the store refused.
#[derive(Clone, Debug, Default)]
pub(super) struct Refused {
    pub(super) count: usize,
    /// The first few reasons.
    pub(super) reasons: Vec<String>,
}

/// Writes samples until the channel is closed, and reports every cycle.
pub(super) struct Writer {
    store: Arc<dyn Store>,
    waiting: Vec<Write>,
    /// Databases that refused their last sample: a difference to their last reading would span an
    /// unknown time.
    broken: HashSet<Arc<str>>,
    took: Duration,
    refused: Refused,
    alarms: Alarms,
    samples_stored: usize,
    depth: Depth,
}

impl Writer {
    pub(super) fn new(
        store: Arc<dyn Store>,
        depth: Depth,
        receivers: Option<Receivers>,
        broken: BrokenLimits,
    ) -> Self {
        Self {
            alarms: Alarms::new(store.clone(), receivers, broken),
            store,
            depth,
            samples_stored: 0,
            waiting: Vec::new(),
            broken: HashSet::new(),
            took: Duration::ZERO,
            refused: Refused::default(),
        }
    }

    pub(super) fn run(mut self, messages: &Receiver<Message>, mut tell: impl FnMut(Written)) {
        while let Ok(message) = messages.recv() {
            self.take(message, &mut tell);
            self.gather(messages, &mut tell);
            self.write();
        }
        self.alarms.end();
    }

    /// Collects the messages that arrive within [`GATHERED_FOR`] of the first sample. It sleeps
    /// meanwhile: to be woken for each would cost more than to write it.
    fn gather(&mut self, messages: &Receiver<Message>, tell: &mut impl FnMut(Written)) {
        if !self.waiting.is_empty() {
            std::thread::sleep(GATHERED_FOR);
            messages.try_iter().for_each(|message| self.take(message, tell));
        }
    }

    fn take(&mut self, message: Message, tell: &mut impl FnMut(Written)) {
        self.depth.taken();
        match message {
            Message::Samples(writes) => {
                self.waiting.extend(writes);
                if self.waiting.len() >= SAMPLES_MAX {
                    self.write();
                }
            }
            Message::Maxima(all) => {
                // Samples from before are judged by the limits of before.
                self.write();
                let started = Instant::now();
                maxima::change(self.store.as_ref(), &all);
                self.took += started.elapsed();
            }
            Message::Remark(words) => super::tell(words),
            Message::Cycle(cycle) => {
                self.write();
                tell(Written {
                    cycle: *cycle,
                    took: std::mem::take(&mut self.took),
                    refused: std::mem::take(&mut self.refused),
                    samples_stored: std::mem::take(&mut self.samples_stored),
                });
            }
        }
    }

    /// Writes the gathered samples, database by database: the disk's head moves in one direction,
    /// and each file is opened once.
    fn write(&mut self) {
        let mut writes = std::mem::take(&mut self.waiting);
        if writes.is_empty() {
            return;
        }
        let started = Instant::now();
        // The sort is stable: samples of one database stay in order of time.
        writes.sort_by(|left, right| left.database.cmp(&right.database));
        let batch = Batch::new(&writes, &self.broken);
        let samples: Vec<Sample<'_>> = batch.samples().collect();
        let updates: Vec<Update<'_>> = batch.updates(&samples).collect();
        let refused: HashMap<usize, store::Refused> =
            self.store.update(&updates).into_iter().collect();
        for (nth, (database, lines)) in batch.databases.iter().enumerate() {
            if let Some(store::Refused { error, .. }) = refused.get(&nth) {
                self.broken.insert((*database).clone());
                self.refused.add(lines.len(), error);
            } else if !self.broken.is_empty() {
                self.broken.remove(*database);
            }
        }
        let refused_samples: usize = refused.keys().map(|nth| batch.databases[*nth].1.len()).sum();
        self.samples_stored += writes.len().saturating_sub(refused_samples);
        let refused: HashSet<Arc<str>> =
            refused.keys().filter_map(|nth| Some(batch.databases.get(*nth)?.0.clone())).collect();
        self.took += started.elapsed();
        self.alarm(&mut writes, &refused);
        self.waiting = writes;
    }

    /// Hands samples over that concern more than the store, and empties the list.
    fn alarm(&mut self, writes: &mut Vec<Write>, refused: &HashSet<Arc<str>>) {
        let concerned = writes.drain(..).filter_map(|write| {
            let Write { database, time, readings, concern, .. } = write;
            let is_stored = !refused.contains(&database);
            Some(Sampled { concern: concern?, database, time, readings, is_stored })
        });
        let concerned: Vec<Sampled> = concerned.collect();
        if !concerned.is_empty() {
            self.alarms.take(concerned);
        }
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

/// Samples of many databases, in few allocations.
struct Batch<'a> {
    lines: Vec<Line<'a>>,
    /// Each database with the range of its lines.
    databases: Vec<(&'a Arc<str>, Range<usize>)>,
}

impl<'a> Batch<'a> {
    /// Takes writes that are sorted by database.
    fn new(writes: &'a [Write], broken: &HashSet<Arc<str>>) -> Self {
        let (mut lines, mut databases) = (Vec::with_capacity(writes.len()), Vec::new());
        for group in writes.chunk_by(|left, right| left.database == right.database) {
            let database = &group[0].database;
            let first = lines.len();
            let mut is_broken = !broken.is_empty() && broken.contains(database);
            for write in group {
                let until = if is_broken { write.just_before } else { write.unknown_until };
                lines.extend(until.map(|until| (until, [Reading::Unknown; 2])));
                lines.push((write.time, write.readings.each_ref().map(ReadingKept::reading)));
                is_broken = false;
            }
            databases.push((database, first..lines.len()));
        }
        Self { lines, databases }
    }

    /// A sample for each line.
    fn samples(&self) -> impl Iterator<Item = Sample<'_>> {
        self.lines.iter().map(|(time, readings)| Sample { time: *time, readings })
    }

    /// An update for each database, with a slice of the samples.
    fn updates<'b>(&'b self, samples: &'b [Sample<'b>]) -> impl Iterator<Item = Update<'b>> {
        self.databases.iter().map(|(name, lines)| Update::of(&***name, &samples[lines.clone()]))
    }
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
            concern: None,
        }
    }

    fn lines(writes: &[Write], broken: &[&str]) -> Vec<Vec<(i64, String)>> {
        let broken = broken.iter().map(|name| Arc::from(*name)).collect();
        let batch = Batch::new(writes, &broken);
        let short = |(time, [first, _]): &Line<'_>| (time.seconds, first.to_string());
        let of_one = |lines: &Range<usize>| batch.lines[lines.clone()].iter().map(short).collect();
        batch.databases.iter().map(|(_, lines)| of_one(lines)).collect()
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
