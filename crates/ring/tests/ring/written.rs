//! What updates write, counted by kind of file, beside what [`Costs`] and [`Geometry`] say: in the
//! first hours of a store and in the long run, in groups of every capacity.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

use disk::{AnyMedium, Medium, MediumFile, MemoryFile, MemoryMedium};
use ring::{Costs, Engine, Geometry, Pace, RingOptions};
use rrd::{Definition, Timestamp};
use store::Update;

const STEP_SECONDS: i64 = 300;
const START_SECONDS: i64 = 1_600_000_200;
/// So many databases fill five groups of 14; the next ones go to groups of 252.
const IN_SMALL_GROUPS: usize = 70;

/// Bytes written to each file.
type Written = Arc<Mutex<BTreeMap<String, usize>>>;

/// Bytes written, by kind of file.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes {
    tiles: usize,
    checkpoints: usize,
    journal: usize,
}

/// A directory in memory that counts what is written.
#[derive(Clone, Debug, Default)]
struct CountingMedium {
    medium: MemoryMedium,
    written: Written,
}

#[derive(Debug)]
struct CountingFile {
    file: MemoryFile,
    name: String,
    written: Written,
}

impl CountingMedium {
    fn file(&self, name: &str, file: MemoryFile) -> CountingFile {
        CountingFile { file, name: name.into(), written: Arc::clone(&self.written) }
    }

    fn written(&self) -> Bytes {
        let mut bytes = Bytes::default();
        for (name, count) in &*self.written.lock().unwrap() {
            match name.rsplit_once('.') {
                Some((_, "tiles")) => bytes.tiles += count,
                Some((_, "a" | "b")) => bytes.checkpoints += count,
                None if name.starts_with("journal-0") => bytes.journal += count,
                _ => (),
            }
        }
        bytes
    }
}

impl Medium for CountingMedium {
    type File = CountingFile;

    fn create(&self, name: &str) -> io::Result<CountingFile> {
        self.medium.create(name).map(|file| self.file(name, file))
    }

    fn open(&self, name: &str) -> io::Result<CountingFile> {
        self.medium.open(name).map(|file| self.file(name, file))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.medium.remove(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.medium.rename(from, to)
    }

    fn list(&self) -> io::Result<Vec<String>> {
        self.medium.list()
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.medium.sync_directory()
    }
}

impl MediumFile for CountingFile {
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        self.file.read_at(buffer, offset_bytes)
    }

    fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        let count = self.file.write_some_at(bytes, offset_bytes)?;
        *self.written.lock().unwrap().entry(self.name.clone()).or_default() += count;
        Ok(count)
    }

    fn len_bytes(&self) -> io::Result<u64> {
        self.file.len_bytes()
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        self.file.allocate(bytes)
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.file.reserve(bytes)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.file.truncate(bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// MRTG's layout.
fn definition() -> Definition {
    let archives = ["AVERAGE", "MAX"].into_iter().flat_map(|cf| {
        [(1, 600), (6, 700), (24, 775), (288, 797)]
            .map(|(pdps, rows)| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
    });
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    let specs: Vec<String> = sources.into_iter().chain(archives).collect();
    rrd::spec::definition(STEP_SECONDS as u64, specs.iter().map(String::as_str)).unwrap()
}

/// Bytes written for one update.
#[derive(Clone, Copy, Debug)]
struct PerUpdate {
    tiles: f64,
    checkpoints: f64,
    journal: f64,
}

impl PerUpdate {
    fn all(&self) -> f64 {
        self.tiles + self.checkpoints + self.journal
    }
}

/// A store of which some databases are updated once a step.
struct Store {
    medium: CountingMedium,
    engine: Engine<AnyMedium>,
    names: Vec<String>,
    cycle: i64,
}

impl Store {
    /// Of `databases`, those behind the first `idle` are updated.
    fn new(databases: usize, idle: usize, pace: Pace) -> Self {
        let medium = CountingMedium::default();
        let options = RingOptions { sparse: true, pace, ..RingOptions::default() };
        let engine = Engine::create_store(AnyMedium::of(medium.clone()), options).unwrap();
        let definition = definition();
        let mut names: Vec<String> = (0..databases).map(|nth| format!("port{nth}")).collect();
        let start = Timestamp::from_seconds(START_SECONDS);
        for name in &names {
            engine.create(name, &definition, start).unwrap();
        }
        names.drain(..idle);
        Self { medium, engine, names, cycle: 0 }
    }

    /// Lets so many cycles pass, and tells what an update wrote meanwhile.
    fn written_in(&mut self, cycles: i64) -> PerUpdate {
        let before = self.medium.written();
        (0..cycles).for_each(|_| self.pass_a_cycle());
        let after = self.medium.written();
        let updates = (self.names.len() as i64 * cycles) as f64;
        let per_update = |after: usize, before: usize| (after - before) as f64 / updates;
        PerUpdate {
            tiles: per_update(after.tiles, before.tiles),
            checkpoints: per_update(after.checkpoints, before.checkpoints),
            journal: per_update(after.journal, before.journal),
        }
    }

    fn pass_a_cycle(&mut self) {
        self.cycle += 1;
        let time = START_SECONDS + self.cycle * STEP_SECONDS;
        // Counters of ten digits, as a port has them that is not new.
        let value = format!("{time}:{0}:{0}", 4_000_000_000 + self.cycle * 7777);
        let values = [value.as_str()];
        let names = self.names.iter();
        let batch: Vec<_> = names.map(|name| Update::numbered(name, &values)).collect();
        assert!(self.engine.update(&batch).is_empty());
        self.engine.work().unwrap();
    }
}

/// The costs of groups of a capacity.
fn planned(capacity: u32, pace: Pace) -> PerUpdate {
    let costs = Costs::of(&definition(), pace).unwrap();
    let geometry = Geometry::new(&definition(), pace, capacity, true).unwrap();
    PerUpdate {
        tiles: geometry.tile_bytes_per_update(),
        // 162 bytes of state and 13 of the member.
        checkpoints: geometry.checkpoint_bytes_per_update(175),
        journal: costs.journal_bytes_per_update,
    }
}

#[track_caller]
fn near(what: &str, found: f64, planned: f64, part: f64) {
    println!("{what}: {found:.2} bytes an update, {planned:.2} planned");
    assert!((found / planned - 1.0).abs() < part, "{what}: {found:.2}, planned {planned:.2}");
}

/// Groups of 252 are cut like those of 4,032.
#[test]
fn full_groups_write_what_is_planned_from_their_first_hours_on() {
    for tile_rows_max in [18, 1] {
        let pace = Pace { tile_rows_max, ..Pace::default() };
        let planned = planned(252, pace);
        let costs = Costs::of(&definition(), pace).unwrap();
        near("as a group of 4,032", planned.all(), costs.bytes_per_update(), 0.01);
        let mut store = Store::new(IN_SMALL_GROUPS + 4 * 252, IN_SMALL_GROUPS, pace);
        store.written_in(18);
        near("young", store.written_in(4 * 18).all(), planned.all(), 0.03);
        // The first whole day ends after 138 cycles, its row stands in its tile a day later.
        store.written_in(2 * 288 - 5 * 18);
        let old = store.written_in(288);
        near("tiles", old.tiles, planned.tiles, 0.01);
        near("checkpoints", old.checkpoints, planned.checkpoints, 0.03);
        // A frame takes whole pages: two bytes more for each of the 1,008 updates of a batch.
        near("journal", old.journal, planned.journal, 0.06);
        near("old", old.all(), planned.all(), 0.03);
    }
}

/// A page of 14 databases has 18 rows of every archive: those of days wait for 18 days.
#[test]
fn small_groups_come_to_what_is_planned_in_the_long_run() {
    const ROUND: i64 = 18 * 288;
    let planned = planned(14, Pace::default());
    let mut store = Store::new(IN_SMALL_GROUPS, 0, Pace::default());
    store.written_in(36);
    let young = store.written_in(54);
    assert!(young.checkpoints < 0.6 * planned.checkpoints, "{young:?}");
    store.written_in(ROUND / 2);
    let old = store.written_in(ROUND);
    near("tiles", old.tiles, planned.tiles, 0.01);
    near("checkpoints", old.checkpoints, planned.checkpoints, 0.03);
}
