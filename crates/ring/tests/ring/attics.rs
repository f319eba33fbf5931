//! Rows of members out of step, in their group's attic: a damaged page costs the rows that stood
//! there, and a reader of one member does not read what is others'.

use disk::{AnyMedium, FaultPlan, FaultyMedium, Medium};
use journal::JournalOptions;
use ring::{Engine, Pace, RingOptions};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Reading, Sample, Snapshot, Timestamp};
use store::{Error, Update};

use crate::counting::Counting;
use crate::model::{Model, Op, assert_same};

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;
const ROWS: u64 = 120;
pub(crate) const PAGE_BYTES: u64 = 4096;

pub(crate) fn options() -> RingOptions {
    RingOptions {
        pace: Pace { flush_cycles: 1, tile_rows_max: 2 },
        journal: JournalOptions {
            segment_bytes: 64 << 10,
            block_bytes: 512,
            segments: 2,
            ..RingOptions::default().journal
        },
        replay_threads: 0,
        ..RingOptions::default()
    }
}

fn definition() -> Definition {
    let sources = (0..4).map(|nth| format!("DS:x{nth}:GAUGE:1000:U:U"));
    let words: Vec<String> = sources.chain([format!("RRA:AVERAGE:0.5:1:{ROWS}")]).collect();
    rrd::spec::definition(STEP_SECONDS as u64, words.iter().map(String::as_str)).unwrap()
}

/// Databases of one group. Some fall silent, one after the other, while the others go on.
pub(crate) struct Crowd {
    pub(crate) engine: Engine<AnyMedium>,
    pub(crate) model: Model,
    pub(crate) names: Vec<String>,
}

impl Crowd {
    fn new(medium: impl Medium<File: 'static>, databases: usize) -> Self {
        let engine = Engine::create_store(AnyMedium::of(medium), options()).unwrap();
        let mut model = Model::default();
        let names: Vec<String> = (0..databases).map(|nth| format!("db{nth:03}")).collect();
        for name in &names {
            let start = Timestamp::from_seconds(START_SECONDS);
            engine.create(name, &definition(), start).unwrap();
            let op = Op::Create { name: name.clone(), definition: definition(), start };
            model.apply(&op).unwrap();
        }
        Self { engine, model, names }
    }

    /// One cycle: these databases are updated, all at once.
    pub(crate) fn cycle(&mut self, cycle: i64, updated: std::ops::Range<usize>) {
        assert_eq!(self.append(cycle, updated.clone()), 0);
        let time = time_of(cycle);
        for nth in updated {
            let (name, readings) = (self.names[nth].clone(), readings_of(cycle, nth));
            self.model.apply(&Op::Update { name, time, readings }).unwrap();
        }
        self.engine.work().unwrap();
    }

    /// Updates these databases. Returns how many updates were refused.
    pub(crate) fn append(&self, cycle: i64, updated: std::ops::Range<usize>) -> usize {
        let time = time_of(cycle);
        let texts: Vec<Vec<String>> = updated.clone().map(|nth| readings_of(cycle, nth)).collect();
        let readings: Vec<Vec<Reading<'_>>> =
            texts.iter().map(|texts| Reading::of_all(texts)).collect();
        let samples: Vec<[Sample<'_>; 1]> =
            readings.iter().map(|readings| [Sample { time, readings }]).collect();
        let named = self.names[updated].iter().zip(&samples);
        let appends: Vec<Update<'_>> =
            named.map(|(name, samples)| Update::of(name, samples)).collect();
        self.engine.update(&appends).len()
    }

    /// Whether a fetch of all rows of a database gives each of them; none is another value.
    pub(crate) fn fetches_all(&self, name: &str) -> bool {
        let expected: &Snapshot = &self.model.databases[name];
        let end_seconds = expected.live.last_update.seconds;
        let query = Query {
            tick: rrd::Tick::SECOND,
            cf: ConsolidationFunction::Average,
            start_seconds: end_seconds - (ROWS as i64 - 1) * STEP_SECONDS,
            end_seconds,
            step_seconds: STEP_SECONDS as u64,
        };
        let found = self.engine.fetch(name, &query).unwrap();
        let newest = found.start_seconds + STEP_SECONDS;
        // The row after the last one that there is is told as unknown.
        let skipped = ((newest - query.start_seconds) / STEP_SECONDS) as usize * 4;
        let wanted = &expected.rows[0][skipped..];
        assert!(wanted.len() >= (ROWS as usize - 1) * 4);
        let pairs = || found.values.iter().zip(wanted);
        assert!(pairs().all(|(found, wanted)| found.is_nan() || found == wanted), "{name}");
        pairs().all(|(found, wanted)| found.to_bits() == wanted.to_bits())
    }
}

fn time_of(cycle: i64) -> Timestamp {
    Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS)
}

fn readings_of(cycle: i64, nth: usize) -> Vec<String> {
    (0..4).map(|source| (cycle * 1000 + nth as i64 * 4 + source).to_string()).collect()
}

/// The databases of one group; those that fall silent, one after the other, are the first ones.
pub(crate) const DATABASES: usize = 14;
pub(crate) const SILENT: usize = 6;
/// When the rows of all of them have gone to the attic, to the last.
const CYCLES: i64 = 330;

/// The store after so many cycles.
pub(crate) fn aged(cycles: i64) -> (FaultyMedium, Crowd) {
    let medium = FaultyMedium::new(FaultPlan::default());
    let mut crowd = Crowd::new(medium.clone(), DATABASES);
    for cycle in 1..cycles {
        crowd.cycle(cycle, silent_at(cycle)..DATABASES);
    }
    (medium, crowd)
}

/// How many are silent in a cycle.
pub(crate) fn silent_at(cycle: i64) -> usize {
    ((cycle - 100).max(0) as usize / 15).min(SILENT)
}

fn with_an_attic() -> (FaultyMedium, Crowd) {
    let (medium, crowd) = aged(CYCLES);
    crowd.engine.checkpoint().unwrap();
    let group = &crowd.engine.report().groups[0];
    assert!((10..64).contains(&group.attic_pages), "{}", group.attic_pages);
    (medium, crowd)
}

pub(crate) fn attic_of(medium: &FaultyMedium) -> String {
    let names = medium.list().unwrap();
    names.into_iter().rfind(|name| name.contains("attic")).unwrap()
}

#[test]
fn a_damaged_page_costs_the_rows_that_stood_there() {
    let pages = with_an_attic().1.engine.report().groups[0].attic_pages;
    let mut whole_members = 0;
    for page in (0..pages).step_by(3) {
        let (medium, Crowd { engine, model, names }) = with_an_attic();
        let file = attic_of(&medium);
        drop(engine);
        medium.rot(&file, u64::from(page) * PAGE_BYTES + 100, 3);
        let engine = Engine::open_store(AnyMedium::of(medium.clone()), options()).unwrap();
        let mut crowd = Crowd { engine, model, names };
        let mut lost = 0;
        for (nth, name) in crowd.names.iter().enumerate() {
            let whole = crowd.fetches_all(name);
            match crowd.engine.snapshot(name) {
                Ok(found) => assert_same(name, &found, &crowd.model.databases[name]),
                Err(Error::Damaged { file: named, .. }) => assert!(named == file && !whole),
                Err(error) => panic!("{name}: {error}"),
            }
            if whole {
                crowd.engine.describe(name).unwrap();
            }
            lost += u32::from(!whole);
            whole_members += u32::from(whole && nth < SILENT);
        }
        assert!(lost > 0, "somebody's rows stood there");
        // It is named, once.
        let place = (file.as_str(), Some(u64::from(page) * PAGE_BYTES));
        let damage = crowd.engine.verify(|_, _| ()).unwrap().damage;
        let found: Vec<_> = damage.iter().map(|it| (it.file.as_str(), it.offset_bytes)).collect();
        assert_eq!(found, [place]);
        let groups = crowd.engine.report().groups;
        let damage = &groups[0].damaged_attic;
        let found: Vec<_> = damage.iter().map(|it| (it.file.as_str(), it.offset_bytes)).collect();
        assert_eq!(found, [place]);
        // The group goes on, and clears the attic out.
        (CYCLES..CYCLES + 300).for_each(|cycle| crowd.cycle(cycle, SILENT + 1..DATABASES));
        crowd.engine.checkpoint().unwrap();
        drop(crowd.engine);
        Engine::open_store(AnyMedium::of(medium), options()).unwrap().checkpoint().unwrap();
    }
    assert!(whole_members > 10, "{whole_members}");
}

#[test]
fn what_nobody_has_read_is_found_when_it_is_looked_for() {
    let (medium, crowd) = with_an_attic();
    let file = attic_of(&medium);
    drop(crowd);
    medium.rot(&file, 3 * PAGE_BYTES + 50, 0);
    let engine = Engine::open_store(AnyMedium::of(medium), options()).unwrap();
    engine.check_attics().unwrap();
    assert_eq!(engine.report().groups[0].damaged_attic.len(), 1);
}

#[test]
fn a_lost_attic_costs_its_rows_and_the_group_goes_on() {
    let (medium, Crowd { engine, model, names }) = with_an_attic();
    let file = attic_of(&medium);
    drop(engine);
    medium.remove(&file).unwrap();
    let engine = Engine::open_store(AnyMedium::of(medium), options()).unwrap();
    let mut crowd = Crowd { engine, model, names };
    let whole = |crowd: &Crowd| crowd.names.iter().filter(|name| crowd.fetches_all(name)).count();
    assert_eq!(whole(&crowd), DATABASES - SILENT);
    let damage = crowd.engine.verify(|_, _| ()).unwrap().damage;
    assert_eq!(damage.iter().map(|it| it.file.as_str()).collect::<Vec<_>>(), [file.as_str()]);
    (CYCLES..CYCLES + 200).for_each(|cycle| crowd.cycle(cycle, SILENT + 1..DATABASES));
    crowd.engine.checkpoint().unwrap();
    assert_eq!(whole(&crowd), DATABASES - SILENT, "what was lost later was saved");
}

/// So many databases make the next group one of 252.
const OTHERS: usize = 70;
/// Rows that each of the silent has in the attic.
const SAVED_ROWS: i64 = 30;

/// What a fetch of one silent database reads, among so many.
struct Cost {
    attic_pages: u64,
    read_pages: u64,
}

fn cost_among(silent: usize) -> Cost {
    let medium = Counting::of(|name| name.contains("attic"));
    let (first, databases) = (OTHERS, OTHERS + 2 * silent + 10);
    let mut crowd = Crowd::new(medium.clone(), databases);
    for cycle in 1..SAVED_ROWS + ROWS as i64 + 10 {
        let silent = if cycle <= SAVED_ROWS { 0 } else { silent };
        crowd.cycle(cycle, first + silent..databases);
    }
    crowd.engine.checkpoint().unwrap();
    let groups = crowd.engine.report().groups;
    let attic_pages = groups.iter().map(|group| u64::from(group.attic_pages)).max().unwrap();
    let name = crowd.names[first + silent / 2].clone();
    let before = medium.read().bytes;
    assert!(crowd.fetches_all(&name));
    let bytes = medium.read().bytes - before;
    Cost { attic_pages, read_pages: bytes / PAGE_BYTES }
}

#[test]
fn a_fetch_reads_its_members_pages_alone() {
    let few = cost_among(20);
    let many = cost_among(100);
    assert!(many.attic_pages > few.attic_pages * 3 / 2, "{}", many.attic_pages);
    assert!(0 < few.read_pages && few.read_pages <= SAVED_ROWS as u64 + 1, "{}", few.read_pages);
    assert!(many.read_pages <= few.read_pages, "{}", many.read_pages);
}
