//! Untrusted bytes are refused or accepted, but never cause a panic.

use livestate::{Run, State, StateLayout};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rrd::Timestamp;
use rrd::live::LastReading;

use crate::cases;
use crate::histories::mrtg;

fn aside_bytes(layout: &StateLayout) -> Vec<u8> {
    let mut state = State::fresh(layout, &mrtg(), Timestamp::from_seconds(1_700_000_000));
    state.live.sources[0].last_reading = LastReading::new("0012");
    state.runs[1] = Run::Explicit;
    state.runs[2] = Run::Age(3);
    let mut bytes = Vec::new();
    layout.encode(&state, &mut bytes);
    bytes
}

#[test]
fn a_damaged_aside_state_is_refused_or_read() {
    let layout = StateLayout::new(&mrtg());
    let whole = aside_bytes(&layout);
    assert!(layout.decode(&whole).is_ok());
    for cut in 0..whole.len() {
        assert!(layout.decode(&whole[..cut]).is_err(), "{cut}");
    }
    let longer = [&whole[..], &[0]].concat();
    assert!(layout.decode(&longer).is_err());
    for at in 0..whole.len() {
        for value in 0..=255 {
            let mut bytes = whole.clone();
            bytes[at] = value;
            if let Ok(state) = layout.decode(&bytes) {
                let mut again = Vec::new();
                layout.encode(&state, &mut again);
                assert_eq!(again, bytes, "a state has one form only");
            }
        }
    }
}

#[test]
fn any_packed_bytes_are_some_state() {
    let config =
        Config { cases: cases::wanted(500), failure_persistence: None, ..Config::default() };
    let strategy = (cases::case(), vec(any::<u8>(), 4096));
    let outcome = TestRunner::new(config).run(&strategy, |(case, noise)| {
        let layout = StateLayout::new(&case.definition);
        let start = Timestamp::from_seconds(case.start_seconds);
        let mut state = State::fresh(&layout, &case.definition, start);
        layout.unpack(&noise[..layout.bytes()], &mut state);
        let rows = &case.definition.archives;
        let row_at = |archive: usize, age: u64, row: &mut [f64]| {
            row.fill(1.0);
            if age < rows[archive].rows { Ok(()) } else { Err(age) }
        };
        layout.complete(&mut state, row_at).unwrap();
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
