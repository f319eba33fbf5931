//! A database that leaves the store (dump, export) has the rows that the store shows of it, also
//! where it ran ahead of its group and fell behind it later.

use std::collections::BTreeMap;

use disk::{AnyMedium, Fault, FaultPlan, FaultyMedium, Random, Restart, Survival};
use journal::JournalOptions;
use ring::{Engine, Pace, RingOptions};
use rrd::{Definition, Reading, Sample, Snapshot, Timestamp};
use store::Update;

use crate::model::{Model, Op, assert_same};
use crate::seeds::try_seeds;

const START_SECONDS: i64 = 1_600_000_000;
const NAMES: [&str; 3] = ["a", "b", "c"];

/// Tiles of two rows, written at every step.
fn options() -> RingOptions {
    RingOptions {
        pace: Pace { flush_cycles: 1, tile_rows_max: 2 },
        journal: JournalOptions {
            segment_bytes: 64 << 10,
            first_segment_bytes: 64 << 10,
            block_bytes: 512,
            segments: 2,
            intervals_kept: 0,
            zeros: true,
            read_ahead: false,
        },
        replay_threads: 0,
        ..RingOptions::default()
    }
}

fn definition() -> Definition {
    let sources = (0..4).map(|nth| format!("DS:x{nth}:GAUGE:1000:U:U"));
    let words: Vec<String> = sources.chain(["RRA:AVERAGE:0.5:1:20".into()]).collect();
    rrd::spec::definition(10, words.iter().map(String::as_str)).unwrap()
}

/// Three databases of one group, beside what they must hold.
struct Trio {
    medium: FaultyMedium,
    model: Model,
}

impl Trio {
    fn new() -> Self {
        let medium = FaultyMedium::new(FaultPlan::default());
        let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
        let mut model = Model::default();
        for name in NAMES {
            let start = Timestamp::from_seconds(START_SECONDS);
            engine.create(name, &definition(), start).unwrap();
            let op = Op::Create { name: name.into(), definition: definition(), start };
            model.apply(&op).unwrap();
        }
        engine.work().unwrap();
        Self { medium, model }
    }

    fn open(&self) -> Engine<AnyMedium> {
        Engine::open_store(AnyMedium::of(self.medium.clone()), options()).unwrap()
    }

    /// What one command of an operator does: it opens the store, updates a database, and ends.
    fn update(&mut self, name: &str, seconds: i64) {
        let texts: Vec<String> = (0..4).map(|source| (seconds * 10 + source).to_string()).collect();
        let time = Timestamp::from_seconds(START_SECONDS + seconds);
        let engine = self.open();
        let samples = [Sample { time, readings: &Reading::of_all(&texts) }];
        let refused = engine.update(&[Update::of(name, &samples)]);
        let op = Op::Update { name: name.into(), time, readings: texts };
        let taken = self.model.apply(&op);
        assert_eq!(refused.is_empty(), taken.is_ok(), "{refused:?}");
        engine.sync().unwrap();
        engine.work().unwrap();
    }

    fn check(&self) {
        let engine = self.open();
        for (name, expected) in &self.model.databases {
            assert_same(name, &engine.snapshot(name).unwrap(), expected);
            assert_same(name, &departed(&engine, name), expected);
        }
        assert_eq!(engine.verify(|_, _| ()).unwrap().damage, []);
    }
}

/// A database as it leaves the store.
fn departed(engine: &Engine<AnyMedium>, name: &str) -> Snapshot {
    let mut found = None;
    for party in engine.departures().of(&[name.to_owned()]).unwrap() {
        let leave = engine
            .departures()
            .leave(&party, |_, departure| found = Some(departure.unwrap().snapshot));
        leave.unwrap();
    }
    found.expect("it is there")
}

#[test]
fn a_member_that_ran_ahead_and_fell_behind_leaves_with_all_its_rows() {
    let mut trio = Trio::new();
    // The row of c at 320 is far ahead of the group and goes to the attic. The block that it is in
    // becomes a tile, and goes to the attic as a whole when the ring has come round.
    for (name, seconds) in [("c", 50), ("b", 10), ("a", 350), ("c", 320), ("c", 670)] {
        trio.update(name, seconds);
    }
    trio.check();
}

/// Members that are silent for long and leap, in any order.
#[test]
fn silent_and_leaping_members_leave_with_all_their_rows() {
    try_seeds(60, &[], |seed| {
        let mut random = Random::new(seed);
        let mut trio = Trio::new();
        let mut last_seconds = [0_i64; NAMES.len()];
        let mut newest_seconds = 0;
        for step in 0..30 {
            let nth = random.below(NAMES.len() as u64) as usize;
            let leap = [10, 10, 10, 20, 50, 150, 350][random.below(7) as usize];
            let catches_up = random.below(6) == 0 && newest_seconds > last_seconds[nth];
            last_seconds[nth] = if catches_up { newest_seconds } else { last_seconds[nth] + leap };
            newest_seconds = newest_seconds.max(last_seconds[nth]);
            trio.update(NAMES[nth], last_seconds[nth]);
            if step % 10 == 9 {
                trio.check();
            }
        }
    });
}

/// Where a power cut tore a tile that was being written, nobody needs its rows: that is no damage,
/// neither for a fetch nor for a database that leaves.
#[test]
fn a_torn_tile_keeps_no_database_from_leaving() {
    let mut torn = 0;
    for call in 0..2_000 {
        let at = BTreeMap::from([(call, Fault::Crash)]);
        let plan =
            FaultPlan { seed: call, at, survival: Survival::ByChance, ..FaultPlan::default() };
        let medium = FaultyMedium::new(plan);
        let crashed = live_until_it_crashes(&medium).is_none();
        let medium = medium.restart(Restart::PowerCut, FaultPlan::default());
        let Ok(engine) = Engine::open_store(AnyMedium::of(medium), options()) else { continue };
        for name in engine.names().unwrap() {
            assert_same(&name, &departed(&engine, &name), &engine.snapshot(&name).unwrap());
        }
        torn += u32::from(crashed);
        if !crashed {
            break;
        }
    }
    assert!(torn > 100, "{torn}");
}

/// Two databases in step and one that is silent; `None` once the machine has failed.
fn live_until_it_crashes(medium: &FaultyMedium) -> Option<()> {
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).ok()?;
    for name in NAMES {
        engine.create(name, &definition(), Timestamp::from_seconds(START_SECONDS)).ok()?;
    }
    for cycle in 1..40 {
        let names = if cycle < 8 { &NAMES[..] } else { &NAMES[..2] };
        for name in names {
            let text = cycle.to_string();
            let time = Timestamp::from_seconds(START_SECONDS + cycle * 10);
            let samples = [Sample { time, readings: &[text.as_str(); 4].map(Reading::of) }];
            engine.update(&[Update::of(name, &samples)]).is_empty().then_some(())?;
        }
        engine.work().ok()?;
    }
    Some(())
}
