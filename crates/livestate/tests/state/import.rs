//! Imported RRDs: all their values are kept, and the states of rrdtool's own histories fit.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rrd::live::LastReading;
use rrd::{Reading, Timestamp};

use crate::cases;
use crate::histories::{mrtg, replay};
use crate::model::Model;

/// One value of a live state, edited.
fn edit(model: &Model, field: u8, place: usize, value: f64) -> Model {
    let mut snapshot = model.snapshot();
    let (sources, cells) = (&mut snapshot.live.sources, &mut snapshot.live.cells);
    let (nth_source, nth_cell) = (place % sources.len(), place % cells.len());
    match field {
        0 => cells[nth_cell].primary = value,
        1 => cells[nth_cell].secondary = value,
        2 => cells[nth_cell].value = value,
        3 => cells[nth_cell].unknown_pdps = value.to_bits(),
        4 => sources[nth_source].value = value,
        5 => sources[nth_source].unknown_seconds = value.to_bits(),
        6 => sources[nth_source].last_reading = LastReading::new(&format!("{value:?}")),
        7 => sources[nth_source].last_reading = LastReading::from_bytes([b'7'; 30]),
        8 => {
            let mut bytes = LastReading::new("12").to_bytes();
            bytes[9] = b'3';
            sources[nth_source].last_reading = LastReading::from_bytes(bytes);
        }
        _ => snapshot.live.last_update.seconds = 1 << 40,
    }
    Model::imported(&snapshot)
}

#[test]
fn whatever_an_import_holds_is_kept() {
    let value = prop_oneof![any::<f64>(), any::<u64>().prop_map(f64::from_bits), Just(0.0)];
    let strategy = (cases::case(), 0..10_u8, any::<usize>(), value);
    let config =
        Config { cases: cases::wanted(300), failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&strategy, |(case, field, place, value)| {
        let model = replay(&case, |model| {
            let anew = Model::imported(&model.snapshot());
            anew.check();
            // A state that fits after updates also fits after an import.
            assert!(anew.is_packed() || !model.is_packed());
        });
        let mut imported = edit(&model, field, place, value);
        imported.check();
        let step_seconds = case.definition.step_seconds as i64;
        let readings = vec![Reading::Unsigned(5); case.definition.sources.len()];
        let mut seconds = imported.live.last_update.seconds;
        for _ in 0..3 {
            seconds += step_seconds;
            imported.append(Timestamp::from_seconds(seconds), &readings);
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// An edited value keeps a state aside only until the value is replaced.
#[test]
fn an_edited_state_fits_again() {
    let mut model = Model::fresh(&mrtg(), Timestamp::from_seconds(1_700_000_000));
    let mut seconds = 1_700_000_000;
    let mut minutes = |model: &mut Model, steps: i64| {
        for _ in 0..steps {
            seconds += 300;
            assert!(model.append(Timestamp::from_seconds(seconds), &["100", "7"].map(Reading::of)));
        }
    };
    minutes(&mut model, 10);
    let mut model = edit(&model, 0, 5, 3.25); // a primary of the class of 6
    assert!(!model.is_packed());
    minutes(&mut model, 6);
    assert!(model.is_packed());
}
