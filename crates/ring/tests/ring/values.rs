//! Values as rrdcached's protocol has them.

use disk::{AnyMedium, FaultPlan, FaultyMedium};
use ring::{Engine, RingOptions};
use rrd::sample::SampleError;
use rrd::{Definition, Timestamp};
use store::{Error, Refused, Update};

fn definition() -> Definition {
    let words = ["DS:a:COUNTER:600:U:U", "DS:b:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:100"];
    rrd::spec::definition(300, words).unwrap()
}

fn engine() -> Engine<AnyMedium> {
    let medium = FaultyMedium::new(FaultPlan::default());
    let options = RingOptions { replay_threads: 0, ..RingOptions::default() };
    let engine = Engine::create_store(AnyMedium::of(medium), options).unwrap();
    for name in ["one", "two", "three"] {
        engine.create(name, &definition(), Timestamp::from_seconds(900)).unwrap();
    }
    engine
}

fn last_update(engine: &Engine<AnyMedium>, name: &str) -> i64 {
    engine.describe(name).unwrap().1.last_update.seconds
}

#[test]
fn values_before_a_refused_one_are_taken() {
    let engine = engine();
    let batch = [
        Update::numbered("two", &["1000:1:0.5", "1300:2:1e3", "1300:3:1", "1600:4:2"]),
        Update::numbered("none", &["1000:1:2"]),
        Update::numbered("one", &["1000:1:2"]),
        Update::numbered("two", &["1900:5:U"]),
        Update::numbered("one", &["1001:1"]),
        Update::numbered("three", &["1000:x:2"]),
    ];
    let refused = engine.update(&batch);
    let places: Vec<(usize, usize)> =
        refused.iter().map(|(nth, refused)| (*nth, refused.taken)).collect();
    assert_eq!(places, [(0, 2), (1, 0), (4, 0), (5, 0)]);
    assert_eq!(["one", "two", "three"].map(|name| last_update(&engine, name)), [1000, 1900, 900]);
}

#[test]
fn times_are_numbers() {
    let engine = engine();
    for value in ["N:1:2", "now@1:2", "later:1:2"] {
        let refused = engine.update(&[Update::numbered("one", &[value])]);
        let [(0, Refused { error: Error::Sample { source, .. }, taken: 0 })] = &refused[..] else {
            panic!("{value}: {refused:?}");
        };
        assert_eq!(*source, SampleError::NoTime(value.into()));
    }
    assert_eq!(last_update(&engine, "one"), 900);
}
