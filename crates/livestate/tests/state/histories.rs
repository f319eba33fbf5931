//! Histories of updates: no value is ever lost, and ordinary states fit.

use livestate::StateLayout;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rrd::{Definition, Reading, SampleReader, Timestamp};

use crate::cases;
use crate::model::Model;

fn run<S: Strategy>(strategy: &S, usual: u32, test: impl Fn(S::Value)) {
    let cases = cases::wanted(usual);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(strategy, |case| {
        test(case);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// Applies every parseable argument of a case to a model.
pub(crate) fn replay(case: &cases::Case, mut each: impl FnMut(&mut Model)) -> Model {
    let mut model = Model::fresh(&case.definition, Timestamp::from_seconds(case.start_seconds));
    model.check();
    for command in &case.updates {
        let reader = match &command.template {
            Some(names) => SampleReader::by_template(&case.definition, names),
            None => Ok(SampleReader::in_order(&case.definition)),
        };
        let Ok(reader) = reader else {
            continue;
        };
        for argument in &command.arguments {
            let mut readings = Vec::new();
            let Ok(time) = reader.split(argument, &mut readings) else {
                continue;
            };
            let time = time.moment(Timestamp::default()).expect("no AT-style times here");
            model.append(time, &readings);
            each(&mut model);
        }
    }
    model
}

#[test]
fn nothing_is_lost_whatever_happens() {
    run(&cases::case(), 1000, |case| {
        replay(&case, |_| {});
    });
}

/// The same where rows follow from how their PDPs are spread.
#[test]
fn nothing_is_lost_of_spreads() {
    let archive = prop_oneof![
        (2..40_u64, 1..9_u64).prop_map(|(steps, rows)| format!("RRA:STDEV:0.5:{steps}:{rows}")),
        (2..40_u64, 1..9_u64, 0..101_u64)
            .prop_map(|(steps, rows, at)| format!("RRA:PERCENTILE:0.3:{steps}:{rows}:{at}")),
    ];
    run(&(cases::case(), vec(archive, 1..4)), 500, |(mut case, archives)| {
        for archive in &archives {
            let text = archive.strip_prefix("RRA:").unwrap();
            rrd::spec::append_archives(&mut case.definition, text).unwrap();
        }
        replay(&case, |_| {});
    });
}

/// MRTG's layout with the 95th percentile and the deviation of an hour.
fn billed() -> Definition {
    let mut definition = mrtg();
    for text in ["PERCENTILE:0.5:12:800:95", "STDEV:0.5:12:800"] {
        rrd::spec::append_archives(&mut definition, text).unwrap();
    }
    definition
}

pub(crate) fn mrtg() -> Definition {
    let archives =
        [(1, 600), (6, 700), (24, 775), (288, 797)].into_iter().flat_map(|(pdps, rows)| {
            ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
        });
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    definition(300, sources.into_iter().chain(archives))
}

/// The database that collectd makes for a gauge, with its step of ten seconds.
fn collectd() -> Definition {
    let archives = [(1, 1200), (7, 1235), (50, 1210), (223, 1202), (2635, 1201)];
    let archives = archives.into_iter().flat_map(|(pdps, rows)| {
        ["AVERAGE", "MIN", "MAX"].map(|cf| format!("RRA:{cf}:0.1:{pdps}:{rows}"))
    });
    definition(10, ["DS:value:GAUGE:20:U:U".into()].into_iter().chain(archives))
}

fn definition(step_seconds: u64, specs: impl Iterator<Item = String>) -> Definition {
    let specs: Vec<String> = specs.collect();
    rrd::spec::definition(step_seconds, specs.iter().map(String::as_str)).unwrap()
}

/// Steps of time in microseconds: a usual one, a late one, missed ones, long silences.
fn moves(step_seconds: u64) -> impl Strategy<Value = u64> {
    let step = step_seconds * 1_000_000;
    prop_oneof![
        20 => Just(step),
        10 => step - 2_000_000..step + 2_000_000,
        3 => (2..5_u64).prop_map(move |steps| steps * step),
        1 => (2..40_u64).prop_map(move |steps| steps * step + 123_456),
        1 => (40..2_000_000_u64).prop_map(move |steps| steps * step),
    ]
}

/// Runs a history in which every state must fit.
fn fits(definition: &Definition, history: &[(u64, Vec<String>)]) {
    let start = Timestamp::from_seconds(1_700_000_123);
    let mut model = Model::fresh(definition, start);
    assert!(model.is_packed(), "a new state fits");
    let mut micros = 1_700_000_123_000_000;
    for (forward, readings) in history {
        micros += forward;
        let time =
            Timestamp { seconds: (micros / 1_000_000) as i64, micros: (micros % 1_000_000) as u32 };
        let readings = Reading::of_all(readings);
        assert!(model.append(time, &readings));
        assert!(model.is_packed(), "after {forward} {readings:?}");
    }
}

#[test]
fn every_state_of_mrtg_fits() {
    let reading = || {
        prop_oneof![
            8 => any::<u32>().prop_map(|each| each.to_string()),
            8 => any::<u64>().prop_map(|each| each.to_string()),
            2 => Just("U".to_owned()),
            1 => Just("0".to_owned()),
        ]
    };
    let history = vec((moves(300), vec(reading(), 2..=2)), 1..60);
    run(&history, 300, |history| fits(&mrtg(), &history));
}

#[test]
fn every_state_of_collectds_gauges_fits() {
    let reading = prop_oneof![
        4 => any::<f64>().prop_filter("collectd says nan", |it| !it.is_nan() && it.is_finite())
            .prop_map(|each| format!("{each:.14e}")),
        4 => (-1e6..1e6_f64).prop_map(|each| format!("{each}")),
        4 => (0..100_000_u32).prop_map(|each| format!("{}.{:02}", each / 100, each % 100)),
        1 => prop::sample::select(vec!["U", "nan", "0", "-0", "1e-05", "2.5E+10"])
            .prop_map(str::to_owned),
    ];
    let history = vec((moves(10), vec(reading, 1..=1)), 1..60);
    run(&history, 300, |history| fits(&collectd(), &history));
}

/// All updates but the first one, which has no reading before it, and those that complete a row of
/// several PDPs.
#[test]
fn usual_updates_are_taken_by_the_state_as_it_lies() {
    for (definition, pdps_per_row) in [(mrtg(), 6), (billed(), 6), (collectd(), 7)] {
        let step_seconds = definition.step_seconds as i64;
        let start_pdp = 5_000_000;
        let start = Timestamp::from_seconds(start_pdp * step_seconds);
        let mut model = Model::fresh(&definition, start);
        let updates = 1..=60;
        for nth in updates.clone() {
            let time = Timestamp::from_seconds((start_pdp + nth) * step_seconds + (nth + 2) % 3);
            let readings = vec![(nth * 1_234_567).to_string(); definition.sources.len()];
            assert!(model.append(time, &Reading::of_all(&readings)));
        }
        let usual = updates.skip(1).filter(|nth| (start_pdp + nth) % pdps_per_row != 0);
        let rare = if pdps_per_row == 7 { 1 } else { 0 }; // 50 PDPs a row
        assert_eq!(model.plain_updates, usual.count() as u64 - rare);
    }
}

#[test]
fn states_are_as_small_as_documented() {
    assert_eq!(StateLayout::new(&mrtg()).bytes(), 162);
    // Of each of two sources eleven PDPs and their count, and three numbers; 18 bits of the head
    // for a class of its own.
    assert_eq!(StateLayout::new(&billed()).bytes(), 162 + 2 * (2 + 11 * 8) + 2 * 20 + 3);
    // Values of 12 cells; secondaries of the class of 1 PDP, and of the class of 2,635 PDPs, which
    // is more than any ring has.
    assert_eq!(StateLayout::new(&collectd()).bytes(), 152);
}
