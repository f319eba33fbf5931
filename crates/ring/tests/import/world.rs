//! A ring store in memory, and the bytes that go in and come out.

use disk::{AnyMedium, MemoryMedium};
use journal::JournalOptions;
use ring::file::{Gathering, adoptee};
use ring::{Engine, Pace, RingOptions};
use rrd::{Definition, Sample, SampleReader, Snapshot, Timestamp};
use store::{Error, Refused};

use crate::cases::Update;

/// The time that imported files bear.
pub(crate) const MODIFIED_NANOS: i64 = 1_700_000_000_123_456_789;

pub(crate) struct World {
    medium: AnyMedium,
    options: RingOptions,
    engine: Option<Engine<AnyMedium>>,
}

impl World {
    pub(crate) fn new(flush_cycles: u32, tile_rows_max: u32) -> Self {
        let journal = JournalOptions {
            segment_bytes: 64 << 10,
            first_segment_bytes: 64 << 10,
            block_bytes: 512,
            segments: 2,
            intervals_kept: 0,
            zeros: true,
            read_ahead: false,
        };
        let pace = Pace { flush_cycles, tile_rows_max };
        let options = RingOptions { pace, journal, replay_threads: 0, ..RingOptions::default() };
        let medium = AnyMedium::of(MemoryMedium::default());
        let engine = Some(Engine::create_store(medium.clone(), options).unwrap());
        Self { medium, options, engine }
    }

    pub(crate) fn engine(&self) -> &Engine<AnyMedium> {
        self.engine.as_ref().unwrap()
    }

    /// As if the process had been killed.
    pub(crate) fn reopen(&mut self) {
        self.engine = None;
        self.engine = Some(Engine::open_store(self.medium.clone(), self.options).unwrap());
    }

    /// Takes files in, as many at once as can be.
    pub(crate) fn import(&self, files: &[(String, Vec<u8>)]) {
        let mut gathering = Gathering::new(usize::MAX);
        for (name, bytes) in files {
            let adoptee = adoptee(name, bytes, MODIFIED_NANOS).unwrap();
            assert!(gathering.push(adoptee).is_none());
        }
        while let Some(batch) = gathering.take_any() {
            self.engine().adopt(&batch).unwrap();
        }
    }

    /// The file of one database.
    pub(crate) fn export(&self, name: &str) -> Vec<u8> {
        let mut found = Vec::new();
        for party in self.engine().departures().of(&[name.to_owned()]).unwrap() {
            let leave = self.engine().departures().leave(&party, |each, departure| {
                assert_eq!(each, name);
                found.push(departure.unwrap().file_bytes().unwrap());
            });
            leave.unwrap();
        }
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    /// Every file.
    pub(crate) fn export_all(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        for party in self.engine().departures().all() {
            let leave = self.engine().departures().leave(&party, |name, departure| {
                found.push((name.to_owned(), departure.unwrap().file_bytes().unwrap()));
            });
            leave.unwrap();
        }
        found.sort();
        found
    }

    /// Runs one update command, and tells the words of its refusal.
    pub(crate) fn update(
        &self,
        name: &str,
        definition: &Definition,
        command: &Update,
    ) -> Result<(), String> {
        let reader = match &command.template {
            Some(names) => SampleReader::by_template(definition, names),
            None => Ok(SampleReader::in_order(definition)),
        };
        let reader = reader.map_err(|error| error.to_string())?;
        command.arguments.iter().try_for_each(|argument| {
            let mut readings = Vec::new();
            let time = reader.split(argument, &mut readings).map_err(|error| error.to_string())?;
            let time = time.moment(Timestamp::default()).expect("no AT-style times here");
            let samples = [Sample { time, readings: &readings }];
            match self.engine().update(&[store::Update::of(name, &samples)]).pop() {
                None => Ok(()),
                Some((_, Refused { error: Error::Update { source, .. }, .. })) => {
                    Err(source.to_string())
                }
                Some((_, refused)) => panic!("{refused:?}"),
            }
        })
    }
}

/// Holds two files against each other.
pub(crate) fn assert_same_bytes(found: &[u8], expected: &[u8], what: &str) {
    let differing = (0..expected.len()).find(|at| found.get(*at) != expected.get(*at));
    assert!(
        differing.is_none() && found.len() == expected.len(),
        "{what}: byte {differing:?} differs, {} bytes, expected {}",
        found.len(),
        expected.len(),
    );
}

/// Holds two databases against each other, bit for bit.
pub(crate) fn assert_same(found: &Snapshot, expected: &Snapshot, what: &str) {
    let encoded = |snapshot: &Snapshot| {
        let archives = &snapshot.definition.archives;
        let newest = archives.iter().map(|_| rrdfile::layout::RowIndex(0)).collect();
        rrdfile::encode(snapshot, newest).unwrap()
    };
    assert_same_bytes(&encoded(found), &encoded(expected), what);
}
