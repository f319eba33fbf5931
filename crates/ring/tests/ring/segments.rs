//! A store whose log has large segments only, as stores once were made, is opened as it is.

use disk::{AnyMedium, Medium as _, MediumFile as _, MemoryMedium};
use ring::{Engine, RingOptions};
use rrd::fetch::Query;
use rrd::{ConsolidationFunction, Reading, Sample, Timestamp};
use store::Update;

const START: i64 = 1_600_000_000;

fn time(step: i64) -> Timestamp {
    Timestamp::from_seconds(START + step * 10)
}

fn take(engine: &Engine<AnyMedium>, steps: std::ops::Range<i64>) {
    for step in steps {
        let reading = step.to_string();
        let samples = [Sample { time: time(step), readings: &[Reading::of(&reading)] }];
        assert!(engine.update(&[Update::of("a", &samples)]).is_empty());
    }
}

/// The rows from the first step on, as far as they are known.
fn rows(engine: &Engine<AnyMedium>) -> Vec<f64> {
    let cf = ConsolidationFunction::Average;
    let query = Query {
        tick: rrd::Tick::SECOND,
        cf,
        start_seconds: START,
        end_seconds: START + 400,
        step_seconds: 10,
    };
    let series = engine.fetch("a", &query).unwrap();
    series.values.into_iter().filter(|value| !value.is_nan()).collect()
}

#[test]
fn a_store_with_large_segments_is_opened_as_it_is() {
    let medium = MemoryMedium::default();
    let usual = RingOptions { replay_threads: 0, ..RingOptions::default() };
    let mut old = usual;
    old.journal.first_segment_bytes = old.journal.segment_bytes;
    let sizes = || -> Vec<u64> {
        let names = medium.list().unwrap().into_iter();
        let segments = names.filter(|name| journal::is_segment(name));
        segments.map(|name| medium.open(&name).unwrap().len_bytes().unwrap()).collect()
    };
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), old).unwrap();
    let definition = rrd::spec::definition(10, ["DS:x:GAUGE:60:U:U", "RRA:AVERAGE:0.5:1:100"]);
    engine.create("a", &definition.unwrap(), time(0)).unwrap();
    engine.upkeep().prepare_log().unwrap();
    take(&engine, 1..15);
    let made = sizes();
    assert_eq!(made, [16 << 20; 5]);
    drop(engine); // as a kill
    let engine = Engine::open_store(AnyMedium::of(medium.clone()), usual).unwrap();
    assert_eq!(rows(&engine), (1..15).map(f64::from).collect::<Vec<_>>());
    engine.upkeep().prepare_log().unwrap();
    take(&engine, 15..30);
    engine.work().unwrap();
    assert_eq!(sizes(), made);
    drop(engine);
    let engine = Engine::open_store(AnyMedium::of(medium.clone()), usual).unwrap();
    assert_eq!(rows(&engine), (1..30).map(f64::from).collect::<Vec<_>>());
}
