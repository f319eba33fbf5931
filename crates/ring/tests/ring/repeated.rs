//! After the log failed, samples are kept and not acknowledged: the same sample again is
//! acknowledged once it is on disk.

use std::collections::BTreeMap;

use disk::{AnyMedium, Fault, FaultPlan, FaultyMedium, Restart};
use ring::{Engine, RingOptions};
use rrd::{Reading, Sample, Timestamp};
use store::{Error, Update};

const START: i64 = 1_600_000_000;
/// Calls that fail: both tries of three commits, each with its write and its sync.
const FAILING: u64 = 8;

fn options() -> RingOptions {
    RingOptions { replay_threads: 0, ..RingOptions::default() }
}

/// A store with a database, on a machine whose syncs fail from some call on.
fn store(failing_from: Option<u64>) -> (FaultyMedium, Engine<AnyMedium>) {
    let failing = failing_from.map_or(0..0, |from| from..from + FAILING);
    let at: BTreeMap<u64, Fault> = failing.map(|call| (call, Fault::FailedSync)).collect();
    let medium = FaultyMedium::new(FaultPlan { at, ..FaultPlan::default() });
    let engine = Engine::create_store(AnyMedium::of(medium.clone()), options()).unwrap();
    let specs = ["DS:x:GAUGE:100:U:U", "RRA:LAST:0.5:1:30"];
    let definition = rrd::spec::definition(10, specs).unwrap();
    engine.create("a", &definition, Timestamp::from_seconds(START)).unwrap();
    (medium, engine)
}

fn append(engine: &Engine<AnyMedium>, seconds: i64, reading: &str) -> Result<(), Error> {
    let samples = [Sample {
        time: Timestamp::from_seconds(START + seconds),
        readings: &[reading].map(Reading::of),
    }];
    let failures = engine.update(&[Update::of("a", &samples)]);
    failures.into_iter().next().map_or(Ok(()), |(_, refused)| Err(refused.error))
}

fn update(engine: &Engine<AnyMedium>, values: &[&str]) -> Result<(), (usize, Error)> {
    let failures = engine.update(&[Update::numbered("a", values)]);
    let first = failures.into_iter().next();
    first.map_or(Ok(()), |(_, refused)| Err((refused.taken, refused.error)))
}

#[test]
fn a_sample_that_was_kept_can_be_repeated() {
    let calls = store(None).0.calls();
    let (medium, engine) = store(Some(calls));
    let error = append(&engine, 10, "1").unwrap_err();
    assert!(matches!(error, Error::Unacknowledged(_)), "{error}");
    assert!(error.to_string().starts_with("not acknowledged: "), "{error}");
    while let Err(repeated) = append(&engine, 10, "1") {
        assert!(matches!(repeated, Error::Unacknowledged(_)), "{repeated}");
        assert!(medium.calls() <= calls + FAILING, "no more calls fail");
    }
    // It is no licence for another reading of that time, nor for once more.
    for reading in ["2", "1"] {
        let other = append(&engine, 10, reading).unwrap_err();
        assert!(matches!(other, Error::Update { .. }), "{other}");
    }
    append(&engine, 20, "2").unwrap();
    drop(engine);
    let medium = medium.restart(Restart::PowerCut, FaultPlan::default());
    let engine = Engine::open_store(AnyMedium::of(medium), options()).unwrap();
    let rows = engine.snapshot("a").unwrap().rows.remove(0);
    assert_eq!(rows[28..], [1.0, 2.0]);
}

#[test]
fn values_before_a_refused_one_are_not_said_to_be_taken() {
    let calls = store(None).0.calls();
    let (medium, engine) = store(Some(calls));
    let values = [1, 2, 2].map(|nth| format!("{}:{nth}", START + nth * 10));
    let values = values.each_ref().map(String::as_str);
    let (taken, error) = update(&engine, &values).unwrap_err();
    assert!(taken == 0 && matches!(error, Error::Unacknowledged(_)), "{taken} {error}");
    // The third repeats the second, whose time is past; the first two are acknowledged.
    while let Err((taken, error)) = update(&engine, &values[..2]) {
        assert!(taken == 0 && matches!(error, Error::Unacknowledged(_)), "{taken} {error}");
        assert!(medium.calls() <= calls + FAILING, "no more calls fail");
    }
    let other = format!("{}:9", START + 20);
    for once_more in [values[0], values[1], &other] {
        let (taken, error) = update(&engine, &[once_more]).unwrap_err();
        assert!(taken == 0 && matches!(error, Error::Update { .. }), "{taken} {error}");
    }
}
