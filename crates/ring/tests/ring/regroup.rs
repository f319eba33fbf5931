//! Databases that come one by one do not keep a group each; groups that are left give their files
//! back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};
use std::{fmt, io};

use disk::{
    AnyMedium, Fault, FaultPlan, Medium, MediumFile, MemoryFile, MemoryMedium, Restart, Survival,
};
use journal::JournalOptions;
use ring::file::{Departure, adoptee};
use ring::{Engine, Pace, RingOptions};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Definition, Reading, Sample, Snapshot, Timestamp};
use store::SourceTuning;
use store::{Error, Update};

use crate::calls::some_calls;
use crate::model::{Model, Op, assert_same};
use crate::simulation::{Readings, Simulation};

const START_SECONDS: i64 = 1_600_000_000;
const STEP_SECONDS: i64 = 10;

fn options() -> RingOptions {
    RingOptions {
        pace: Pace { flush_cycles: 4, tile_rows_max: 4 },
        journal: JournalOptions {
            segment_bytes: 32 << 10,
            first_segment_bytes: 32 << 10,
            block_bytes: 512,
            segments: 2,
            intervals_kept: 0,
            zeros: true,
            read_ahead: false,
        },
        replay_threads: 0,
        log_bytes_max: Some(20_000),
        ..RingOptions::default()
    }
}

fn definition() -> Definition {
    let words =
        ["DS:x:GAUGE:100:U:U", "RRA:AVERAGE:0.5:1:30", "RRA:MAX:0.5:1:30", "RRA:MIN:0.5:3:20"];
    rrd::spec::definition(STEP_SECONDS as u64, words).unwrap()
}

fn name(nth: usize) -> String {
    format!("site/{nth:04}")
}

/// A database with a few updates, as a dump of another store has it.
fn database(nth: usize) -> Snapshot {
    let mut model = Model::default();
    // Some were silent for long, one is ahead of all others.
    let lead = [0, 0, 0, -25, 0, 0, -70, 0, 40][nth % 9];
    let first = START_SECONDS + lead * STEP_SECONDS;
    let start = Timestamp::from_seconds(first - 10 * STEP_SECONDS);
    let create = Op::Create { name: name(nth), definition: definition(), start };
    model.apply(&create).unwrap();
    for cycle in -8..=0 {
        let time = Timestamp::from_seconds(first + cycle * STEP_SECONDS + nth as i64 % 7);
        let readings = vec![(nth as i64 * 31 + cycle).to_string()];
        model.apply(&Op::Update { name: name(nth), time, readings }).unwrap();
    }
    model.databases.remove(&name(nth)).unwrap()
}

/// So many sources that a page has few rows: most of them stand in tiles.
fn wide_database() -> Snapshot {
    let sources = (0..30).map(|nth| format!("DS:x{nth}:GAUGE:1000:U:U"));
    let words: Vec<String> = sources.chain(["RRA:AVERAGE:0.5:1:60".into()]).collect();
    let definition = rrd::spec::definition(STEP_SECONDS as u64, words.iter().map(String::as_str));
    let mut model = Model::default();
    let start = Timestamp::from_seconds(START_SECONDS);
    let create = Op::Create { name: "wide".into(), definition: definition.unwrap(), start };
    model.apply(&create).unwrap();
    for cycle in 1..80 {
        let time = Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS);
        let readings = (0..30).map(|nth| (cycle * 31 + nth).to_string()).collect();
        model.apply(&Op::Update { name: "wide".into(), time, readings }).unwrap();
    }
    model.databases.remove("wide").unwrap()
}

fn idle<M: Medium<File: 'static>>(engine: &Engine<M>) {
    engine.work().unwrap();
    while engine.upkeep().regroup_once().unwrap() {
        engine.work().unwrap();
    }
}

fn groups<M: Medium<File: 'static>>(engine: &Engine<M>) -> Vec<usize> {
    engine.report().groups.iter().map(|group| group.databases).collect()
}

/// The groups whose files lie in a directory.
fn groups_there(medium: &impl Medium) -> BTreeSet<u32> {
    let names = medium.list().unwrap();
    names.iter().filter_map(|name| ring::copied::group_of(name)).collect()
}

fn update<M: Medium<File: 'static>>(engine: &Engine<M>, name: &str, seconds: i64) {
    let time = Timestamp::from_seconds(START_SECONDS + seconds);
    let text = seconds.to_string();
    let samples = [Sample { time, readings: &[text.as_str()].map(Reading::of) }];
    let refused = engine.update(&[Update::of(name, &samples)]);
    assert!(refused.is_empty(), "{refused:?}");
}

/// What a store answers about every database, by name: as a file, and to a query.
fn answers<M: Medium<File: 'static>>(engine: &Engine<M>) -> BTreeMap<String, String> {
    let mut answers = BTreeMap::new();
    for party in engine.departures().all() {
        let leave = engine.departures().leave(&party, |name, departure| {
            let departure: Departure = departure.unwrap();
            let query = Query {
                tick: rrd::Tick::SECOND,
                cf: ConsolidationFunction::Max,
                start_seconds: START_SECONDS - 300,
                end_seconds: START_SECONDS + 300,
                step_seconds: 1,
            };
            let fetched = engine.fetch(name, &query).unwrap();
            let described = engine.describe(name).unwrap();
            let file = departure.file_bytes().unwrap();
            let foreign = departure.foreign;
            answers.insert(name.into(), format!("{fetched:?} {described:?} {file:?} {foreign:?}"));
        });
        leave.unwrap();
    }
    answers
}

#[test]
fn databases_that_are_restored_one_by_one_share_a_group() {
    let engine = Engine::create_store(AnyMedium::of(MemoryMedium::default()), options()).unwrap();
    (0..200).for_each(|nth| engine.restore(&name(nth), &database(nth)).unwrap());
    assert_eq!(groups(&engine).len(), 200);
    let before = answers(&engine);
    idle(&engine);
    assert_eq!(groups(&engine), [200]);
    assert_eq!(answers(&engine), before);
    (0..200).for_each(|nth| {
        assert_same(&name(nth), &engine.snapshot(&name(nth)).unwrap(), &database(nth));
    });
    assert_eq!(engine.verify(|_, _| ()).unwrap().damage, []);
}

#[test]
fn each_database_is_moved_a_few_times_however_many_come_one_after_the_other() {
    let medium = MemoryMedium::default();
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    let mut copied = 0;
    for nth in 0..600 {
        engine.restore(&name(nth), &database(nth)).unwrap();
        engine.work().unwrap();
        loop {
            let before = groups_there(&medium);
            if !engine.upkeep().regroup_once().unwrap() {
                break;
            }
            let came = engine.report().groups.into_iter().filter(|it| !before.contains(&it.group));
            copied += came.map(|group| group.databases).sum::<usize>();
        }
    }
    // Of 8, of 64 and of 512; at most seven of each size but the largest wait for others.
    let mut sizes = groups(&engine);
    sizes.sort_unstable();
    assert_eq!(sizes, [8, 8, 8, 64, 512]);
    assert_eq!(copied, 600 + 576 + 512);
    assert_eq!(groups_there(&medium).len(), sizes.len());
}

#[test]
fn what_a_database_has_of_its_own_goes_with_it() {
    let medium = MemoryMedium::default();
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    for nth in 0..20 {
        let database = database(nth);
        let newest = database
            .definition
            .archives
            .iter()
            .map(|archive| rrdfile::layout::RowIndex((nth as u64 * 5 + 3) % archive.rows));
        let mut file = rrdfile::encode(&database, newest.collect()).unwrap();
        file.extend_from_slice(format!("behind the rows of {nth}").as_bytes());
        let adoptee = adoptee(&name(nth), &file, 1_000 + nth as i64).unwrap();
        engine.adopt(&[adoptee]).unwrap();
    }
    let heartbeat_seconds = 50;
    let (minimum, maximum) = (-5.0, 1e9);
    engine
        .tune(&name(3), &SourceTuning { source: 0, heartbeat_seconds, minimum, maximum })
        .unwrap();
    engine.rename(&name(4), "renamed").unwrap();
    // A gap longer than a ring moves the row pointers against time; late ones wait for a flush.
    (5..9).for_each(|nth| update(&engine, &name(nth), 45 * STEP_SECONDS));
    engine.checkpoint().unwrap();
    update(&engine, &name(9), 9 * STEP_SECONDS);
    let before = answers(&engine);
    idle(&engine);
    assert_eq!(groups(&engine), [20]);
    assert_eq!(answers(&engine), before);
    assert_eq!(engine.came_from(&name(7), 1_007).unwrap(), Some(true));
    drop(engine);
    let engine = Engine::open_store(AnyMedium::of(medium), options()).unwrap();
    assert_eq!(answers(&engine), before);
    // And goes on from there.
    update(&engine, &name(9), 60 * STEP_SECONDS);
    let foreign = answers(&engine);
    assert_ne!(foreign[&name(9)], before[&name(9)]);
    engine.checkpoint().unwrap();
    assert_eq!(answers(&engine), foreign);
}

#[test]
fn groups_whose_databases_are_deleted_or_reshaped_give_their_files_back() {
    let medium = MemoryMedium::default();
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    (0..3).for_each(|nth| engine.restore(&name(nth), &database(nth)).unwrap());
    let mut other = definition();
    other.archives.pop();
    engine.reshape(&name(0), &other).unwrap();
    engine.delete(&name(1)).unwrap();
    assert_eq!(groups_there(&medium).len(), 4);
    idle(&engine);
    let left = BTreeSet::from([2, 3]);
    assert_eq!(groups_there(&medium), left);
    // Its number is not given away as long as the log may name it.
    engine.restore(&name(4), &database(4)).unwrap();
    assert_eq!(groups_there(&medium), BTreeSet::from([2, 3, 4]));
    let before = answers(&engine);
    drop(engine);
    let engine = Engine::open_store(AnyMedium::of(medium.clone()), options()).unwrap();
    assert_eq!(answers(&engine), before);
    engine.restore(&name(5), &database(5)).unwrap();
    assert_eq!(groups_there(&medium), BTreeSet::from([2, 3, 4, 5]));
    // Once it is freed it is.
    for cycle in 50..2_000 {
        update(&engine, &name(5), cycle * STEP_SECONDS);
        engine.work().unwrap();
    }
    engine.checkpoint().unwrap();
    engine.checkpoint().unwrap();
    engine.restore(&name(6), &database(6)).unwrap();
    let there = groups_there(&medium);
    assert!(there.contains(&0) || there.contains(&1), "{there:?}");
}

/// The checkpoints of a group may be the only ones that say how far the log was freed.
#[test]
fn a_store_opens_whose_log_was_freed_for_a_group_that_is_gone() {
    let medium = MemoryMedium::default();
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    (0..2).for_each(|nth| engine.restore(&name(nth), &database(nth)).unwrap());
    for cycle in 50..4_000 {
        update(&engine, &name(1), cycle * STEP_SECONDS);
        engine.work().unwrap();
    }
    engine.delete(&name(1)).unwrap();
    idle(&engine);
    assert_eq!(groups_there(&medium), BTreeSet::from([0]));
    drop(engine);
    for kept in 0..2 {
        // One of the checkpoints that say so may rot.
        let copy = medium.clone();
        let rotten = copy.open(["000000.a", "000000.b"][kept]).unwrap();
        let bytes = rotten.to_bytes();
        rotten.write_at(&[7; 64], 0).unwrap();
        let engine = Engine::open_store(AnyMedium::of(copy), options()).unwrap();
        assert_same("0", &engine.snapshot(&name(0)).unwrap(), &database(0));
        rotten.write_at(&bytes, 0).unwrap();
    }
}

#[test]
fn the_last_group_stays_and_takes_the_next_database() {
    let medium = MemoryMedium::default();
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    let start = Timestamp::from_seconds(START_SECONDS);
    engine.create("a", &definition(), start).unwrap();
    engine.delete("a").unwrap();
    engine.checkpoint().unwrap();
    idle(&engine);
    assert_eq!(groups_there(&medium), BTreeSet::from([0]));
    engine.create("b", &definition(), start).unwrap();
    assert_eq!(groups_there(&medium), BTreeSet::from([0]));
}

#[test]
fn nobody_is_moved_while_databases_are_leaving() {
    let engine = Engine::create_store(AnyMedium::of(MemoryMedium::default()), options()).unwrap();
    (0..10).for_each(|nth| engine.restore(&name(nth), &database(nth)).unwrap());
    let parties = engine.departures().all();
    idle(&engine);
    assert_eq!(groups(&engine).len(), 10);
    drop(parties);
    idle(&engine);
    assert_eq!(groups(&engine), [10]);
}

/// A directory in memory that lets something happen when a directory is synced: between the copy of
/// databases and the commit that puts the copy in their place.
#[derive(Clone, Default)]
struct BusyMedium {
    medium: MemoryMedium,
    meanwhile: Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>,
}

impl fmt::Debug for BusyMedium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.medium.fmt(f)
    }
}

impl Medium for BusyMedium {
    type File = MemoryFile;

    fn create(&self, name: &str) -> io::Result<MemoryFile> {
        self.medium.create(name)
    }

    fn open(&self, name: &str) -> io::Result<MemoryFile> {
        self.medium.open(name)
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
        if let Some(meanwhile) = self.meanwhile.get() {
            meanwhile();
        }
        self.medium.sync_directory()
    }
}

/// A store of databases that came one by one, and what is done to it while groups are put together.
fn busy_store(
    count: usize,
    meanwhile: impl Fn(&Engine<AnyMedium>) + Send + Sync + 'static,
) -> (Arc<Engine<AnyMedium>>, BusyMedium) {
    let medium = BusyMedium::default();
    let engine = Arc::new(Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap());
    (0..count).for_each(|nth| engine.restore(&name(nth), &database(nth)).unwrap());
    let weak = Arc::downgrade(&engine);
    let happen = move || meanwhile(&weak.upgrade().unwrap());
    assert!(medium.meanwhile.set(Box::new(happen)).is_ok());
    (engine, medium)
}

#[test]
fn who_is_changed_meanwhile_stays_and_loses_nothing() {
    let happened = Mutex::new(false);
    let (engine, medium) = busy_store(16, move |engine| {
        let mut happened = happened.lock().unwrap();
        if std::mem::replace(&mut *happened, true) {
            return;
        }
        update(engine, &name(1), 15 * STEP_SECONDS);
        engine.delete(&name(2)).unwrap();
        engine.rename(&name(4), "renamed").unwrap();
        let tuning = SourceTuning { source: 0, heartbeat_seconds: 77, minimum: 0.0, maximum: 1.0 };
        engine.tune(&name(5), &tuning).unwrap();
    });
    assert!(engine.upkeep().regroup_once().unwrap());
    let mut sizes = groups(&engine);
    sizes.sort_unstable();
    let emptied = 13; // of those that were moved, and of the one that is deleted
    assert_eq!(sizes, [vec![0; emptied], vec![1; 3], vec![12]].concat());
    let expected = answers(&engine);
    assert_eq!(expected.len(), 15);
    let newest = |name: &str| engine.describe(name).unwrap().1.last_update.seconds;
    assert_eq!(newest(&name(1)), START_SECONDS + 15 * STEP_SECONDS);
    assert_eq!(engine.describe(&name(5)).unwrap().0.sources[0].heartbeat_seconds, 77);
    assert!(!engine.has(&name(2)) && !engine.has(&name(4)) && engine.has("renamed"));
    idle(&engine);
    assert_eq!(answers(&engine), expected);
    // Those that came out of order are there after a restart, too.
    medium.meanwhile.get().unwrap()();
    let engine = Engine::open_store(AnyMedium::of(medium.medium.clone()), options()).unwrap();
    assert_eq!(answers(&engine), expected);
    let mut model = Model::default();
    model.databases.insert(name(0), database(0));
    model
        .apply(&Op::Update {
            name: name(0),
            time: Timestamp::from_seconds(START_SECONDS + 20 * STEP_SECONDS),
            readings: vec!["200".into()],
        })
        .unwrap();
    update(&engine, &name(0), 20 * STEP_SECONDS);
    assert_same("0", &engine.snapshot(&name(0)).unwrap(), &model.databases[&name(0)]);
}

#[test]
fn who_is_updated_all_the_time_is_tried_seldom() {
    const LOOKS: usize = 5_000;
    let tries = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&tries);
    let (engine, medium) = busy_store(9, move |engine| {
        let mut tries = counted.lock().unwrap();
        *tries += 1;
        (0..9).for_each(|nth| update(engine, &name(nth), (100 + *tries) * STEP_SECONDS));
    });
    for _ in 0..LOOKS {
        engine.upkeep().regroup_once().unwrap();
    }
    assert_eq!(groups(&engine).len(), 9);
    assert!((5..50).contains(&*tries.lock().unwrap()), "{tries:?}");
    assert_eq!(groups_there(&medium).len(), 9, "nothing is left of what was tried");
}

#[test]
fn a_damaged_database_stays_where_its_damage_can_be_told() {
    let medium = MemoryMedium::default();
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    (0..9).for_each(|nth| engine.restore(&name(nth), &wide_database()).unwrap());
    let tiles = medium.open("000004.tiles").unwrap();
    let size = tiles.len_bytes().unwrap() as usize;
    tiles.write_at(&vec![7; size], 0).unwrap();
    idle(&engine);
    let mut sizes = groups(&engine);
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 8]);
    let damage = engine.snapshot(&name(4)).unwrap_err();
    assert!(matches!(damage, Error::Damaged { .. }), "{damage}");
    assert!((0..100).all(|_| engine.upkeep().regroup_once().is_ok()));
}

/// Something that happens in the scenario.
enum Step {
    Restore(usize),
    Update(usize, i64),
    Delete(usize),
    Regroup,
    Work,
    Checkpoint,
}

/// Databases come one by one, are put together twice, and go on.
fn scenario() -> Vec<Step> {
    let mut steps: Vec<Step> = (0..3).map(Step::Restore).collect();
    steps.extend([Step::Update(1, 50), Step::Work, Step::Regroup]);
    steps.extend((0..3).map(|nth| Step::Update(nth, 51)));
    steps.extend([Step::Work, Step::Checkpoint, Step::Restore(3), Step::Restore(1)]);
    steps.extend([Step::Update(3, 52), Step::Delete(2), Step::Regroup, Step::Update(0, 53)]);
    steps.extend([Step::Restore(4), Step::Update(1, 54), Step::Work, Step::Regroup]);
    steps
}

fn take(simulation: &mut Simulation, step: &Step) {
    let there = |simulation: &Simulation, nth| simulation.live.databases.contains_key(&name(nth));
    match *step {
        Step::Restore(nth) => {
            let known = simulation.live.databases.get(&name(nth)).cloned();
            simulation.restore(&name(nth), &known.unwrap_or_else(|| database(nth)));
        }
        Step::Update(nth, cycle) if there(simulation, nth) => {
            let time = Timestamp::from_seconds(START_SECONDS + cycle * STEP_SECONDS);
            let samples = vec![(time, vec![cycle.to_string()])];
            simulation.append(&[Readings { name: name(nth), samples }]);
        }
        Step::Delete(nth) if there(simulation, nth) => simulation.delete(&name(nth)),
        Step::Regroup => simulation.regroup(),
        Step::Work => simulation.work(),
        Step::Checkpoint => simulation.checkpoint(),
        _ => {}
    }
}

fn run(plan: FaultPlan) -> Simulation {
    let options = RingOptions { regroup_from: 2, ..options() };
    let mut simulation = Simulation::new(options, plan);
    while !simulation.open() {
        simulation.engine = None;
        if simulation.medium.has_crashed() {
            return simulation;
        }
    }
    for step in &scenario() {
        take(&mut simulation, step);
        if simulation.medium.has_crashed() || simulation.stopped {
            break;
        }
    }
    simulation
}

/// Everything is there and whole, and groups are put together and removed as if nothing had been.
fn check_next_lives(simulation: &mut Simulation) {
    assert!(simulation.open(), "a machine without faults");
    simulation.look_at_files();
    for step in &scenario() {
        take(simulation, step);
    }
    simulation.look_at_all();
    simulation.checkpoint();
    assert_eq!(simulation.engine().verify(|_, _| ()).unwrap().damage, []);
    simulation.look_at_files();
    let groups = simulation.engine().report().groups;
    assert!(groups.iter().all(|group| group.databases > 0), "{groups:?}");
    simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
    assert!(simulation.open(), "a machine without faults");
    simulation.look_at_files();
}

fn calls_without_faults() -> u64 {
    let mut simulation = run(FaultPlan::default());
    assert_eq!(simulation.engine().report().groups.len(), 1);
    let calls = simulation.medium.calls();
    simulation.restart(Restart::Process, FaultPlan::default(), true);
    check_next_lives(&mut simulation);
    calls
}

fn one_fault(call: u64, fault: Fault, survival: Survival) -> FaultPlan {
    FaultPlan { seed: call, at: BTreeMap::from([(call, fault)]), survival, ..FaultPlan::default() }
}

/// `GYRE_THOROUGH=1` tries every kind of fault at every call; else each call has one, in turn.
fn some<T: Copy, const KINDS: usize>(call: u64, kinds: [T; KINDS]) -> Vec<T> {
    match std::env::var_os("GYRE_THOROUGH") {
        Some(_) => kinds.to_vec(),
        None => vec![kinds[call as usize % KINDS]],
    }
}

#[test]
fn a_crash_at_any_call_while_groups_are_put_together() {
    for call in some_calls(0..calls_without_faults()) {
        for survival in some(call, [Survival::Nothing, Survival::Everything, Survival::ByChance]) {
            let mut simulation = run(one_fault(call, Fault::Crash, survival));
            assert!(simulation.medium.has_crashed());
            simulation.restart(Restart::PowerCut, FaultPlan::default(), true);
            check_next_lives(&mut simulation);
        }
    }
}

#[test]
fn every_other_fault_at_any_call_while_groups_are_put_together() {
    for call in some_calls(0..calls_without_faults()) {
        let faults = [Fault::IoError, Fault::NoSpace, Fault::ShortWrite, Fault::FailedSync];
        for fault in some(call, faults) {
            let how = [Restart::PowerCut, Restart::Process][call as usize % 2];
            let mut simulation = run(one_fault(call, fault, Survival::ByChance));
            simulation.restart(how, FaultPlan::default(), true);
            check_next_lives(&mut simulation);
        }
    }
}

/// What the rows of one database, and what it takes in memory, cost before and after.
#[test]
fn databases_of_one_group_take_less_room_than_each_in_its_own() {
    let medium = MemoryMedium::default();
    let engine =
        Engine::create_store(AnyMedium::of(medium.clone()), RingOptions::default()).unwrap();
    let archives = [(1, 600), (6, 700), (24, 775), (288, 797)];
    let archives = archives.into_iter().flat_map(|(pdps, rows)| {
        ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
    });
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    let words: Vec<String> = sources.into_iter().chain(archives).collect();
    let definition = rrd::spec::definition(300, words.iter().map(String::as_str)).unwrap();
    let start = Timestamp::from_seconds(START_SECONDS);
    let mut model = Model::default();
    model.apply(&Op::Create { name: name(0), definition, start }).unwrap();
    for cycle in 1..40 {
        let time = Timestamp::from_seconds(START_SECONDS + cycle * 300);
        let readings = (1..3).map(|source| (cycle * 1000 * source).to_string()).collect();
        model.apply(&Op::Update { name: name(0), time, readings }).unwrap();
    }
    (0..200).for_each(|nth| engine.restore(&name(nth), &model.databases[&name(0)]).unwrap());
    let of_each = || {
        let is_group = |file: &&String| ring::copied::group_of(file).is_some();
        let names = medium.list().unwrap();
        let sizes = names.iter().filter(is_group).map(|name| medium.open(name)?.len_bytes());
        let disk_bytes = sizes.sum::<io::Result<u64>>().unwrap() / 200;
        let groups = engine.report().groups;
        let memory_bytes = groups.iter().map(|group| group.memory_bytes as u64).sum::<u64>() / 200;
        (disk_bytes, memory_bytes)
    };
    let (disk_before, memory_before) = of_each();
    idle(&engine);
    let (disk_after, memory_after) = of_each();
    println!(
        "{disk_before} bytes of disk and {memory_before} of memory each; {disk_after} and {memory_after}"
    );
    assert!(disk_after < disk_before, "{disk_before} {disk_after}");
    assert!(10 * memory_after < memory_before, "{memory_before} {memory_after}");
}
