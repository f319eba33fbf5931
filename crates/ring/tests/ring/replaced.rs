//! A database that is made in place of another: a crash leaves the old one or the new one.

use std::collections::BTreeMap;

use disk::{AnyMedium, Fault, FaultPlan, FaultyMedium, Restart, Survival};
use journal::JournalOptions;
use ring::{Engine, RingOptions};
use rrd::{Definition, Timestamp};
use store::{Existing, Making, NewDatabase};

const START: i64 = 1_600_000_000;
/// So many that their records need several frames.
const DATABASES: usize = 40;
/// Later than the start of the old ones.
const LATER: i64 = START + 100;

fn options() -> RingOptions {
    let journal = JournalOptions {
        segment_bytes: 8 << 10,
        first_segment_bytes: 8 << 10,
        block_bytes: 512,
        segments: 2,
        read_ahead: false,
        ..JournalOptions::default()
    };
    RingOptions { journal, replay_threads: 0, ..RingOptions::default() }
}

fn definition() -> Definition {
    let sources = (0..20).map(|nth| format!("DS:source{nth}:GAUGE:1000:U:U"));
    let specs: Vec<String> = sources.chain(["RRA:LAST:0.5:1:6".to_owned()]).collect();
    rrd::spec::definition(10, specs.iter().map(String::as_str)).unwrap()
}

fn make_all(engine: &Engine<AnyMedium>, start: i64) -> bool {
    let (definition, start) = (definition(), Timestamp::from_seconds(start));
    let names: Vec<String> = (0..DATABASES).map(|nth| format!("d{nth}")).collect();
    let new = names.iter().map(|name| NewDatabase {
        name: name.as_ref(),
        definition: &definition,
        start,
    });
    let existing = Existing::Replace;
    let makings: Vec<Making<'_>> = new.map(|new| Making { existing, ..Making::new(new) }).collect();
    engine.make_all_while(&makings, &|| true).is_empty()
}

/// The old databases, and new ones in their place, on a machine that crashes at some call of that.
/// Gives whether it was acknowledged, and the calls before and after.
fn replaced(crash_at: Option<u64>) -> (FaultyMedium, bool, [u64; 2]) {
    let at = crash_at.map(|call| (call, Fault::Crash)).into_iter().collect();
    let plan = FaultPlan { at, survival: Survival::Everything, ..FaultPlan::default() };
    let medium = FaultyMedium::new(plan);
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    assert!(make_all(&engine, START));
    let before = medium.calls();
    let done = make_all(&engine, LATER);
    let calls = [before, medium.calls()];
    (medium, done, calls)
}

#[test]
fn a_crash_leaves_the_old_one_or_the_new_one() {
    let (_, done, [before, after]) = replaced(None);
    assert!(done && after - before > 4, "the records take several frames");
    let mut found: BTreeMap<i64, usize> = BTreeMap::new();
    for call in before..after {
        let (medium, done, _) = replaced(Some(call));
        assert!(!done);
        let medium = medium.restart(Restart::PowerCut, FaultPlan::default());
        let engine = Engine::open_store(AnyMedium::of(medium), options()).unwrap();
        for nth in 0..DATABASES {
            let (_, live) = engine.describe(&format!("d{nth}")).unwrap();
            *found.entry(live.last_update.seconds).or_default() += 1;
        }
    }
    assert!(found[&START] > 0 && found[&LATER] > 0, "{found:?}");
    assert_eq!(found.len(), 2);
}
