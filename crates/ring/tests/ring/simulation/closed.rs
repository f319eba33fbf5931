//! A store that nobody has open.

use std::collections::BTreeMap;

use disk::{AnyMedium, Medium as _, MemoryMedium};
use journal::is_segment;
use ring::{Engine, LoneUpdates, RingOptions};
use rrd::{Reading, Sample, Snapshot};
use store::{Error, Update};

use super::updates::Readings;
use super::{Reached, Simulation, is_of_the_machine};

impl Simulation {
    /// Finds out what is in the store, which nobody has open, by opening a copy of what programs
    /// see.
    pub(crate) fn look_at_closed(&mut self) {
        let found = everything_in(self.medium.seen(), self.options);
        let Reached { state, pending, doubtful } = self.reached(&found);
        self.live = state;
        self.pending.truncate(pending);
        self.pending.extend(doubtful);
        self.doubtful.clear();
    }

    /// Has samples of one database taken in a call of their own, and finds out what became of them.
    /// What the store held is known.
    pub(crate) fn update_alone(&mut self, readings: &Readings, read_bytes_max: u64) {
        assert!(self.engine.is_none(), "somebody has the store open");
        let lone = LoneUpdates::over(self.medium.clone(), self.options);
        let values: Vec<Vec<Reading<'_>>> =
            readings.samples.iter().map(|(_, texts)| Reading::of_all(texts)).collect();
        let tick = self.tick_of(&readings.name);
        let samples = readings.samples.iter().zip(&values);
        let samples: Vec<Sample<'_>> = samples
            .map(|((time, _), readings)| Sample { time: tick.moment(*time), readings })
            .collect();
        let mut watched = 0;
        let update = Update::of(&readings.name, &samples);
        let lone = lone.reading_at_most(read_bytes_max);
        let failed_before = self.medium.failed_calls();
        let refused = lone.update(&update, Some(&mut |_| watched += 1)).err();
        let (taken, expected) = self.apply(readings);
        match (refused, expected) {
            (None, Ok(())) => self.acknowledge(),
            (Some(refused), Err(expected)) if is_update_error(&refused.error) => {
                let Error::Update { source, .. } = refused.error else { unreachable!() };
                assert_eq!((source, refused.taken), (expected, taken), "{}", readings.name);
                if taken > 0 {
                    self.acknowledge();
                }
            }
            (Some(refused), _) if is_of_the_machine(&refused.error) => {
                if self.medium.failed_calls() > failed_before {
                    // A sync that failed takes what nobody has synced; it is written again
                    // elsewhere, unless that fails, too.
                    self.written = 0;
                }
                return if !self.medium.has_crashed() {
                    self.look_at_closed()
                };
            }
            (found, expected) => panic!("{}: {found:?}, expected {expected:?}", readings.name),
        }
        assert_eq!(watched, taken, "{}", readings.name);
        if !self.medium.has_crashed() {
            self.look_at_closed();
        }
    }

    /// The files of the store, but for those of the log.
    pub(crate) fn files_beside_the_log(&self) -> BTreeMap<String, Vec<u8>> {
        let is_of_log = |name: &str| is_segment(name) || journal::is_note(name);
        self.files_seen(|name| !is_of_log(name))
    }

    /// The files of groups' checkpoints.
    pub(crate) fn checkpoints(&self) -> BTreeMap<String, Vec<u8>> {
        self.files_seen(|name| name.ends_with(".a") || name.ends_with(".b"))
    }

    /// Bytes of the log's files.
    pub(crate) fn log_bytes(&self) -> usize {
        self.files_seen(is_segment).values().map(Vec::len).sum()
    }

    fn files_seen(&self, is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, Vec<u8>> {
        let seen = self.medium.seen();
        let names = seen.list().unwrap().into_iter().filter(|name| is_wanted(name));
        names.map(|name| (name.clone(), seen.open(&name).unwrap().to_bytes())).collect()
    }

    /// How often a segment of the log was begun.
    pub(crate) fn segments_begun(&self) -> u64 {
        let segments = self.files_seen(is_segment);
        let uses = segments.values().filter_map(|bytes| journal::segment_use(bytes));
        uses.map(|found| found.sequence).max().unwrap_or(0)
    }
}

fn is_update_error(error: &Error) -> bool {
    matches!(error, Error::Update { .. })
}

fn everything_in(medium: MemoryMedium, options: RingOptions) -> BTreeMap<String, Snapshot> {
    let engine = Engine::open_store(AnyMedium::of(medium), options)
        .unwrap_or_else(|error| panic!("{error}"));
    let names = engine.names().unwrap().into_iter();
    names.map(|name| (name.clone(), engine.snapshot(&name).unwrap())).collect()
}
